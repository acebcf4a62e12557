//===- Discharge.h - Refs into values ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_TRANSFORMS_DISCHARGE_H
#define PALLAS_DIALECT_PALLAS_TRANSFORMS_DISCHARGE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace mlir::pallas {

/// The contents of the refs that are discharged, at one point of the program.
class DischargeState {
public:
  explicit DischargeState(std::function<bool(Value)> selects, bool isWhole)
      : selects(std::move(selects)), whole(isWhole) {}

  /// Whether this is a ref or an accumulator that becomes a value.
  bool isSelected(Value ref) const;
  /// Whether all refs become values, and calls that don't wait for others.
  bool isWhole() const { return whole; }

  /// The type of the value that replaces the contents of a ref.
  static Type getStateType(Type refType);
  /// The contents of a fresh ref: zero for accumulators and semaphores,
  /// unspecified for others.
  static Value createInitial(OpBuilder &builder, Location loc, Type refType);

  /// Lets a ref be discharged from here on.
  void define(Value ref, Value value) { values[ref] = value; }
  /// Has to follow where a ref goes away: another value may get its address.
  void forget(Value ref) { values.erase(ref); }
  /// Whether the ref, or the one that it is a view of, is discharged.
  bool isDischarged(Value ref) const { return bool(getRoot(ref)); }
  Value read(OpBuilder &builder, Location loc, Value ref);
  LogicalResult write(OpBuilder &builder, Location loc, Value ref, Value value);
  /// The same for refs that stay, too: these are read and written in place.
  Value load(OpBuilder &builder, Location loc, Value ref);
  LogicalResult store(OpBuilder &builder, Location loc, Value ref, Value value);
  /// The ref that this one, which is discharged, is a view of; or null.
  Value getRoot(Value ref) const;

  /// The discharged refs that operations within `regions` may write to.
  SmallVector<Value> getWritten(MutableArrayRef<Region> regions) const;
  SmallVector<Value> getWritten(Region &region) const {
    return getWritten(MutableArrayRef<Region>(&region, 1));
  }
  /// The same for one operation, with its regions.
  SmallVector<Value> getWritten(Operation *op) const;
  SmallVector<Value> readAll(OpBuilder &builder, ArrayRef<Value> refs) const;

  /// Discharges the operations of a block but not its terminator.
  LogicalResult discharge(Block &block);
  /// The same for a block that runs with `initial` in `refs`, whatever happens
  /// elsewhere; appends what they hold at the end to the terminator.
  LogicalResult dischargeBranch(Block &block, ArrayRef<Value> refs,
                                ValueRange initial) const;

private:
  /// Erases an operation, and forgets the refs that it defines.
  void erase(Operation *op);
  LogicalResult dischargeStaying(Operation *op);
  bool isAffected(Operation *op) const;
  void collectWritten(Operation *op,
                      llvm::SmallPtrSetImpl<Value> &written) const;
  SmallVector<Value> inOrder(const llvm::SmallPtrSetImpl<Value> &written) const;

  llvm::MapVector<Value, Value> values;
  std::function<bool(Value)> selects;
  bool whole;
};

} // namespace mlir::pallas

#include "pallas/Dialect/Pallas/Transforms/DischargeableOpInterface.h.inc"

#endif // PALLAS_DIALECT_PALLAS_TRANSFORMS_DISCHARGE_H
