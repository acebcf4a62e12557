//===- Bufferize.cpp - Tensors to memory ----------------------------------===//

#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Linalg/Transforms/SubsetInsertionOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/TensorInferTypeOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/SubsetInsertionOpInterfaceImpl.h"
#include "mlir/Dialect/Vector/Transforms/BufferizableOpInterfaceImpl.h"
#include "pallas/CPU/Transforms/Passes.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCPUBUFFERIZE
#include "pallas/CPU/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

/// The copy to an argument that ends the use of `alloc`, if there is one and
/// nothing else touches the argument.
static memref::CopyOp findFinalCopy(memref::AllocOp alloc) {
  memref::CopyOp last;
  for (Operation *user : alloc->getUsers()) {
    auto copy = dyn_cast<memref::CopyOp>(user);
    auto target = copy && copy.getSource() == alloc.getResult()
                      ? dyn_cast<BlockArgument>(copy.getTarget())
                      : BlockArgument();
    if (target && target.getOwner() == alloc->getBlock() &&
        copy->getBlock() == alloc->getBlock() && target.hasOneUse() &&
        target.getType() == alloc.getType())
      last = copy;
  }
  if (!last)
    return {};
  // Views are used through their results, all of which stand in front too.
  SmallVector<Value> worklist{alloc};
  while (!worklist.empty())
    for (Operation *user : worklist.pop_back_val().getUsers()) {
      Operation *ancestor = last->getBlock()->findAncestorOpInBlock(*user);
      if (ancestor != last && !ancestor->isBeforeInBlock(last))
        return {};
      for (Value result : user->getResults())
        if (isa<MemRefType>(result.getType()))
          worklist.push_back(result);
    }
  return last;
}

/// Computes results where the caller wants them.
static void forwardToResults(func::FuncOp func) {
  for (auto alloc :
       llvm::make_early_inc_range(func.front().getOps<memref::AllocOp>())) {
    memref::CopyOp copy = findFinalCopy(alloc);
    if (!copy)
      continue;
    alloc.replaceAllUsesWith(copy.getTarget());
    copy.erase();
    alloc.erase();
  }
}

/// Whether `value` is `argument` after updates of it, which happen in place.
static bool isUpdateOf(Value value, BlockArgument argument) {
  while (value != argument) {
    auto result = dyn_cast<OpResult>(value);
    if (!result)
      return false;
    Operation *op = result.getOwner();
    if (auto update = dyn_cast<DestinationStyleOpInterface>(op)) {
      value = update.getTiedOpOperand(result)->get();
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      value = loop.getTiedLoopInit(result)->get();
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      unsigned index = result.getResultNumber();
      return isUpdateOf(branch.thenYield().getOperand(index), argument) &&
             isUpdateOf(branch.elseYield().getOperand(index), argument);
    } else {
      return false;
    }
  }
  return true;
}

/// Makes a terminator hand each tensor over in the memory of the argument that
/// it becomes, so that one place per carried value is enough.
static void handOverInPlace(Operation *terminator, OperandRange operands,
                            Block::BlockArgListType arguments) {
  if (operands.empty())
    return;
  OpBuilder builder(terminator);
  unsigned first = operands.getBeginOperandIndex();
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    if (i >= operands.size())
      return;
    Value value = operands[i];
    if (!isa<RankedTensorType>(value.getType()) ||
        isUpdateOf(value, argument) || value.getType() != argument.getType())
      continue;
    auto handOver = bufferization::MaterializeInDestinationOp::create(
        builder, terminator->getLoc(), argument.getType(), value, argument);
    terminator->setOperand(first + i, handOver.getResult());
  }
}

static void pinCarriedValues(func::FuncOp func) {
  func.walk([](Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      Operation *yield = loop.getBody()->getTerminator();
      handOverInPlace(yield, yield->getOperands(), loop.getRegionIterArgs());
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      scf::ConditionOp condition = loop.getConditionOp();
      handOverInPlace(condition, condition.getArgs(),
                      loop.getBeforeArguments());
      Operation *yield = loop.getYieldOp();
      handOverInPlace(yield, yield->getOperands(), loop.getAfterArguments());
    }
  });
}

namespace {
struct Bufferize : public pallas::impl::PallasCPUBufferizeBase<Bufferize> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<bufferization::BufferizationDialect, memref::MemRefDialect,
                    linalg::LinalgDialect, scf::SCFDialect>();
    arith::registerBufferizableOpInterfaceExternalModels(registry);
    linalg::registerBufferizableOpInterfaceExternalModels(registry);
    linalg::registerSubsetOpInterfaceExternalModels(registry);
    scf::registerBufferizableOpInterfaceExternalModels(registry);
    tensor::registerBufferizableOpInterfaceExternalModels(registry);
    tensor::registerInferTypeOpInterfaceExternalModels(registry);
    tensor::registerSubsetOpInterfaceExternalModels(registry);
    vector::registerBufferizableOpInterfaceExternalModels(registry);
  }

  LogicalResult bufferize(func::FuncOp func) {
    IRRewriter rewriter(&getContext());
    bufferization::OneShotBufferizationOptions options;
    options.bufferAlignment = 64;
    pinCarriedValues(func);
    if (failed(bufferization::eliminateEmptyTensors(rewriter, func)))
      return failure();
    bufferization::BufferizationState state;
    if (failed(bufferization::runOneShotBufferize(func, options, state)))
      return failure();
    forwardToResults(func);
    return success();
  }

  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (!func.isExternal() && failed(bufferize(func)))
        return signalPassFailure();
  }
};
} // namespace
