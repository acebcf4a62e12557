//===- BarrierRules.h - Barriers, for what signals them ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOMOSAICGPU_BARRIERRULES_H
#define PALLAS_LIB_CONVERSION_PALLASTOMOSAICGPU_BARRIERRULES_H

#include "KernelEmitter.h"

namespace mlir::pallas {

/// The one barrier that a ref is.
FailureOr<BarrierSlot> getBarrier(Operation *op, Value ref,
                                  KernelEmitter &emit);
/// Its address in shared memory.
Value getBarrierAddress(KernelEmitter &emit, const BarrierSlot &slot);
/// The same as a memref without dimensions.
Value getBarrierMemRef(KernelEmitter &emit, const BarrierSlot &slot);

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOMOSAICGPU_BARRIERRULES_H
