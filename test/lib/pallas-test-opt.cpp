//===- pallas-test-opt.cpp - pallas-opt with a dialect of somebody else ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an embedder does: an operation on refs of its own says how it becomes
// one on values.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Dialect/Pallas/Transforms/Discharge.h"
#include "pallas/Register.h"

using namespace mlir;

namespace foreign {
/// `"foreign.fill"(%ref, %scalar)` sets all elements of a ref.
class FillOp
    : public Op<FillOp, OpTrait::ZeroResults, OpTrait::NOperands<2>::Impl,
                MemoryEffectOpInterface::Trait,
                pallas::DischargeableOpInterface::Trait> {
public:
  using Op::Op;
  static StringRef getOperationName() { return "foreign.fill"; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }

  void getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
    effects.emplace_back(MemoryEffects::Write::get(),
                         &getOperation()->getOpOperand(0));
  }
  LogicalResult discharge(OpBuilder &builder, pallas::DischargeState &state) {
    Value ref = getOperand(0);
    auto type = cast<RankedTensorType>(
        pallas::DischargeState::getStateType(ref.getType()));
    Value filled =
        tensor::SplatOp::create(builder, getLoc(), getOperand(1), type);
    return state.write(builder, getLoc(), ref, filled);
  }
};

/// `"foreign.touch"(%ref)` says nothing of how it works.
class TouchOp : public Op<TouchOp, OpTrait::ZeroResults, OpTrait::OneOperand> {
public:
  using Op::Op;
  static StringRef getOperationName() { return "foreign.touch"; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }
};

class ForeignDialect : public Dialect {
public:
  explicit ForeignDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context, TypeID::get<ForeignDialect>()) {
    addOperations<FillOp, TouchOp>();
  }
  static StringRef getDialectNamespace() { return "foreign"; }
};
} // namespace foreign

int main(int argc, char **argv) {
  DialectRegistry registry;
  pallas::registerAllDialects(registry);
  pallas::registerAllPasses();
  registry.insert<foreign::ForeignDialect>();
  return asMainReturnCode(MlirOptMain(
      argc, argv, "Pallas kernel optimizer with foreign operations\n",
      registry));
}
