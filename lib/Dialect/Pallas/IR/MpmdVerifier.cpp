//===- MpmdVerifier.cpp - Rules of kernels on meshes ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifies maps of several kernels onto meshes. Comments such as V24 name rules
// of docs/Rules.md.
//
//===----------------------------------------------------------------------===//

#include "GridClauses.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Meshes
//===----------------------------------------------------------------------===//

/// Name of the axis over whole cores, which meshes of one SparseCore share.
static MeshAxisAttr getCoreAxis(MeshAttr mesh) {
  for (MeshAxisAttr axis : mesh.getAxes())
    if (axis.getRole() == MeshAxisRole::Core)
      return axis;
  return {};
}

/// Why two meshes cannot run as one device program; empty when they can.
static std::string getConflict(MeshAttr first, MeshAttr second) {
  MeshKind a = first.getKind(), b = second.getKind();
  auto isSparse = [](MeshKind kind) {
    return kind == MeshKind::ScScalar || kind == MeshKind::ScVector;
  };
  if (a == MeshKind::Gpu || b == MeshKind::Gpu)
    return "a GPU mesh runs alone; use one pallas.mpmd_map for each";
  if (a == b)
    return "each kind of core takes one mesh; give its kernels one mesh";
  if (isSparse(a) && isSparse(b)) {
    if (getCoreAxis(first) == getCoreAxis(second))
      return "";
    return "the scalar and vector subcores of a SparseCore share their core "
           "axis; give both the same name and size";
  }
  for (MeshAxisAttr axis : first.getAxes())
    if (second.getAxisSize(axis.getName().getValue()))
      return ("both name an axis \"" + axis.getName().getValue() +
              "\"; a TensorCore mesh needs names of its own")
          .str();
  return "";
}

static LogicalResult verifyMeshes(MpmdMapOp op) {
  SmallVector<MeshAttr> meshes =
      llvm::to_vector(op.getMeshes().getAsRange<MeshAttr>());
  if (std::optional<ArrayAttr> external = op.getExternalMeshes())
    llvm::append_range(meshes, external->getAsRange<MeshAttr>());
  for (auto [index, mesh] : llvm::enumerate(meshes)) {
    // X6
    if (mesh.getKind() == MeshKind::Warp)
      return op.emitOpError() << "mesh " << index << " is " << mesh
                              << ", but warps exist only inside of a GPU "
                                 "kernel; use pallas.core_map there";
    for (auto [other, earlier] :
         llvm::enumerate(ArrayRef<MeshAttr>(meshes).take_front(index))) {
      // X4
      for (MeshAxisAttr axis : mesh.getAxes()) {
        StringRef name = axis.getName().getValue();
        std::optional<int64_t> size = earlier.getAxisSize(name);
        if (size && *size != axis.getSize())
          return op.emitOpError()
                 << "axis \"" << name << "\" has size " << *size << " in mesh "
                 << other << " and " << axis.getSize() << " in mesh " << index
                 << "; an axis has one size";
      }
      // X3
      std::string conflict = getConflict(earlier, mesh);
      if (!conflict.empty())
        return op.emitOpError() << "meshes " << other << " and " << index
                                << " do not go together, " << earlier << " and "
                                << mesh << ": " << conflict;
    }
  }
  return success();
}

LogicalResult MpmdMapOp::verify() {
  // X1
  if (getMeshes().empty())
    return emitOpError() << "has no mesh; give at least one mesh with a kernel";
  // X1
  if (getMeshes().size() != getKernels().size())
    return emitOpError() << "has " << getMeshes().size() << " meshes, but "
                         << getKernels().size()
                         << " kernels; give one kernel per mesh";
  if (std::optional<ArrayAttr> names = getKernelNames())
    // V4
    if (names->size() != getKernels().size() ||
        !llvm::all_of(*names, llvm::IsaPred<StringAttr>))
      return emitOpError() << "has the kernel names " << *names << ", but "
                           << getKernels().size()
                           << " kernels; give one string for each";
  if (failed(verifyMeshes(*this)))
    return failure();
  SmallVector<Type> arrays(getInputs().getTypes());
  llvm::append_range(arrays, getResultTypes());
  for (auto [index, type] : llvm::enumerate(arrays)) {
    bool isInput = index < getInputs().size();
    unsigned position = isInput ? index : index - getInputs().size();
    if (isInput && type.isSignlessIntOrIndexOrFloat())
      continue;
    ShapedType array =
        isa<AccumulatorType>(type) ? ShapedType() : getArrayShapedType(type);
    // V2
    if (!array || !array.hasStaticShape() ||
        llvm::is_contained(array.getShape(), 0) ||
        !RefType::isValidElementType(array.getElementType()))
      return emitOpError() << (isInput ? "input " : "output ") << position
                           << " has type " << type
                           << ", but must be an array of static shape, with at "
                              "least one element that a ref can hold"
                           << (isInput ? ", a ref or a scalar" : "");
    // W4
    if (isInput && isa<RefType>(type) &&
        llvm::is_contained(getInputs().take_front(index), getInputs()[index]))
      return emitOpError() << "input " << position
                           << " is a ref that is an input already; pass each "
                              "ref once and use its argument twice";
  }
  return verifyAliases(*this, getAliases(), getInputs().getTypes(),
                       /*numIndex=*/0, getResultTypes());
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Checks that an argument gives the kernel its view of the array or scalar.
static LogicalResult verifyWholeArgument(MpmdMapOp op, unsigned kernel,
                                         BlockArgument arg, Type array) {
  auto report = [&] {
    return op.emitOpError()
           << "argument " << arg.getArgNumber() << " of kernel " << kernel
           << " has type " << arg.getType() << ", but must be ";
  };
  if (array.isSignlessIntOrIndexOrFloat()) {
    // V5
    if (arg.getType() != array)
      return report() << "the captured scalar of type " << array;
    return success();
  }
  ShapedType shaped = getArrayShapedType(array);
  auto ref = dyn_cast<RefType>(arg.getType());
  // V5
  if (!ref || ref.getShape() != shaped.getShape() ||
      ref.getElementType() != shaped.getElementType())
    return report() << "a ref to the whole " << array;
  return success();
}

static LogicalResult verifyKernelArguments(MpmdMapOp op, unsigned index) {
  ArrayRef<BlockArgument> args = op.getKernels()[index].getArguments();
  SmallVector<Type> arrays(op.getInputs().getTypes());
  llvm::append_range(arrays, op.getResultTypes());
  // B16
  if (args.size() < arrays.size())
    return op.emitOpError()
           << "kernel " << index << " takes " << args.size()
           << " arguments, but needs at least " << arrays.size() << ": "
           << op.getInputs().size() << " inputs and " << op.getNumResults()
           << " outputs; declare one for each";
  for (auto [arg, array] : llvm::zip(args, arrays))
    if (failed(verifyWholeArgument(op, index, arg, array)))
      return failure();
  for (BlockArgument arg : args.drop_front(arrays.size())) {
    auto ref = dyn_cast<RefType>(arg.getType());
    // A8
    if (!ref && !isa<AccumulatorType>(arg.getType()))
      return op.emitOpError()
             << "scratch argument " << arg.getArgNumber() << " of kernel "
             << index << " must be a ref, but has type " << arg.getType();
    // X2
    if (op.getKernels().size() > 1 && ref && !ref.getMemorySpace().getCore() &&
        ref.getSpace() != MemorySpace::Hbm &&
        ref.getSpace() != MemorySpace::VmemShared)
      return op.emitOpError()
             << "scratch argument " << arg.getArgNumber() << " of kernel "
             << index << " has type " << ref
             << ", but with several meshes it must name a core; "
                "write the core behind the space, as in vmem@sc_vector, or use "
                "hbm or vmem_shared";
  }
  // V5
  TypeRange first = op.getKernels()[0].getArgumentTypes();
  TypeRange here = op.getKernels()[index].getArgumentTypes();
  if (first != here)
    return op.emitOpError()
           << "kernels 0 and " << index << " take different arguments, ("
           << first << ") and (" << here << "); all kernels take the same list";
  return success();
}

LogicalResult MpmdMapOp::verifyRegions() {
  for (auto [index, kernel] : llvm::enumerate(getKernels()))
    // X5
    if (failed(verifyKernelYield(*this, kernel, "kernel", {})) ||
        failed(verifyKernelArguments(*this, index)))
      return failure();
  return success();
}
