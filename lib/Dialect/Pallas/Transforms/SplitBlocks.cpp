//===- SplitBlocks.cpp - Steps on parts of blocks -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The whole grid runs for the first part, then for the second one, and so on:
//
//   grid(16) in(%x) block<[4096, 128]> map(%i) -> (%i, 0)
// becomes
//   grid(4, 16) in(%x) block<[1024, 128]> map(%p, %i) -> (%i * 4 + %p, 0)
//
// Scratch memory and windows then still hold what an earlier step of the same
// part has left there. No part sees another one's.
//
//===----------------------------------------------------------------------===//

#include "GrowBlocks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "pallas/Dialect/Pallas/Analysis/BlockSplitting.h"
#include "pallas/Dialect/Pallas/Transforms/CoarsenGrid.h"

using namespace mlir;
using namespace mlir::pallas;

/// A map takes the number of the part first. Windows that fall into parts are
/// counted in parts:
///
///   map(%p, %i)   %0 = arith.muli %i, %c4
///                 %1 = arith.addi %0, %p
static void splitMap(Region &map, BlockMappingAttr mapping, int64_t numParts,
                     std::optional<unsigned> dim) {
  Location loc = map.getLoc();
  OpBuilder builder(map.getContext());
  Value part = map.insertArgument(0u, builder.getI32Type(), loc);
  if (!dim)
    return;
  Operation *yield = map.front().getTerminator();
  OpOperand &index = yield->getOpOperand(getResultPosition(mapping, *dim));
  builder.setInsertionPoint(yield);
  Type type = index.get().getType();
  if (type.isIndex())
    part = arith::IndexCastOp::create(builder, loc, type, part);
  else if (type.getIntOrFloatBitWidth() > 32)
    part = arith::ExtSIOp::create(builder, loc, type, part);
  if (getConstantInteger(index.get()) == 0)
    return index.set(part);
  Value count = arith::ConstantOp::create(
      builder, loc, builder.getIntegerAttr(type, numParts));
  Value first = arith::MulIOp::create(builder, loc, index.get(), count);
  index.set(arith::AddIOp::create(builder, loc, first, part));
}

static BlockMappingAttr splitMapping(BlockMappingAttr mapping, unsigned dim,
                                     int64_t numParts) {
  SmallVector<BlockDimAttr> dims(mapping.getDims());
  dims[dim] = BlockDimAttr::get(mapping.getContext(), dims[dim].getKind(),
                                dims[dim].getSize() / numParts,
                                dims[dim].getPadLow(), dims[dim].getPadHigh());
  return BlockMappingAttr::get(
      mapping.getContext(), dims, mapping.getMemorySpace(),
      mapping.getPipelineMode(), mapping.getTransforms(), mapping.getOrigin());
}

/// The number of the part, which the kernel sees as the first of its ids.
/// Those that it asks for are one further then.
static Value createPart(PallasCallOp call) {
  call.getKernelRegion().walk([&](Operation *op) {
    if (!isa<ProgramIdOp, NumProgramsOp>(op) || getEnclosingGrid(op) != call)
      return;
    auto axis = op->getAttrOfType<IntegerAttr>("axis");
    op->setAttr("axis", IntegerAttr::get(axis.getType(), axis.getInt() + 1));
  });
  auto builder = OpBuilder::atBlockBegin(&call.getKernelRegion().front());
  return ProgramIdOp::create(builder, call.getLoc(), 0);
}

/// Puts a dimension in front of the grid. Parts depend on nothing that others
/// do, so they may run in any order.
static void addDimension(PallasCallOp call, int64_t numParts) {
  Builder builder(call.getContext());
  SmallVector<int64_t> shape(call.getGrid()), vmapped(call.getVmappedDims());
  shape.insert(shape.begin(), numParts);
  call.setGrid(shape);
  for (int64_t &dim : vmapped)
    ++dim;
  if (!vmapped.empty())
    call.setVmappedDims(vmapped);
  if (std::optional<ArrayAttr> names = call.getGridNames()) {
    SmallVector<Attribute> longer(names->getValue());
    longer.insert(longer.begin(), builder.getUnitAttr());
    call.setGridNamesAttr(builder.getArrayAttr(longer));
  }
  if (std::optional<ArrayAttr> semantics = call.getDimensionSemantics()) {
    SmallVector<Attribute> longer(semantics->getValue());
    longer.insert(longer.begin(),
                  DimensionSemanticsAttr::get(call.getContext(),
                                              DimensionSemantics::Parallel));
    call.setDimensionSemanticsAttr(builder.getArrayAttr(longer));
  }
}

std::optional<JoinObstacle> pallas::splitBlocks(PallasCallOp call, unsigned dim,
                                                int64_t numParts) {
  auto grid = cast<GridMappingOpInterface>(call.getOperation());
  std::unique_ptr<GrownBody> body;
  BlockSplit split = analyzeBlockSplit(grid, dim, numParts, body);
  if (split.obstacle)
    return split.obstacle;
  shrinkBlocks(grid, numParts, createPart(call), *body);
  SmallVector<Attribute> mappings;
  for (auto [block, mapping] : llvm::enumerate(grid.getMappings())) {
    std::optional<unsigned> walk = split.dims[block];
    splitMap(*grid.getIndexMap(block), mapping, numParts, walk);
    mappings.push_back(walk ? splitMapping(mapping, *walk, numParts) : mapping);
  }
  call.setBlockMappingsAttr(ArrayAttr::get(call.getContext(), mappings));
  addDimension(call, numParts);
  return std::nullopt;
}
