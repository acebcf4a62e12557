//===- LaunchGrid.cpp - How the blocks of a launch are counted ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

using namespace mlir;
using namespace mlir::pallas;

/// The last axis runs fastest, which is x. Of more than three axes, the first
/// ones are counted together by z.
static void countFromTheEnd(ArrayRef<int64_t> axes,
                            SmallVectorImpl<int64_t> &sizes) {
  for (auto [index, size] : llvm::enumerate(llvm::reverse(axes)))
    sizes[std::min<size_t>(index, 2)] *= size;
}

LaunchGrid::LaunchGrid(MeshAttr mesh) {
  SmallVector<int64_t> gridAxes, clusterAxes;
  for (MeshAxisAttr axis : mesh.getAxes()) {
    if (axis.getRole() == MeshAxisRole::Grid)
      gridAxes.push_back(axis.getSize());
    else if (axis.getRole() == MeshAxisRole::Cluster)
      clusterAxes.push_back(axis.getSize());
    else
      warpgroups *= axis.getSize();
  }
  countFromTheEnd(gridAxes, grid);
  countFromTheEnd(clusterAxes, cluster);
}

bool LaunchGrid::hasCluster() const {
  return llvm::any_of(cluster, [](int64_t size) { return size != 1; });
}
