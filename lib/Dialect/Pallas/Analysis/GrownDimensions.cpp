//===- GrownDimensions.cpp - Where dimensions come from -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GrownDimensions.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Dialect/Pallas/Utils/OperationTraits.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::pallas;

using OperandDims = std::optional<SmallVector<std::optional<unsigned>>>;
using Natural = function_ref<std::optional<unsigned>(Value)>;

/// All tensors have the dimension where the result has it, scalars nowhere.
static OperandDims mapAlike(Operation *op, unsigned dim) {
  SmallVector<std::optional<unsigned>> dims;
  for (Type type : op->getOperandTypes())
    dims.push_back(isa<RankedTensorType>(type) ? std::optional(dim)
                                               : std::nullopt);
  return dims;
}

/// Nothing where the operation mixes elements along the dimension: parts of the
/// result would need elements of other parts.
static OperandDims mapUnless(bool isMixed, Operation *op, unsigned dim) {
  return isMixed ? OperandDims() : mapAlike(op, dim);
}

/// The dimension of the input of a reduction that is dimension `dim` behind it.
static unsigned skipReduced(unsigned dim, ArrayRef<int64_t> reduced) {
  unsigned input = 0;
  for (;; ++input) {
    if (llvm::is_contained(reduced, int64_t(input)))
      continue;
    if (dim-- == 0)
      return input;
  }
}

/// The operand grows with the result only if it has elements of its own for the
/// parts:
///
///   dims [0] : tensor<8x1xf32> -> tensor<8x128xf32>    along 0 it grows
///   dims [1] : tensor<128xf32> -> tensor<8x128xf32>    along 0 it is common
static OperandDims mapBroadcast(BroadcastOp op, unsigned dim, Natural natural) {
  SmallVector<std::optional<unsigned>> dims = {std::nullopt};
  const auto *found = llvm::find(op.getDimensions(), int64_t(dim));
  if (found == op.getDimensions().end())
    return dims;
  unsigned input = found - op.getDimensions().begin();
  int64_t inputSize =
      cast<RankedTensorType>(op.getInput().getType()).getDimSize(input);
  int64_t size = op.getResult().getType().getDimSize(dim);
  // A single element is repeated, unless there is one for each part.
  if (inputSize != 1 || (size == 1 && natural(op.getInput()) == input))
    dims[0] = input;
  return dims;
}

/// The result has the batch dimensions, then the free ones of lhs, then those
/// of rhs. A free dimension grows one operand, and the other is common to all
/// parts; a contracted one is no dimension of the result, so sums keep their
/// order.
static OperandDims mapContraction(DotGeneralOp op, unsigned dim) {
  auto getFree = [](Value value, ArrayRef<int64_t> batch,
                    ArrayRef<int64_t> contracting) {
    SmallVector<unsigned> free;
    for (unsigned d = 0, e = cast<RankedTensorType>(value.getType()).getRank();
         d < e; ++d)
      if (!llvm::is_contained(batch, d) && !llvm::is_contained(contracting, d))
        free.push_back(d);
    return free;
  };
  SmallVector<unsigned> lhs = getFree(op.getLhs(), op.getLhsBatch(),
                                      op.getLhsContracting()),
                        rhs = getFree(op.getRhs(), op.getRhsBatch(),
                                      op.getRhsContracting());
  SmallVector<std::optional<unsigned>> dims(op->getNumOperands());
  unsigned numBatch = op.getLhsBatch().size();
  if (dim < numBatch) {
    dims[0] = op.getLhsBatch()[dim];
    dims[1] = op.getRhsBatch()[dim];
  } else if (dim - numBatch < lhs.size()) {
    dims[0] = lhs[dim - numBatch];
  } else {
    dims[1] = rhs[dim - numBatch - lhs.size()];
  }
  if (op.getAcc())
    dims[2] = dim;
  return dims;
}

/// Parts follow each other along a dimension of the input in front of which
/// there are as many elements as in front of the result's.
static OperandDims mapReshape(ReshapeOp op, unsigned dim, Natural natural) {
  auto input = dyn_cast<RankedTensorType>(op.getInput().getType());
  auto result = dyn_cast<RankedTensorType>(op.getResult().getType());
  if (!input || !result)
    return std::nullopt;
  auto countBefore = [](RankedTensorType type, unsigned d) {
    return ShapedType::getNumElements(type.getShape().take_front(d));
  };
  int64_t before = countBefore(result, dim);
  std::optional<unsigned> preferred = natural(op.getInput()), found;
  for (unsigned d = 0; d < input.getRank(); ++d) {
    if (countBefore(input, d) != before)
      continue;
    if (preferred == d)
      return SmallVector<std::optional<unsigned>>{d};
    // Of several, the one that has the size.
    if (!found || input.getDimSize(d) == result.getDimSize(dim))
      found = d;
  }
  if (!found)
    return std::nullopt;
  return SmallVector<std::optional<unsigned>>{found};
}

/// A slice of all elements along the dimension takes as many of each part:
///
///   tensor.extract_slice %v[0, 32] [8, 64] [1, 1]    grows along 0, not 1
static OperandDims mapSlice(tensor::ExtractSliceOp op, unsigned dim) {
  auto source = op.getSourceType(), result = op.getResultType();
  if (source.getRank() != result.getRank() || op.isDynamicOffset(dim) ||
      op.isDynamicSize(dim) || op.isDynamicStride(dim) ||
      op.getStaticOffset(dim) != 0 || op.getStaticStride(dim) != 1 ||
      op.getStaticSize(dim) != source.getDimSize(dim))
    return std::nullopt;
  SmallVector<std::optional<unsigned>> dims(op->getNumOperands());
  dims[0] = dim;
  return dims;
}

/// Operations that are not listed might mix elements, so nothing grows through
/// them.
OperandDims pallas::mapToOperands(Operation *op, unsigned dim,
                                  Natural natural) {
  if (op->getNumResults() != 1 && !isa<SortOp>(op))
    return std::nullopt;
  if (isElementwise(op))
    return mapAlike(op, dim);
  return llvm::TypeSwitch<Operation *, OperandDims>(op)
      .Case([&](arith::ConstantOp constant) {
        bool isSplat = isa<SplatElementsAttr>(constant.getValue());
        return isSplat ? mapAlike(op, dim) : OperandDims();
      })
      .Case<IotaOp, ReciprocalOp, StochasticRoundOp, OptimizationBarrierOp>(
          [&](auto) { return mapAlike(op, dim); })
      .Case([&](BitcastOp cast) {
        auto from = dyn_cast<RankedTensorType>(cast.getInput().getType());
        return mapUnless(!from || from.getElementTypeBitWidth() !=
                                      getElementTypeOrSelf(cast.getResult())
                                          .getIntOrFloatBitWidth(),
                         op, dim);
      })
      .Case([&](BroadcastOp broadcast) {
        return mapBroadcast(broadcast, dim, natural);
      })
      .Case([&](tensor::SplatOp) { return mapAlike(op, dim); })
      .Case([&](ReduceOp reduce) {
        return OperandDims({skipReduced(dim, reduce.getDimensions())});
      })
      .Case([&](ArgReduceOp reduce) {
        return OperandDims({skipReduced(dim, int64_t(reduce.getDimension()))});
      })
      .Case<CumulativeOp, SortOp, TakeAlongOp>([&](auto scan) {
        return mapUnless(scan.getDimension() == dim, op, dim);
      })
      .Case([&](RevOp rev) {
        return mapUnless(llvm::is_contained(rev.getDimensions(), int64_t(dim)),
                         op, dim);
      })
      .Case([&](RollOp roll) {
        return mapUnless(roll.getDimension() == dim ||
                             roll.getStrideDimension() == dim,
                         op, dim);
      })
      .Case([&](TransposeOp transpose) {
        return OperandDims({unsigned(transpose.getPermutation()[dim])});
      })
      .Case(
          [&](ReshapeOp reshape) { return mapReshape(reshape, dim, natural); })
      .Case([&](DotGeneralOp dot) { return mapContraction(dot, dim); })
      .Case([&](tensor::ConcatOp concat) {
        return mapUnless(concat.getDim() == dim, op, dim);
      })
      .Case([&](tensor::ExtractSliceOp slice) { return mapSlice(slice, dim); })
      .Default([](Operation *) { return std::nullopt; });
}

/// Whether the number of rows decides in which order a CPU adds the floats of
/// one: several short rows share a vector if there are enough of them.
bool pallas::addsShortRows(Operation *op) {
  constexpr int64_t kLongest = 8;
  auto reduce = dyn_cast<ReduceOp>(op);
  if (!reduce || (reduce.getKind() != CombiningKind::Add &&
                  reduce.getKind() != CombiningKind::Mul))
    return false;
  auto type = cast<ShapedType>(reduce.getInput().getType());
  return isa<FloatType>(type.getElementType()) &&
         llvm::any_of(reduce.getDimensions(), [&](int64_t dim) {
           return type.getDimSize(dim) <= kLongest;
         });
}
