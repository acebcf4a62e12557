//===- Bufferize.cpp - Tensors to memory ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CarriedValues.h"
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
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/IR/TensorInferTypeOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/SubsetInsertionOpInterfaceImpl.h"
#include "mlir/Dialect/Vector/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/IR/Remarks.h"
#include "pallas/CPU/Transforms/Passes.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCPUBUFFERIZE
#include "pallas/CPU/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Values that are stored to memory
//===----------------------------------------------------------------------===//

static Value getViewedMemory(Value memory) {
  while (auto view = memory.getDefiningOp<ViewLikeOpInterface>())
    memory = view.getViewSource();
  return memory;
}

/// Whether `op`, or something in it, may change `memory`.
static bool mayWriteTo(Operation *op, Value memory) {
  auto result = op->walk([&](Operation *inner) {
    if (isa<ViewLikeOpInterface, bufferization::ToTensorOp, memref::LoadOp,
            memref::DimOp>(inner))
      return WalkResult::advance();
    if (auto copy = dyn_cast<memref::CopyOp>(inner))
      return getViewedMemory(copy.getTarget()) == memory
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    bool touches = llvm::any_of(inner->getOperands(), [&](Value operand) {
      return isa<MemRefType>(operand.getType()) &&
             getViewedMemory(operand) == memory;
    });
    return touches ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// The memory that the elements of a tensor are read from, or null.
static Value getReadMemory(Value tensor) {
  while (Operation *op = tensor.getDefiningOp()) {
    if (auto read = dyn_cast<bufferization::ToTensorOp>(op))
      return getViewedMemory(read.getBuffer());
    if (!isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp,
             tensor::ExtractSliceOp>(op))
      break;
    tensor = op->getOperand(0);
  }
  return {};
}

/// Whether what `producer` reads from memory stays there up to `op`, not as in:
///
///   %a = bufferization.to_tensor %memory
///   %p = linalg.matmul ins(%a, %b) outs(%zero)
///   memref.copy %next, %memory
///   %q = linalg.matmul ins(%c, %d) outs(%p)
static bool readsSameUntil(Operation *producer, Operation *op) {
  SmallVector<Value> memories;
  for (Value operand : producer->getOperands())
    if (Value memory = getReadMemory(operand))
      memories.push_back(memory);
  if (memories.empty())
    return true;
  for (Operation *between = producer->getNextNode(); between != op;
       between = between->getNextNode())
    if (llvm::any_of(memories,
                     [&](Value memory) { return mayWriteTo(between, memory); }))
      return false;
  return true;
}

/// Whether moving the producer of `value` in front of `op` leaves it in front
/// of all that uses it, and it still reads the same.
static bool canSink(Value value, Operation *op) {
  Operation *producer = value.getDefiningOp();
  return isa_and_nonnull<linalg::LinalgOp>(producer) &&
         producer->getBlock() == op->getBlock() &&
         llvm::all_of(producer->getUsers(),
                      [&](Operation *user) {
                        Operation *ancestor =
                            op->getBlock()->findAncestorOpInBlock(*user);
                        return ancestor == op ||
                               (ancestor && op->isBeforeInBlock(ancestor));
                      }) &&
         readsSameUntil(producer, op);
}

/// An operation that computes a value directly into the memory that it is
/// stored to must not do so before other accesses to the memory that precede
/// the store.
static void sinkStoredValues(func::FuncOp func) {
  func.walk([](bufferization::MaterializeInDestinationOp store) {
    // A tensor carried by a loop may have readers before it.
    if (!isa<MemRefType>(store.getDest().getType()))
      return;
    Operation *place = store;
    Value value = store.getSource();
    while (canSink(value, place)) {
      Operation *producer = value.getDefiningOp();
      producer->moveBefore(place);
      place = producer;
      value = cast<linalg::LinalgOp>(producer).getDpsInits()[0];
    }
  });
}

/// Whether everything from `first` to the store of a value in memory only takes
/// part in the computation of that value.
static bool isNextTo(Operation *first, Operation *store) {
  if (first->getBlock() != store->getBlock())
    return false;
  for (Operation *op = first->getNextNode(); op != store;
       op = op->getNextNode()) {
    bool computes = isa_and_nonnull<linalg::LinalgOp>(op) && op->hasOneUse() &&
                    *op->user_begin() == op->getNextNode();
    bool isScalar =
        op && op->getNumRegions() == 0 &&
        (isMemoryEffectFree(op) || isa<bufferization::ToTensorOp>(op));
    if (!computes && !isScalar)
      return false;
  }
  return true;
}

/// Whether `value`, computed in the memory that `store` writes, is still there
/// wherever else it is used, and stays in that memory after such uses:
///
///   bufferization.materialize_in_destination %v in writable %scratch
///   scf.for ... iter_args(%carried = %v)
///
/// A loop that starts in place would change what was stored. A view, or a
/// branch that yields the value, would read the memory at some later time. The
/// analysis does not see accesses to memory.
static bool outlivesStore(Value value,
                          bufferization::MaterializeInDestinationOp store,
                          const bufferization::AnalysisState &state) {
  Block *block = store->getBlock();
  Value memory = getViewedMemory(store.getDest());
  for (OpOperand &use : value.getUses()) {
    Operation *last = block->findAncestorOpInBlock(*use.getOwner());
    if (last == store)
      continue;
    if (!last || last->isBeforeInBlock(store) ||
        state.bufferizesToMemoryWrite(use) ||
        !state.getAliasingValues(use).getAliases().empty())
      return false;
    for (Operation *op = store->getNextNode(); op; op = op->getNextNode()) {
      if (mayWriteTo(op, memory))
        return false;
      if (op == last)
        break;
    }
  }
  return true;
}

/// Whether what computes the value of `store`, from `first` on, reads a value
/// that another operation stores to the same memory. That value may lie there:
///
///   bufferization.materialize_in_destination %v in writable %scratch
///   %p = linalg.matmul ins(%v, %v) outs(%empty)
///   bufferization.materialize_in_destination %p in writable %scratch
static bool readsStoredValue(Operation *first,
                             bufferization::MaterializeInDestinationOp store) {
  Value memory = getViewedMemory(store.getDest());
  auto isOtherStore = [&](Operation *user) {
    auto other = dyn_cast<bufferization::MaterializeInDestinationOp>(user);
    return other && other != store &&
           isa<MemRefType>(other.getDest().getType()) &&
           getViewedMemory(other.getDest()) == memory;
  };
  for (Operation *op = first; op != store; op = op->getNextNode())
    for (Value operand : op->getOperands())
      if (llvm::any_of(operand.getUsers(), isOtherStore))
        return true;
  return false;
}

/// Whether `store` is the last to use the chain of values that leads from
/// `first` to it. Once the chain is computed in the memory that is stored to, a
/// later use of `%1` would read the elements of `%y`, too:
///
///   %1 = tensor.insert_slice %x into %empty[0] [8] [1]
///   %place = tensor.extract_slice %1[8] [8] [1]
///   %y = linalg.exp ins(%x) outs(%place)
///   %2 = tensor.insert_slice %y into %1[8] [8] [1]
///   bufferization.materialize_in_destination %2 in writable %memory
///
/// The stored value `%2` may be used later: `outlivesStore` is about that.
static bool feedsOnly(Operation *first,
                      bufferization::MaterializeInDestinationOp store) {
  DenseSet<Operation *> chain{first};
  for (Operation *op = first; op != store; op = op->getNextNode()) {
    for (Value operand : op->getOperands())
      if (chain.contains(operand.getDefiningOp()))
        chain.insert(op);
    if (!chain.contains(op) || op == store.getSource().getDefiningOp())
      continue;
    for (Operation *user : op->getUsers())
      if (user->getBlock() != store->getBlock() ||
          (user != store && !user->isBeforeInBlock(store)))
        return false;
  }
  return true;
}

/// The place for a value that an empty tensor starts: a part of what it will be
/// inserted into.
static Value getDestination(RewriterBase &rewriter,
                            SubsetInsertionOpInterface op,
                            tensor::EmptyOp empty, Operation *user,
                            const bufferization::AnalysisState &state) {
  auto store = dyn_cast<bufferization::MaterializeInDestinationOp>(*op);
  if (store && isa<MemRefType>(store.getDest().getType()) &&
      (!isNextTo(user, store) ||
       !outlivesStore(store.getSource(), store, state) ||
       readsStoredValue(user, store) || !feedsOnly(user, store)))
    return {};
  return bufferization::buildSubsetExtraction(rewriter, op, empty, user);
}

/// Gives every user an empty tensor of its own. Two that share one would share
/// its memory: the analysis takes what an empty tensor holds for nothing that
/// could be overwritten.
static void separateEmptyTensors(RewriterBase &rewriter, func::FuncOp func) {
  SmallVector<tensor::EmptyOp> empties;
  func.walk([&](tensor::EmptyOp op) { empties.push_back(op); });
  for (tensor::EmptyOp op : empties)
    for (OpOperand &use : llvm::make_early_inc_range(op->getUses())) {
      if (op->hasOneUse())
        break;
      rewriter.setInsertionPoint(op);
      use.set(rewriter.clone(*op)->getResult(0));
    }
}

/// Lets values be computed where they go:
///
///   %e = tensor.empty() : tensor<8xf32>
///   %y = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>)
///   %r = tensor.insert_slice %y into %all[0] [8] [1]
/// -->
///   %e = tensor.extract_slice %all[0] [8] [1]
///   %y = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>)
///   %r = tensor.insert_slice %y into %all[0] [8] [1]
///
/// The insertion is in place, and copies nothing.
static LogicalResult eliminateEmptyTensors(
    RewriterBase &rewriter, func::FuncOp func,
    const bufferization::OneShotBufferizationOptions &options) {
  sinkStoredValues(func);
  bufferization::OneShotAnalysisState state(func, options);
  if (failed(bufferization::analyzeOp(func, state)))
    return failure();
  return bufferization::eliminateEmptyTensors(
      rewriter, func, state,
      [&](RewriterBase &rewriter, SubsetInsertionOpInterface op,
          tensor::EmptyOp empty, Operation *user) {
        return getDestination(rewriter, op, empty, user, state);
      });
}

namespace {
/// Where a value computed in its destination gets in the way of other accesses
/// to it, there is no place for all of them. Then a private buffer
/// helps: for a value that is stored, for what an inner loop starts from, or at
/// last for everything that control flow yields.
struct Remedies {
  const char *description;
  bool separatesStoredValues = false;
  bool copiesInnerStarts = false;
  bool copiesYieldedValues = false;
};

constexpr Remedies attempts[] = {
    {"everything is computed in place"},
    {"values get private buffers", /*separatesStoredValues=*/true},
    {"inner loops get copies of what they start from",
     /*separatesStoredValues=*/false, /*copiesInnerStarts=*/true},
    {"both get private buffers", /*separatesStoredValues=*/true,
     /*copiesInnerStarts=*/true},
    {"loops and branches yield copies", /*separatesStoredValues=*/true,
     /*copiesInnerStarts=*/true, /*copiesYieldedValues=*/true}};

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

  /// The analysis takes results of a switch for new memory, so it would let
  /// others write to the tensors that its cases yield.
  static LogicalResult checkSwitches(func::FuncOp func) {
    return failure(
        func.walk([](scf::IndexSwitchOp op) -> WalkResult {
              if (!llvm::any_of(op.getResultTypes(), llvm::IsaPred<TensorType>))
                return success();
              return op.emitOpError(
                  "yields tensors, which only branches may; run "
                  "--pallas-cpu-expand-switches first");
            })
            .wasInterrupted());
  }

  LogicalResult bufferize(func::FuncOp func, const Remedies &remedies) {
    IRRewriter rewriter(&getContext());
    bufferization::OneShotBufferizationOptions options;
    options.bufferAlignment = 64;
    separateEmptyTensors(rewriter, func);
    if (remedies.copiesInnerStarts)
      copyInnerStarts(func);
    if (remedies.copiesYieldedValues)
      copyYieldedValues(func);
    pinCarriedValues(func);
    if (!remedies.separatesStoredValues &&
        failed(eliminateEmptyTensors(rewriter, func, options)))
      return failure();
    bufferization::BufferizationState state;
    return bufferization::runOneShotBufferize(func, options, state);
  }

  /// Leaves the function as it is where that fails, without a diagnostic.
  LogicalResult tryToBufferize(func::FuncOp func, const Remedies &remedies) {
    OwningOpRef<func::FuncOp> original = func.clone();
    ScopedDiagnosticHandler silence(&getContext(),
                                    [](Diagnostic &) { return success(); });
    if (succeeded(bufferize(func, remedies)))
      return success();
    func.getBody().takeBody(original->getBody());
    return failure();
  }

  LogicalResult bufferize(func::FuncOp func) {
    for (const Remedies &remedies : llvm::drop_end(attempts)) {
      if (succeeded(tryToBufferize(func, remedies)))
        return success();
      remark::missed(
          func.getLoc(),
          remark::RemarkOpts::name("in-place").category(getArgument()))
          << "a value computed in its destination leaves no place for other "
             "accesses to it; "
          << (&remedies + 1)->description;
    }
    // Where the last one fails as well, its diagnostics are those of the pass.
    return bufferize(func, std::end(attempts)[-1]);
  }

  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (!func.isExternal() &&
          (failed(checkSwitches(func)) || failed(bufferize(func))))
        return signalPassFailure();
  }
};
} // namespace
