//===- DischargeState.cpp - What refs hold, and views of them -------------===//

#include "DischargeModels.h"
#include "RefSelection.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "pallas/Dialect/Pallas/IR/RefEffects.h"
#include "pallas/Dialect/Pallas/Transforms/Discharge.h"

#include "pallas/Dialect/Pallas/Transforms/DischargeableOpInterface.cpp.inc"

using namespace mlir;
using namespace mlir::pallas;

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

/// What a view shows of the value that `view` is a view of.
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

Value DischargeState::read(OpBuilder &builder, Location loc, Value ref) {
  if (auto *it = values.find(ref); it != values.end())
    return it->second;
  Operation *view = ref.getDefiningOp();
  return createForward(builder, view, read(builder, loc, view->getOperand(0)));
}

LogicalResult DischargeState::write(OpBuilder &builder, Location loc, Value ref,
                                    Value value) {
  if (values.contains(ref)) {
    values[ref] = value;
    return success();
  }
  Operation *view = ref.getDefiningOp();
  Value base = read(builder, loc, view->getOperand(0));
  return write(builder, loc, view->getOperand(0),
               createBackward(builder, view, base, value));
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
DischargeState::inOrder(const llvm::SmallPtrSetImpl<Value> &written) const {
  // In the order of the definitions, which is that of the arguments.
  SmallVector<Value> ordered;
  for (const auto &[ref, value] : values)
    if (written.contains(ref))
      ordered.push_back(ref);
  return ordered;
}

SmallVector<Value> DischargeState::readAll(OpBuilder &,
                                           ArrayRef<Value> refs) const {
  return llvm::map_to_vector(refs,
                             [&](Value ref) { return values.lookup(ref); });
}

bool DischargeState::isAffected(Operation *op) const {
  auto isRef = [&](Type type) {
    return isa<RefType, AccumulatorType>(type) && isSelected(type);
  };
  WalkResult result = op->walk([&](Operation *nested) {
    if (isRefView(nested))
      return WalkResult::advance();
    if (llvm::any_of(nested->getOperands(),
                     [&](Value operand) { return isDischarged(operand); }) ||
        llvm::any_of(nested->getResultTypes(), isRef))
      return WalkResult::interrupt();
    for (Region &region : nested->getRegions())
      for (Block &block : region)
        if (llvm::any_of(block.getArgumentTypes(), isRef))
          return WalkResult::interrupt();
    // Of pallas, nothing stays that has a rule, whether it uses refs or not.
    return isWhole() && isa_and_present<PallasDialect>(nested->getDialect()) &&
                   isa<DischargeableOpInterface>(nested)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return result.wasInterrupted();
}

LogicalResult DischargeState::discharge(Block &block) {
  SmallVector<Operation *> views;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (isRefView(&op)) {
      if (isDischarged(op.getOperand(0)))
        views.push_back(&op);
      continue;
    }
    if (op.hasTrait<OpTrait::IsTerminator>() || !isAffected(&op))
      continue;
    OpBuilder builder(&op);
    // A call that stays is a region like others: its own refs stay, too.
    auto dischargeable = dyn_cast<DischargeableOpInterface>(op);
    bool mayStay = isa<PallasCallOp, MpmdMapOp, CoreMapOp>(op);
    if (dischargeable && (isWhole() || !mayStay)) {
      if (failed(dischargeable.discharge(builder, *this)))
        return failure();
      op.erase();
      continue;
    }
    if (failed(dischargeStaying(&op)))
      return failure();
  }
  for (Operation *view : llvm::reverse(views))
    view->erase();
  return success();
}

/// Discharges what is inside of an operation that has no rule, or whose rule
/// is not asked.
LogicalResult DischargeState::dischargeStaying(Operation *op) {
  if (auto call = dyn_cast<PallasCallOp>(op)) {
    FailureOr<PallasCallOp> changed = handOverCaptures(call, *this);
    if (failed(changed))
      return failure();
    op = *changed;
  }
  for (Value operand : op->getOperands())
    if (isDischarged(operand))
      return op->emitOpError()
             << "uses a ref of type " << operand.getType()
             << " that becomes a value, but has no rule for it; implement "
                "DischargeableOpInterface";
  for (Type type : op->getResultTypes())
    if (isa<RefType, AccumulatorType>(type) && isSelected(type))
      return op->emitOpError() << "makes a ref of type " << type
                               << " that nothing but memory can stand for; "
                                  "discharge other memory spaces only";
  // Values reach into any region, but only known ones hand them out again.
  if (!getWritten(op->getRegions()).empty())
    return op->emitOpError() << "writes to a ref in a region, but does not say "
                                "how the new value leaves it; implement "
                                "DischargeableOpInterface";
  for (Region &region : op->getRegions())
    for (Block &nested : region)
      if (DischargeState inner = *this; failed(inner.discharge(nested)))
        return failure();
  return success();
}

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
