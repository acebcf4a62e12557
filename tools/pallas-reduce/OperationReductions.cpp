//===- OperationReductions.cpp - Smaller bodies ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reductions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Reducer/ReductionPatternInterface.h"
#include "pallas/Dialect/Pallas/IR/PallasDialect.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Those that something simpler may take the place of.
static SmallVector<Operation *> getOperations(ModuleOp module) {
  SmallVector<Operation *> operations;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != module && !op->hasTrait<OpTrait::IsTerminator>() &&
        !op->hasTrait<OpTrait::ConstantLike>() && !isa<func::FuncOp>(op))
      operations.push_back(op);
  });
  return operations;
}

static unsigned countOperations(ModuleOp module) {
  return getOperations(module).size();
}

/// `value` in each element; null for types that have no such constant.
static TypedAttr getConstant(Type type, int64_t value) {
  Type element = getElementTypeOrSelf(type);
  TypedAttr attr;
  if (isa<IntegerType, IndexType>(element))
    attr = IntegerAttr::get(element, value);
  else if (auto floats = dyn_cast<FloatType>(element))
    attr = FloatAttr::get(floats, static_cast<double>(value));
  if (!attr || type == element)
    return attr;
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !isa<RankedTensorType, VectorType>(type) ||
      !shaped.hasStaticShape())
    return nullptr;
  return DenseElementsAttr::get(shaped, Attribute(attr));
}

static bool replaceByConstants(Operation *op, int64_t value) {
  SmallVector<TypedAttr> attrs;
  for (OpResult result : op->getResults()) {
    attrs.push_back(result.use_empty() ? nullptr
                                       : getConstant(result.getType(), value));
    if (!attrs.back() && !result.use_empty())
      return false;
  }
  OpBuilder builder(op);
  for (auto [result, attr] : llvm::zip_equal(op->getResults(), attrs))
    if (attr)
      result.replaceAllUsesWith(
          arith::ConstantOp::create(builder, op->getLoc(), attr));
  op->erase();
  return true;
}

/// The last operand of the type of the result.
static Value getSimilarOperand(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumRegions() != 0)
    return nullptr;
  for (Value operand : llvm::reverse(op->getOperands()))
    if (operand.getType() == op->getResult(0).getType())
      return operand;
  return nullptr;
}

static bool replaceByOperand(Operation *op) {
  Value operand = getSimilarOperand(op);
  if (!operand)
    return false;
  op->getResult(0).replaceAllUsesWith(operand);
  op->erase();
  return true;
}

/// Users come first, so an operation that goes leaves its operands unused.
static bool changeOperations(ModuleOp module, unsigned begin, unsigned end,
                             llvm::function_ref<bool(Operation *)> change) {
  SmallVector<Operation *> operations = getOperations(module);
  bool isChanged = false;
  for (unsigned i = end; i > begin; --i)
    isChanged |= change(operations[i - 1]);
  return isChanged;
}

static bool useOnes(ModuleOp module, unsigned begin, unsigned end) {
  return changeOperations(module, begin, end, [](Operation *op) {
    return replaceByConstants(op, 1);
  });
}

static bool useZeros(ModuleOp module, unsigned begin, unsigned end) {
  return changeOperations(module, begin, end, [](Operation *op) {
    return replaceByConstants(op, 0);
  });
}

static bool useOperands(ModuleOp module, unsigned begin, unsigned end) {
  return changeOperations(module, begin, end, replaceByOperand);
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// Moves the operations of a block in front of the operation that it lies in,
/// whose results are the last operands of the terminator.
static bool inlineBlock(Operation *op, Block &block, ValueRange arguments) {
  IRRewriter rewriter(op->getContext());
  Operation *terminator = block.getTerminator();
  rewriter.inlineBlockBefore(&block, op, arguments);
  rewriter.replaceOp(op,
                     terminator->getOperands().take_back(op->getNumResults()));
  rewriter.eraseOp(terminator);
  return true;
}

static bool takeBranch(Operation *op, bool isThen) {
  auto branches = dyn_cast<scf::IfOp>(op);
  if (!branches)
    return false;
  Region &region = isThen ? branches.getThenRegion() : branches.getElseRegion();
  if (!region.empty())
    return inlineBlock(op, region.front(), {});
  op->erase();
  return true;
}

/// `scf.for` and `scf.while` run their bodies once, the latter its condition.
static bool runOnce(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    SmallVector<Value> arguments{loop.getLowerBound()};
    llvm::append_range(arguments, loop.getInitArgs());
    return inlineBlock(op, *loop.getBody(), arguments);
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return inlineBlock(op, *loop.getBeforeBody(), loop.getInits());
  return false;
}

template <bool isThen>
static bool takeBranches(ModuleOp module, unsigned begin, unsigned end) {
  return changeOperations(module, begin, end,
                          [](Operation *op) { return takeBranch(op, isThen); });
}

static bool runLoopsOnce(ModuleOp module, unsigned begin, unsigned end) {
  return changeOperations(module, begin, end, runOnce);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static unsigned countFunctions(ModuleOp module) {
  return llvm::range_size(module.getOps<func::FuncOp>());
}

/// The verifier finds calls of a function that is gone.
static bool eraseFunctions(ModuleOp module, unsigned begin, unsigned end) {
  SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
  for (unsigned i = begin; i < end; ++i)
    functions[i].erase();
  return begin < end;
}

void pallas::addOperationReductions(SmallVectorImpl<Reduction> &reductions) {
  reductions.append({
      {"fewer functions", countFunctions, eraseFunctions},
      {"operations that become ones", countOperations, useOnes},
      {"operations that become zeros", countOperations, useZeros},
      {"loops that run once", countOperations, runLoopsOnce},
      {"branches that are taken", countOperations, takeBranches<true>},
      {"branches that are not taken", countOperations, takeBranches<false>},
      {"operations that become an operand", countOperations, useOperands},
  });
}

//===----------------------------------------------------------------------===//
// Patterns for the reduction tree
//===----------------------------------------------------------------------===//

namespace {
struct UseOperand : RewritePattern {
  explicit UseOperand(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    Value operand = getSimilarOperand(op);
    if (!operand)
      return failure();
    rewriter.replaceOp(op, operand);
    return success();
  }
};

struct PallasReductionPatterns : DialectReductionPatternInterface {
  explicit PallasReductionPatterns(Dialect *dialect)
      : DialectReductionPatternInterface(dialect) {}
  void populateReductionPatterns(RewritePatternSet &patterns) const override {
    patterns.add<UseOperand>(patterns.getContext());
  }
};
} // namespace

void pallas::registerReductionPatterns(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, PallasDialect *dialect) {
    dialect->addInterfaces<PallasReductionPatterns>();
  });
}
