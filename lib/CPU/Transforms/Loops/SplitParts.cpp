//===- SplitParts.cpp - Operations on arrays of several parts -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the pass pallas-cpu-split-parts, which keeps concatenated
// tensors out of memory. An elementwise operation on a tensor that others make
// up, as in a rotation, reads these instead:
//   %1 = tensor.extract_slice %x[1023] [1] [1]
//   %2 = tensor.extract_slice %x[0] [1023] [1]
//   %3 = tensor.concat dim(0) %1, %2
//   %4 = linalg.generic ins(%3, %y) ... arith.addf ...
// becomes
//   %4 = linalg.generic ins(%1, first element of %y) ... arith.addf ...
//   %5 = linalg.generic ins(%2, the other elements of %y) ... arith.addf ...
//   %6 = tensor.insert_slice %4 into %empty[0] [1] [1]
//   %7 = tensor.insert_slice %5 into %6[1] [1023] [1]
//
//===----------------------------------------------------------------------===//

#include "LoopPlan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "pallas/CPU/Transforms/Passes.h"
#include "pallas/Support/DeadCode.h"
#include <set>

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCPUSPLITPARTS
#include "pallas/CPU/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

/// A slice of one operand is read from there:
///
///   %c = tensor.concat dim(0) %x, %y
///       : (tensor<2x8xf32>, tensor<8x8xf32>) -> tensor<10x8xf32>
///   %s = tensor.extract_slice %c[7, 0] [2, 8] [1, 1]
///
/// becomes
///
///   %s = tensor.extract_slice %y[5, 0] [2, 8] [1, 1]
static void readOperand(tensor::ExtractSliceOp op) {
  while (auto concat = op.getSource().getDefiningOp<tensor::ConcatOp>()) {
    int64_t dim = concat.getDim(), start = op.getStaticOffset(dim),
            size = op.getStaticSize(dim);
    if (!concat.getResultType().hasStaticShape() || !op.hasUnitStride() ||
        ShapedType::isDynamic(start) || ShapedType::isDynamic(size))
      return;
    Value source;
    for (Value part : concat.getInputs()) {
      int64_t partSize = cast<RankedTensorType>(part.getType()).getDimSize(dim);
      if (ShapedType::isDynamic(partSize))
        return;
      if (start >= 0 && start < partSize && start + size <= partSize) {
        source = part;
        break;
      }
      start -= partSize;
    }
    if (!source)
      return;
    SmallVector<int64_t> offsets(op.getStaticOffsets());
    offsets[dim] = start;
    op.getSourceMutable().assign(source);
    op.setStaticOffsets(offsets);
  }
}

/// Concatenations of concatenations, as `jnp.pad` has them for its two sides,
/// would copy the inner one.
static void flattenConcats(RewriterBase &rewriter, Operation *root) {
  root->walk([](tensor::ExtractSliceOp op) { readOperand(op); });
  SmallVector<tensor::ConcatOp> ops;
  root->walk([&](tensor::ConcatOp op) { ops.push_back(op); });
  for (tensor::ConcatOp op : ops) {
    SmallVector<Value> parts;
    for (Value part : op.getInputs()) {
      auto inner = part.getDefiningOp<tensor::ConcatOp>();
      if (inner && inner.getDim() == op.getDim() && inner->hasOneUse())
        llvm::append_range(parts, inner.getInputs());
      else
        parts.push_back(part);
    }
    if (parts.size() > op.getNumOperands())
      rewriter.modifyOpInPlace(op, [&] { op->setOperands(parts); });
  }
}

namespace {
/// A part of a tensor from `offsets` on, and its value.
struct Part {
  SmallVector<int64_t> offsets, sizes;
  Value value;

  int64_t getNumElements() const { return ShapedType::getNumElements(sizes); }

  bool overlaps(const Part &other) const {
    return llvm::all_of(llvm::seq(offsets.size()), [&](size_t d) {
      return offsets[d] < other.offsets[d] + other.sizes[d] &&
             other.offsets[d] < offsets[d] + sizes[d];
    });
  }

  /// Whether the elements of `other` are all here.
  bool contains(const Part &other) const {
    return llvm::all_of(llvm::seq(offsets.size()), [&](size_t d) {
      return offsets[d] <= other.offsets[d] &&
             other.offsets[d] + other.sizes[d] <= offsets[d] + sizes[d];
    });
  }
};

/// Goes through the operations in order, so that what one yields in parts is
/// read in parts by the next one.
class Splitter {
public:
  Splitter(RewriterBase &rewriter) : b(rewriter) {}

  void addConcat(tensor::ConcatOp op);
  void addRotation(tensor::InsertSliceOp op);
  void split(linalg::GenericOp op);
  void finish();

private:
  bool canSplit(linalg::GenericOp op) const;
  bool areReadInParts(Value tensor) const;
  SmallVector<Part> getRegions(linalg::GenericOp op) const;
  Value getSlice(Value tensor, const Part &part, AffineMap map, Location loc);
  Value emitRegion(linalg::GenericOp op, const Part &region);

  RewriterBase &b;
  DenseMap<Value, SmallVector<Part>> parts;
  SmallVector<linalg::GenericOp> replaced;
};
} // namespace

/// The operands lie side by side, each from where the one before ends:
///
///   %c = tensor.concat dim(0) %x, %y
///       : (tensor<3x8xf32>, tensor<5x8xf32>) -> tensor<8x8xf32>
///
/// has %x at [0, 0] and %y at [3, 0].
void Splitter::addConcat(tensor::ConcatOp op) {
  RankedTensorType type = op.getResultType();
  if (!type.hasStaticShape())
    return;
  SmallVector<int64_t> offsets(type.getRank(), 0);
  SmallVector<Part> found;
  for (Value part : op.getInputs()) {
    auto partType = cast<RankedTensorType>(part.getType());
    if (!partType.hasStaticShape())
      return;
    found.push_back({offsets, SmallVector<int64_t>(partType.getShape()), part});
    offsets[op.getDim()] += partType.getDimSize(op.getDim());
  }
  parts[op.getResult()] = found;
}

/// Slices that are inserted one after the other and make up all of a tensor
/// without overlap. `op` is the last of them.
void Splitter::addRotation(tensor::InsertSliceOp op) {
  constexpr unsigned mostParts = 8;
  RankedTensorType type = op.getResultType();
  SmallVector<Part> found;
  int64_t covered = 0;
  Value whole = op.getResult();
  while (auto insert = whole.getDefiningOp<tensor::InsertSliceOp>()) {
    if (!insert.hasUnitStride() || found.size() == mostParts ||
        insert.getSourceType().getRank() != type.getRank() ||
        ShapedType::isDynamicShape(insert.getStaticOffsets()) ||
        ShapedType::isDynamicShape(insert.getStaticSizes()))
      return;
    found.push_back({SmallVector<int64_t>(insert.getStaticOffsets()),
                     SmallVector<int64_t>(insert.getStaticSizes()),
                     insert.getSource()});
    covered += found.back().getNumElements();
    whole = insert.getDest();
  }
  bool overlaps = false;
  for (size_t i = 0; i < found.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      overlaps |= found[i].overlaps(found[j]);
  if (type.hasStaticShape() && covered == type.getNumElements() && !overlaps)
    parts[op.getResult()] = found;
}

/// Whether `op` computes each element of its only result from the elements at
/// the same place, and others of operands that have less dimensions.
bool Splitter::canSplit(linalg::GenericOp op) const {
  constexpr size_t mostOps = 64;
  constexpr int64_t leastBits = 8 * 16384;
  auto type = op->getNumResults() == 1
                  ? dyn_cast<RankedTensorType>(op->getResult(0).getType())
                  : RankedTensorType();
  if (!type || !type.hasStaticShape() || type.getRank() == 0 ||
      op.getNumParallelLoops() != op.getNumLoops() ||
      op.getBlock()->getOperations().size() > mostOps ||
      !type.getElementType().isIntOrFloat() ||
      type.getNumElements() * type.getElementTypeBitWidth() < leastBits ||
      op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)) ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
    return false;
  return llvm::all_of(*op.getBlock(),
                      [](Operation &inner) {
                        return cpu::isVectorizable(&inner) &&
                               inner.getNumRegions() == 0;
                      }) &&
         llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
           return !isa<RankedTensorType>(input->get().getType()) ||
                  op.getMatchingIndexingMap(input).isProjectedPermutation();
         });
}

/// Whether nothing needs the tensor as a whole.
bool Splitter::areReadInParts(Value tensor) const {
  return llvm::all_of(tensor.getUses(), [&](OpOperand &use) {
    auto reader = dyn_cast<linalg::GenericOp>(use.getOwner());
    return reader && reader.isDpsInput(&use) &&
           reader.getMatchingIndexingMap(&use).isIdentity() && canSplit(reader);
  });
}

/// The boxes that lie in one part of each operand. Empty if these are many, or
/// so narrow that vectors don't fit.
SmallVector<Part> Splitter::getRegions(linalg::GenericOp op) const {
  constexpr size_t mostRegions = 9;
  constexpr int64_t leastWidth = 16;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  SmallVector<std::set<int64_t>> cuts(sizes.size());
  for (OpOperand *input : op.getDpsInputOperands()) {
    auto found = parts.find(input->get());
    if (found == parts.end() || !areReadInParts(input->get()))
      continue;
    for (const Part &part : found->second)
      for (auto [d, cut] : llvm::enumerate(cuts))
        cut.insert(part.offsets[d]);
  }
  SmallVector<Part> regions{{{}, {}, {}}};
  for (auto [cut, size] : llvm::zip_equal(cuts, sizes)) {
    cut.insert(0);
    cut.insert(size);
    if (regions.size() * (cut.size() - 1) > mostRegions)
      return {};
    SmallVector<Part> next;
    for (const Part &region : regions)
      for (auto from = cut.begin(), to = std::next(from); to != cut.end();
           ++from, ++to) {
        next.push_back(region);
        next.back().offsets.push_back(*from);
        next.back().sizes.push_back(*to - *from);
      }
    regions = next;
  }
  int64_t narrow = 0, all = ShapedType::getNumElements(sizes);
  for (const Part &region : regions)
    if (region.sizes.back() < std::min(leastWidth, sizes.back()))
      narrow += region.getNumElements();
  return regions.size() > 1 && 8 * narrow <= all ? regions
                                                 : SmallVector<Part>();
}

/// The elements of an operand that a region reads.
Value Splitter::getSlice(Value tensor, const Part &region, AffineMap map,
                         Location loc) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type)
    return tensor;
  SmallVector<int64_t> offsets, sizes;
  for (AffineExpr expr : map.getResults()) {
    unsigned dim = cast<AffineDimExpr>(expr).getPosition();
    offsets.push_back(region.offsets[dim]);
    sizes.push_back(region.sizes[dim]);
  }
  auto found = parts.find(tensor);
  if (found != parts.end() && map.isIdentity())
    for (const Part &part : found->second)
      if (part.contains(region)) {
        tensor = part.value;
        type = cast<RankedTensorType>(tensor.getType());
        for (auto [offset, start] : llvm::zip_equal(offsets, part.offsets))
          offset -= start;
        break;
      }
  if (type.getShape() == ArrayRef(sizes))
    return tensor;
  SmallVector<int64_t> strides(sizes.size(), 1);
  return tensor::ExtractSliceOp::create(
      b, loc, tensor, getAsIndexOpFoldResult(b.getContext(), offsets),
      getAsIndexOpFoldResult(b.getContext(), sizes),
      getAsIndexOpFoldResult(b.getContext(), strides));
}

/// The operation on one region. Its indices start at that of the region.
Value Splitter::emitRegion(linalg::GenericOp op, const Part &region) {
  Location loc = op.getLoc();
  SmallVector<Value> inputs;
  for (OpOperand *input : op.getDpsInputOperands())
    inputs.push_back(
        getSlice(input->get(), region, op.getMatchingIndexingMap(input), loc));
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  Value empty = tensor::EmptyOp::create(b, loc, region.sizes, element);
  auto part = linalg::GenericOp::create(b, loc, empty.getType(), inputs, empty,
                                        op.getIndexingMapsArray(),
                                        op.getIteratorTypesArray());
  IRMapping mapping;
  op.getRegion().cloneInto(&part.getRegion(), mapping);
  SmallVector<linalg::IndexOp> indices;
  part.walk([&](linalg::IndexOp index) { indices.push_back(index); });
  OpBuilder::InsertionGuard guard(b);
  for (linalg::IndexOp index : indices) {
    int64_t offset = region.offsets[index.getDim()];
    if (offset == 0)
      continue;
    b.setInsertionPointAfter(index);
    Value start = arith::ConstantIndexOp::create(b, index.getLoc(), offset);
    auto sum = arith::AddIOp::create(b, index.getLoc(), index, start);
    b.replaceAllUsesExcept(index.getResult(), sum.getResult(), sum);
  }
  return part->getResult(0);
}

/// Computes each region by an operation of its own. Operations behind this one
/// read the regions, so the whole is put together only if something needs it.
void Splitter::split(linalg::GenericOp op) {
  if (!canSplit(op))
    return;
  SmallVector<Part> regions = getRegions(op);
  if (regions.empty())
    return;
  // Bufferization copies the first one into the whole.
  std::iter_swap(regions.begin(),
                 llvm::min_element(regions, [](const Part &x, const Part &y) {
                   return x.getNumElements() < y.getNumElements();
                 }));
  b.setInsertionPoint(op);
  for (Part &region : regions)
    region.value = emitRegion(op, region);
  parts[op->getResult(0)] = regions;
  replaced.push_back(op);
}

/// Puts results together that are still used as a whole. Bufferization computes
/// all parts but the first one in their places.
void Splitter::finish() {
  for (linalg::GenericOp op : llvm::reverse(replaced)) {
    if (op.use_empty()) {
      b.eraseOp(op);
      continue;
    }
    Value whole = op.getDpsInits()[0];
    for (const Part &part : parts[op->getResult(0)]) {
      b.setInsertionPointAfterValue(part.value);
      SmallVector<int64_t> ones(part.sizes.size(), 1);
      whole = tensor::InsertSliceOp::create(
          b, op.getLoc(), part.value, whole,
          getAsIndexOpFoldResult(b.getContext(), part.offsets),
          getAsIndexOpFoldResult(b.getContext(), part.sizes),
          getAsIndexOpFoldResult(b.getContext(), ones));
    }
    b.replaceOp(op, whole);
  }
}

static void splitParts(RewriterBase &rewriter, Operation *root) {
  Splitter splitter(rewriter);
  SmallVector<linalg::GenericOp> ops;
  root->walk([&](Operation *op) {
    if (auto concat = dyn_cast<tensor::ConcatOp>(op))
      splitter.addConcat(concat);
    else if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
      splitter.addRotation(insert);
    else if (auto generic = dyn_cast<linalg::GenericOp>(op))
      ops.push_back(generic);
  });
  for (linalg::GenericOp op : ops)
    splitter.split(op);
  splitter.finish();
}

namespace {
struct SplitParts : public pallas::impl::PallasCPUSplitPartsBase<SplitParts> {
  using PallasCPUSplitPartsBase::PallasCPUSplitPartsBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    flattenConcats(rewriter, getOperation());
    eraseDeadCode(getOperation());
    splitParts(rewriter, getOperation());
    eraseDeadCode(getOperation());
  }
};
} // namespace
