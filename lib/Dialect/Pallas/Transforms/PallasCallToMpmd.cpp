//===- PallasCallToMpmd.cpp - Calls as kernels of one mesh ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inverse of pallas-mpmd-to-call. Cores of a mesh are programs of a grid
// without windows, so a call qualifies that sees whole arrays where they are.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Dialect/Pallas/Transforms/Passes.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCALLTOMPMD
#include "pallas/Dialect/Pallas/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

/// Whether a kernel sees a block in this space where the array lies.
static bool isArraySpace(MemorySpace space) {
  return space == MemorySpace::Any || space == MemorySpace::Hbm ||
         space == MemorySpace::Gmem;
}

namespace {
/// Converts one call, or explains why it stays.
class Conversion {
public:
  explicit Conversion(PallasCallOp call)
      : call(call), grid(cast<GridMappingOpInterface>(call.getOperation())) {}

  void run() {
    if (checkOperands() && checkWindows())
      if (MeshAttr mesh = getMesh())
        convert(mesh);
  }

private:
  InFlightDiagnostic refuse() {
    return call.emitRemark() << "stays a pallas_call: ";
  }
  bool checkOperands();
  bool checkWindows();
  MeshAttr getMesh();
  void convert(MeshAttr mesh);

  PallasCallOp call;
  GridMappingOpInterface grid;
};
} // namespace

/// Dynamic grids, prefetch and vmapped dimensions have no counterpart.
bool Conversion::checkOperands() {
  if (!grid.hasStaticGrid()) {
    refuse() << "a mesh has a static shape, but its grid has "
             << grid.getNumDynamicGridBounds() << " dynamic dimensions";
    return false;
  }
  if (grid.getNumIndexOperands()) {
    refuse() << "it prefetches " << grid.getNumIndexOperands()
             << " operands, which kernels of a mesh read themselves";
    return false;
  }
  if (!grid.getVmappedDimensions().empty()) {
    refuse() << "it has dimensions that the kernel does not see";
    return false;
  }
  for (auto [index, value] : llvm::enumerate(grid.getCaptureOperands()))
    if (!isa<RefType>(value.getType()) &&
        !value.getType().isSignlessIntOrIndexOrFloat()) {
      refuse() << "captured value " << index << " of type " << value.getType()
               << " is neither a ref nor a scalar";
      return false;
    }
  return true;
}

/// Windows are copies, and a mesh copies nothing.
bool Conversion::checkWindows() {
  for (unsigned index = 0; index < grid.getNumBlocks(); ++index) {
    bool isInput = index < grid.getNumInputs();
    std::string name =
        (isInput ? "input " : "output ") +
        std::to_string(isInput ? index : index - grid.getNumInputs());
    MemorySpace space = grid.getMappings()[index].getMemorySpace().getSpace();
    if (!grid.hasTrivialWindow(index)) {
      refuse() << name << " has windows that are not the whole array";
      return false;
    }
    if (!isArraySpace(space)) {
      refuse() << name << " is copied to " << stringifyMemorySpace(space)
               << ", but kernels of a mesh see arrays where they are";
      return false;
    }
    ShapedType array = getArrayShapedType(grid.getArrayType(index));
    if (grid.getBlockRefType(index).getShape() != array.getShape()) {
      refuse() << name << " has squeezed dimensions";
      return false;
    }
  }
  return true;
}

/// The mesh whose cores are the programs. Its kind follows from the semantics
/// of the dimensions and the memory space of the arrays.
MeshAttr Conversion::getMesh() {
  SmallVector<DimensionSemantics> semantics = grid.getGridDimensionSemantics();
  SmallVector<StringRef> names = grid.getGridDimensionNames();
  SmallVector<int64_t> shape = grid.getGridShape();
  auto isOf = [&](ArrayRef<DimensionSemantics> expected) {
    return ArrayRef(semantics) == expected;
  };
  using Semantics = DimensionSemantics;
  bool isGPU = llvm::any_of(grid.getMappings(), [](BlockMappingAttr mapping) {
    return mapping.getMemorySpace().getSpace() == MemorySpace::Gmem;
  });
  MeshKind kind;
  SmallVector<MeshAxisRole> roles(shape.size(), MeshAxisRole::Core);
  if (isOf({Semantics::CoreParallel})) {
    kind = MeshKind::ScScalar;
  } else if (isOf({Semantics::CoreParallel, Semantics::SubcoreParallel})) {
    kind = MeshKind::ScVector;
    roles[1] = MeshAxisRole::Subcore;
  } else if (isGPU && !shape.empty() && llvm::all_equal(semantics) &&
             semantics.size() == shape.size() &&
             semantics[0] == Semantics::Parallel) {
    kind = MeshKind::Gpu;
    roles.assign(shape.size(), MeshAxisRole::Grid);
  } else if (!isGPU && isOf({Semantics::Parallel})) {
    kind = MeshKind::TensorCore;
  } else {
    refuse() << "no mesh has dimensions in this order; meshes are [parallel], "
                "[core_parallel], [core_parallel, subcore_parallel], or any "
                "number of parallel dimensions where arrays are in gmem";
    return {};
  }
  SmallVector<MeshAxisAttr> axes;
  for (unsigned dim = 0; dim < shape.size(); ++dim) {
    if (shape[dim] < 1) {
      refuse() << "grid dimension " << dim << " has size " << shape[dim];
      return {};
    }
    // Axes need a name; a kernel that asks by number sees none.
    std::string name = names.empty() || names[dim].empty()
                           ? ("axis" + Twine(dim)).str()
                           : names[dim].str();
    axes.push_back(MeshAxisAttr::get(call.getContext(), roles[dim],
                                     StringAttr::get(call.getContext(), name),
                                     shape[dim]));
  }
  if (failed(MeshAttr::verify([&] { return refuse(); }, kind, axes)))
    return {};
  return MeshAttr::get(call.getContext(), kind, axes);
}

/// Captured values are the first inputs, so that the kernel keeps its
/// arguments.
///
///   pallas.pallas_call @k grid(2) in(%x : tensor<8xf32>) ...
///       semantics [core_parallel]
///
/// becomes
///
///   pallas.mpmd_map in(%x : tensor<8xf32>) ...
///       kernel @k on <sc_scalar, [<core "axis0" = 2>]> ...
void Conversion::convert(MeshAttr mesh) {
  OpBuilder builder(call);
  int64_t numCaptures = grid.getNumCaptures();
  SmallVector<Value> inputs(grid.getCaptureOperands());
  llvm::append_range(inputs, grid.getInputOperands());
  SmallVector<int64_t> aliases(call.getAliases());
  for (unsigned i = 0; i < aliases.size(); i += 2)
    aliases[i] += numCaptures;
  OperationState state(call.getLoc(), MpmdMapOp::getOperationName());
  state.addOperands(inputs);
  state.addTypes(call.getResultTypes());
  auto &properties = state.getOrAddProperties<MpmdMapOp::Properties>();
  properties.meshes = builder.getArrayAttr(mesh);
  properties.aliases = builder.getDenseI64ArrayAttr(aliases);
  if (StringAttr name = call.getKernelNameAttr())
    properties.kernelNames = builder.getArrayAttr(name);
  properties.compilerParams = call.getCompilerParamsAttr();
  properties.costEstimate = call.getCostEstimateAttr();
  properties.metadata = call.getMetadataAttr();
  state.addRegion()->takeBody(call.getKernel());
  Operation *result = builder.create(state);
  result->setDiscardableAttrs(call->getDiscardableAttrDictionary());
  call->replaceAllUsesWith(result);
  call.erase();
}

namespace {
struct CallToMpmdPass
    : public pallas::impl::PallasCallToMpmdBase<CallToMpmdPass> {
  // Calls are collected first, because conversion erases them.
  void runOnOperation() override {
    SmallVector<PallasCallOp> calls;
    getOperation()->walk([&](PallasCallOp op) { calls.push_back(op); });
    for (PallasCallOp op : calls)
      Conversion(op).run();
  }
};
} // namespace
