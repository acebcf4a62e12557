//===- PallasInsertChecks.cpp - Insert checks for checked execution -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As in sanitizers, checks are operations of their own:
//
//   pallas.check_access read "input 0" %r[%i] by "pallas.get"
//   %v = pallas.get %r[%i] : !pallas.ref<8xf32, vmem>
//
// Their lowering calls the checker, and that of accesses knows nothing of it.
// Names of refs are found here, as the calls that declare them are gone later.
//
//===----------------------------------------------------------------------===//

#include "TensorChecks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "pallas/Dialect/Pallas/IR/AccessBounds.h"
#include "pallas/Dialect/Pallas/IR/AliasedRefs.h"
#include "pallas/Dialect/Pallas/IR/CheckOps.h"
#include "pallas/Dialect/Pallas/IR/RefEffects.h"
#include "pallas/Dialect/Pallas/Transforms/Passes.h"
#include "pallas/Dialect/Pallas/Utils/RootRefs.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASINSERTCHECKS
#include "pallas/Dialect/Pallas/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Names of shared memory
//===----------------------------------------------------------------------===//

/// Whether a kernel stores to a ref. A wait for a copy counts as a write only
/// so that nothing moves across it.
static bool isStoredTo(Value ref) {
  return walkRefUses(ref,
                     [](OpOperand &use) {
                       return !isa<DMAWaitOp>(use.getOwner()) &&
                                      mayWrite(use.getOwner(), use.get())
                                  ? WalkResult::interrupt()
                                  : WalkResult::advance();
                     })
      .wasInterrupted();
}

/// Whether checks can tell the names of shared memory apart: the kernel uses
/// the output's, and writes through no other, as memory has one place only.
static bool tellsNamesApart(MpmdMapOp map) {
  bool usesOutput = false;
  for (auto [input, output] : map.getInputOutputAliases())
    for (Region &kernel : map.getKernels()) {
      if (isStoredTo(kernel.getArgument(input)))
        return false;
      usesOutput |=
          !kernel.getArgument(map.getInputs().size() + output).use_empty();
    }
  return usesOutput;
}

/// The same for a grid.
static bool tellsNamesApart(GridMappingOpInterface op) {
  auto inputs = op.sliceBlockOps().take_front(op.getNumInputs());
  auto outputs = op.sliceBlockOps().drop_front(op.getNumInputs());
  bool usesOutput = false;
  for (auto [operand, output] : op.getInputOutputAliases()) {
    if (operand < int64_t(op.getNumIndexOperands()))
      continue;
    unsigned input = operand - op.getNumIndexOperands();
    if (op.sharesMemory(input, output) && isStoredTo(inputs[input]))
      return false;
    usesOutput |= !outputs[output].use_empty();
  }
  return usesOutput;
}

/// An input and an output that share memory get one name, except where checks
/// tell both apart: a message is to have the name that the kernel uses.
static void joinAliases(Operation *op) {
  if (auto map = dyn_cast<MpmdMapOp>(op)) {
    if (!tellsNamesApart(map))
      joinAliasedRefs(map);
  } else if (auto grid = dyn_cast<GridMappingOpInterface>(op)) {
    if (!tellsNamesApart(grid))
      grid.joinAliasedRefs();
  }
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Whether only waits use a view. They count its elements and touch none, so
/// one wait for several copies may name more than there is.
static bool isForWaits(Value view) {
  return llvm::all_of(view.getUsers(), [](Operation *user) {
    bool isView = user->getNumResults() == 1 &&
                  isa<RefType>(user->getResult(0).getType());
    return isa<DMAWaitOp>(user) || (isView && isForWaits(user->getResult(0)));
  });
}

/// Whether run time decides if a view by slices and scalars lies in its ref.
static bool hasDynamicBounds(RefAccessOpInterface op) {
  return llvm::any_of(llvm::enumerate(op.getAccessDims()), [&](auto pair) {
    auto [d, dim] = pair;
    bool isFull = dim.entry.hasDynamicSize() && !dim.size;
    return !isFull &&
           (dim.start || dim.size || op.getRef().getType().isDynamicDim(d));
  });
}

namespace {
/// Inserts the checks of one operation.
class CheckInserter {
public:
  explicit CheckInserter(Operation *op) : op(op), b(op) {}

  void insert();

private:
  StringAttr getName(Value ref) { return b.getStringAttr(describeRef(ref)); }
  StringAttr getAccessor() { return op->getName().getIdentifier(); }

  void access(CheckedAccess kind, Value mask = {},
              OutsideElements outside = OutsideElements::Moved);
  void swap(Value old, bool isSlice, Value mask = {},
            OutsideElements outside = OutsideElements::Moved);
  void contents(CheckedAccess kind, Value ref, bool async = false);
  void bounds(SliceRefOp slice);
  void viewBounds(SliceRefOp slice);
  void copyBounds(Value source, Value target, Value predicate = {});
  void state(RunStateOp state);
  void accumulator(AccumulatorDerefOp deref);
  void tensorCopy(AsyncCopyToTmemOp copy);
  void copyToGlobal(CopySmemToGmemOp copy);
  void commit(CommittedWork kind) {
    CheckCommitOp::create(b, op->getLoc(), kind);
  }
  void wait(AwaitedWork kind, int64_t pending = 0) {
    CheckWaitOp::create(b, op->getLoc(), kind, pending);
  }
  void tensorWait(TensorMemoryWork kind) {
    CheckTensorMemoryWaitOp::create(b, op->getLoc(), kind);
  }

  Operation *op;
  OpBuilder b;
};
} // namespace

void CheckInserter::access(CheckedAccess kind, Value mask,
                           OutsideElements outside) {
  auto access = cast<RefAccessOpInterface>(op);
  CheckAccessOp::create(b, op->getLoc(), kind, getName(access.getRef()),
                        access.getRef(), access.getIndexer(),
                        access.getIndices(), mask, outside, getAccessor());
}

/// If the old value is used, a slice is read and written at once. Elements one
/// by one are all read before the first is written.
void CheckInserter::swap(Value old, bool isSlice, Value mask,
                         OutsideElements outside) {
  if (isSlice)
    return access(old.use_empty() ? CheckedAccess::Write
                                  : CheckedAccess::Update);
  if (!old.use_empty())
    access(CheckedAccess::Read, mask, outside);
  access(CheckedAccess::Write, mask, outside);
}

void CheckInserter::contents(CheckedAccess kind, Value ref, bool async) {
  CheckContentsOp::create(b, op->getLoc(), kind, getName(ref), ref,
                          getAccessor(), async);
}

void CheckInserter::bounds(SliceRefOp slice) {
  CheckBoundsOp::create(b, slice.getLoc(), getName(slice.getRef()),
                        slice.getRef(), slice.getIndexer(), slice.getIndices());
}

/// Boxes of copies may leave their ref, and views for waits are only counted.
/// Views by index arrays are checked at the copies that use them.
void CheckInserter::viewBounds(SliceRefOp slice) {
  if (!slice.getIndexer().hasGather() && !mayLeaveRef(slice) &&
      !isForWaits(slice.getView()) &&
      hasDynamicBounds(cast<RefAccessOpInterface>(slice.getOperation())))
    bounds(slice);
}

/// Index arrays select one end of a copy. Nothing is copied from a ref without
/// elements, whatever the indices.
void CheckInserter::copyBounds(Value source, Value target, Value predicate) {
  SliceRefOp gather = getGather(source);
  if (!gather)
    gather = getGather(target);
  else if (isa<DMAStartOp>(op) &&
           llvm::is_contained(gather.getRef().getType().getShape(), 0))
    return;
  if (!gather)
    return;
  OpBuilder::InsertionGuard guard(b);
  if (predicate) {
    auto branch = scf::IfOp::create(b, op->getLoc(), predicate);
    b.setInsertionPoint(branch.thenBlock()->getTerminator());
  }
  bounds(gather);
}

/// The state is written at the start and read at the end. Values of
/// accumulators are those of products that have ended.
void CheckInserter::state(RunStateOp state) {
  Block &body = state.getBody().front();
  b.setInsertionPointToStart(&body);
  for (BlockArgument ref : body.getArguments())
    contents(CheckedAccess::Write, ref);
  b.setInsertionPoint(body.getTerminator());
  if (llvm::any_of(body.getArgumentTypes(),
                   [](Type type) { return isa<AccumulatorType>(type); }))
    wait(AwaitedWork::Products);
  for (BlockArgument ref : body.getArguments())
    contents(CheckedAccess::Read, ref);
}

/// A wait and a read. Without the wait the value is only forwarded to a later
/// one.
void CheckInserter::accumulator(AccumulatorDerefOp deref) {
  std::optional<int64_t> pending = deref.getWaitN();
  if (!pending)
    return;
  wait(AwaitedWork::Products, *pending);
  b.setInsertionPointAfter(op);
  if (isa<AccumulatorType>(deref.getAcc().getType()))
    contents(CheckedAccess::Read, deref.getAcc());
}

/// The tensor core runs copies and products in order, so products behind a copy
/// need no commit_tmem to see its stores: they have ended here.
void CheckInserter::tensorCopy(AsyncCopyToTmemOp copy) {
  contents(CheckedAccess::Write, copy.getTarget(), /*async=*/true);
  b.setInsertionPointAfter(op);
  tensorWait(TensorMemoryWork::Stores);
}

/// The group counts where it is empty, too.
void CheckInserter::copyToGlobal(CopySmemToGmemOp copy) {
  copyBounds(copy.getSource(), copy.getTarget(), copy.getPredicate());
  b.setInsertionPointAfter(op);
  if (copy.getCommitGroup())
    commit(CommittedWork::Copies);
}

void CheckInserter::insert() {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](GetOp) { access(CheckedAccess::Read); })
      .Case([&](SwapOp op) {
        swap(op.getOld(), /*isSlice=*/!op.getIndexer().hasGather());
      })
      .Case([&](AddUpdateOp) { access(CheckedAccess::Update); })
      .Case([&](MaskedLoadOp op) {
        access(CheckedAccess::Read, op.getMask(),
               op.getMask() ? OutsideElements::Dropped
                            : OutsideElements::Allowed);
      })
      .Case([&](MaskedSwapOp op) {
        swap(op.getOld(), /*isSlice=*/false, op.getMask(),
             OutsideElements::Dropped);
      })
      .Case([&](AtomicRMWOp op) {
        access(CheckedAccess::Atomic, op.getMask(),
               op.getMask() ? OutsideElements::Dropped
                            : OutsideElements::Moved);
      })
      .Case([&](AtomicCASOp) { access(CheckedAccess::Atomic); })
      .Case([&](SliceRefOp op) { viewBounds(op); })
      .Case([&](DMAStartOp op) { copyBounds(op.getSource(), op.getTarget()); })
      .Case([&](CopyGmemToSmemOp op) {
        copyBounds(op.getSource(), op.getTarget(), op.getPredicate());
      })
      .Case([&](CopySmemToGmemOp op) { copyToGlobal(op); })
      .Case([&](CommitSmemToGmemGroupOp) { commit(CommittedWork::Copies); })
      .Case([&](WaitSmemToGmemOp op) {
        wait(op.getReadOnly() ? AwaitedWork::Sources : AwaitedWork::Copies,
             op.getPending());
      })
      .Case([&](CommitSmemOp) { commit(CommittedWork::Stores); })
      .Case(
          [&](WGMMAWaitOp op) { wait(AwaitedWork::Products, op.getPending()); })
      .Case([&](AsyncLoadTmemOp op) {
        contents(CheckedAccess::Read, op.getSource(), /*async=*/true);
      })
      .Case([&](AsyncStoreTmemOp op) {
        contents(CheckedAccess::Write, op.getTarget(), /*async=*/true);
      })
      .Case([&](AsyncCopyToTmemOp op) { tensorCopy(op); })
      .Case([&](WaitLoadTmemOp) { tensorWait(TensorMemoryWork::Loads); })
      .Case([&](CommitTmemOp) { tensorWait(TensorMemoryWork::Stores); })
      .Case([&](NewRefOp op) {
        b.setInsertionPointAfter(op);
        contents(CheckedAccess::Write, op.getRef());
      })
      .Case([&](FreezeOp op) { contents(CheckedAccess::Read, op.getRef()); })
      .Case([&](RunStateOp op) { state(op); })
      .Case([&](AccumulatorDerefOp op) { accumulator(op); })
      .Case([&](AccumulatorStoreOp op) {
        contents(CheckedAccess::Write, op.getAcc());
      });
}

namespace {
struct InsertChecksPass
    : public pallas::impl::PallasInsertChecksBase<InsertChecksPass> {
  using PallasInsertChecksBase::PallasInsertChecksBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (module->hasAttr(kHasChecksAttrName)) {
      module.emitOpError("has checks of its accesses already; run "
                         "pallas-insert-checks once");
      return signalPassFailure();
    }
    module.walk(joinAliases);
    module.walk(checkTensorAccesses);
    SmallVector<Operation *> ops;
    module.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops)
      CheckInserter(op).insert();
    module.walk([&](Operation *op) { numChecks += isCheck(op); });
    module->setAttr(kHasChecksAttrName, UnitAttr::get(&getContext()));
  }
};
} // namespace
