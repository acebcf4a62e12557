//===- DistinctVerifierTest.cpp - Nothing escapes verification ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicTPU/IR/DistinctVerifier.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;

namespace {

constexpr StringLiteral kSource = R"(
module {
  func.func @f(%x: vector<8xf32>, %y: vector<8xi32>, %c: i1, %n: index) {
    %zero = arith.constant 0 : i32
    %a = arith.addf %x, %x : vector<8xf32>
    %b = arith.addf %a, %a : vector<8xf32>
    scf.for %i = %n to %n step %n {
      %d = arith.addf %b, %a : vector<8xf32>
      scf.if %c {
        %e = arith.addf %d, %b : vector<8xf32>
        %g = arith.subf %e, %d : vector<8xf32>
      }
    }
    return
  }
}
)";

class DistinctVerifierTest : public ::testing::Test {
protected:
  DistinctVerifierTest()
      : handler(&context, [](Diagnostic &) { return success(); }) {
    context.loadDialect<arith::ArithDialect, func::FuncDialect, scf::SCFDialect,
                        vector::VectorDialect>();
    module = parseSourceString<ModuleOp>(kSource, &context);
  }

  template <typename OpTy> SmallVector<OpTy> getOps() {
    SmallVector<OpTy> ops;
    module->walk<WalkOrder::PreOrder>([&](OpTy op) { ops.push_back(op); });
    return ops;
  }
  Value getArgument(unsigned index) {
    return getOps<func::FuncOp>().front().getArgument(index);
  }
  /// Both verifiers find the module wrong.
  void expectInvalid() {
    EXPECT_TRUE(failed(mlir::verify(*module)));
    EXPECT_TRUE(failed(tpu::verifyDistinct(*module)));
  }

  MLIRContext context;
  ScopedDiagnosticHandler handler;
  OwningOpRef<ModuleOp> module;
};

TEST_F(DistinctVerifierTest, ValidModule) {
  ASSERT_TRUE(module);
  EXPECT_TRUE(succeeded(tpu::verifyDistinct(*module)));
}

TEST_F(DistinctVerifierTest, OtherOperandType) {
  getOps<arith::AddFOp>().back()->setOperand(1, getArgument(1));
  expectInvalid();
}

TEST_F(DistinctVerifierTest, OtherResultType) {
  getOps<arith::SubFOp>().back().getResult().setType(getArgument(1).getType());
  expectInvalid();
}

TEST_F(DistinctVerifierTest, UseBeforeDefinition) {
  SmallVector<arith::AddFOp> ops = getOps<arith::AddFOp>();
  ops[1]->moveBefore(ops[0]);
  expectInvalid();
}

TEST_F(DistinctVerifierTest, UseOutsideOfRegion) {
  arith::AddFOp inner = getOps<arith::AddFOp>().back();
  getOps<arith::SubFOp>().back()->moveAfter(inner->getParentOp());
  expectInvalid();
}

TEST_F(DistinctVerifierTest, BlockWithoutTerminator) {
  getOps<scf::YieldOp>().back().erase();
  expectInvalid();
}

TEST_F(DistinctVerifierTest, TerminatorInTheMiddle) {
  auto yield = getOps<scf::YieldOp>().back();
  yield->moveBefore(yield->getPrevNode());
  expectInvalid();
}

TEST_F(DistinctVerifierTest, WrongRegionArgument) {
  getOps<scf::ForOp>().back().getInductionVar().setType(
      getArgument(1).getType());
  expectInvalid();
}

TEST_F(DistinctVerifierTest, WrongReturn) {
  auto returned = getOps<func::ReturnOp>().back();
  returned->insertOperands(0, getArgument(0));
  expectInvalid();
}

TEST_F(DistinctVerifierTest, MissingOperand) {
  getOps<arith::AddFOp>()[1]->getOpOperand(0).drop();
  expectInvalid();
}

TEST_F(DistinctVerifierTest, SameNameTwice) {
  auto function = getOps<func::FuncOp>().front();
  OpBuilder(function).clone(*function);
  expectInvalid();
}

} // namespace
