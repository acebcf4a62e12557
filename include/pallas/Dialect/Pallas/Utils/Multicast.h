//===- Multicast.h - Stores that reach several devices ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_UTILS_MULTICAST_H
#define PALLAS_DIALECT_PALLAS_UTILS_MULTICAST_H

#include "pallas/Dialect/Pallas/IR/PallasOps.h"

namespace mlir::pallas {

/// The memory on all devices that `ref` is, or is a view of; null if it is
/// memory of one device.
MulticastRefOp findMulticastRef(Value ref);

/// The operands that are the memory of `op` or a view of it, of operations that
/// may reach all devices: stores whose old value has no uses, copies to global
/// memory, and signals. Fails at any other operation, with an error.
FailureOr<SmallVector<OpOperand *>> findMulticastUses(MulticastRefOp op);

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_UTILS_MULTICAST_H
