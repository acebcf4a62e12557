//===- PallasInsertMemoryChecks.cpp - Insert checks of memory -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checker follows memory that it has been told of. Once grids and meshes
// are loops, the operations show which memory there is:
//
//   %p = pallas.pad_ref %x low [0] : !pallas.ref<10xf32, any>
//     -> !pallas.ref<12xf32, any>
//   pallas.check_memory padding "a padded array" %p : ...
//   pallas.check_same_contents %x to %p low [0] : ...
//
// So this is a pass behind those that make the loops.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "pallas/Dialect/Pallas/IR/CheckOps.h"
#include "pallas/Dialect/Pallas/IR/MeshOps.h"
#include "pallas/Dialect/Pallas/IR/WindowOps.h"
#include "pallas/Dialect/Pallas/Transforms/Passes.h"
#include "pallas/Dialect/Pallas/Utils/ClusterAxes.h"
#include "pallas/Dialect/Pallas/Utils/Concurrency.h"
#include "pallas/Dialect/Pallas/Utils/RootRefs.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASINSERTMEMORYCHECKS
#include "pallas/Dialect/Pallas/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

namespace {
/// Inserts the checks of the memory that one operation makes, copies or ends.
class MemoryCheckInserter {
public:
  MemoryCheckInserter(Operation *op, int64_t &numBarriers)
      : op(op), b(op), numBarriers(numBarriers) {}

  void insert();

private:
  void allocation(Value ref);
  void padding(PadRefOp pad);
  void sameContents(Value source, Value target, ArrayRef<int64_t> low);
  void packedView(BitcastRefOp view);
  void state(RunStateOp state);
  void scope(RunScopedOp scope);
  void taskScope(TaskScopeOp scope);
  void buffersBegin(TypeRange buffers);
  void buffersEnd(TypeRange buffers);
  void semaphoresEnd(BlockArgument ref);
  void clusterSync(ClusterSyncOp sync);

  Operation *op;
  OpBuilder b;
  /// Barriers that checks name by a number.
  int64_t &numBarriers;
};
} // namespace

//===----------------------------------------------------------------------===//
// Arrays and copies
//===----------------------------------------------------------------------===//

/// Semaphores and accumulators start at zero; nothing has written to all other
/// memory, and reading it is a finding.
static void reportFresh(OpBuilder &b, Value ref, bool shared = false) {
  auto type = dyn_cast<RefType>(ref.getType());
  bool isZero = !type || type.isSynchronization();
  CheckMemoryOp::create(b, ref.getLoc(), /*isNew=*/true, shared,
                        isZero ? MemoryState::Written : MemoryState::Unwritten,
                        describeRef(ref), ref);
}

void MemoryCheckInserter::allocation(Value ref) {
  b.setInsertionPointAfter(op);
  reportFresh(b, ref);
}

void MemoryCheckInserter::sameContents(Value source, Value target,
                                       ArrayRef<int64_t> low) {
  CheckSameContentsOp::create(b, op->getLoc(), source, target, low);
}

/// Without padding the new ref is a copy.
void MemoryCheckInserter::padding(PadRefOp pad) {
  b.setInsertionPointAfter(pad);
  Value array = pad.getRef(), padded = pad.getPadded();
  bool isCopy = padded.getType() == array.getType();
  CheckMemoryOp::create(b, pad.getLoc(), /*isNew=*/isCopy, /*shared=*/false,
                        isCopy ? MemoryState::Unwritten : MemoryState::Padding,
                        isCopy ? "a copy" : "a padded array", padded);
  sameContents(array, padded, pad.getLow());
}

void MemoryCheckInserter::packedView(BitcastRefOp view) {
  Value ref = view.getRef(), packed = view.getView();
  auto getWidth = [](Value ref) {
    return cast<RefType>(ref.getType()).getElementTypeBitWidth();
  };
  if (getWidth(ref) == getWidth(packed))
    return;
  b.setInsertionPointAfter(view);
  CheckPackedViewOp::create(b, view.getLoc(), packed, ref);
}

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

void MemoryCheckInserter::buffersBegin(TypeRange buffers) {
  if (!buffers.empty())
    CheckBuffersBeginOp::create(b, op->getLoc(),
                                b.getTypeArrayAttr(llvm::to_vector(buffers)));
}

void MemoryCheckInserter::buffersEnd(TypeRange buffers) {
  if (!buffers.empty())
    CheckBuffersEndOp::create(b, op->getLoc(),
                              b.getTypeArrayAttr(llvm::to_vector(buffers)));
}

/// Barriers may have any count.
static bool holdsSemaphores(Value ref) {
  auto type = dyn_cast<RefType>(ref.getType());
  return type && isa<SemaphoreType, DMASemaphoreType>(type.getElementType());
}

/// Whether waits leave the count of a GPU's semaphore as it is. Such semaphores
/// start at zero in each call, so a count that stays does no harm:
///
///   pallas.semaphore_signal %done, %one device %i
///   pallas.semaphore_wait %done, %all {decrement = false}
static bool countsOn(Value ref) {
  if (cast<RefType>(ref.getType()).getMemorySpace().getSpace() !=
      MemorySpace::Gmem)
    return false;
  return llvm::any_of(ref.getUsers(), [](Operation *user) {
    if (auto wait = dyn_cast<SemaphoreWaitOp>(user))
      return !wait.getDecrement();
    // Views, and the instance of a core.
    return llvm::any_of(user->getResults(), [](Value view) {
      return isa<RefType>(view.getType()) && countsOn(view);
    });
  });
}

void MemoryCheckInserter::semaphoresEnd(BlockArgument ref) {
  if (!holdsSemaphores(ref) || countsOn(ref))
    return;
  auto name = op->getAttrOfType<StringAttr>(kMadeForAttrName);
  CheckSemaphoresEndOp::create(b, op->getLoc(), describeRef(ref), ref,
                               name ? name.getValue()
                                    : op->getName().getStringRef());
}

/// Whether cores of the mesh around share this memory of a scope.
static bool isShared(RunScopedOp scope, BlockArgument ref) {
  auto core = scope->getParentOfType<OnCoreOp>();
  if (!core)
    return false;
  ArrayRef<MeshAxisAttr> axes = core.getMesh().getAxes();
  return llvm::any_of(
      axes.drop_front(core.getFirstAxis().value_or(0)), [&](MeshAxisAttr axis) {
        return axis.getSize() != 1 && isSharedAlong(scope, ref, axis.getName());
      });
}

/// Others may name memory of a scope as soon as they know it, so all of it is
/// reported before anything else.
void MemoryCheckInserter::scope(RunScopedOp scope) {
  Block &body = scope.getBody().front();
  SmallVector<Value> own;
  b.setInsertionPointToStart(&body);
  for (BlockArgument ref : body.getArguments()) {
    bool shared = isShared(scope, ref);
    reportFresh(b, ref, shared);
    if (!shared)
      own.push_back(ref);
  }
  TypeRange buffers = ValueRange(own).getTypes();
  buffersBegin(buffers);
  b.setInsertionPoint(body.getTerminator());
  buffersEnd(buffers);
  for (BlockArgument ref : body.getArguments())
    if (llvm::is_contained(own, ref))
      semaphoresEnd(ref);
    else
      CheckMemoryEndOp::create(b, ref.getLoc(), ref);
}

/// A task reports where it begins the memory that it has for itself.
void MemoryCheckInserter::taskScope(TaskScopeOp scope) {
  Block &body = scope.getBody().front();
  SmallVector<Type> common;
  b.setInsertionPointToStart(&body);
  for (auto [ref, owner] : llvm::zip_equal(
           body.getArguments(), scope.getOwners().getAsRange<MeshAttr>())) {
    reportFresh(b, ref);
    if (countInstances(owner, scope.getFirstAxis(), ref.getType()) == 1)
      common.push_back(ref.getType());
  }
  buffersBegin(common);
  b.setInsertionPointToEnd(&body);
  buffersEnd(common);
  for (BlockArgument ref : body.getArguments())
    semaphoresEnd(ref);
}

void MemoryCheckInserter::state(RunStateOp state) {
  b.setInsertionPointToStart(&state.getBody().front());
  for (BlockArgument ref : state.getBody().getArguments())
    reportFresh(b, ref);
}

/// Work of the blocks before they arrive is ordered ahead of work after they
/// leave.
void MemoryCheckInserter::clusterSync(ClusterSyncOp sync) {
  int64_t number = numBarriers++;
  CheckClusterSyncOp::create(b, sync.getLoc(), BarrierSide::Arrive, number,
                             sync.getThreads());
  b.setInsertionPointAfter(sync);
  CheckClusterSyncOp::create(b, sync.getLoc(), BarrierSide::Leave, number,
                             sync.getThreads());
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

void MemoryCheckInserter::insert() {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](OperandRefOp op) {
        b.setInsertionPointAfter(op);
        CheckMemoryOp::create(b, op.getLoc(), /*isNew=*/false, /*shared=*/false,
                              MemoryState::Written, op.getName(), op.getRef());
      })
      .Case([&](ResultRefOp op) {
        b.setInsertionPointAfter(op);
        bool isWritten = op.getSource() && !op.getHidden();
        CheckMemoryOp::create(b, op.getLoc(), /*isNew=*/false, /*shared=*/false,
                              isWritten ? MemoryState::Written
                                        : MemoryState::Unwritten,
                              op.getName(), op.getRef());
      })
      .Case([&](PadRefOp op) { padding(op); })
      .Case([&](UnpadRefOp op) {
        b.setInsertionPointAfter(op);
        sameContents(op.getPadded(), op.getRef(), op.getLow());
      })
      .Case<NewRefOp, EmptyRefOp>([&](auto op) { allocation(op.getRef()); })
      .Case([&](BitcastRefOp op) { packedView(op); })
      .Case([&](RunStateOp op) { state(op); })
      .Case([&](RunScopedOp op) { scope(op); })
      .Case([&](TaskScopeOp op) { taskScope(op); })
      .Case([&](ClusterSyncOp op) { clusterSync(op); });
}

/// Memory of a name exists once, from the start of the function to its end. So
/// that is where checks tell of it:
///
///   %done = pallas.get_global "done" : !pallas.ref<!pallas.semaphore,
///   semaphore> pallas.check_memory new written "memory \"done\"" %done : ...
///   ...
///   pallas.check_semaphores_end "memory \"done\"" %done by ...
///   return
static void reportGlobals(func::FuncOp func) {
  llvm::MapVector<StringAttr, GetGlobalOp> first;
  DenseSet<StringAttr> counters;
  func.walk([&](GetGlobalOp op) {
    first.insert({op.getNameAttr(), op});
    if (countsOn(op.getRef()))
      counters.insert(op.getNameAttr());
  });
  OpBuilder b(func.getContext());
  b.setInsertionPointToStart(&func.front());
  OpBuilder end(func.front().getTerminator());
  for (auto [name, global] : first) {
    Value ref = cast<GetGlobalOp>(b.clone(*global)).getRef();
    reportFresh(b, ref);
    if (holdsSemaphores(ref) && !counters.contains(name))
      CheckSemaphoresEndOp::create(end, global.getLoc(), describeRef(ref), ref,
                                   global->getName().getStringRef());
  }
}

namespace {
struct InsertMemoryChecksPass
    : public pallas::impl::PallasInsertMemoryChecksBase<
          InsertMemoryChecksPass> {
  using PallasInsertMemoryChecksBase::PallasInsertMemoryChecksBase;

  /// Names of memory stem from grids, meshes and the checks of accesses.
  static LogicalResult verifyPrepared(ModuleOp module) {
    if (!module->hasAttr(kHasChecksAttrName))
      return module.emitOpError("has no checks of its accesses; run "
                                "pallas-insert-checks before");
    if (module->hasAttr(kHasMemoryChecksAttrName))
      return module.emitOpError("has checks of its memory already; run "
                                "pallas-insert-memory-checks once");
    return success();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(verifyPrepared(module)))
      return signalPassFailure();
    SmallVector<Operation *> ops;
    int64_t numBarriers = 0;
    module.walk<WalkOrder::PreOrder>([&](Operation *op) {
      ops.push_back(op);
      if (auto barrier = dyn_cast<CheckCoreBarrierOp>(op))
        numBarriers = std::max<int64_t>(numBarriers, barrier.getNumber() + 1);
    });
    for (Operation *op : ops)
      MemoryCheckInserter(op, numBarriers).insert();
    for (auto func : module.getOps<func::FuncOp>())
      if (!func.isExternal())
        reportGlobals(func);
    module->setAttr(kHasMemoryChecksAttrName, UnitAttr::get(&getContext()));
  }
};
} // namespace
