//===- SharedLoop.cpp - Memory of operations in one loop ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedLoop.h"

using namespace mlir;
using namespace mlir::pallas::cpu;

/// Memory that is written has to be cut the same way by all operations, so that
/// no iteration sees what another one writes:
///
///   linalg.generic ins(%x) outs(%t)      row %i of %t
///   linalg.generic ins(%t) outs(%sum)    row %i of %t, element %i of %sum
bool LoopMemory::add(
    linalg::LinalgOp op, ArrayRef<MemoryUse> uses,
    function_ref<std::optional<unsigned>(const MemoryUse &)> getPosition) {
  llvm::MapVector<Value, TouchedMemory> updates;
  for (const MemoryUse &use : uses) {
    std::optional<unsigned> position = getPosition(use);
    const auto *known = touched.find(use.root);
    TouchedMemory before =
        known == touched.end()
            ? TouchedMemory{use.memory, position, false, true}
            : known->second;
    TouchedMemory &update = updates.insert({use.root, before}).first->second;
    update.isWritten |= use.writes;
    update.isUniform &=
        use.map && update.memory == use.memory && update.position == position;
    if (update.isWritten && !(update.isUniform && position))
      return false;
  }
  for (auto &[root, update] : updates)
    touched[root] = update;
  operations.insert(op);
  return true;
}

bool LoopMemory::isPrivate(memref::AllocOp alloc) const {
  const auto *found = touched.find(alloc.getResult());
  return found != touched.end() && found->second.isUniform &&
         alloc->getBlock() == operations.front()->getBlock() &&
         llvm::all_of(alloc->getUsers(), [&](Operation *user) {
           return operations.contains(user);
         });
}
