//===- ClusterAxes.h - Which blocks a barrier joins -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A barrier of a cluster names axes. Axes in brackets count as one, so blocks
// may differ along several of them:
//
//   !pallas.cluster_barrier<collectiveAxes = [["x", "z"], "y"], ...>
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_UTILS_CLUSTERAXES_H
#define PALLAS_DIALECT_PALLAS_UTILS_CLUSTERAXES_H

#include "pallas/Dialect/Pallas/IR/PallasOps.h"

namespace mlir::pallas {

/// The collective axes of the barrier, those together that count as one.
SmallVector<SmallVector<StringAttr>> getAxisGroups(ClusterBarrierType barrier);

/// Whether blocks that differ along `axis` share the barrier.
bool isCollectiveAxis(ClusterBarrierType barrier, StringAttr axis);

/// Whether cores that differ along `axis` share memory of a scope: the scope or
/// a barrier names the axis.
bool isSharedAlong(RunScopedOp scope, BlockArgument ref, StringAttr axis);

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_UTILS_CLUSTERAXES_H
