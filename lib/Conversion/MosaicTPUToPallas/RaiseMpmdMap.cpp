//===- RaiseMpmdMap.cpp - Kernels on meshes as an mpmd_map ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels on meshes. All kernels of a module become regions of one mpmd_map.
//
//===----------------------------------------------------------------------===//

#include "RaiseKernel.h"

using namespace mlir;
using namespace mlir::pallas;

/// The kind of mesh that runs on this core.
static MeshKind getMeshKind(tpu::CoreType core) {
  switch (core) {
  case tpu::CoreType::ScScalarSubcore:
    return MeshKind::ScScalar;
  case tpu::CoreType::ScVectorSubcore:
    return MeshKind::ScVector;
  case tpu::CoreType::TensorCore:
    break;
  }
  return MeshKind::TensorCore;
}

/// The mesh of a kernel. A module doesn't name axes: they get the name of their
/// role, core or subcore.
static FailureOr<MeshAttr> getMesh(const KernelFunction &kernel) {
  func::FuncOp func = kernel.func;
  MLIRContext *context = func.getContext();
  bool hasSubcores = kernel.core == tpu::CoreType::ScVectorSubcore;
  // A vector subcore is found by its SparseCore and its number in there.
  if (kernel.grid.size() != (hasSubcores ? 2 : 1) ||
      ShapedType::isDynamicShape(kernel.grid))
    return func.emitError() << "runs on " << tpu::stringifyCoreType(kernel.core)
                            << " cores with iteration bounds [" << kernel.grid
                            << "], but such a mesh has "
                            << (hasSubcores ? "two static axes: cores and "
                                              "subcores"
                                            : "one static axis: cores");
  auto getAxis = [&](MeshAxisRole role, int64_t size) {
    return MeshAxisAttr::get(
        context, role, StringAttr::get(context, stringifyMeshAxisRole(role)),
        size);
  };
  SmallVector<MeshAxisAttr> axes = {
      getAxis(MeshAxisRole::Core, kernel.grid[0])};
  if (hasSubcores)
    axes.push_back(getAxis(MeshAxisRole::Subcore, kernel.grid[1]));
  return MeshAttr::get(context, getMeshKind(kernel.core), axes);
}

/// Scratch memory as all kernels of the map see it. A memref leaves out the
/// core when it is that of the kernel; here it is named.
static RefType getScratchType(const KernelFunction &kernel, MemRefType memref,
                              bool isOneOfSeveral) {
  RefType ref = convertMemRef(memref);
  MemorySpace space = ref.getSpace();
  // These spaces are shared by all cores.
  if (!isOneOfSeveral || ref.getMemorySpace().getCore() ||
      space == MemorySpace::Hbm || space == MemorySpace::VmemShared)
    return ref;
  auto owned =
      MemorySpaceAttr::get(ref.getContext(), space, convertCore(kernel.core));
  return RefType::get(ref.getContext(), ref.getShape(), ref.getElementType(),
                      owned, ref.getTransforms());
}

/// The region of one kernel, with refs for its arrays and scratch memory.
static Block *createKernelBlock(OpBuilder &builder, Region &region,
                                const KernelFunction &kernel,
                                bool isOneOfSeveral) {
  SmallVector<Type> types;
  SmallVector<Location> locations;
  for (BlockArgument argument : kernel.getArrays()) {
    types.push_back(convertMemRef(cast<MemRefType>(argument.getType())));
    locations.push_back(argument.getLoc());
  }
  for (BlockArgument argument : kernel.getScratch()) {
    types.push_back(getScratchType(kernel, cast<MemRefType>(argument.getType()),
                                   isOneOfSeveral));
    locations.push_back(argument.getLoc());
  }
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&region, {}, types, locations);
  YieldOp::create(builder, kernel.func.getLoc());
  return block;
}

FailureOr<SmallVector<Value>>
mlir::pallas::raiseMpmdMap(OpBuilder &builder, ArrayRef<KernelFunction> kernels,
                           const KernelCall &call, ValueRange operands) {
  func::FuncOp first = kernels.front().func;
  SmallVector<Attribute> meshes, names;
  for (const KernelFunction &kernel : kernels) {
    func::FuncOp func = kernel.func;
    // A prefetched array is for index maps, and these kernels have none.
    if (kernel.numPrefetch > 0)
      return func.emitError() << "prefetches " << kernel.numPrefetch
                              << " arrays, but kernels on meshes have no "
                                 "windows that could need them; make them "
                                 "inputs";
    FailureOr<MeshAttr> mesh = getMesh(kernel);
    if (failed(mesh))
      return failure();
    meshes.push_back(*mesh);
    names.push_back(builder.getStringAttr(func.getName()));
  }
  SmallVector<Type> results(call.results.begin(), call.results.end());
  SmallVector<int64_t> aliases;
  for (auto [operand, result] : call.aliases)
    aliases.append({operand, result});
  auto op = MpmdMapOp::create(
      builder, first.getLoc(), results, operands, builder.getArrayAttr(meshes),
      /*externalMeshes=*/ArrayAttr(), builder.getArrayAttr(names),
      builder.getDenseI64ArrayAttr(aliases), /*compilerParams=*/ArrayAttr(),
      /*costEstimate=*/CostEstimateAttr(), /*metadata=*/DictionaryAttr(),
      kernels.size());
  for (auto [kernel, mesh, region] :
       llvm::zip_equal(kernels, meshes, op.getKernels())) {
    Block *block =
        createKernelBlock(builder, region, kernel, kernels.size() > 1);
    OpBuilder inner(block, block->begin());
    // The grid indices of the function are the indices along the axes.
    SmallVector<Value> ids;
    for (MeshAxisAttr axis : cast<MeshAttr>(mesh).getAxes())
      ids.push_back(AxisIndexOp::create(inner, op.getLoc(), axis.getName()));
    SmallVector<Value> refs(block->getArguments().begin(),
                            block->getArguments().end());
    // Aliased arrays are one array, so both refs are the output.
    auto shared = getSharedArrays(kernel, call);
    for (auto [i, array] : llvm::enumerate(shared))
      refs[i] = block->getArgument(array);
    copyKernelBody(kernel, block, ids, refs);
  }
  return SmallVector<Value>(op.getResults());
}
