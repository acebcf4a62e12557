//===- Lowering.h - State of the conversion to memory -----------*- C++ -*-===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOCPU_LOWERING_H
#define PALLAS_LIB_CONVERSION_PALLASTOCPU_LOWERING_H

#include "Concurrency.h"
#include "Hazards.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"
#include "pallas/Dialect/Pallas/Utils/TensorParts.h"
#include "pallas/Support/CheckedCode.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::pallas {

/// What memory holds after an atomic update of `old` by `value`; null if the
/// kind doesn't fit the type.
Value combineAtomically(OpBuilder &b, Location loc, AtomicKind kind, Value old,
                        Value value);

/// Whether something in the region draws random bits: then it runs in order.
bool usesRandomState(Region &region);

enum class EdgeKind;

/// Fresh memory for a value, also for a scalar.
Value allocateValue(OpBuilder &b, Location loc, Type type);

/// Whether a declaration stands for a function of the process around kernels.
bool isHostFunction(func::FuncOp func);
/// The function of the process that `op` calls, if it calls one.
func::FuncOp getHostFunction(Operation *op);

/// Lowers the refs of one function, operation by operation in program order.
/// Each `lower...` method handles one theme, in a file of that theme.
class Lowering {
public:
  Lowering(func::FuncOp func, bool parallel, bool checked)
      : func(func), concurrency(func), hazards(func, concurrency.synchronizes),
        b(func.getContext()),
        parallel(parallel && !checked && !concurrency.synchronizes &&
                 !usesRandomState(func.getBody())),
        checked(checked) {}

  LogicalResult run();

private:
  LogicalResult lowerBlock(Block &block);
  LogicalResult lowerOp(Operation *op);
  /// Whether a result of `op` is a ref; then it is erased with its block.
  static bool definesMemory(Operation *op);

  // Calls.cpp and Meshes.cpp
  struct Grid;
  LogicalResult lowerCall(PallasCallOp call);
  LogicalResult bindOperands(PallasCallOp call, Grid &grid,
                             SmallVectorImpl<Value> &operands);
  LogicalResult createOutputs(PallasCallOp call, Grid &grid,
                              ArrayRef<Value> operands,
                              SmallVectorImpl<Value> &outputs);
  void replaceCall(PallasCallOp call, Grid &grid, ArrayRef<Value> outputs);
  LogicalResult lowerPipeline(EmitPipelineOp pipeline);
  LogicalResult lowerMap(MpmdMapOp map);
  LogicalResult lowerCoreMap(CoreMapOp map);
  LogicalResult runGrid(Grid &grid);
  LogicalResult bindKernelArguments(Grid &grid, ValueRange carried);
  void replaceGridQueries(Grid &grid);

  RankedTensorType getPlainType(RankedTensorType type);
  FailureOr<Value> getBuffer(Operation *op, Value value);
  FailureOr<Value> allocateResult(Operation *op, Type type);
  Value copyMemory(Value source);

  // Windows.cpp
  FailureOr<SmallVector<Value>> evaluateIndexMap(Grid &grid, unsigned index);
  FailureOr<Value> createWindow(Grid &grid, unsigned index);
  static SmallVector<int64_t> getPaddedShape(ArrayRef<int64_t> shape,
                                             BlockMappingAttr mapping);
  TypedAttr getUninitializedValue(Type type);
  Value padArray(Value array, BlockMappingAttr mapping, bool copyContents);
  void cropArray(Value padded, Value array, BlockMappingAttr mapping);

  // EdgeWindows.cpp
  struct EdgeWindow;
  EdgeKind chooseEdges(GridMappingOpInterface op, unsigned index,
                       Value array) const;
  Value createEdgeWindow(Grid &grid, unsigned index, ArrayRef<Value> starts);
  void copyEdge(const EdgeWindow &edge, bool writesBack);

  // Scopes.cpp
  LogicalResult lowerRunScoped(RunScopedOp op);
  LogicalResult lowerRunState(RunStateOp op);
  LogicalResult lowerGlobal(GetGlobalOp op);
  LogicalResult lowerRefLifetime(Operation *op);

  // RefAccess.cpp and Atomics.cpp; createView and what it uses in Views.cpp
  LogicalResult lowerGet(GetOp op);
  LogicalResult lowerSwap(SwapOp op);
  LogicalResult lowerAddUpdate(AddUpdateOp op);
  LogicalResult lowerMaskedLoad(MaskedLoadOp op);
  LogicalResult lowerMaskedSwap(MaskedSwapOp op);
  LogicalResult lowerAtomicRMW(AtomicRMWOp op);
  LogicalResult lowerAtomicCAS(AtomicCASOp op);
  FailureOr<Value> createView(RefAccessOpInterface op);
  Value createPart(Location loc, Value memory, const Rectangle &part);
  struct ViewRange {
    OpFoldResult start, length, stride;
  };
  ViewRange createRange(RefAccessOpInterface op, unsigned dim,
                        const AccessDim &access);
  /// Whether all of a dimension of dynamic size is selected.
  static bool isFullEntry(const AccessDim &access) {
    return access.entry.hasDynamicSize() && !access.size;
  }
  /// `value` moved so that `extent` elements from there on lie in [0, size), a
  /// negative one counting from the end first.
  static Value clampIndex(OpBuilder &b, Location loc, Value value, Value size,
                          Value extent);
  /// The element at `indices`, each of which is moved inside of the memory.
  Value loadInside(Location loc, Value memory, ValueRange indices);
  /// Runs `body` for each selected element in order, with its indices into the
  /// ref and into the value, and a condition that is false outside the ref, or
  /// no value where that can't be.
  LogicalResult forEachElement(
      RefAccessOpInterface op, AccessKind kind,
      function_ref<void(ValueRange at, ValueRange position, Value inside)>
          body);
  Value areSlicesInside(RefAccessOpInterface op);
  LogicalResult accessSlice(RefAccessOpInterface op,
                            function_ref<void(Value view)> whole,
                            function_ref<LogicalResult()> each);
  Value readView(Value view, Type type, bool copy, bool writable);
  void writeView(Value value, Value view);

  // Views.cpp and CopiedViews.cpp
  LogicalResult lowerView(Operation *op);
  LogicalResult lowerWideView(BitcastRefOp op);
  LogicalResult lowerOpOnCopies(Operation *op);
  static bool isThroughIndices(DMAStartOp start);
  LogicalResult copyElements(DMAStartOp start, Value target);
  void storeElement(Location loc, Value value, Value target, ValueRange at,
                    bool adds);
  /// The parts of two views that both have.
  std::pair<Value, Value> getCommonPart(Value source, Value target);

  // TensorCopies.cpp
  struct TensorBox;
  /// Whether `op` makes a view that only copies of boxes use, which may lie
  /// outside of the ref.
  static bool mayLeaveRef(Operation *op);
  TensorBox createBox(Location loc, Value box, Value shared);
  void copyBox(Location loc, Value box, Value shared, function_ref<void()> fill,
               function_ref<void(Value, Value)> copy);
  LogicalResult lowerTensorLoad(CopyGmemToSmemOp op);
  LogicalResult lowerTensorStore(CopySmemToGmemOp op);

  // Meshes.cpp and Tasks.cpp
  struct MeshKernel;
  LogicalResult createMapArrays(MpmdMapOp map, SmallVectorImpl<Value> &inputs,
                                SmallVectorImpl<Value> &outputs);
  SmallVector<MeshKernel, 1> bindMapKernels(MpmdMapOp map,
                                            ArrayRef<Value> inputs,
                                            ArrayRef<Value> outputs);
  /// Memory of a scratch argument for all points of a mesh.
  struct ScratchArray {
    Value memory;
    MeshKernel *owner = nullptr;
  };
  LogicalResult runPoint(MeshKernel &kernel);
  LogicalResult runInOrder(Location loc, MeshKernel &kernel,
                           unsigned numKnownArguments);
  LogicalResult runTasks(Location loc, MutableArrayRef<MeshKernel> kernels,
                         unsigned numKnownArguments);
  std::string describePoints(ArrayRef<MeshKernel> kernels) const;
  ScratchArray allocateInstances(MutableArrayRef<MeshKernel> kernels,
                                 unsigned position);
  Value selectInstance(MeshKernel &kernel, const ScratchArray &array,
                       BlockArgument ref);
  static MeshAxisAttr
  findOpenAxis(const MeshKernel &from, const MeshKernel &owner, Type refType,
               Value last, ArrayRef<std::pair<std::string, Value>> chosen);
  Value getInstance(Location loc, MeshKernel &from, MeshKernel &owner,
                    Type refType, Value last,
                    ArrayRef<std::pair<std::string, Value>> chosen = {});
  Value allocateCollective(RunScopedOp op, BlockArgument ref);

  // Sharing.cpp
  /// A device, and a point of its mesh if that is another one; no device where
  /// an operation stays here.
  struct Peer {
    Value device, point;
  };
  static int64_t getByteSize(MemRefType type);
  int64_t getSharedKind(Type refType) const;
  Value getPlace(Location loc);
  Value getAddress(Location loc, Value view);
  Value wrapAddress(Location loc, Value address, MemRefType type);
  void share(Location loc, Value memory, Type refType, int64_t numInstances);
  void shareArray(Location loc, Value memory);
  void unshare(Location loc, Value memory);
  void endScope(Location loc, Value ref);
  Value getDeviceQuery(Operation *op, StringRef function, StringRef axis);
  FailureOr<Peer> getPeer(Operation *op, ValueRange ids, ArrayAttr axes,
                          std::optional<DeviceIdType> type, Value core,
                          Value ref);
  Value getAtPeer(Operation *op, Value view, const Peer &peer);

  // AsyncOps.cpp
  LogicalResult lowerAsync(Operation *op);
  void emitError(Operation *op, Value condition, const Twine &message);
  LogicalResult lowerBarrier(Operation *op);
  void meetPoints(Location loc, function_ref<bool(MeshAxisAttr)> meets);
  LogicalResult lowerCoreBarrier(CoreBarrierOp op);
  void arrive(Location loc, Value barrier);
  int64_t getNumArrivals(Value barrier) const;
  void signal(Location loc, Value semaphore, Value amount);
  void waitForCount(Operation *op, Value semaphore, Value amount,
                    bool decrement);
  LogicalResult startCopy(DMAStartOp start);
  void waitForCopy(DMAWaitOp wait);
  Value getByteCount(Value ref, Location loc);

  // GPUOps.cpp
  LogicalResult lowerGPUOp(Operation *op);
  LogicalResult lowerProduct(Operation *op);
  Value readMatrix(Value matrix);
  void when(Location loc, Value condition, function_ref<void()> body);
  void updateMemory(Location loc, AtomicKind kind, Value source, Value target);

  // Random.cpp
  LogicalResult lowerRandom(Operation *op);
  Value createRandomState(Location loc);
  Value getRandomState(Location loc);

  // Debug.cpp
  LogicalResult lowerDebug(Operation *op);
  Value createString(Location loc, StringRef text);
  /// Calls a function of the runtime; null if it returns nothing.
  Value callRuntime(Location loc, StringRef name, ValueRange arguments,
                    Type result = {});
  void printText(Operation *op, StringRef text);
  void printScalar(Operation *op, Value value, bool isUnsigned);
  void printValue(Operation *op, Value value, bool isUnsigned,
                  SmallVector<Value> &at);

  // HostCalls.cpp
  LogicalResult lowerHostCall(func::CallOp call, func::FuncOp callee);

  // Checks.cpp; these do nothing in plain code.
  static std::string describeRef(Value ref);
  Value createSite(Operation *op, const Twine &subject);
  void callChecker(Location loc, StringRef name, ValueRange leading,
                   ValueRange rest);
  void appendView(SmallVectorImpl<Value> &words, Value view);
  Value toWord(Value value);
  Value word(Location loc, int64_t value);
  Value getAddressWord(Location loc, Value memory);
  void checkRegion(Value memory, const Twine &name, ByteState state,
                   bool isShared = false);
  void checkRegionEnd(Value memory);
  void checkAccess(Operation *op, AccessKind kind, Value ref, Value view);
  void checkSameContents(Value source, Value target);
  void checkBounds(RefAccessOpInterface op);
  void checkElement(RefAccessOpInterface op, AccessKind kind, ValueRange at,
                    Value inside, Value mask);
  void checkGridBegin(Operation *op);
  void checkAliases(Grid &grid);
  void checkProgram(Location loc, ValueRange ids);
  void checkWindow(Grid &grid, unsigned index, ValueRange starts, Value window);
  void checkOutput(Operation *op, const Twine &subject, Value array,
                   ArrayRef<int64_t> blockShape);
  void checkGridEnd(Location loc);

  // SynchronizationChecks.cpp; nor do these.
  struct CopyViews {
    Value source, target, semaphore, sourceSemaphore;
  };
  void checkSignal(Location loc, Value semaphore);
  void checkWait(Location loc, Value semaphore, Value amount);
  void checkSemaphoresEnd(Operation *op, BlockArgument ref, Value place);
  void checkCopyStart(Operation *op, Value source, Value target,
                      const CopyViews &views, Value amount, bool adds);
  void checkCommitCopies(Location loc);
  void checkWaitForCopies(Location loc, int64_t pending, bool sourcesOnly);
  void checkProduct(Operation *op, ValueRange operands, Value acc,
                    Value accumulates, Value barrier);
  void checkFollowProducts(Location loc, Value barrier);
  void checkWaitForProducts(Location loc, int64_t pending);
  void checkCommitStores(Location loc);
  void checkCommitted(Operation *op, Value ref, Value view);
  void checkTensorMemory(Operation *op, AccessKind kind, Value ref);
  void checkWaitForTensorMemory(Location loc, AccessKind kind);
  void checkPointsBegin(Location loc);
  void checkPointBegin(Location loc, ValueRange ids);
  void checkPointEnd(Location loc);
  void checkPointsEnd(Location loc);

  // Helpers.
  Value getMemory(Value ref) const { return memory.lookup(ref); }
  Value index(Location loc, int64_t value);
  Value integer(Location loc, int64_t value, unsigned width);
  /// An integer of any type as an index.
  Value toIndex(Value value);
  Value allocate(Location loc, Type refType);
  /// Fresh memory for a ref, which checked code is told of.
  Value allocateRef(Value ref);
  /// The memref that holds what a ref of this type holds.
  MemRefType getMemoryType(Type refType);
  void fill(Location loc, Value memory, TypedAttr value);

  func::FuncOp func;
  Concurrency concurrency;
  Hazards hazards;
  IRRewriter b;
  bool parallel;
  bool checked;
  /// Each of them has a stack.
  static constexpr int64_t maxTasks = 4096;
  DenseMap<Value, Value> memory;
  /// Texts by their contents, and what devices are asked for by axis.
  llvm::StringMap<std::string> texts;
  llvm::StringMap<Value> deviceQueries;
  /// What all programs of a kernel share, by name.
  llvm::StringMap<Value> globals;
  /// The points of meshes that the operation at hand runs on.
  SmallVector<MeshKernel *> meshes;
  /// Scratch of which there is an instance per point, with its mesh.
  DenseMap<Value, MeshKernel *> instanceOwners;
  /// Memory that the runtime knows.
  DenseSet<Value> shared;
  /// The random generator of the core that the operation at hand runs on.
  Value randomState;
  /// Numbers the allocations that other tasks may name.
  unsigned numSites = 0;
};

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOCPU_LOWERING_H
