//===- IndexMapVerifier.cpp - Rules of index maps -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifies the regions that compute where windows start. Comments such as D13
// name the rules of docs/Rules.md.
//
//===----------------------------------------------------------------------===//

#include "GridMappingVerifier.h"
#include "pallas/Dialect/Pallas/IR/CheckOps.h"

using namespace mlir;
using namespace mlir::pallas;

/// A block without an index map has one window, at the start of the array.
LogicalResult GridMappingVerifier::verifyIndexMaps() {
  for (unsigned index = 0, e = op.getNumBlocks(); index < e; ++index)
    if (Region *map = op.getIndexMap(index))
      if (failed(verifyIndexMap(index, *map)))
        return failure();
  return success();
}

/// An index map takes the program ids, the index refs and the captured values,
/// and yields one result per dimension of the block. For example, with
/// grid(4, 8) and a prefetched table:
///
///   ^bb0(%i: i32, %j: i32, %t: !pallas.ref<4xi32, smem>):
///     %0 = pallas.get %t[%i] : !pallas.ref<4xi32, smem>
///     pallas.yield %0, %j : i32, i32
LogicalResult GridMappingVerifier::verifyIndexMap(unsigned index, Region &map) {
  // V3
  if (!map.hasOneBlock())
    return op.emitOpError()
           << "index map of " << describeBlock(index)
           << " must have exactly one block, but has " << llvm::range_size(map);
  Block &block = map.front();
  SmallVector<Type> expected = op.getIndexMapArgumentTypes();
  // J2, J3, B17
  if (block.getNumArguments() != expected.size())
    return op.emitOpError()
           << "index map of " << describeBlock(index) << " takes "
           << block.getNumArguments() << " arguments, but needs "
           << expected.size() << ": " << op.getGridRank() << " program ids, "
           << op.getNumIndexOperands() << " index refs and "
           << op.getNumCaptures() << " captured values; declare one for each";
  for (auto [position, type] : llvm::enumerate(expected)) {
    // J4, J7, C6
    if (block.getArgument(position).getType() == type)
      continue;
    InFlightDiagnostic diag =
        op.emitOpError() << "argument " << position << " of the index map of "
                         << describeBlock(index) << " has type "
                         << block.getArgument(position).getType()
                         << ", but must be " << type;
    diag.attachNote(block.getArgument(position).getLoc()) << "declared here";
    return diag;
  }

  auto yield = dyn_cast_or_null<YieldOp>(
      block.mightHaveTerminator() ? block.getTerminator() : nullptr);
  // V3
  if (!yield)
    return op.emitOpError() << "index map of " << describeBlock(index)
                            << " must end with pallas.yield";
  if (failed(verifyIndexMapResults(index, yield)))
    return failure();
  return verifyIndexMapBody(index, map);
}

/// The dimension of the block for each result of an index map. A bounded slice
/// has two results: the start and the size.
static SmallVector<BlockDimAttr> getResultDims(BlockMappingAttr mapping) {
  SmallVector<BlockDimAttr> dims;
  for (BlockDimAttr dim : mapping.getDims())
    dims.append(dim.getKind() == BlockDimKind::BoundedSlice ? 2 : 1, dim);
  return dims;
}

/// Whether a result of `type` can be the start of a window along `dim`.
static bool isIndexMapResult(Type type, BlockDimAttr dim) {
  auto isInteger = [](Type element) {
    return element.isInteger(32) || element.isInteger(64) || element.isIndex();
  };
  if (dim.getKind() != BlockDimKind::Indirect)
    return isInteger(type);
  auto shaped = dyn_cast<ShapedType>(type);
  return isa<RankedTensorType, RefType>(type) &&
         shaped.getShape() == ArrayRef<int64_t>(dim.getSize()) &&
         isInteger(shaped.getElementType());
}

LogicalResult GridMappingVerifier::verifyIndexMapResults(unsigned index,
                                                         YieldOp yield) {
  SmallVector<BlockDimAttr> dims = getResultDims(op.getMappings()[index]);
  // D8, D9
  if (yield.getNumOperands() != dims.size()) {
    InFlightDiagnostic diag =
        op.emitOpError() << "index map of " << describeBlock(index)
                         << " must return " << dims.size()
                         << " values, but returns " << yield.getNumOperands()
                         << "; return one per block dimension, and a start and "
                            "a size for a bounded one";
    diag.attachNote(yield.getLoc()) << "returned here";
    return diag;
  }
  for (auto [position, type] : llvm::enumerate(yield.getOperandTypes())) {
    BlockDimAttr dim = dims[position];
    // D11, D12, E3
    if (isIndexMapResult(type, dim))
      continue;
    InFlightDiagnostic diag = op.emitOpError()
                              << "index map of " << describeBlock(index);
    if (dim.getKind() == BlockDimKind::Indirect)
      diag << " must return " << dim.getSize()
           << " indices for an indirect dimension, but result " << position
           << " has type " << type
           << "; return a tensor or a ref of that many integers";
    else
      diag << " must return integer scalars, but result " << position
           << " has type " << type << "; return i32, i64 or index";
    diag.attachNote(yield.getLoc()) << "returned here";
    return diag;
  }
  return success();
}

/// Index maps are evaluated ahead of the kernel and more than once, so they
/// must not have effects. Reads are allowed, because index operands do not
/// change.
LogicalResult GridMappingVerifier::verifyIndexMapBody(unsigned index,
                                                      Region &map) {
  auto report = [&](Operation *nested) {
    return nested->emitOpError() << "may not be in an index map";
  };
  auto note = [&](InFlightDiagnostic diag) {
    diag.attachNote(op.getLoc())
        << "in the index map of " << describeBlock(index);
    return WalkResult::interrupt();
  };
  WalkResult walk = map.walk([&](Operation *nested) {
    // D13
    if (isa<ProgramIdOp>(nested) && !isa<EmitPipelineOp>(op))
      return note(report(nested) << ", which takes all program ids as "
                                    "arguments; use the argument instead");
    // Checks of the reads come along; their effects only keep them in place.
    if (isCheck(nested))
      return WalkResult::advance();
    // D13
    if (!nested->hasTrait<OpTrait::HasRecursiveMemoryEffects>() &&
        !isMemoryEffectFree(nested) &&
        !hasSingleEffect<MemoryEffects::Read>(nested))
      return note(report(nested)
                  << ", which may only compute and read index refs: it runs "
                     "ahead of the kernel, any number of times");
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}
