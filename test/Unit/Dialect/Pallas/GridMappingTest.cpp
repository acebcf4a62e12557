//===- GridMappingTest.cpp - The derived API of grid mappings -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

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

constexpr StringLiteral batchedKernel = R"mlir(
func.func @batched(%t: tensor<4xi32>, %x: tensor<2x64x128xf32>) -> tensor<2x64x128xf32> {
  %o = pallas.pallas_call grid(2, 4, 3)
      prefetch(%t : tensor<4xi32>)
      in(%x : tensor<2x64x128xf32>) block<[squeezed, 16, 128], vmem> map(%b, %i, %j) -> (%b, %i, 0)
      out(tensor<2x64x128xf32>) block<[squeezed, 16, 128], vmem> map(%b, %i, %j) -> (%b, %i, 0)
      aliases [1 -> 0]
      semantics [parallel, arbitrary]
      names [unit, "i", "j"]
      vmapped [0]
      kernel(%tr: !pallas.ref<4xi32, smem>, %xr: !pallas.ref<16x128xf32, vmem>,
             %or: !pallas.ref<16x128xf32, vmem>) {
  }
  return %o : tensor<2x64x128xf32>
}
)mlir";

TEST_F(GridMappingTest, KernelsDoNotSeeVmappedDimensions) {
  GridMappingOpInterface grid = parse(batchedKernel);
  ASSERT_TRUE(grid);
  EXPECT_EQ(grid.getStaticGrid(), (SmallVector<int64_t>{2, 4, 3}));
  EXPECT_EQ(grid.getNumUserGridDimensions(), 2u);
  EXPECT_EQ(grid.getGridDimensionOfAxis(0), 1u);
  EXPECT_EQ(grid.getGridDimensionOfAxis(1), 2u);
  EXPECT_EQ(grid.getGridDimensionNames(),
            (SmallVector<StringRef>{"", "i", "j"}));
  EXPECT_EQ(grid.getGridDimensionSemantics().size(), 2u);
}

TEST_F(GridMappingTest, ShapesAndAliasesCountIndexOperands) {
  GridMappingOpInterface grid = parse(batchedKernel);
  ASSERT_TRUE(grid);
  SmallVector<Type> in = grid.getInShapes(), out = grid.getOutShapes();
  ASSERT_EQ(in.size(), 2u);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(in[1], out[0]);
  EXPECT_EQ(grid.getArrayType(1), out[0]);
  ASSERT_EQ(grid.getInputOutputAliases().size(), 1u);
  EXPECT_EQ(grid.getInputOutputAliases()[0],
            (std::pair<int64_t, int64_t>{1, 0}));
  EXPECT_EQ(grid.getBlockMappingsOutput().size(), 1u);
  EXPECT_EQ(grid.getBlockMappingsOutput()[0].getRefShape(),
            (SmallVector<int64_t>{16, 128}));
  EXPECT_EQ(grid.getBlockMappingsOutput()[0].getBlockShape(),
            (SmallVector<int64_t>{1, 16, 128}));
}

TEST_F(GridMappingTest, IndexMapsTakeIdsAndIndexRefs) {
  GridMappingOpInterface grid = parse(batchedKernel);
  ASSERT_TRUE(grid);
  SmallVector<Type> types = grid.getIndexMapArgumentTypes();
  ASSERT_EQ(types.size(), 4u);
  EXPECT_TRUE(types[0].isInteger(32));
  EXPECT_EQ(types[3], grid.getIndexRefTypes()[0]);
  EXPECT_EQ(grid.getIndexMap(0)->getArgumentTypes(), TypeRange(types));
  EXPECT_EQ(grid.getIndexMap(2), nullptr);
}

constexpr StringLiteral meshKernel = R"mlir(
func.func @mesh(%x: tensor<8x128xf32>, %n: i32) -> tensor<8x128xf32> {
  %o = pallas.mpmd_map
      in(%x : tensor<8x128xf32>)
      in(%n : i32)
      out(tensor<8x128xf32>)
      aliases [0 -> 0]
      kernel @k on <sc_vector, [<core "core" = 2>, <subcore "subcore" = 16>]>
          (%xr: !pallas.ref<8x128xf32, hbm>, %m: i32, %or: !pallas.ref<8x128xf32, hbm>,
           %s: !pallas.ref<128xf32, vmem>) {
  }
  return %o : tensor<8x128xf32>
}
)mlir";

TEST_F(GridMappingTest, SingleMeshIsAGridOfWholeArrays) {
  GridMappingOpInterface grid = parse(meshKernel);
  ASSERT_TRUE(grid);
  EXPECT_EQ(grid.getStaticGrid(), (SmallVector<int64_t>{2, 16}));
  EXPECT_EQ(grid.getGridDimensionNames(),
            (SmallVector<StringRef>{"core", "subcore"}));
  EXPECT_EQ(
      grid.getGridDimensionSemantics(),
      (SmallVector<DimensionSemantics>{DimensionSemantics::CoreParallel,
                                       DimensionSemantics::SubcoreParallel}));
  EXPECT_EQ(grid.getNumIndexOperands(), 0u);
  EXPECT_EQ(grid.getNumInputs(), 2u);
  EXPECT_EQ(grid.getNumOutputs(), 1u);
  EXPECT_EQ(grid.getNumScratchOperands(), 1);
  EXPECT_TRUE(grid.hasTrivialWindow(0));
  EXPECT_TRUE(grid.hasTrivialWindow(2));
  EXPECT_EQ(grid.getBlockRefType(0), grid.sliceBlockOps()[0].getType());
  EXPECT_EQ(grid.getBlockRefType(1), RefType());
}

constexpr StringLiteral capturingKernel = R"mlir(
func.func @capture(%n: i32, %m: i32, %idx: tensor<4xi32>, %x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %o = pallas.pallas_call grid(4, %n)
      captures(%m : i32)
      prefetch(%idx : tensor<4xi32>)
      in(%x : tensor<64x128xf32>) block<[16, 128], vmem> map(%i, %j) -> (%i, 0)
      out(tensor<64x128xf32>)
      kernel(%k: i32, %idx_ref: !pallas.ref<4xi32, smem>, %xr: !pallas.ref<16x128xf32, vmem>,
             %or: !pallas.ref<64x128xf32, default>) {
  }
  return %o : tensor<64x128xf32>
}
)mlir";

TEST_F(GridMappingTest, OperandsComeInGroups) {
  GridMappingOpInterface grid = parse(capturingKernel);
  ASSERT_TRUE(grid);
  auto function = grid->getParentOfType<func::FuncOp>();
  EXPECT_TRUE(grid.hasGridMapping());
  EXPECT_EQ(SmallVector<int64_t>(grid.getGridShape()),
            (SmallVector<int64_t>{4, ShapedType::kDynamic}));
  EXPECT_EQ(grid.getDynamicGridOperands()[0], function.getArgument(0));
  EXPECT_EQ(grid.getNumCaptures(), 1u);
  EXPECT_EQ(grid.getCaptureOperands()[0], function.getArgument(1));
  EXPECT_EQ(grid.getKernelCaptures()[0].getType(),
            function.getArgument(1).getType());
  EXPECT_EQ(grid.getIndexOperands()[0], function.getArgument(2));
  EXPECT_EQ(grid.getInputOperands()[0], function.getArgument(3));
  EXPECT_EQ(grid.getNumBlocks(), 2u);
  EXPECT_EQ(grid.getOutputArrayTypes()[0], grid->getResult(0).getType());
}

TEST_F(GridMappingTest, SeveralMeshesAreNoGrid) {
  EXPECT_FALSE(parse(R"mlir(
    func.func @two() {
      pallas.mpmd_map
        kernel on <sc_scalar, [<core "c" = 2>]> () {}
        kernel on <sc_vector, [<core "c" = 2>, <subcore "s" = 16>]> () {}
      return
    }
  )mlir"));
}

constexpr StringLiteral pipelineKernel = R"mlir(
func.func @pipeline(%x: !pallas.ref<64x128xf32, hbm>, %o: !pallas.ref<64x128xf32, hbm>, %c: f32, %n: i32) {
  %r = pallas.emit_pipeline grid(%n, 2)
      in(%x : !pallas.ref<64x128xf32, hbm>) block<[8, 128], vmem> map(%i, %j) -> (%i, 0)
      out(%o : !pallas.ref<64x128xf32, hbm>) block<[64, 128], vmem>
      carry(%c : f32)
      kernel(%i: i32, %j: i32, %xr: !pallas.ref<8x128xf32, vmem>,
             %or: !pallas.ref<64x128xf32, vmem>, %acc: f32) {
    pallas.yield %acc : f32
  }
  return
}
)mlir";

TEST_F(GridMappingTest, PipelinesLeadWithIndicesAndEndWithCarries) {
  GridMappingOpInterface grid = parse(pipelineKernel);
  ASSERT_TRUE(grid);
  EXPECT_EQ(grid.getNumDynamicGridBounds(), 1u);
  EXPECT_EQ(grid.getNumLeadingKernelArguments(), 2u);
  EXPECT_EQ(grid.getCarriedOperands().size(), 1u);
  EXPECT_EQ(grid.getNumScratchOperands(), 0);
  EXPECT_EQ(grid.sliceBlockOps().size(), 2u);
  EXPECT_EQ(grid.sliceBlockOps()[0].getArgNumber(), 2u);
  EXPECT_EQ(grid.getBlockRefType(0), grid.sliceBlockOps()[0].getType());
  EXPECT_FALSE(grid.hasTrivialWindow(0));
  EXPECT_TRUE(grid.hasTrivialWindow(1));
  EXPECT_EQ(grid.getIndexMapArgumentTypes().size(), 2u);
}

} // namespace
