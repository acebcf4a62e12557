//===- PallasDischargeState.cpp - Turn refs into values -------------------===//

#include "DischargeModels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Dialect/Pallas/Transforms/Discharge.h"
#include "pallas/Dialect/Pallas/Transforms/Passes.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASDISCHARGESTATE
#include "pallas/Dialect/Pallas/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

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

/// Turns the selected ref arguments of a function into values, which it returns
/// behind its results, and discharges its body.
static LogicalResult dischargeFunction(func::FuncOp func,
                                       DischargeState state) {
  SmallVector<Type> inputs(func.getArgumentTypes());
  SmallVector<Type> results(func.getResultTypes());
  llvm::BitVector isRef(inputs.size());
  for (auto [index, type] : llvm::enumerate(inputs))
    if (isa<RefType, AccumulatorType>(type) && state.isSelected(type)) {
      isRef.set(index);
      type = DischargeState::getStateType(type);
      results.push_back(type);
    }
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
    SmallVector<MemorySpace> spaces;
    bool selectsAccumulators = memorySpaces.empty();
    for (const std::string &name : memorySpaces) {
      if (name == "acc") {
        selectsAccumulators = true;
        continue;
      }
      std::optional<MemorySpace> space = symbolizeMemorySpace(name);
      if (!space) {
        getOperation().emitError()
            << "'" << name << "' is not a memory space; use names as in "
            << "!pallas.ref<8xf32, vmem>, or acc";
        return signalPassFailure();
      }
      spaces.push_back(*space);
    }
    bool isWhole = memorySpaces.empty();
    auto selects = [=](Type type) {
      if (auto ref = dyn_cast<RefType>(type))
        return isWhole || llvm::is_contained(spaces, ref.getSpace());
      return selectsAccumulators && isa<AccumulatorType>(type);
    };
    for (func::FuncOp func : getOperation().getOps<func::FuncOp>())
      if (failed(dischargeFunction(func, DischargeState(selects, isWhole))))
        return signalPassFailure();
  }
};
} // namespace
