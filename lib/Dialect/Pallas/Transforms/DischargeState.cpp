//===- DischargeState.cpp - Contents of refs, and views of them -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks a block in order, with the contents of each ref at that point.
// Operations with a rule are replaced by it; regions get states of their own.
//
//===----------------------------------------------------------------------===//

#include "DischargeModels.h"
#include "KernelDependences.h"
#include "RefSelection.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "pallas/Dialect/Pallas/IR/RefEffects.h"
#include "pallas/Dialect/Pallas/Transforms/Discharge.h"

#include "pallas/Dialect/Pallas/Transforms/DischargeableOpInterface.cpp.inc"

using namespace mlir;
using namespace mlir::pallas;

/// Whether this pass turns the ref into a value.
bool DischargeState::isSelected(Value ref) const {
  return isa<RefType, AccumulatorType>(ref.getType()) && selects(ref);
}

/// Semaphores and barriers are their counts.
Type DischargeState::getStateType(Type refType) {
  if (auto accumulator = dyn_cast<AccumulatorType>(refType))
    return accumulator.getValueType();
  auto ref = cast<RefType>(refType);
  if (ref.isSynchronization())
    return getValueType(ref.getShape(), IntegerType::get(ref.getContext(), 32));
  return ref.getValueType();
}

Value DischargeState::createInitial(OpBuilder &builder, Location loc,
                                    Type refType) {
  Type type = getStateType(refType);
  auto ref = dyn_cast<RefType>(refType);
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (ref && !ref.isSynchronization() && tensor)
    return tensor::EmptyOp::create(builder, loc, tensor.getShape(),
                                   tensor.getElementType());
  return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// The ref that holds the contents, behind all views; null if it stays a ref.
Value DischargeState::getRoot(Value ref) const {
  while (!values.contains(ref)) {
    Operation *view = ref.getDefiningOp();
    if (!isRefView(view))
      return {};
    ref = view->getOperand(0);
  }
  return ref;
}

/// The dimension whose size changes with the width of the elements.
static IntegerAttr getBitcastDimension(OpBuilder &builder, RefType from,
                                       RefType to) {
  if (from.getElementTypeBitWidth() == to.getElementTypeBitWidth())
    return {};
  return builder.getI64IntegerAttr(from.getRank() - 2);
}

/// The part of `base` that a view shows.
///   %v = pallas.slice_ref %r[ds(%i, 8), :]
///
/// shows a slice of the tensor of %r.
static Value createForward(OpBuilder &builder, Operation *view, Value base) {
  Location loc = view->getLoc();
  if (auto slice = dyn_cast<SliceRefOp>(view))
    return createSelection(builder, slice, base);
  auto from = cast<RefType>(view->getOperand(0).getType());
  auto to = cast<RefType>(view->getResult(0).getType());
  if (auto transpose = dyn_cast<TransposeRefOp>(view))
    return TransposeOp::create(builder, loc, base, transpose.getPermutation());
  if (isa<ReshapeRefOp>(view))
    return ReshapeOp::create(builder, loc, to.getValueType(), base);
  return BitcastOp::create(builder, loc, to.getValueType(), base,
                           getBitcastDimension(builder, from, to));
}

/// The base with `value` in the part that the view shows.
/// The inverse of `createForward`: slices are inserted, and other views undone.
static Value createBackward(OpBuilder &builder, Operation *view, Value base,
                            Value value) {
  Location loc = view->getLoc();
  if (auto slice = dyn_cast<SliceRefOp>(view))
    return createUpdate(builder, slice, base, value);
  auto from = cast<RefType>(view->getOperand(0).getType());
  auto to = cast<RefType>(view->getResult(0).getType());
  if (auto transpose = dyn_cast<TransposeRefOp>(view))
    return TransposeOp::create(
        builder, loc, value,
        invertPermutationVector(transpose.getPermutation()));
  if (isa<ReshapeRefOp>(view))
    return ReshapeOp::create(builder, loc, from.getValueType(), value);
  return BitcastOp::create(builder, loc, from.getValueType(), value,
                           getBitcastDimension(builder, to, from));
}

/// A view by index arrays that are refs selects by their contents at the time
/// it is used. Runs `use` with a view by values. The clone has tensors in place
/// of the refs; it is erased again.
static Value withIndexValues(OpBuilder &builder, Operation *view,
                             DischargeState &state,
                             function_ref<Value(Operation *)> use) {
  if (llvm::none_of(view->getOperands().drop_front(),
                    [](Value index) { return isa<RefType>(index.getType()); }))
    return use(view);
  IRMapping values;
  for (Value index : view->getOperands().drop_front())
    if (isa<RefType>(index.getType()))
      values.map(index, state.load(builder, view->getLoc(), index));
  Operation *byValues = builder.clone(*view, values);
  Value result = use(byValues);
  byValues->erase();
  return result;
}

/// The contents of a ref, through its views from the outside in.
Value DischargeState::read(OpBuilder &builder, Location loc, Value ref) {
  if (auto *it = values.find(ref); it != values.end())
    return it->second;
  Operation *view = ref.getDefiningOp();
  Value base = read(builder, loc, view->getOperand(0));
  return withIndexValues(builder, view, *this, [&](Operation *byValues) {
    return createForward(builder, byValues, base);
  });
}

/// A write through a view writes the updated base through the view below.
LogicalResult DischargeState::write(OpBuilder &builder, Location loc, Value ref,
                                    Value value) {
  if (values.contains(ref)) {
    values[ref] = value;
    return success();
  }
  Operation *view = ref.getDefiningOp();
  Value base = read(builder, loc, view->getOperand(0));
  Value updated =
      withIndexValues(builder, view, *this, [&](Operation *byValues) {
        return createBackward(builder, byValues, base, value);
      });
  return write(builder, loc, view->getOperand(0), updated);
}

/// The view of a ref that stays, if it is by index arrays: only copies use such
/// views, other accesses select by the arrays themselves.
static SliceRefOp getScatteredView(Value ref) {
  auto slice = ref.getDefiningOp<SliceRefOp>();
  bool isScattered = slice && llvm::any_of(slice.getIndices(), [](Value index) {
                       return isa<ShapedType>(index.getType());
                     });
  return isScattered ? slice : SliceRefOp();
}

/// Reads for operations that take refs of both kinds, such as copies: of values
/// or from memory.
Value DischargeState::load(OpBuilder &builder, Location loc, Value ref) {
  if (isDischarged(ref))
    return read(builder, loc, ref);
  if (SliceRefOp view = getScatteredView(ref))
    return withIndexValues(builder, view, *this, [&](Operation *op) {
      auto slice = cast<SliceRefOp>(op);
      return GetOp::create(builder, loc, slice.getRef(), slice.getIndexer(),
                           slice.getIndices())
          .getResult();
    });
  return GetOp::create(builder, loc, ref).getResult();
}

LogicalResult DischargeState::store(OpBuilder &builder, Location loc, Value ref,
                                    Value value) {
  if (isDischarged(ref))
    return write(builder, loc, ref, value);
  if (SliceRefOp view = getScatteredView(ref))
    withIndexValues(builder, view, *this, [&](Operation *op) {
      auto slice = cast<SliceRefOp>(op);
      return SwapOp::create(builder, loc, slice.getRef(), slice.getIndexer(),
                            slice.getIndices(), value)
          .getResult();
    });
  else
    SwapOp::create(builder, loc, ref, value);
  return success();
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

SmallVector<Value>
DischargeState::getWritten(MutableArrayRef<Region> regions) const {
  llvm::SmallPtrSet<Value, 8> written;
  for (Region &region : regions)
    region.walk([&](Operation *op) { collectWritten(op, written); });
  return inOrder(written);
}

/// Refs that an operation or its regions write to. They become its results.
SmallVector<Value> DischargeState::getWritten(Operation *op) const {
  llvm::SmallPtrSet<Value, 8> written;
  op->walk([&](Operation *nested) { collectWritten(nested, written); });
  return inOrder(written);
}

void DischargeState::collectWritten(
    Operation *op, llvm::SmallPtrSetImpl<Value> &written) const {
  // A wait writes to memory in the sense that nothing moves across it; as a
  // value, only its semaphore changes.
  auto wait = dyn_cast<DMAWaitOp>(op);
  for (Value operand : op->getOperands()) {
    Value root = getRoot(operand);
    bool isOrdered =
        wait && (operand == wait.getSource() || operand == wait.getTarget());
    if (root && !isOrdered && mayWrite(op, operand))
      written.insert(root);
  }
}

SmallVector<Value>
/// The order is that of definitions, so it doesn't depend on hashing.
DischargeState::inOrder(const llvm::SmallPtrSetImpl<Value> &written) const {
  // In the order of the definitions, which is that of the arguments.
  SmallVector<Value> ordered;
  for (const auto &[ref, value] : values)
    if (written.contains(ref))
      ordered.push_back(ref);
  return ordered;
}

/// In the order of `refs`, which is that of the results of a branch.
SmallVector<Value> DischargeState::readAll(OpBuilder &,
                                           ArrayRef<Value> refs) const {
  return llvm::map_to_vector(refs,
                             [&](Value ref) { return values.lookup(ref); });
}

/// Whether an operation needs a rule: it uses a ref that becomes a value, or
/// allocates one.
bool DischargeState::isAffected(Operation *op) const {
  auto isRef = [&](Value value) { return isSelected(value); };
  WalkResult result = op->walk([&](Operation *nested) {
    if (isRefView(nested))
      return WalkResult::advance();
    if (llvm::any_of(nested->getOperands(),
                     [&](Value operand) { return isDischarged(operand); }) ||
        llvm::any_of(nested->getResults(), isRef))
      return WalkResult::interrupt();
    for (Region &region : nested->getRegions())
      for (Block &block : region)
        if (llvm::any_of(block.getArguments(), isRef))
          return WalkResult::interrupt();
    // Of pallas, nothing stays that has a rule, whether it uses refs or not.
    return isWhole() && isa_and_present<PallasDialect>(nested->getDialect()) &&
                   isa<DischargeableOpInterface>(nested)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// The addresses of erased values may be reused, so the state forgets them.
void DischargeState::erase(Operation *op) {
  op->walk([&](Operation *nested) {
    for (Value result : nested->getResults())
      forget(result);
    for (Region &region : nested->getRegions())
      for (BlockArgument argument : region.getArguments())
        forget(argument);
  });
  op->erase();
}

/// One walk in order: the contents of a ref are a value that each write
/// replaces.
///
///   pallas.swap %r[...], %a            values[%r] = %a
///   %x = pallas.get %r[...]            uses of %x become %a
LogicalResult DischargeState::discharge(Block &block) {
  // Views and operations with uses left are erased at the end, in reverse.
  SmallVector<Operation *> replaced;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (isRefView(&op)) {
      if (isDischarged(op.getOperand(0)))
        replaced.push_back(&op);
      else if (llvm::any_of(op.getOperands(), [&](Value operand) {
                 return isDischarged(operand);
               }))
        return op.emitOpError()
               << "views a ref of type " << op.getOperand(0).getType()
               << " that stays by indices in one that becomes "
                  "a value; discharge both or none";
      continue;
    }
    if (op.hasTrait<OpTrait::IsTerminator>() || !isAffected(&op))
      continue;
    OpBuilder builder(&op);
    auto dischargeable = dyn_cast<DischargeableOpInterface>(op);
    bool stays = isKernelOp(&op) && (!isWhole() || findDependence(&op));
    if (dischargeable && !stays) {
      if (failed(dischargeable.discharge(builder, *this)))
        return failure();
      // A ref still names its contents in the operations behind it.
      if (op.use_empty())
        erase(&op);
      else
        replaced.push_back(&op);
      continue;
    }
    if (failed(dischargeStaying(&op)))
      return failure();
  }
  for (Operation *op : llvm::reverse(replaced))
    erase(op);
  return success();
}

/// Explains why a kernel stays where everything else becomes values.
static void remarkOnStaying(Operation *kernelOp) {
  std::optional<KernelDependence> dependence = findDependence(kernelOp);
  InFlightDiagnostic remark = mlir::emitRemark(kernelOp->getLoc())
                              << "stays a kernel; loops over values would run "
                                 "its programs one after the other";
  remark.attachNote(dependence->op->getLoc())
      << "'" << dependence->op->getName() << "' " << dependence->what;
}

/// Discharges what is inside of an operation that has no rule, or whose rule
/// is not asked.
LogicalResult DischargeState::dischargeStaying(Operation *op) {
  std::optional<DischargeState> ofKernel;
  if (isKernelOp(op)) {
    if (isWhole())
      remarkOnStaying(op);
    FailureOr<Operation *> changed = liftCaptures(op, *this);
    if (failed(changed))
      return failure();
    op = *changed;
    // Of a kernel that waits for others, only refs that no other program sees.
    if (isWhole())
      ofKernel.emplace(PrivateRefs(op), /*isWhole=*/false);
  }
  for (Value operand : op->getOperands())
    if (isDischarged(operand))
      return op->emitOpError()
             << "uses a ref of type " << operand.getType()
             << " that becomes a value, but has no rule for it; implement "
                "DischargeableOpInterface";
  for (Value result : op->getResults())
    if (isSelected(result))
      return op->emitOpError() << "makes a ref of type " << result.getType()
                               << " that no value can replace; "
                                  "discharge other memory spaces only";
  // Values reach into any region, but only known ones return them again.
  if (!getWritten(op->getRegions()).empty())
    return op->emitOpError() << "writes to a ref in a region, but does not "
                                "define how the new value leaves it; implement "
                                "DischargeableOpInterface";
  for (Region &region : op->getRegions())
    for (Block &nested : region)
      if (DischargeState inner = ofKernel.value_or(*this);
          failed(inner.discharge(nested)))
        return failure();
  return success();
}

/// Discharges a branch from given contents, and yields what it leaves. All
/// branches yield the same refs in the same order.
LogicalResult DischargeState::dischargeBranch(Block &block,
                                              ArrayRef<Value> refs,
                                              ValueRange initial) const {
  DischargeState inner = *this;
  for (auto [ref, value] : llvm::zip(refs, initial))
    inner.values[ref] = value;
  if (failed(inner.discharge(block)))
    return failure();
  Operation *terminator = block.getTerminator();
  for (Value ref : refs)
    terminator->insertOperands(terminator->getNumOperands(),
                               inner.values.lookup(ref));
  return success();
}
