//===- IndexingTest.cpp - What accesses say about each dimension ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::pallas;

namespace {

class IndexingTest : public ::testing::Test {
protected:
  IndexingTest() { context.loadDialect<PallasDialect, func::FuncDialect>(); }

  /// The access that indexes a ref of shape 4 x 5 x 6 by `indexer`.
  RefAccessOpInterface parse(StringRef indexer) {
    std::string text =
        "func.func @f(%r: !pallas.ref<4x5x6xf32, vmem>, %i: i32, %n: index, "
        "%a: tensor<2x3xi32>) { pallas.slice_ref %r" +
        indexer.str() + " : !pallas.ref<4x5x6xf32, vmem> return }";
    module = parseSourceString<ModuleOp>(text, &context);
    RefAccessOpInterface found;
    if (module)
      module->walk([&](RefAccessOpInterface op) { found = op; });
    return found;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(IndexingTest, OperandsBelongToEntries) {
  RefAccessOpInterface op = parse("[%i, ds(%n index, 2), :]");
  ASSERT_TRUE(op);
  SmallVector<AccessDim> dims = op.getAccessDims();
  ASSERT_EQ(dims.size(), 3u);
  EXPECT_EQ(dims[0].start, op.getIndices()[0]);
  EXPECT_EQ(dims[0].numSelected, 0u);
  EXPECT_EQ(dims[1].start, op.getIndices()[1]);
  EXPECT_FALSE(dims[1].size);
  EXPECT_EQ(dims[1].firstSelected, 0u);
  EXPECT_FALSE(dims[2].start);
  EXPECT_EQ(dims[2].entry, DimIndex::slice(0, 6));
  EXPECT_EQ(dims[2].firstSelected, 1u);
}

TEST_F(IndexingTest, WholeRefsHaveNoOperands) {
  RefAccessOpInterface op = parse("[...]");
  ASSERT_TRUE(op);
  for (auto [position, dim] : llvm::enumerate(op.getAccessDims())) {
    EXPECT_FALSE(dim.start || dim.size || dim.array);
    EXPECT_EQ(dim.firstSelected, position);
  }
}

TEST_F(IndexingTest, CommonShapeStandsWhereNumPyPutsIt) {
  auto getCommon = [](ArrayRef<DimIndex> entries) {
    return getCommonPosition(entries);
  };
  DimIndex slice = DimIndex::slice(0, 4), scalar = DimIndex::scalar(0),
           array = DimIndex::gather();
  EXPECT_EQ(getCommon({slice, slice}), 0u);
  EXPECT_EQ(getCommon({slice, array, slice}), 1u);
  EXPECT_EQ(getCommon({slice, array, scalar}), 1u);
  EXPECT_EQ(getCommon({slice, slice, scalar}), 2u);
  EXPECT_EQ(getCommon({scalar, slice, array}), 0u);
  EXPECT_EQ(getCommon({array, slice, array}), 0u);
}

TEST_F(IndexingTest, SlicesStandAroundTheCommonShape) {
  RefAccessOpInterface op =
      parse("[:, gather(%a : tensor<2x3xi32>), ds(1, 4)]");
  ASSERT_TRUE(op);
  SmallVector<AccessDim> dims = op.getAccessDims();
  EXPECT_EQ(dims[0].firstSelected, 0u);
  EXPECT_EQ(dims[1].array, op.getIndices()[0]);
  EXPECT_EQ(dims[1].firstSelected, 1u);
  EXPECT_EQ(dims[1].numSelected, 2u);
  EXPECT_EQ(dims[2].firstSelected, 3u);
}

} // namespace
