//===- AccessCost.cpp - What loads and stores count -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "pallas/Dialect/MosaicTPU/Analysis/BlockCost.h"
#include "pallas/Dialect/MosaicTPU/IR/TPU.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tpu;

static constexpr int64_t kRows = 8, kLanes = 128;

/// Whether an access begins at a tile and covers whole ones, as far as
/// constants tell.
static bool isAligned(ValueRange indices, VectorType type) {
  auto isMultiple = [](Value index, int64_t tile) {
    if (auto op = index.getDefiningOp<AssumeMultipleOp>())
      return op.getMultiple() % tile == 0;
    if (Operation *cast = index.getDefiningOp();
        cast && isa<CastOpInterface>(cast))
      if (auto op = cast->getOperand(0).getDefiningOp<AssumeMultipleOp>())
        return op.getMultiple() % tile == 0;
    APInt value;
    return matchPattern(index, m_ConstantInt(&value)) &&
           value.getSExtValue() % tile == 0;
  };
  size_t rank = indices.size();
  return (rank < 1 || isMultiple(indices[rank - 1], kLanes)) &&
         (rank < 2 || isMultiple(indices[rank - 2], kRows));
}

/// Scalars go through scalar memory, whose port vectors do not use.
OperationCost mlir::tpu::getLoadCost(Type type, bool isAligned) {
  OperationCost cost;
  if (!getNumRegisters(type))
    return cost.count(CostTerm::ScalarAccess, 1).wait(CostTerm::AccessLatency);
  return cost
      .count(isAligned ? CostTerm::Load : CostTerm::LoadUnaligned,
             getNumPackedRegisters(type))
      .wait(CostTerm::AccessLatency);
}

/// A store of partial tiles is masked, which takes as long as an unaligned one.
OperationCost mlir::tpu::getStoreCost(Type type, bool isAligned) {
  OperationCost cost;
  if (!getNumRegisters(type))
    return cost.count(CostTerm::ScalarAccess, 1);
  bool isWhole =
      isAligned && cast<ShapedType>(type).getShape().back() % kLanes == 0;
  return cost
      .count(isWhole ? CostTerm::Store : CostTerm::StoreUnaligned,
             getNumPackedRegisters(type))
      .wait(CostTerm::AccessLatency);
}

static OperationCost getLoadCostAt(ValueRange indices, Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return mlir::tpu::getLoadCost(type, vector && isAligned(indices, vector));
}

/// Rows that are stored to places that no one knows yet are stored one after
/// the other.
static OperationCost getStoreCostAt(ValueRange indices, Type type) {
  auto vector = dyn_cast<VectorType>(type);
  bool isTiled = vector && isAligned(indices, vector);
  OperationCost cost = mlir::tpu::getStoreCost(type, isTiled);
  bool isKnown = llvm::all_of(
      indices, [](Value index) { return matchPattern(index, m_Constant()); });
  if (vector && !isTiled && !isKnown) {
    cost.wait(CostTerm::ArithLatency, 2 + getNumRegisters(type));
    cost.isInOrder = true;
  }
  return cost;
}

std::optional<OperationCost> mlir::tpu::getAccessCost(Operation *op) {
  using Cost = std::optional<OperationCost>;
  return llvm::TypeSwitch<Operation *, Cost>(op)
      .Case([](vector::LoadOp op) -> Cost {
        return getLoadCostAt(op.getIndices(), op.getType());
      })
      .Case([](VectorLoadOp op) -> Cost {
        return getLoadCostAt(op.getIndices(), op.getType());
      })
      .Case([](VectorStoreOp op) -> Cost {
        return getStoreCostAt(op.getIndices(), op.getValueToStore().getType());
      })
      .Case([](vector::StoreOp op) -> Cost {
        return getStoreCostAt(op.getIndices(), op.getVectorType());
      })
      .Case([](StridedLoadOp op) -> Cost {
        return OperationCost()
            .count(CostTerm::LoadUnaligned, getNumRegisters(op.getType()))
            .wait(CostTerm::AccessLatency);
      })
      .Case([](StridedStoreOp op) -> Cost {
        return OperationCost().count(
            CostTerm::StoreUnaligned,
            getNumRegisters(op.getValueToStore().getType()));
      })
      .Case<memref::LoadOp, memref::StoreOp>([](auto op) -> Cost {
        return OperationCost().count(CostTerm::ScalarAccess, 1);
      })
      .Default([](Operation *) -> Cost { return std::nullopt; });
}
