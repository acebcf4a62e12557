//===- MpmdMapModule.cpp - The module of kernels on meshes ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An mpmd_map has no windows and no grid of its own: its kernels see whole
// arrays and run on all cores of their meshes. Each mesh gets a function in one
// module.
//
//===----------------------------------------------------------------------===//

#include "../Memory/Allocation.h"
#include "KernelModule.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "pallas/Dialect/Pallas/Utils/CompilerParams.h"
#include "pallas/Dialect/Pallas/Utils/Grid.h"

using namespace mlir;
using namespace mlir::pallas;

/// The core whose code a kernel is compiled to.
static tpu::CoreType getMeshCore(MeshAttr mesh) {
  switch (mesh.getKind()) {
  case MeshKind::ScScalar:
    return tpu::CoreType::ScScalarSubcore;
  case MeshKind::ScVector:
    return tpu::CoreType::ScVectorSubcore;
  case MeshKind::TensorCore:
  case MeshKind::Gpu:
  case MeshKind::Warp:
    break;
  }
  return tpu::CoreType::TensorCore;
}

/// Axes over subcores run on the subcores of one core, others on cores. On
/// TensorCores the compiler knows only the plain parallel dimension.
static tpu::DimensionSemantics getAxisSemantics(MeshAttr mesh,
                                                MeshAxisAttr axis) {
  if (axis.getRole() == MeshAxisRole::Subcore)
    return tpu::DimensionSemantics::SubcoreParallel;
  return mesh.getKind() == MeshKind::TensorCore
             ? tpu::DimensionSemantics::Parallel
             : tpu::DimensionSemantics::CoreParallel;
}

/// Subcores of one core have a barrier in hardware, cores have none.
static LogicalResult checkCoreBarriers(Region &kernel, MeshAttr mesh) {
  if (mesh.getKind() != MeshKind::ScVector)
    return success();
  WalkResult result = kernel.walk([&](CoreBarrierOp barrier) {
    for (MeshAxisAttr axis : mesh.getAxes())
      if (axis.getName() == barrier.getAxisName() &&
          axis.getRole() != MeshAxisRole::Subcore) {
        barrier.emitOpError()
            << "waits for the cores along " << axis.getName()
            << ", but the hardware has a barrier of the subcores of one core "
               "only; use semaphores between cores";
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

namespace {

/// Puts one function per mesh into one module.
class MpmdMapOutliner {
public:
  MpmdMapOutliner(MpmdMapOp op, SymbolTable &symbols, const TPUChip &chip)
      : op(op), symbols(symbols), chip(chip), builder(op->getContext()) {}

  FailureOr<ModuleOp> run();

private:
  LogicalResult checkMeshes();
  std::string getName(unsigned index);
  LogicalResult createKernel(unsigned index);
  void setAttributes(func::FuncOp kernel, MeshAttr mesh, unsigned numWindows);
  void emitCall();

  MpmdMapOp op;
  SymbolTable &symbols;
  const TPUChip &chip;
  OpBuilder builder;
  ModuleOp module;
};

} // namespace

LogicalResult MpmdMapOutliner::checkMeshes() {
  bool hasTensorCore = false, hasSparseCore = false;
  for (auto mesh : op.getMeshes().getAsRange<MeshAttr>()) {
    if (mesh.getKind() == MeshKind::Gpu || mesh.getKind() == MeshKind::Warp)
      return op.emitOpError()
             << "runs on a mesh of kind " << stringifyMeshKind(mesh.getKind())
             << ", but TPUs have tensorcore, sc_scalar and sc_vector only";
    bool isTensorCore = mesh.getKind() == MeshKind::TensorCore;
    hasTensorCore |= isTensorCore;
    hasSparseCore |= !isTensorCore;
  }
  // One program is compiled by the compiler for one kind of core.
  if (hasTensorCore && hasSparseCore)
    return op.emitOpError("mixes TensorCores and SparseCores, which one TPU "
                          "program can't; split it into two calls");
  return success();
}

/// The name that the author gave, made a symbol. With several meshes the core
/// follows, so that two kernels of one function differ.
std::string MpmdMapOutliner::getName(unsigned index) {
  std::string name = "kernel";
  if (std::optional<ArrayAttr> names = op.getKernelNames())
    if (auto given = dyn_cast<StringAttr>((*names)[index]))
      name = given.getValue().str();
  for (char &c : name)
    if (!llvm::isAlnum(c) && c != '_')
      c = '_';
  if (op.getMeshes().size() == 1)
    return name;
  auto core = getMeshCore(cast<MeshAttr>(op.getMeshes()[index]));
  return name + "__" + tpu::stringifyCoreType(core).str();
}

/// Attributes that Mosaic reads from a kernel: its grid, which is the mesh, and
/// a window per array. The arrays are whole, so every window map is constant
/// zero.
void MpmdMapOutliner::setAttributes(func::FuncOp kernel, MeshAttr mesh,
                                    unsigned numWindows) {
  MLIRContext *context = op->getContext();
  tpu::CoreType core = getMeshCore(mesh);
  unsigned rank = mesh.getAxes().size();
  SmallVector<Attribute> semantics =
      llvm::map_to_vector(mesh.getAxes(), [&](MeshAxisAttr axis) -> Attribute {
        return tpu::DimensionSemanticsAttr::get(context,
                                                getAxisSemantics(mesh, axis));
      });
  kernel->setAttr("dimension_semantics", builder.getArrayAttr(semantics));
  kernel->setAttr("iteration_bounds",
                  builder.getDenseI64ArrayAttr(mesh.getShape()));
  kernel->setAttr("scalar_prefetch", builder.getI64IntegerAttr(0));
  kernel->setAttr(
      "scratch_operands",
      builder.getI64IntegerAttr(kernel.getNumArguments() - rank - numWindows));
  kernel->setAttr(tpu::kCoreTypeAttrName,
                  tpu::CoreTypeAttr::get(context, core));
  SmallVector<Attribute> windows;
  for (unsigned i = 0; i < numWindows; ++i) {
    auto type = cast<MemRefType>(kernel.getArgument(rank + i).getType());
    tpu::MemorySpace space = *tpu::getMemorySpace(type);
    NamedAttrList window;
    // On TensorCores, arrays that are not copied to a window have no map.
    bool isWhole = space == tpu::MemorySpace::Any ||
                   space == tpu::MemorySpace::Hbm ||
                   space == tpu::MemorySpace::SemaphoreMem;
    if (core != tpu::CoreType::TensorCore || !isWhole)
      window.set("transform_indices",
                 AffineMapAttr::get(AffineMap::get(
                     rank, 0,
                     SmallVector<AffineExpr>(type.getRank(),
                                             builder.getAffineConstantExpr(0)),
                     context)));
    windows.push_back(window.getDictionary(context));
  }
  kernel->setAttr("window_params", builder.getArrayAttr(windows));
}

/// Creates the function of one mesh, with the indices of the core in front.
LogicalResult MpmdMapOutliner::createKernel(unsigned index) {
  auto mesh = cast<MeshAttr>(op.getMeshes()[index]);
  TPUTypeConverter types(getMeshCore(mesh), chip);
  Region &region = op.getKernels()[index];
  if (failed(checkCoreBarriers(region, mesh)))
    return failure();
  SmallVector<Type> inputs(mesh.getAxes().size(), builder.getI32Type());
  auto smem =
      tpu::MemorySpaceAttr::get(op->getContext(), tpu::MemorySpace::Smem);
  for (BlockArgument argument : region.getArguments()) {
    Type type = types.convertType(argument.getType());
    if (!type)
      return op.emitOpError()
             << "kernel argument " << argument.getArgNumber() << " has type "
             << argument.getType() << ", which this core has no memory for";
    bool isScratch =
        argument.getArgNumber() >= op.getInputs().size() + op->getNumResults();
    if (isScratch &&
        failed(checkAllocation(argument.getLoc(), cast<MemRefType>(type),
                               getMeshCore(mesh), MemoryLifetime::Kernel)))
      return failure();
    // Scalars come as arrays of one element in scalar memory.
    if (!isa<MemRefType>(type))
      type = MemRefType::get({1}, type, MemRefLayoutAttrInterface(), smem);
    inputs.push_back(type);
  }
  builder.setInsertionPointToEnd(module.getBody());
  auto kernel = func::FuncOp::create(builder, op.getLoc(), getName(index),
                                     builder.getFunctionType(inputs, {}));
  Block *entry = kernel.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  // Questions about axes are answered by the indices and by constants.
  ValueRange indices =
      ValueRange(entry->getArguments()).take_front(mesh.getAxes().size());
  replaceGridQueries(region, getAxisNames(mesh),
                     [&](OpBuilder &b, const GridQuery &query) -> Value {
                       if (!query.isSize)
                         return indices[query.dim];
                       int64_t size = mesh.getAxes()[query.dim].getSize();
                       return arith::ConstantOp::create(
                           b, query.getLoc(), b.getI32IntegerAttr(size));
                     });
  // Refs become casts of their memrefs; bodies are converted by the next pass.
  for (auto [old, memref] :
       llvm::zip_equal(region.getArguments(),
                       entry->getArguments().drop_front(indices.size()))) {
    if (isa<RefType>(old.getType())) {
      replaceRef(builder, old, memref);
      continue;
    }
    Value zero = arith::ConstantIndexOp::create(builder, old.getLoc(), 0);
    old.replaceAllUsesWith(
        memref::LoadOp::create(builder, old.getLoc(), memref, zero));
  }
  Block &body = region.front();
  Location end = body.getTerminator()->getLoc();
  body.getTerminator()->erase();
  entry->getOperations().splice(entry->end(), body.getOperations());
  builder.setInsertionPointToEnd(entry);
  func::ReturnOp::create(builder, end);
  setAttributes(kernel, mesh, op.getInputs().size() + op->getNumResults());
  return success();
}

/// The call has the operands of the map. Numbers become arrays of one element,
/// since operands of a custom call are arrays.
void MpmdMapOutliner::emitCall() {
  Location loc = op.getLoc();
  builder.setInsertionPoint(op);
  HostCall call;
  call.source = op;
  call.kernelModule = module;
  std::string name = getName(0);
  call.kernelName = name;
  for (Value input : op.getInputs()) {
    if (!isa<RankedTensorType>(input.getType())) {
      auto type = RankedTensorType::get({1}, input.getType());
      input = tensor::FromElementsOp::create(builder, loc, type, input);
    }
    call.operands.push_back(layOutScalarOperand(builder, loc, input));
  }
  // The results are whole arrays, so their plan changes elements only.
  std::vector<WindowPlan> plans;
  for (Type type : op->getResultTypes()) {
    if (auto pinned = dyn_cast<PinnedType>(type))
      type = pinned.getArrayType();
    auto array = cast<RankedTensorType>(type);
    WindowPlan &plan = plans.emplace_back();
    plan.element = array.getElementType();
    plan.original = plan.split = llvm::to_vector(array.getShape());
    plan.hostPadLow.assign(array.getRank(), 0);
    plan.hostPadHigh.assign(array.getRank(), 0);
    call.resultTypes.push_back(getCallType(plan));
  }
  llvm::append_range(call.aliases, op.getInputOutputAliases());
  call.params = findParams<TPUParamsAttr>(op.getCompilerParams());
  call.onSparseCore = getMeshCore(cast<MeshAttr>(op.getMeshes()[0])) !=
                      tpu::CoreType::TensorCore;
  if (std::optional<CostEstimateAttr> cost = op.getCostEstimate())
    call.cost = *cost;
  if (std::optional<DictionaryAttr> metadata = op.getMetadata())
    call.metadata = *metadata;
  func::CallOp result = emitHostCall(builder, call);
  for (auto [i, value] : llvm::enumerate(result.getResults()))
    op->getResult(i).replaceAllUsesWith(
        restoreResult(builder, loc, value, plans[i]));
  op.erase();
}

/// All checks come before the module is created: a failed pass leaves no part
/// of it behind in the symbol table.
FailureOr<ModuleOp> MpmdMapOutliner::run() {
  if (failed(checkMeshes()))
    return failure();
  module = ModuleOp::create(builder, op.getLoc(), getName(0));
  Operation *function = op->getParentOfType<func::FuncOp>();
  auto parent = cast<ModuleOp>(symbols.getOp());
  symbols.insert(module, function ? Block::iterator(function)
                                  : parent.getBody()->begin());
  for (unsigned i = 0, e = op.getMeshes().size(); i < e; ++i)
    if (failed(createKernel(i)))
      return failure();
  emitCall();
  return module;
}

FailureOr<ModuleOp> mlir::pallas::outlineMpmdMap(MpmdMapOp op,
                                                 SymbolTable &symbols,
                                                 const TPUChip &chip) {
  return MpmdMapOutliner(op, symbols, chip).run();
}
