//===- PallasDischargeState.cpp - Turn refs into values -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass: which refs become values, by space, by argument, or all; then
// function by function. The rules are models of DischargeableOpInterface.
//
//===----------------------------------------------------------------------===//

#include "DischargeModels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Dialect/Pallas/IR/RefEffects.h"
#include "pallas/Dialect/Pallas/Transforms/Discharge.h"
#include "pallas/Dialect/Pallas/Transforms/DistributePipelines.h"
#include "pallas/Dialect/Pallas/Transforms/Passes.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASDISCHARGESTATE
#include "pallas/Dialect/Pallas/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

/// Models for other dialects are attached when pallas is loaded, which loads
/// them.
void pallas::registerDischargeModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, PallasDialect *) {
    attachAccessModels(context);
    attachAsyncModels(context);
    attachCallModels(context);
    attachGPUModels(context);
    attachMeshModels(context);
    attachScopeModels(context);
    context->loadDialect<scf::SCFDialect, func::FuncDialect>();
    attachControlFlowModels(context);
  });
}

namespace {
/// Which refs become values.
struct Selection {
  SmallVector<MemorySpace> spaces;
  bool accumulators = false;
  llvm::DenseSet<std::pair<Operation *, unsigned>> arguments;
  /// Nothing was named, so everything is meant.
  bool isWhole = false;

  bool covers(Type type) const {
    if (auto ref = dyn_cast<RefType>(type))
      return isWhole || llvm::is_contained(spaces, ref.getSpace());
    return isa<AccumulatorType>(type) && (isWhole || accumulators);
  }
  /// An argument may be selected although its space isn't.
  bool covers(func::FuncOp func, unsigned index) const {
    Type type = func.getArgumentTypes()[index];
    return covers(type) || arguments.contains({func, index});
  }
  bool covers(Value ref) const {
    auto argument = dyn_cast<BlockArgument>(ref);
    auto func =
        argument
            ? dyn_cast_or_null<func::FuncOp>(argument.getOwner()->getParentOp())
            : func::FuncOp();
    return covers(ref.getType()) ||
           (func && arguments.contains({func, argument.getArgNumber()}));
  }
};
} // namespace

/// Turns the selected ref arguments of a function into values, which it returns
/// behind its results, and discharges its body.
///
///   func.func @f(%r: !pallas.ref<8xf32, vmem>)
///
/// becomes
///
///   func.func @f(%r: tensor<8xf32>) -> tensor<8xf32>
static LogicalResult dischargeFunction(func::FuncOp func,
                                       const Selection &selection) {
  DischargeState state([&](Value ref) { return selection.covers(ref); },
                       selection.isWhole);
  SmallVector<Type> inputs(func.getArgumentTypes());
  SmallVector<Type> results(func.getResultTypes());
  llvm::BitVector isRef(inputs.size());
  for (auto [index, type] : llvm::enumerate(inputs))
    if (selection.covers(func, index)) {
      isRef.set(index);
      type = DischargeState::getStateType(type);
      results.push_back(type);
    }
  // Callers in other functions see the new type; verifyCall checked that they
  // agree.
  func.setType(FunctionType::get(func.getContext(), inputs, results));
  if (func.isExternal())
    return success();
  if (!func.getBody().hasOneBlock())
    return isRef.none()
               ? success()
               : func.emitOpError()
                     << "has branches between blocks, which refs can't "
                        "be followed through; use scf instead";
  // Old arguments stay until nothing uses them: they name the refs.
  Block &body = func.getBody().front();
  SmallVector<Value> refs;
  unsigned numOld = inputs.size();
  for (unsigned index : isRef.set_bits()) {
    BlockArgument old = body.getArgument(index);
    state.define(old, body.addArgument(inputs[index], old.getLoc()));
    refs.push_back(old);
  }
  if (failed(state.discharge(body)))
    return failure();
  OpBuilder builder(body.getTerminator());
  Operation *terminator = body.getTerminator();
  terminator->insertOperands(terminator->getNumOperands(),
                             state.readAll(builder, refs));
  // New arguments take the place of the old ones, to keep the order.
  for (auto [place, index] : llvm::enumerate(isRef.set_bits())) {
    BlockArgument old = body.getArgument(index);
    old.setType(inputs[index]);
    body.getArgument(numOld + place).replaceAllUsesWith(old);
  }
  body.eraseArguments(numOld, body.getNumArguments() - numOld);
  return success();
}

namespace {
struct DischargeStatePass
    : public pallas::impl::PallasDischargeStateBase<DischargeStatePass> {
  using PallasDischargeStateBase::PallasDischargeStateBase;

  void runOnOperation() override {
    Selection selection;
    if (failed(selectSpaces(selection)) || failed(selectArguments(selection)))
      return signalPassFailure();
    selection.isWhole = memorySpaces.empty() && arguments.empty();
    WalkResult result = getOperation().walk([&](func::CallOp call) {
      return failed(verifyCall(call, selection)) ? WalkResult::interrupt()
                                                 : WalkResult::advance();
    });
    // Pipelines on several cores become ones with ids of the core first.
    if (result.wasInterrupted() || failed(distributePipelines(getOperation())))
      return signalPassFailure();
    for (func::FuncOp func : getOperation().getOps<func::FuncOp>())
      if (failed(dischargeFunction(func, selection)))
        return signalPassFailure();
  }

private:
  /// Names that are no spaces are errors, not empty selections.
  LogicalResult selectSpaces(Selection &selection) {
    for (const std::string &name : memorySpaces) {
      if (name == "acc") {
        selection.accumulators = true;
        continue;
      }
      std::optional<MemorySpace> space = symbolizeMemorySpace(name);
      if (!space)
        return getOperation().emitError()
               << "'" << name << "' is not a memory space; use names as in "
               << "!pallas.ref<8xf32, vmem>, or acc";
      selection.spaces.push_back(*space);
    }
    return success();
  }

  /// Arguments are named by function and number, as values have no names in a
  /// module.
  LogicalResult selectArguments(Selection &selection) {
    for (StringRef name : arguments) {
      auto [symbol, number] = name.rsplit(':');
      auto func = getOperation().lookupSymbol<func::FuncOp>(symbol);
      unsigned index;
      if (!func || number.getAsInteger(10, index) ||
          index >= func.getNumArguments())
        return getOperation().emitError()
               << "'" << name << "' is not an argument of a function; write "
               << "its name and a number, as in sum:0";
      Type type = func.getArgumentTypes()[index];
      if (!isa<RefType, AccumulatorType>(type))
        return func.emitError() << "argument " << index << " is a " << type
                                << " and no ref; name arguments that are refs";
      selection.arguments.insert({func, index});
    }
    return success();
  }

  /// A ref that is passed to a function is a value on both sides or on neither.
  LogicalResult verifyCall(func::CallOp call, const Selection &selection) {
    auto callee = getOperation().lookupSymbol<func::FuncOp>(call.getCallee());
    for (auto [index, operand] : llvm::enumerate(call.getOperands())) {
      if (!callee || !isa<RefType, AccumulatorType>(operand.getType()))
        continue;
      bool isValue = selection.covers(skipAliases(operand));
      if (isValue != selection.covers(callee, index))
        return call.emitOpError()
               << "passes a ref that "
               << (isValue ? "becomes a value" : "stays") << " as argument "
               << index << " of @" << call.getCallee() << ", which "
               << (isValue ? "stays a ref" : "becomes a value")
               << "; select both";
    }
    return success();
  }
};
} // namespace
