//===- StepOperationCost.cpp - Work of one operation of a kernel ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The costs of `pallas` operations, by the rules for the `tpu` operations that
// they become.
//
//===----------------------------------------------------------------------===//

#include "StepOperationCost.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "pallas/Dialect/Pallas/IR/RefEffects.h"
#include "pallas/Dialect/Pallas/Utils/OperationTraits.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::pallas;
using tpu::CostTerm;
using tpu::OperationCost;

/// Free dimensions of each side collapse into one, and so do contracted ones.
tpu::MatmulShape mlir::pallas::getMatmulShape(DotGeneralOp op) {
  auto lhs = cast<ShapedType>(op.getLhs().getType());
  auto rhs = cast<ShapedType>(op.getRhs().getType());
  tpu::MatmulShape shape;
  for (int64_t dim : op.getLhsBatch())
    shape.batch *= lhs.getDimSize(dim);
  for (int64_t dim : op.getLhsContracting())
    shape.k *= lhs.getDimSize(dim);
  int64_t shared = std::max<int64_t>(1, shape.batch * shape.k);
  shape.m = lhs.getNumElements() / shared;
  shape.n = rhs.getNumElements() / shared;
  shape.bits = lhs.getElementTypeBitWidth();
  shape.isHighest = op.getPrecision() == Precision::Highest;
  return shape;
}

static tpu::LaneOrigin getLaneOrigin(Operation *op) {
  using tpu::LaneOrigin;
  auto isLast = [](int64_t dim, Value source) {
    auto type = dyn_cast<ShapedType>(source.getType());
    return type && dim + 1 == type.getRank();
  };
  if (auto reduction = dyn_cast<ReduceOp>(op))
    return llvm::any_of(
               reduction.getDimensions(),
               [&](int64_t dim) { return isLast(dim, reduction.getInput()); })
               ? LaneOrigin::Repeated
               : LaneOrigin::Other;
  if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    auto result = dyn_cast<RankedTensorType>(broadcast.getResult().getType());
    if (!isa<RankedTensorType>(broadcast.getInput().getType()))
      return LaneOrigin::Splat;
    // <512> to <512x1>, as `keepdims` has it.
    return result && result.getShape().back() == 1
               ? tpu::getReshapeOrigin(broadcast.getInput().getType(), result)
               : LaneOrigin::Other;
  }
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return tpu::getReshapeOrigin(reshape.getInput().getType(),
                                 reshape.getResult().getType());
  return isElementwise(op) ? LaneOrigin::Operands : LaneOrigin::Other;
}

static bool isRepeatedInLanes(Value value) {
  return tpu::isRepeatedInLanes(value, getLaneOrigin);
}

/// A broadcast as one between shapes of the same rank.
static OperationCost getRepetitionCost(BroadcastOp op) {
  auto source = dyn_cast<RankedTensorType>(op.getInput().getType());
  auto result = dyn_cast<RankedTensorType>(op.getResult().getType());
  if (!source || !result || source.getRank() == 0)
    return OperationCost().count(CostTerm::Scalar, 1);
  SmallVector<int64_t> shape(result.getRank(), 1);
  for (auto [dim, size] :
       llvm::zip_equal(op.getDimensions(), source.getShape()))
    shape[dim] = size;
  if (shape.back() == 1 && isRepeatedInLanes(op.getInput()))
    return OperationCost();
  // Lanes become rows, each in all lanes.
  if (source.getShape().back() != 1 && shape.back() == 1)
    return tpu::getReshapeCost(source, source.clone(shape));
  return tpu::getBroadcastCost(source.clone(shape), result);
}

/// Whether parts that a view begins with are whole tiles.
static bool isTiled(Value ref, const TPUChip &chip) {
  for (; auto view = ref.getDefiningOp<SliceRefOp>(); ref = view.getRef()) {
    auto type = cast<RefType>(view.getRef().getType());
    auto dims = cast<RefAccessOpInterface>(view.getOperation()).getAccessDims();
    for (auto [dim, access] : llvm::enumerate(dims)) {
      int64_t fromMinor = type.getRank() - 1 - dim;
      int64_t size = access.entry.size;
      int64_t tile = fromMinor == 0   ? chip.lanes
                     : fromMinor == 1 ? chip.sublanes
                                      : 1;
      if (access.entry.kind == IndexKind::Slice &&
          size != type.getDimSize(dim) && size % tile)
        return false;
      if (access.entry.kind == IndexKind::Scalar && tile != 1)
        return false;
    }
  }
  return true;
}

/// Rows from a place that is known at run time only, and that are no whole
/// tiles, are read with all of the block, which is rotated:
///
///   %part = pallas.slice_ref %x[ds(%row, 127), :] of 381x512
///   %v = pallas.get %part[...]      48 x 4 registers for 16 x 4
static double getRotatedRegisters(Value ref, const TPUChip &chip) {
  for (; auto view = ref.getDefiningOp<SliceRefOp>(); ref = view.getRef()) {
    RefType type = view.getRef().getType();
    auto dims = cast<RefAccessOpInterface>(view.getOperation()).getAccessDims();
    if (dims.size() < 2)
      continue;
    const DimIndex &rows = dims[dims.size() - 2].entry;
    if (rows.kind == IndexKind::Slice && rows.hasDynamicStart() &&
        rows.size % chip.sublanes != 0)
      return tpu::getNumRegisters(
          RankedTensorType::get(type.getShape(), type.getElementType()));
  }
  return 0;
}

/// Where rows are left out, each tile of them is taken from all tiles of what
/// they are among, or goes to all:
///
///   tensor.extract_slice %x[0, 0] [64, 128] [2, 1] of 128x128     8 x 16
///   gathers
static void countSpread(OperationCost &cost, Type rows, int64_t numAround,
                        double times, const TPUChip &chip) {
  double tiles = times * tpu::getNumRegisters(rows) *
                 llvm::divideCeil(numAround, int64_t(chip.sublanes));
  cost.count(CostTerm::Gather, tiles).count(CostTerm::Arith, 2 * tiles);
}

static OperationCost getSliceCost(tensor::ExtractSliceOp op,
                                  const TPUChip &chip) {
  RankedTensorType source = op.getSourceType();
  int64_t rank = source.getRank();
  if (rank < 2 || op.getStaticStrides()[rank - 2] == 1)
    return tpu::getElementCost(op);
  OperationCost cost;
  countSpread(cost, op.getType(), source.getDimSize(rank - 2), 1, chip);
  return cost.wait(CostTerm::CrossLatency);
}

/// Strides of rows that the load and store units can't step over. What is
/// stored brings a mask along.
static void countStrides(OperationCost &cost, RefAccessOpInterface op,
                         Type value, bool stores, const TPUChip &chip) {
  // Most accesses have none, and their dimensions take long to find.
  if (llvm::all_of(op.getIndexer().getEntries(),
                   [](const DimIndex &entry) { return entry.stride == 1; }))
    return;
  RefType type = op.getRef().getType();
  auto dims = op.getAccessDims();
  bool isNative = type.getElementTypeBitWidth() == 32 && type.hasRank() &&
                  type.getShape().back() <= int64_t(chip.lanes);
  if (isNative || dims.size() < 2)
    return;
  const DimIndex &rows = dims[dims.size() - 2].entry;
  if (rows.kind == IndexKind::Slice && rows.stride != 1 &&
      !rows.hasDynamicSize())
    countSpread(cost, value, (rows.size - 1) * rows.stride + 1, stores ? 2 : 1,
                chip);
}

/// A swap that uses the old value reads, too, and an addupdate reads, adds and
/// writes.
static OperationCost getAccessCost(RefAccessOpInterface op,
                                   const TPUChip &chip) {
  Value ref = op.getRef();
  bool isAligned = isTiled(ref, chip);
  OperationCost cost;
  auto add = [&](const OperationCost &other) {
    llvm::append_range(cost.work, other.work);
    cost.wait(other.latency, other.waits);
  };
  // A view reads nothing.
  bool reads = !isRefAlias(op) && op->getNumResults() > 0 &&
               !op->getResult(0).use_empty();
  if (isa<GetOp, MaskedLoadOp>(op.getOperation()) || reads)
    add(tpu::getLoadCost(op->getResult(0).getType(), isAligned));
  if (!cost.work.empty()) {
    cost.count(CostTerm::RowRotate, getRotatedRegisters(ref, chip));
    countStrides(cost, op, op->getResult(0).getType(), /*stores=*/false, chip);
  }
  if (isa<SwapOp, AddUpdateOp, MaskedSwapOp>(op.getOperation())) {
    Type stored = op->getOperand(1 + op.getIndices().size()).getType();
    if (isa<AddUpdateOp>(op.getOperation())) {
      add(tpu::getLoadCost(stored, isAligned));
      cost.count(CostTerm::Arith, tpu::getNumRegisters(stored));
    }
    add(tpu::getStoreCost(stored, isAligned));
    countStrides(cost, op, stored, /*stores=*/true, chip);
  }
  cost.memory = skipAliases(ref);
  return cost;
}

/// Rules mirror those of the tpu dialect, so that this model and the one of
/// lowered kernels rank alike.
static OperationCost getWork(Operation *op, const TPUChip &chip) {
  auto getShape = [](Value value) { return cast<ShapedType>(value.getType()); };
  auto isTensor = [](Value value) {
    return isa<RankedTensorType>(value.getType());
  };
  if (isArithmetic(op))
    return isElementwise(op) ? tpu::getElementCost(op) : OperationCost();
  if (isa<BroadcastOp>(op) && isTensor(op->getResult(0)) &&
      !llvm::all_of(op->getOperands(), isTensor))
    return OperationCost().count(CostTerm::Scalar, 1);
  return llvm::TypeSwitch<Operation *, OperationCost>(op)
      .Case([&](DotGeneralOp op) {
        return tpu::getMatmulCost(getMatmulShape(op), chip);
      })
      .Case([&](ReduceOp op) {
        return tpu::getReductionCost(getShape(op.getInput()),
                                     op.getDimensions(),
                                     op.getKind() == CombiningKind::Add);
      })
      .Case([&](ArgReduceOp op) {
        return tpu::getReductionCost(getShape(op.getInput()),
                                     {int64_t(op.getDimension())},
                                     /*isSum=*/false);
      })
      .Case([&](BroadcastOp op) { return getRepetitionCost(op); })
      .Case([&](TransposeOp op) {
        return tpu::getTransposeCost(getShape(op.getInput()),
                                     op.getPermutation());
      })
      .Case([&](ReshapeOp op) {
        auto from = dyn_cast<ShapedType>(op.getInput().getType());
        auto to = dyn_cast<ShapedType>(op.getResult().getType());
        if (to && to.getRank() > 0 && to.getShape().back() == 1 &&
            isRepeatedInLanes(op.getInput()))
          return OperationCost();
        return from && to ? tpu::getReshapeCost(from, to) : OperationCost();
      })
      .Case([&](RollOp op) {
        return tpu::getRotateCost(getShape(op.getResult()), op.getDimension());
      })
      .Case([&](tensor::ExtractSliceOp op) { return getSliceCost(op, chip); })
      .Case([&](RefAccessOpInterface op) { return getAccessCost(op, chip); })
      .Default([&](Operation *op) {
        bool isFree = op->hasTrait<OpTrait::ConstantLike>() ||
                      op->hasTrait<OpTrait::IsTerminator>() ||
                      isa<ProgramIdOp, NumProgramsOp>(op) || isRefAlias(op);
        return isFree ? OperationCost() : tpu::getElementCost(op);
      });
}

bool mlir::pallas::hasKnownShapes(Operation *op) {
  auto isKnown = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return !tensor ||
           (tensor.hasStaticShape() && tensor.getElementType().isIntOrFloat());
  };
  // Operands that are results have been looked at.
  auto isKnownOperand = [&](Value value) {
    return value.getDefiningOp() || isKnown(value.getType());
  };
  return llvm::all_of(op->getOperands(), isKnownOperand) &&
         llvm::all_of(op->getResultTypes(), isKnown);
}

bool mlir::pallas::isPriced(Operation *op) {
  // The divisor tells more of a division.
  return op->getNumResults() == 1 && !op->getNumRegions() &&
         !tpu::isIntegerDivision(op) &&
         (op->hasTrait<OpTrait::ConstantLike>() || isElementwise(op)) &&
         hasKnownShapes(op) && hasNoEffects(op);
}

OperationCost mlir::pallas::getStepOperationCost(Operation *op,
                                                 const TPUChip &chip) {
  OperationCost cost = getWork(op, chip);
  bool isRepeated = isArithmetic(op) ? !isElementwise(op)
                                     : op->hasTrait<OpTrait::ConstantLike>() ||
                                           isa<BroadcastOp, GetOp, IotaOp>(op);
  if (op->getNumResults() == 1 && !isRepeated)
    cost.held = tpu::getNumRegisters(op->getResult(0).getType());
  if (isa<DotGeneralOp, TransposeOp>(op))
    cost.needsAll = tpu::NeedsAll::Of;
  else if (isa<ReduceOp, ArgReduceOp>(op))
    cost.needsAll = tpu::NeedsAll::OfRows;
  return cost;
}
