//===- BodyConversion.cpp - One walk from pallas to the target ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations are visited in order, so that operands come before their users.
// What replaces an operation is written before it and visited in its turn; the
// operation itself stays, for its users to see the types that it had, until the
// end. Compared with the driver that MLIR has, nothing is undone, recorded or
// visited twice, which makes the conversion several times as fast.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/ScopedHashTable.h"

using namespace mlir;
using namespace mlir::pallas;

/// Types that only the source has.
static bool isSourceType(Type type) {
  return isa<RankedTensorType, RefType, AccumulatorType, Float16Type>(type);
}

static bool isArithmetic(Operation *op) {
  return isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
      op->getDialect());
}

/// Whether an operation of arith or math is one of the target.
static bool isTargetArithmetic(Operation *op, const TPUChip &chip) {
  if (llvm::any_of(op->getOperandTypes(), isSourceType) ||
      llvm::any_of(op->getResultTypes(), isSourceType))
    return false;
  if (isa<arith::AddUIExtendedOp, arith::MulUIExtendedOp,
          arith::MulSIExtendedOp>(op))
    return false;
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    return !elements || elements.isSplat();
  }
  return isLegalTPUArithmetic(op, chip);
}

static bool isTargetOp(Operation *op, const TPUChip &chip) {
  if (isArithmetic(op))
    return isTargetArithmetic(op, chip);
  return isa_and_nonnull<tpu::TPUDialect, vector::VectorDialect,
                         memref::MemRefDialect>(op->getDialect()) ||
         isa<UnrealizedConversionCastOp, func::FuncOp, func::ReturnOp,
             cf::AssertOp, scf::ForOp, scf::IfOp, scf::WhileOp,
             scf::ConditionOp, scf::YieldOp>(op);
}

namespace {

class BodyConversion {
public:
  BodyConversion(MLIRContext *context, const TPUTypeConverter &types,
                 const TPUPatternSet &patterns)
      : types(types), patterns(patterns), builder(context),
        handler(context, [this](Diagnostic &diag) {
          hasError |= diag.getSeverity() == DiagnosticSeverity::Error;
          return failure();
        }) {}

  LogicalResult convertRegions(Operation *op);
  void eraseReplaced();

private:
  /// How often what replaces an operation may be replaced again.
  static constexpr unsigned kMaxDepth = 16;

  LogicalResult convertRange(Block &block, Block::iterator begin,
                             Block::iterator end);
  LogicalResult convert(Operation *op);
  LogicalResult keep(Operation *op);
  LogicalResult replace(Operation *op);
  TPUPatternBase::Results applyPatterns(Operation *op, ValueRange operands);
  LogicalResult receive(Value value);
  bool reuse(arith::ConstantOp op);
  LogicalResult evaluate(Operation *op, SmallVectorImpl<OpFoldResult> &results);
  Operation *findComparison(Value value,
                            function_ref<bool(Operation *)> isKind) const;
  Value simplify(arith::AndIOp op) const;
  bool fold(Operation *op);
  bool convertInPlace(Operation *op);
  Attribute getConstant(Value value) const;
  bool resolveCast(UnrealizedConversionCastOp op);
  Value lookup(Value value) const;
  Type convertType(Type type);

  const TPUTypeConverter &types;
  const TPUPatternSet &patterns;
  OpBuilder builder;
  DenseMap<Value, Value> values;
  SmallVector<Operation *> replaced;
  /// The type that was converted last: neighbours have equal ones.
  std::pair<Type, Type> lastType;
  /// Constants that can be seen, as they were before. Kernels name the same few
  /// again and again, and each costs time in every later step.
  using Constants = llvm::ScopedHashTable<Attribute, Value>;
  Constants constants;
  /// What binary operations come to on constants, the left of which may be
  /// missing; null when that is not known.
  using FoldKey = std::tuple<void *, Attribute, Attribute>;
  DenseMap<FoldKey, Attribute> folded;
  unsigned depth = 0;
  /// Whether a pattern has said why it failed.
  bool hasError = false;
  ScopedDiagnosticHandler handler;
};

} // namespace

Value BodyConversion::lookup(Value value) const {
  for (auto it = values.find(value); it != values.end();
       it = values.find(value))
    value = it->second;
  return value;
}

Type BodyConversion::convertType(Type type) {
  if (lastType.first != type)
    lastType = {type, types.convertType(type)};
  return lastType.second;
}

LogicalResult BodyConversion::convertRegions(Operation *op) {
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      Constants::ScopeTy scope(constants);
      if (failed(convertRange(block, block.begin(), block.end())))
        return failure();
    }
  return success();
}

LogicalResult BodyConversion::convertRange(Block &block, Block::iterator begin,
                                           Block::iterator end) {
  // Nothing before or at the operation is visited again, and what comes after
  // it may change.
  for (Block::iterator it = begin; it != end; ++it)
    if (failed(convert(&*it)))
      return failure();
  return success();
}

LogicalResult BodyConversion::convert(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op);
      constant && reuse(constant))
    return success();
  if (auto cast = dyn_cast<UnrealizedConversionCastOp>(op);
      cast && resolveCast(cast))
    return success();
  bool isKept = isTargetOp(op, types.getChip());
  // What patterns write needs no folding.
  bool isFoldable = !isKept || (depth == 0 && isArithmetic(op));
  if (isFoldable && !isa<arith::ConstantOp>(op) && fold(op))
    return success();
  if (!isKept && convertInPlace(op))
    return success();
  LogicalResult result = isKept ? keep(op) : replace(op);
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    constants.insert(constant.getValue(), constant);
  return result;
}

bool BodyConversion::reuse(arith::ConstantOp op) {
  Value known = constants.lookup(op.getValue());
  if (!known)
    return false;
  values[op] = known;
  replaced.push_back(op);
  return true;
}

/// Whether the memref of a ref has this shape and these elements. Its memory is
/// where the window was planned to be.
static bool isMemRefOf(Type ref, Type memref) {
  auto from = dyn_cast<RefType>(ref);
  auto to = dyn_cast<MemRefType>(memref);
  return from && to && from.getShape() == to.getShape() &&
         from.getElementType() == to.getElementType();
}

/// A cast from a value of the target says what stands for its result.
bool BodyConversion::resolveCast(UnrealizedConversionCastOp op) {
  if (op.getNumOperands() != 1 || op.getNumResults() != 1)
    return false;
  Value input = lookup(op.getOperand(0));
  Type type = op.getResult(0).getType();
  if (!isMemRefOf(type, input.getType()) &&
      types.convertType(type) != input.getType())
    return false;
  values[op.getResult(0)] = input;
  replaced.push_back(op);
  return true;
}

/// Gives a value the type that it has on the target; whoever uses it sees the
/// old one until it is converted.
LogicalResult BodyConversion::receive(Value value) {
  if (!isSourceType(value.getType()))
    return success();
  Type type = types.convertType(value.getType());
  if (!type)
    return emitError(value.getLoc())
           << "a value of type " << value.getType()
           << " is carried through control flow, but it has no form on TPUs";
  builder.setInsertionPointAfterValue(value);
  auto old = UnrealizedConversionCastOp::create(builder, value.getLoc(),
                                                value.getType(), value);
  value.replaceAllUsesExcept(old.getResult(0), old);
  value.setType(type);
  return success();
}

/// The constant that a value is or has become.
Attribute BodyConversion::getConstant(Value value) const {
  Type type = value.getType();
  while (true) {
    if (auto constant = value.getDefiningOp<arith::ConstantOp>())
      if (constant.getType() == type)
        return constant.getValue();
    auto it = values.find(value);
    if (it == values.end())
      return {};
    value = it->second;
  }
}

/// What an operation on constants comes to.
LogicalResult BodyConversion::evaluate(Operation *op,
                                       SmallVectorImpl<OpFoldResult> &results) {
  auto getConstants = [&] {
    return llvm::map_to_vector<3>(
        op->getOperands(), [&](Value operand) { return getConstant(operand); });
  };
  SmallVector<Attribute, 3> operands = getConstants();
  // Folders of arithmetic are slow to say that nothing is known.
  bool isBinary = operands.size() == 2 && isArithmetic(op);
  if (isBinary && !operands[0] && !operands[1] &&
      op->getOperand(0) != op->getOperand(1))
    return failure();
  // Folders put constants last, and forget that nothing else is known.
  if (isBinary && operands[0] && !operands[1] &&
      op->hasTrait<OpTrait::IsCommutative>()) {
    op->setOperands({op->getOperand(1), op->getOperand(0)});
    std::swap(operands[0], operands[1]);
  }
  // What a comparison comes to depends on its predicate, too.
  bool isRemembered =
      isBinary && operands[1] && !isa<arith::CmpIOp, arith::CmpFOp>(op);
  FoldKey key(op->getName().getAsOpaquePointer(), Attribute(), Attribute());
  if (isRemembered) {
    std::get<1>(key) = operands[0];
    std::get<2>(key) = operands[1];
    if (auto it = folded.find(key); it != folded.end()) {
      if (it->second)
        results.push_back(it->second);
      return success(static_cast<bool>(it->second));
    }
  }
  // At first a folder may only put the operands in order.
  bool isKnown =
      succeeded(op->fold(operands, results)) &&
      (!results.empty() || succeeded(op->fold(getConstants(), results))) &&
      !results.empty();
  if (isRemembered && !isKnown)
    folded[key] = Attribute();
  else if (isRemembered && operands[0] && isa<Attribute>(results.front()))
    folded[key] = cast<Attribute>(results.front());
  return success(isKnown);
}

/// Whether a comparison that holds says that its operands differ.
static bool isOrder(Operation *op) {
  if (auto compare = dyn_cast_or_null<arith::CmpFOp>(op))
    return llvm::is_contained(
        {arith::CmpFPredicate::OLT, arith::CmpFPredicate::OGT},
        compare.getPredicate());
  auto compare = dyn_cast_or_null<arith::CmpIOp>(op);
  return compare && llvm::is_contained(
                        {arith::CmpIPredicate::slt, arith::CmpIPredicate::sgt,
                         arith::CmpIPredicate::ult, arith::CmpIPredicate::ugt},
                        compare.getPredicate());
}

/// Whether a comparison asks if its operands differ.
static bool isDifference(Operation *op) {
  if (auto compare = dyn_cast_or_null<arith::CmpFOp>(op))
    return llvm::is_contained(
        {arith::CmpFPredicate::ONE, arith::CmpFPredicate::UNE},
        compare.getPredicate());
  auto compare = dyn_cast_or_null<arith::CmpIOp>(op);
  return compare && compare.getPredicate() == arith::CmpIPredicate::ne;
}

/// The comparison of some kind that a value is, or has become.
Operation *
BodyConversion::findComparison(Value value,
                               function_ref<bool(Operation *)> isKind) const {
  while (true) {
    if (Operation *op = value.getDefiningOp(); isKind(op))
      return op;
    auto it = values.find(value);
    if (it == values.end())
      return nullptr;
    value = it->second;
  }
}

/// What is less than something differs from it. Both are asked wherever a
/// remainder gets the sign of a constant divisor.
Value BodyConversion::simplify(arith::AndIOp op) const {
  auto areSame = [&](Operation *lhs, Operation *rhs) {
    return llvm::all_of_zip(lhs->getOperands(), rhs->getOperands(),
                            [&](Value a, Value b) {
                              Attribute constant = getConstant(a);
                              return lookup(a) == lookup(b) ||
                                     (constant && constant == getConstant(b));
                            });
  };
  for (auto [order, difference] : {std::pair(op.getLhs(), op.getRhs()),
                                   std::pair(op.getRhs(), op.getLhs())}) {
    Operation *first = findComparison(order, isOrder);
    Operation *second =
        first ? findComparison(difference, isDifference) : nullptr;
    if (second && areSame(first, second))
      return order;
  }
  return {};
}

/// Puts a known value in the place of an operation.
bool BodyConversion::fold(Operation *op) {
  if (auto both = dyn_cast<arith::AndIOp>(op))
    if (Value value = simplify(both)) {
      values[both] = value;
      replaced.push_back(op);
      return true;
    }
  SmallVector<OpFoldResult> results;
  if (failed(evaluate(op, results)))
    return false;
  for (auto [old, result] : llvm::zip_equal(op->getResults(), results))
    if (auto attr = dyn_cast<Attribute>(result))
      if (!isa<TypedAttr>(attr) ||
          cast<TypedAttr>(attr).getType() != old.getType())
        return false;
  builder.setInsertionPoint(op);
  for (auto [old, result] : llvm::zip_equal(op->getResults(), results)) {
    auto value = dyn_cast<Value>(result);
    if (!value)
      value = constants.lookup(cast<Attribute>(result));
    if (!value) {
      auto constant = arith::ConstantOp::create(
          builder, op->getLoc(), cast<TypedAttr>(cast<Attribute>(result)));
      if (failed(convert(constant)))
        return false;
      value = constant;
    }
    values[old] = value;
  }
  replaced.push_back(op);
  return true;
}

/// Some elements, such as f16, are others on the target.
static bool haveSameElements(Type lhs, Type rhs) {
  return lhs == rhs || getElementType(lhs) == getElementType(rhs);
}

/// Most arithmetic on tensors only needs other types. Its users must not mind
/// that they see them early: arithmetic looks at elements alone.
bool BodyConversion::convertInPlace(Operation *op) {
  if (!isArithmetic(op) || op->getNumResults() != 1 ||
      isa<arith::BitcastOp, arith::ConstantOp, arith::SelectOp>(op) ||
      !isLegalTPUArithmetic(op, types.getChip()) ||
      !llvm::all_of(op->getUsers(), isArithmetic))
    return false;
  Type old = op->getResult(0).getType(), type = convertType(old);
  if (!type || !haveSameElements(old, type))
    return false;
  SmallVector<Value, 3> operands;
  for (Value operand : op->getOperands()) {
    Value value = operands.emplace_back(lookup(operand));
    if (!haveSameElements(operand.getType(), value.getType()))
      return false;
  }
  op->setOperands(operands);
  op->getResult(0).setType(type);
  return true;
}

LogicalResult BodyConversion::keep(Operation *op) {
  for (OpOperand &operand : op->getOpOperands())
    if (Value value = lookup(operand.get()); value != operand.get())
      operand.set(value);
  if (op->getNumRegions() == 0)
    return success();
  for (Value result : op->getResults())
    if (failed(receive(result)))
      return failure();
  for (Region &region : op->getRegions())
    for (BlockArgument argument : region.getArguments())
      if (failed(receive(argument)))
        return failure();
  return convertRegions(op);
}

/// What a pattern wrote before it gave up goes again.
static void eraseBetween(Operation *previous, Operation *op) {
  while (op->getPrevNode() != previous)
    op->getPrevNode()->erase();
}

TPUPatternBase::Results BodyConversion::applyPatterns(Operation *op,
                                                      ValueRange operands) {
  Operation *previous = op->getPrevNode();
  Emitter emit(builder, op->getLoc(), types.getChip());
  for (ArrayRef<const TPUPatternBase *> candidates :
       {patterns.lookup(op->getName()), patterns.getGeneral()})
    for (const TPUPatternBase *pattern : candidates) {
      builder.setInsertionPoint(op);
      TPUPatternBase::Results results = pattern->rewrite(op, operands, emit);
      if (succeeded(results) || hasError)
        return results;
      eraseBetween(previous, op);
    }
  return op->emitOpError("has no form on TPUs; use operations of arith, math, "
                         "pallas, scf and tensor on arrays of a static shape");
}

LogicalResult BodyConversion::replace(Operation *op) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(lookup(operand));
  Operation *previous = op->getPrevNode();
  TPUPatternBase::Results results = applyPatterns(op, operands);
  if (failed(results))
    return failure();
  for (auto [old, value] : llvm::zip_equal(op->getResults(), *results))
    if (value)
      values[old] = value;
  replaced.push_back(op);
  if (depth == kMaxDepth)
    return op->emitOpError("has no form on TPUs that needs no other form");
  ++depth;
  Block &block = *op->getBlock();
  LogicalResult result = convertRange(
      block, previous ? std::next(previous->getIterator()) : block.begin(),
      op->getIterator());
  --depth;
  return result;
}

/// Users go before what they use.
void BodyConversion::eraseReplaced() {
  for (Operation *op : llvm::reverse(replaced))
    op->erase();
  replaced.clear();
}

void TPUPatternSet::insert(std::unique_ptr<TPUPatternBase> pattern) {
  StringRef root = pattern->getRoot();
  if (root.empty()) {
    general.push_back(pattern.get());
  } else {
    auto &list = byRoot[root];
    auto *place = llvm::find_if(list, [&](const TPUPatternBase *other) {
      return other->getBenefit() < pattern->getBenefit();
    });
    list.insert(place, pattern.get());
  }
  patterns.push_back(std::move(pattern));
}

LogicalResult mlir::pallas::convertBody(Operation *root,
                                        const TPUTypeConverter &types,
                                        const TPUPatternSet &patterns) {
  BodyConversion conversion(root->getContext(), types, patterns);
  if (failed(conversion.convertRegions(root)))
    return failure();
  conversion.eraseReplaced();
  return success();
}
