//===- MosaicGPU.h - The mosaic_gpu dialect ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_MOSAICGPU_IR_MOSAICGPU_H
#define PALLAS_DIALECT_MOSAICGPU_IR_MOSAICGPU_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "pallas/Dialect/MosaicGPU/IR/MosaicGPUDialect.h.inc"
#include "pallas/Dialect/MosaicGPU/IR/MosaicGPUEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "pallas/Dialect/MosaicGPU/IR/MosaicGPUTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "pallas/Dialect/MosaicGPU/IR/MosaicGPUAttributes.h.inc"

#define GET_OP_CLASSES
#include "pallas/Dialect/MosaicGPU/IR/MosaicGPUOps.h.inc"

namespace mlir::mosaic_gpu {

/// Memory that a memref lies in, by its memory space.
enum class Memory { Global, Shared, Cluster, Tensor, Other };
Memory getMemory(MemRefType type);

/// The memory space of shared memory.
gpu::AddressSpaceAttr getSharedMemorySpace(MLIRContext *context);

/// Bytes that a barrier takes in shared memory.
inline constexpr int64_t kBarrierBytes = 8;

} // namespace mlir::mosaic_gpu

#endif // PALLAS_DIALECT_MOSAICGPU_IR_MOSAICGPU_H
