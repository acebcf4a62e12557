//===- ClusterAxes.cpp - Which blocks a barrier joins ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/Utils/ClusterAxes.h"

using namespace mlir;
using namespace mlir::pallas;

/// A name is a group of one axis: `["x", ["y", "z"]]` has the groups x, and y
/// with z.
SmallVector<SmallVector<StringAttr>>
mlir::pallas::getAxisGroups(ClusterBarrierType barrier) {
  SmallVector<SmallVector<StringAttr>> groups;
  for (Attribute axis : barrier.getCollectiveAxes()) {
    if (auto group = dyn_cast<ArrayAttr>(axis))
      groups.push_back(llvm::to_vector(group.getAsRange<StringAttr>()));
    else
      groups.push_back({cast<StringAttr>(axis)});
  }
  return groups;
}

bool mlir::pallas::isCollectiveAxis(ClusterBarrierType barrier,
                                    StringAttr axis) {
  return llvm::any_of(getAxisGroups(barrier), [&](ArrayRef<StringAttr> group) {
    return llvm::is_contained(group, axis);
  });
}
