//===- ClusterRules.h - Memory of other blocks of a cluster -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOMOSAICGPU_CLUSTERRULES_H
#define PALLAS_LIB_CONVERSION_PALLASTOMOSAICGPU_CLUSTERRULES_H

#include "Rules.h"
#include "pallas/Dialect/MosaicGPU/IR/MosaicGPU.h"

namespace mlir::pallas {

/// The `cluster_ref` that this ref is, or is a view of; null for memory of this
/// block.
ClusterRefOp findClusterRef(Value ref);

/// Loads a vector of another block.
LogicalResult getFromBlock(GetOp op, KernelEmitter &emit);
/// Checks a store to another block. The arrival behind it starts the store,
/// since the hardware does both at once.
LogicalResult checkStoreToBlock(Operation *op);
/// An arrival at a barrier of another block, with the store in front of it.
LogicalResult arriveAtBlock(BarrierArriveOp op, const BarrierSlot &slot,
                            KernelEmitter &emit);

/// How the dialect names an atomic update; none for one that it lacks.
std::optional<mosaic_gpu::AtomicOpType> getAtomicType(AtomicKind kind);

void addClusterRules(RuleTable &rules);

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOMOSAICGPU_CLUSTERRULES_H
