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

#include "CheckInserter.h"
#include "TensorChecks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "pallas/Dialect/Pallas/IR/AccessBounds.h"
#include "pallas/Dialect/Pallas/IR/AliasedRefs.h"
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
    return isa<DMAWaitOp, CheckDMAWaitOp>(user) ||
           (isView && isForWaits(user->getResult(0)));
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

StringAttr CheckInserter::getName(Value ref) {
  return b.getStringAttr(describeRef(ref));
}

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

/// A mask that excludes nothing.
static Value createTrue(OpBuilder &b, Location loc, Type valueType) {
  TypedAttr yes = b.getBoolAttr(true);
  if (auto tensor = dyn_cast<RankedTensorType>(valueType))
    yes = DenseElementsAttr::get(tensor.clone(b.getI1Type()), true);
  return arith::ConstantOp::create(b, loc, yes);
}

/// Elements that a load leaves out, and `other` doesn't give, come from a
/// check. Without a mask those are the ones outside of the ref:
///
///   %left = pallas.check_left_out "what its mask leaves out" %r[...] mask %m
///   %v = pallas.masked_load %r[...] mask %m other %left
void CheckInserter::maskedLoad(MaskedLoadOp load) {
  Location loc = load.getLoc();
  Value mask = load.getMask();
  // In front of all checks, as nothing may be between these and the load.
  if (!mask)
    load.getMaskMutable().assign(createTrue(b, loc, load.getType()));
  access(CheckedAccess::Read, mask,
         mask ? OutsideElements::Dropped : OutsideElements::Allowed);
  if (load.getOther())
    return;
  std::string name =
      mask ? "what its mask leaves out"
           : "a slice that extends past " + describeRef(load.getRef());
  load.getOtherMutable().assign(CheckLeftOutOp::create(
      b, loc, load.getType(), b.getStringAttr(name), load.getRef(),
      load.getIndexer(), load.getIndices(), mask, getAccessor()));
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

void CheckInserter::insert() {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](GetOp) { access(CheckedAccess::Read); })
      .Case([&](SwapOp op) {
        swap(op.getOld(), /*isSlice=*/!op.getIndexer().hasGather());
      })
      .Case([&](AddUpdateOp) { access(CheckedAccess::Update); })
      .Case([&](MaskedLoadOp op) { maskedLoad(op); })
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
      .Case([&](NewRefOp op) {
        b.setInsertionPointAfter(op);
        contents(CheckedAccess::Write, op.getRef());
      })
      .Case([&](FreezeOp op) { contents(CheckedAccess::Read, op.getRef()); })
      .Case([&](RunStateOp op) { state(op); })
      .Case([&](AccumulatorDerefOp op) { accumulator(op); })
      .Case([&](AccumulatorStoreOp op) {
        contents(CheckedAccess::Write, op.getAcc());
      })
      .Default([&](Operation *) { insertSynchronization(); });
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
    CheckNumbers numbers{0, numberProducts(module)};
    for (Operation *op : ops)
      CheckInserter(op, numbers).insert();
    // Checks read values, too.
    checkAccumulatorReads(module, numbers.products);
    module.walk([&](Operation *op) { numChecks += isCheck(op); });
    module->setAttr(kHasChecksAttrName, UnitAttr::get(&getContext()));
  }
};
} // namespace
