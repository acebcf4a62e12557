//===- BodyConversion.cpp - One walk from pallas to the target ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations are visited in order, so that operands come before their users.
// The replacement of an operation is written before it and visited in turn; the
// operation itself stays, for its users to see the types that it had, until the
// end. Compared with the driver that MLIR has, nothing is undone, recorded or
// visited twice, which makes the conversion several times as fast.
//
// The price is that no pattern can be added from MLIR's own sets, which expect
// a PatternRewriter. docs/Upstream.md compares the two.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Diagnostics.h"
#include "pallas/Dialect/Pallas/Utils/Elements.h"
#include "llvm/ADT/ScopedHashTable.h"

using namespace mlir;
using namespace mlir::pallas;

/// Types that only the source has.
/// Types that no operation of the target has. Types of arithmetic that tensors
/// and vectors share are not among them.
static bool isSourceType(Type type) {
  return isa<RankedTensorType, RefType, AccumulatorType, Float16Type>(type);
}

static bool isArithmetic(Operation *op) {
  return isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
      op->getDialect());
}

/// Whether an operation of arith or math is one of the target.
/// Extended sums and products have two results, and constants with different
/// elements are put together from positions; patterns replace both.
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

/// Whether the walk leaves an operation in place. Control flow stays, too, with
/// the types of its values changed.
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

/// Converts the body of one function.
///
///   %0 = pallas.get %r[...] : !pallas.ref<8x128xf32, vmem>
///   %1 = arith.addf %0, %0 : tensor<8x128xf32>
///
/// becomes
///
///   %0 = vector.load %m[%c0, %c0] : memref<8x128xf32, ...>, vector<8x128xf32>
///   %1 = arith.addf %0, %0 : vector<8x128xf32>
///
/// The first is replaced by a pattern, and `values` maps its result. The second
/// is legal on vectors, so its types change in place. Nothing is erased before
/// the end: a replaced operation is still an operand of others that are
/// unvisited.
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
  /// How often the replacement of an operation may be replaced in turn.
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
  /// Results of binary operations on constants, the left of which may be
  /// missing; null when the result is not known.
  using FoldKey = std::tuple<void *, Attribute, Attribute>;
  DenseMap<FoldKey, Attribute> folded;
  unsigned depth = 0;
  /// Whether a pattern has reported an error.
  bool hasError = false;
  ScopedDiagnosticHandler handler;
};

} // namespace

/// Replacements may be replaced again, so the chain is followed to its end.
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

/// The scope of constants is a block, since one that is defined in a branch
/// does not dominate what follows.
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
  if (yieldsEmptyArray(op))
    return op->emitOpError("has a result without elements, which has no form "
                           "on TPUs; leave out what is computed with it");
  // Constants come first. Most are duplicates, and folding would look at them
  // in vain.
  if (auto constant = dyn_cast<arith::ConstantOp>(op);
      constant && reuse(constant))
    return success();
  if (auto cast = dyn_cast<UnrealizedConversionCastOp>(op);
      cast && resolveCast(cast))
    return success();
  bool isKept = isTargetOp(op, types.getChip());
  // Code that patterns write needs no folding.
  bool isFoldable = !isKept || (depth == 0 && isArithmetic(op));
  if (isFoldable && !isa<arith::ConstantOp>(op) && fold(op))
    return success();
  if (!isKept && convertInPlace(op))
    return success();
  LogicalResult result = isKept ? keep(op) : replace(op);
  // A constant is known to later operations under its original attribute, even
  // when a pattern replaced it.
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    constants.insert(constant.getValue(), constant);
  return result;
}

/// Replaces a constant by an equal one that dominates it.
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

/// A cast from a value of the target defines the replacement of its result.
///   %r = builtin.unrealized_conversion_cast %m
///       : memref<8x128xf32, ...> to !pallas.ref<8x128xf32, vmem>
///
/// Outlining puts such casts before kernels, and patterns before regions that
/// they move. They map %r to %m and disappear.
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

/// Gives a value the type that it has on the target. Its users see the old type
/// through a cast until they are converted.
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
/// A value may have become a constant of another type; only one of its own type
/// tells what the value was.
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

/// Folds an operation on constants.
/// The folders are MLIR's own. Around them are shortcuts for the cases that are
/// frequent in kernels: nothing constant, and the same operation on the same
/// constants as before.
LogicalResult BodyConversion::evaluate(Operation *op,
                                       SmallVectorImpl<OpFoldResult> &results) {
  auto getConstants = [&] {
    return llvm::map_to_vector<3>(
        op->getOperands(), [&](Value operand) { return getConstant(operand); });
  };
  SmallVector<Attribute, 3> operands = getConstants();
  // Folders of arithmetic are slow to find that nothing is known.
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
  // The result of a comparison depends on its predicate, too.
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
    // A fold to an operand is not remembered, since the operand differs next
    // time.
    folded[key] = Attribute();
  else if (isRemembered && operands[0] && isa<Attribute>(results.front()))
    folded[key] = cast<Attribute>(results.front());
  return success(isKnown);
}

/// Whether a comparison that holds implies that its operands differ.
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

/// An operand that is less than another differs from it. Both are asked
/// wherever a remainder gets the sign of a constant divisor:
///
///   %0 = arith.cmpi slt, %a, %b : i32
///   %1 = arith.cmpi ne, %a, %b : i32
///   %2 = arith.andi %0, %1 : i1
///
/// %2 becomes %0.
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
/// A fold may create a constant, which is converted at once: operations behind
/// it see only values of the target.
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
    // A folder that returns another type would change the meaning of the users.
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
///
/// Patterns expect operands in the types of their operations, so users other
/// than arithmetic have to be converted after this value by its mapping.
bool BodyConversion::convertInPlace(Operation *op) {
  if (!isArithmetic(op) || op->getNumResults() != 1 ||
      // These have patterns of their own even where their types are legal.
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

/// Keeps an operation of the target, with its operands mapped. Values that its
/// regions define get their new types before the regions are visited.
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

/// Erases the operations that a pattern created before it failed.
static void eraseBetween(Operation *previous, Operation *op) {
  while (op->getPrevNode() != previous)
    op->getPrevNode()->erase();
}

/// Specific patterns come before general ones, and among them those with the
/// higher benefit. The first that succeeds wins. A pattern that reported an
/// error ends the search: a second pattern could hide it.
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

/// The new operations are between `previous` and `op`. They are converted in
/// turn, since a pattern may create operations of pallas or arith that need
/// others.
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
  // A pattern whose replacement needs the pattern again would not end.
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

/// Keeps the list of each root sorted by falling benefit. Equal ones stay in
/// the order in which they were added.
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
