//===- TargetInfo.h - What GPUs can do, as data -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One table for everything that depends on the architecture: what the lowering
// refuses, the check of a module against a target, the text of
// --print-target-info and the page in the documentation.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_MOSAICGPU_UTILS_TARGETINFO_H
#define PALLAS_DIALECT_MOSAICGPU_UTILS_TARGETINFO_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Types.h"
#include "pallas/Dialect/MosaicGPU/IR/MosaicGPU.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::mosaic_gpu {

/// The limits of an architecture.
struct GPUTarget {
  llvm::StringLiteral arch;
  int major, minor;
  /// Bytes of shared memory that a block may take.
  int64_t sharedBytes;
  /// Warpgroups of a block, blocks of a cluster.
  int64_t warpgroups;
  int64_t clusterBlocks;
  /// Barriers that a scope takes at once: a word holds a bit for each.
  int64_t barriers;
  /// Registers of 32 bits that a thread can name, and all threads of a block.
  int64_t threadRegisters;
  int64_t blockRegisters;
  /// Columns of tensor memory, of 128 words of 32 bits each.
  int64_t tensorColumns;
  /// Whether warpgroups multiply, rather than the tensor memory's unit.
  bool multipliesInRegisters;

  /// Registers for each thread of a block of so many warpgroups.
  int64_t getRegisters(int64_t warpgroupsPerBlock) const;
};

ArrayRef<GPUTarget> getGPUTargets();
/// The target of this name, or null.
const GPUTarget *findGPUTarget(StringRef arch);
/// The same for a name that a user gave; the error at `op` lists the others.
FailureOr<const GPUTarget *> findGPUTarget(Operation *op, StringRef arch);

/// The limits of a copy between global and shared memory.
struct GPUCopyLimits {
  int64_t elements;
  int64_t rank;
  int64_t rowBytes;
  /// Boxes start in shared memory at multiples of so many bytes.
  int64_t alignment;
};
const GPUCopyLimits &getGPUCopyLimits();

/// The shapes that a warpgroup multiplies: rows and columns of the
/// accumulator are multiples of these, columns at most so many.
struct GPUProductLimits {
  int64_t rows;
  int64_t columns;
  int64_t maxColumns;
};
const GPUProductLimits &getGPUProductLimits();

/// The shapes that products in tensor memory have: rows of the accumulator, or
/// half as many; columns of rhs are a multiple of `columns`, or of
/// `scaledColumns` where operands have scales, and at most so many.
struct GPUTensorProductLimits {
  int64_t rows;
  int64_t columns, scaledColumns;
  int64_t maxColumns;
  /// The same for each block of two that multiply together.
  int64_t pairColumns;
};
const GPUTensorProductLimits &getGPUTensorProductLimits();

/// Whether operands of these types are multiplied and added to this one, by
/// warpgroups or in tensor memory.
bool isGPUProduct(Type lhs, Type rhs, Type accumulator);
/// The same for operands with scales.
bool isGPUScaledProduct(Type lhs, Type rhs, Type lhsScale, Type rhsScale,
                        Type accumulator);

/// Whether a copy to global memory combines elements of this type so. The kind
/// of floats is `max` or `min`, that of integers tells whether they are signed.
bool isGPUReduction(TMAReduction kind, Type element);

/// Writes the limits of an architecture, as Markdown.
void printGPUTargetInfo(const GPUTarget &target, llvm::raw_ostream &os);
/// Writes the tables of all architectures.
void printGPUTargets(llvm::raw_ostream &os);

} // namespace mlir::mosaic_gpu

#endif // PALLAS_DIALECT_MOSAICGPU_UTILS_TARGETINFO_H
