//===- PallasPrecompiledGPU.h - Ops of GPUs compiled once ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ops of `mosaic_gpu` are on types of LLVM, whose dialect takes longer to
// parse than all of ours together.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_CMAKE_PALLASPRECOMPILEDGPU_H
#define PALLAS_CMAKE_PALLASPRECOMPILEDGPU_H

#include "PallasPrecompiled.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "pallas/Dialect/MosaicGPU/IR/MosaicGPU.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"

#endif // PALLAS_CMAKE_PALLASPRECOMPILEDGPU_H
