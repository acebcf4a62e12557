//===- GridMappingTest.cpp - The derived API of grid mappings -------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::pallas;

namespace {

class GridMappingTest : public ::testing::Test {
protected:
  GridMappingTest() {
    context
        .loadDialect<PallasDialect, func::FuncDialect, tensor::TensorDialect>();
  }

  /// The first grid mapping of a module.
  GridMappingOpInterface parse(StringRef text) {
    module = parseSourceString<ModuleOp>(text, &context);
    GridMappingOpInterface found;
    if (module)
      module->walk([&](GridMappingOpInterface op) {
        found = op;
        return WalkResult::interrupt();
      });
    return found;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

constexpr StringLiteral copyKernel = R"mlir(
func.func @copy(%n: i32, %idx: tensor<4xi32>, %x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %o = pallas.pallas_call @copy grid(4, %n)
      prefetch(%idx : tensor<4xi32>)
      in(%x : tensor<64x128xf32>) block<[16, 128], vmem> map(%i, %j) -> (%i, 0)
      out(tensor<64x128xf32>)
      kernel(%idx_ref: !pallas.ref<4xi32, smem>, %xr: !pallas.ref<16x128xf32, vmem>,
             %or: !pallas.ref<64x128xf32, default>, %s: !pallas.ref<16x128xf32, vmem>) {
  }
  return %o : tensor<64x128xf32>
}
)mlir";

TEST_F(GridMappingTest, CountsComeFromOperandsAndKernel) {
  GridMappingOpInterface grid = parse(copyKernel);
  ASSERT_TRUE(grid);
  EXPECT_EQ(grid.getGridRank(), 2u);
  EXPECT_FALSE(grid.hasStaticGrid());
  EXPECT_EQ(grid.getStaticGrid(), std::nullopt);
  EXPECT_EQ(grid.getNumDynamicGridBounds(), 1u);
  EXPECT_EQ(grid.getNumIndexOperands(), 1u);
  EXPECT_EQ(grid.getNumInputs(), 1u);
  EXPECT_EQ(grid.getNumOutputs(), 1u);
  EXPECT_EQ(grid.getNumScratchOperands(), 1);
}

TEST_F(GridMappingTest, TrivialWindowIsTheWholeArray) {
  GridMappingOpInterface grid = parse(copyKernel);
  ASSERT_TRUE(grid);
  EXPECT_FALSE(grid.hasTrivialWindow(0));
  EXPECT_TRUE(grid.hasTrivialWindow(1));
}

TEST_F(GridMappingTest, KernelArgumentsAreSliced) {
  GridMappingOpInterface grid = parse(copyKernel);
  ASSERT_TRUE(grid);
  EXPECT_EQ(grid.sliceIndexOps().size(), 1u);
  EXPECT_EQ(grid.sliceBlockOps().size(), 2u);
  EXPECT_EQ(grid.sliceScratchOps().size(), 1u);
  EXPECT_EQ(grid.getBlockRefType(0), grid.sliceBlockOps()[0].getType());
}

} // namespace
