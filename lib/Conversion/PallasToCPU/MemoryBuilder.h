//===- MemoryBuilder.h - Code on memory -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOCPU_MEMORYBUILDER_H
#define PALLAS_LIB_CONVERSION_PALLASTOCPU_MEMORYBUILDER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Dialect/Pallas/Utils/TensorParts.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::pallas {

/// `value` moved so that `extent` elements from there on lie in [0, size), a
/// negative one counting from the end first.
Value clampIndex(OpBuilder &b, Location loc, Value value, Value size,
                 Value extent);

/// Whether all of a dimension of dynamic size is selected.
inline bool isFullEntry(const AccessDim &access) {
  return access.entry.hasDynamicSize() && !access.size;
}

/// The memref that holds what a ref of this type holds.
MemRefType getMemoryType(Type refType);

/// Arrays of semaphores are arrays of counts.
RankedTensorType getPlainType(RankedTensorType type);

int64_t getByteSize(MemRefType type);

/// Builds code of one function that works on memory, and calls the runtime.
class MemoryBuilder : public IRRewriter {
public:
  explicit MemoryBuilder(func::FuncOp func)
      : IRRewriter(func.getContext()), func(func) {}

  Value createIndex(Location loc, int64_t value);
  Value createInteger(Location loc, int64_t value, unsigned width);
  /// An integer of any type as an index.
  Value toIndex(Value value);
  /// The element at which the window of a block starts, as the index has it.
  Value createWindowStart(Location loc, BlockDimAttr dim, Value index);
  /// Emits what `body` does under a condition, or always where there is none.
  void when(Location loc, Value condition, function_ref<void()> body);

  // Fresh memory, and that of tensors.
  Value allocate(Location loc, Type refType);
  /// For a value, also for a scalar.
  Value allocateValue(Location loc, Type type);
  /// For a result of `op`.
  FailureOr<Value> allocateResult(Operation *op, Type type);
  /// The memory of a tensor, for reading only.
  FailureOr<Value> getBuffer(Operation *op, Value value);

  // Contents.
  void fill(Location loc, Value memory, TypedAttr value);
  Value readView(Location loc, Value view, Type type, bool copy, bool writable);
  void writeView(Location loc, Value value, Value view);
  /// target = target `kind` source, element by element.
  void update(Location loc, AtomicKind kind, Value source, Value target);
  void storeElement(Location loc, Value value, Value target, ValueRange at,
                    bool adds);
  /// The indices, each of which is moved inside of the memory.
  SmallVector<Value> moveInside(Location loc, Value memory, ValueRange indices);
  /// The element at these.
  Value loadInside(Location loc, Value memory, ValueRange indices);

  // Views.
  /// The element at `at`, which lies inside.
  Value createElement(Location loc, Value memory, ValueRange at);
  Value createPart(Location loc, Value memory, const Rectangle &part);
  /// The part of a padded array that holds the array itself.
  Value createInterior(Location loc, Value padded, ArrayRef<int64_t> shape,
                       ArrayRef<int64_t> low);
  /// The parts of two views that both have.
  std::pair<Value, Value> getCommonPart(Location loc, Value source,
                                        Value target);
  /// The address of the first element of a view.
  Value getAddress(Location loc, Value view);
  /// A memref of dense memory.
  Value wrapAddress(Location loc, Value address, MemRefType type);
  /// The view so many bytes further on.
  Value moveView(Location loc, Value view, Value offset);

  // Calls of the runtime.
  /// The address of a text that ends with a zero byte.
  Value createString(Location loc, StringRef text);
  /// The text of a location, for messages at run time.
  Value getPlace(Location loc);
  /// Calls a function of the runtime; null if it returns nothing.
  Value callRuntime(Location loc, StringRef name, ValueRange arguments,
                    Type result = {});
  /// The semaphore at which devices meet.
  Value getBarrierSemaphore(Location loc, int64_t collectiveId);
  /// Makes the call of the kernel fail with a message if `condition` holds, by
  /// a function of the runtime that may add values to it.
  void failIf(Operation *op, Value condition, const Twine &message,
              StringRef function = "pallas_rt_error", ValueRange values = {});
  /// Tells an allocation or meeting that other tasks may name from others.
  Value createSiteNumber(Location loc);

private:
  func::FuncOp func;
  /// Names of the texts by their contents.
  llvm::StringMap<std::string> texts;
  unsigned numSites = 0;
};

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOCPU_MEMORYBUILDER_H
