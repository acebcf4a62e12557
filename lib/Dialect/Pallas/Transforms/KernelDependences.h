//===- KernelDependences.h - Programs that need each other ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_KERNELDEPENDENCES_H
#define PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_KERNELDEPENDENCES_H

#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::pallas {

/// Whether an operation runs kernels of its own: a call or a mesh.
bool isKernelOp(Operation *op);

/// One kernel of a mesh, and the arguments that it has besides scratch.
struct MeshKernel {
  Region *region;
  MeshAttr mesh;
  unsigned numKnown;
  /// Whether other kernels run at the same time.
  bool hasOthers;

  /// Whether threads of a block share their scratch.
  bool hasSharedScratch() const;
};
SmallVector<MeshKernel> getMeshKernels(Operation *map);

/// An operation that needs programs that run at the same time, and why.
struct KernelDependence {
  Operation *op;
  StringRef what;
};
/// The first operation that keeps the programs of a kernel from running one
/// after the other.
std::optional<KernelDependence> findDependence(Operation *kernelOp);

/// The refs that the programs of a kernel allocate for themselves and that
/// nothing but operations with a rule on values uses.
class PrivateRefs {
public:
  explicit PrivateRefs(Operation *kernelOp);
  bool operator()(Value ref) const { return refs.contains(ref); }

private:
  bool mayDischarge(OpOperand &use) const;

  Operation *kernelOp;
  llvm::DenseSet<Value> refs;
};

} // namespace mlir::pallas

#endif // PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_KERNELDEPENDENCES_H
