//===- KernelFunction.h - Signature of a TPU kernel function ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_MOSAICTPUTOPALLAS_KERNELFUNCTION_H
#define PALLAS_LIB_CONVERSION_MOSAICTPUTOPALLAS_KERNELFUNCTION_H

#include "TypeConversion.h"

namespace mlir::pallas {

/// The window that a kernel sees of one array.
struct KernelWindow {
  /// Null where the window is the whole array.
  func::FuncOp transform;
  SmallVector<int64_t> bounds;
  /// Whether the transform counts elements of the padded array, not blocks.
  bool countsElements = false;
  SmallVector<int64_t> padLow, padHigh;
  std::optional<tpu::PipelineMode> pipelineMode;
};

/// A kernel function: its grid, and its arguments by what they are for.
struct KernelFunction {
  mutable func::FuncOp func;
  tpu::CoreType core = tpu::CoreType::TensorCore;
  SmallVector<int64_t> grid;
  SmallVector<DimensionSemantics> semantics;
  /// Whether it runs once per core of a mesh, on whole arrays.
  bool runsOnMesh = false;
  unsigned numPrefetch = 0;
  unsigned numArrays = 0;
  SmallVector<KernelWindow> windows;

  unsigned getNumDynamicBounds() const {
    return llvm::count_if(grid, ShapedType::isDynamic);
  }
  auto getIds() const { return func.getArguments().take_front(grid.size()); }
  auto getPrefetch() const {
    return func.getArguments().slice(grid.size(), numPrefetch);
  }
  auto getArrays() const {
    return func.getArguments().slice(grid.size() + numPrefetch, numArrays);
  }
  auto getScratch() const {
    return func.getArguments().drop_front(grid.size() + numPrefetch +
                                          numArrays);
  }
};

/// Reads a kernel; an error names what is unsupported.
FailureOr<KernelFunction> readKernelFunction(func::FuncOp func);

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_MOSAICTPUTOPALLAS_KERNELFUNCTION_H
