//===- Lowering.h - State of the conversion to memory -----------*- C++ -*-===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOCPU_LOWERING_H
#define PALLAS_LIB_CONVERSION_PALLASTOCPU_LOWERING_H

#include "Hazards.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::pallas {

/// What an operation does to memory; the values are those of the runtime.
enum class AccessKind { Read = 1, Write = 2, Update = 3 };

/// What is known of memory from the start; the values are those of the runtime.
enum class MemoryState { Written = 0, Unwritten = 1, Padding = 2 };

/// What memory holds after an atomic update of `old` by `value`; null if the
/// kind doesn't fit the type.
Value combineAtomically(OpBuilder &b, Location loc, AtomicKind kind, Value old,
                        Value value);

/// Lowers the refs of one function, operation by operation in program order.
/// Each `lower...` method handles one theme, in a file of that theme.
class Lowering {
public:
  Lowering(func::FuncOp func, bool parallel, bool checked)
      : func(func), hazards(func), b(func.getContext()),
        parallel(parallel && !checked), checked(checked) {}

  LogicalResult run() { return lowerBlock(func.front()); }

private:
  LogicalResult lowerBlock(Block &block);
  LogicalResult lowerOp(Operation *op);
  /// Whether a result of `op` is a ref; then it is erased with its block.
  static bool definesMemory(Operation *op);

  // Calls.cpp and Meshes.cpp
  struct Grid;
  LogicalResult lowerCall(PallasCallOp call);
  LogicalResult lowerPipeline(EmitPipelineOp pipeline);
  LogicalResult lowerMap(MpmdMapOp map);
  LogicalResult lowerCoreMap(CoreMapOp map);
  LogicalResult runGrid(Grid &grid);
  LogicalResult runMesh(Location loc, MeshAttr mesh, Region &kernel,
                        unsigned numKnownArguments);
  void replaceGridQueries(Grid &grid);

  FailureOr<Value> getBuffer(Operation *op, Value value);
  FailureOr<Value> allocateResult(Operation *op, Type type);
  Value copyMemory(Value source);

  // Windows.cpp
  FailureOr<SmallVector<Value>> evaluateIndexMap(Grid &grid, unsigned index);
  FailureOr<Value> createWindow(Grid &grid, unsigned index);
  Value padArray(Value array, BlockMappingAttr mapping, bool copyContents);
  void cropArray(Value padded, Value array, BlockMappingAttr mapping);

  // Scopes.cpp
  LogicalResult lowerRunScoped(RunScopedOp op);
  LogicalResult lowerRunState(RunStateOp op);
  LogicalResult lowerRefLifetime(Operation *op);

  // RefAccess.cpp and Atomics.cpp
  LogicalResult lowerGet(GetOp op);
  LogicalResult lowerSwap(SwapOp op);
  LogicalResult lowerAddUpdate(AddUpdateOp op);
  LogicalResult lowerMaskedLoad(MaskedLoadOp op);
  LogicalResult lowerMaskedSwap(MaskedSwapOp op);
  LogicalResult lowerAtomicRMW(AtomicRMWOp op);
  LogicalResult lowerAtomicCAS(AtomicCASOp op);
  FailureOr<Value> createView(RefAccessOpInterface op);
  /// Runs `body` for each selected element in order, with its indices into the
  /// ref and into the value, and a condition that is false outside the ref, or
  /// no value where that can't be.
  LogicalResult forEachElement(
      RefAccessOpInterface op, AccessKind kind,
      function_ref<void(ValueRange at, ValueRange position, Value inside)>
          body);
  Value readView(Value view, Type type, bool copy, bool writable);
  void writeView(Value value, Value view);

  // Views.cpp
  LogicalResult lowerView(Operation *op);

  // AsyncOps.cpp
  LogicalResult lowerAsync(Operation *op);
  void emitError(Operation *op, Value condition, const Twine &message);
  LogicalResult lowerBarrier(Operation *op);
  void arrive(Location loc, Value barrier);
  void waitForCount(Operation *op, Value semaphore, Value amount,
                    bool decrement);
  void checkDevice(Operation *op, ValueRange deviceIds);
  Value getByteCount(Value place, Location loc);

  // GPUOps.cpp
  LogicalResult lowerGPUOp(Operation *op);
  LogicalResult lowerProduct(Operation *op);
  Value readMatrix(Value matrix);
  void when(Location loc, Value condition, function_ref<void()> body);
  void updateMemory(Location loc, AtomicKind kind, Value source, Value target);

  // Debug.cpp
  LogicalResult lowerDebug(Operation *op);
  Value createString(Operation *op, StringRef text);
  void callRuntime(Location loc, StringRef name, ValueRange arguments);
  void printText(Operation *op, StringRef text);
  void printScalar(Operation *op, Value value, bool isUnsigned);
  void printValue(Operation *op, Value value, bool isUnsigned,
                  SmallVector<Value> &at);

  // Checks.cpp; these do nothing in plain code.
  Value createSite(Operation *op, const Twine &subject);
  void callChecker(Location loc, StringRef name, ValueRange leading,
                   ValueRange rest);
  void appendView(SmallVectorImpl<Value> &words, Value view);
  Value toWord(Value value);
  Value word(Location loc, int64_t value);
  Value getAddressWord(Location loc, Value memory);
  void checkRegion(Value memory, const Twine &name, MemoryState state);
  void checkAccess(Operation *op, AccessKind kind, Value ref, Value view);
  void checkSameContents(Value source, Value target);
  void checkBounds(RefAccessOpInterface op);
  void checkElement(RefAccessOpInterface op, AccessKind kind, ValueRange at,
                    Value inside, Value mask);
  void checkGridBegin(Operation *op);
  void checkProgram(Location loc, ValueRange ids);
  void checkWindow(Grid &grid, unsigned index, ValueRange starts, Value window);
  void checkOutput(Grid &grid, unsigned output, Value array);
  void checkGridEnd(Location loc);
  void checkCopyStart(Operation *op, Value source, Value target,
                      Value semaphore, Value sourceSemaphore, Value amount,
                      bool adds);
  void checkSignal(Operation *op, Value semaphore, Value amount);
  void checkWait(Operation *op, Value semaphore, Value amount);
  void checkSemaphoresEnd(Operation *op, Block::BlockArgListType refs);

  // Helpers.
  Value getMemory(Value ref) const { return memory.lookup(ref); }
  Value index(Location loc, int64_t value);
  /// An integer of any type as an index.
  Value toIndex(Value value);
  Value allocate(Location loc, Type refType);
  /// Fresh memory for a ref, which checked code is told of.
  Value allocateRef(Value ref);
  /// The memref that holds what a ref of this type holds.
  MemRefType getMemoryType(Type refType);
  void fill(Location loc, Value memory, TypedAttr value);

  func::FuncOp func;
  Hazards hazards;
  IRRewriter b;
  bool parallel;
  bool checked;
  DenseMap<Value, Value> memory;
  unsigned numTexts = 0;
};

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOCPU_LOWERING_H
