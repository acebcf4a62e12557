//===- KernelModule.cpp - The module that holds a kernel ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The module that Mosaic takes has a host function, which launches the kernel
// on a stream with a list of pointers. Names, attributes and the order of
// operations here are those that the compiler looks for.
//
//===----------------------------------------------------------------------===//

#include "KernelModule.h"
#include "DeviceRules.h"
#include "ElementLoops.h"
#include "SemaphoreRules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/SymbolTable.h"
#include "pallas/Dialect/MosaicGPU/IR/KernelArrays.h"
#include "pallas/Dialect/Pallas/Utils/CompilerParams.h"
#include "pallas/Dialect/Pallas/Utils/Grid.h"
#include "pallas/Dialect/Pallas/Utils/ProgramOrder.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// The module around the kernel
//===----------------------------------------------------------------------===//

static ModuleOp makeModule(OpBuilder &b, Location loc, StringRef name,
                           const GPUTarget &target) {
  auto module = ModuleOp::create(loc, name);
  module->setAttr("mosaic_gpu.arch_major", b.getI32IntegerAttr(target.major));
  module->setAttr("mosaic_gpu.arch_minor", b.getI32IntegerAttr(target.minor));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Type i64 = b.getI64Type();
  // How the compiler makes descriptors of copies, and scratch in global memory.
  func::FuncOp::create(
      b, loc, "mosaic_gpu_init_tma_desc",
      b.getFunctionType(
          {pointer, pointer, i64, i64, pointer, pointer, i64, pointer}, {}))
      .setPrivate();
  LLVM::GlobalOp::create(b, loc, LLVM::LLVMArrayType::get(b.getI8Type(), 0),
                         /*isConstant=*/false, LLVM::Linkage::External,
                         "global_scratch", Attribute(), /*alignment=*/0,
                         /*addrSpace=*/4);
  return module;
}

/// The runtime finds the function by its suffix, through the C interface.
static func::FuncOp makeHostFunction(OpBuilder &b, Location loc,
                                     StringRef name) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto function =
      func::FuncOp::create(b, loc, (name + "_mosaic_gpu").str(),
                           b.getFunctionType({pointer, pointer}, {}));
  function->setAttr("llvm.emit_c_interface", b.getUnitAttr());
  function.addEntryBlock();
  return function;
}

/// Its descriptor is written field by field, which is what later passes can see
/// through.
UnrealizedConversionCastOp mlir::pallas::createArray(OpBuilder &b, Location loc,
                                                     Value address,
                                                     MemRefType type) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  SmallVector<Type> fields{pointer, pointer, b.getI64Type()};
  int64_t rank = type.getRank();
  if (rank)
    fields.append(2, LLVM::LLVMArrayType::get(b.getI64Type(), rank));
  Value descriptor = LLVM::UndefOp::create(
      b, loc, LLVM::LLVMStructType::getLiteral(b.getContext(), fields));
  auto set = [&](Value value, ArrayRef<int64_t> position) {
    descriptor =
        LLVM::InsertValueOp::create(b, loc, descriptor, value, position);
  };
  auto constant = [&](int64_t value) {
    return LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  };
  set(address, {0});
  set(address, {1});
  set(constant(0), {2});
  SmallVector<int64_t> strides = computeStrides(type.getShape());
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    set(constant(size), {3, static_cast<int64_t>(dim)});
  for (auto [dim, stride] : llvm::enumerate(strides))
    set(constant(stride), {4, static_cast<int64_t>(dim)});
  return UnrealizedConversionCastOp::create(b, loc, type, descriptor);
}

/// The array that buffer `index` of the call holds, as a memref.
static UnrealizedConversionCastOp loadBuffer(OpBuilder &b, Location loc,
                                             Value buffers, unsigned index,
                                             MemRefType type) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value slot = buffers;
  if (index)
    slot = LLVM::GEPOp::create(b, loc, pointer, pointer, buffers,
                               ArrayRef<LLVM::GEPArg>{static_cast<int>(index)});
  return createArray(b, loc, LLVM::LoadOp::create(b, loc, pointer, slot), type);
}

/// The same of an operand or result of the kernel.
static Value loadArray(OpBuilder &b, Location loc, Value buffers,
                       unsigned index, RefType type) {
  auto memref =
      MemRefType::get(type.getShape(), getStoredType(type.getElementType()));
  UnrealizedConversionCastOp array = loadBuffer(b, loc, buffers, index, memref);
  array->setAttr(mosaic_gpu::kArrayIndexAttrName, b.getI32IntegerAttr(index));
  array->setAttr(mosaic_gpu::kOwnArrayAttrName, b.getUnitAttr());
  return array.getResult(0);
}

/// A launch counts blocks, of which a cluster has several: a grid of 4 with
/// clusters of 2 launches 8.
static gpu::LaunchOp makeLaunch(OpBuilder &b, Location loc, Value stream,
                                const LaunchGrid &grid) {
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  auto token = gpu::AsyncTokenType::get(b.getContext());
  Value after =
      UnrealizedConversionCastOp::create(b, loc, token, stream).getResult(0);
  // The amount of memory is set when the kernel is written.
  Value bytes = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
  SmallVector<Value, 3> blocks, cluster(3);
  for (auto [count, size] : llvm::zip_equal(grid.grid, grid.cluster))
    blocks.push_back(index(count * size));
  if (grid.hasCluster())
    for (auto [dim, size] : llvm::enumerate(grid.cluster))
      cluster[dim] = index(size);
  Value threads = index(128 * grid.warpgroups), one = index(1);
  auto launch = gpu::LaunchOp::create(
      b, loc, blocks[0], blocks[1], blocks[2], threads, one, one, bytes, token,
      ValueRange(after), {}, {}, cluster[0], cluster[1], cluster[2]);
  // The builder leaves out the arguments that only a launch of clusters has.
  Block &body = launch.getBody().front();
  while (body.getNumArguments() < launch.getNumConfigRegionAttributes())
    body.addArgument(b.getIndexType(), loc);
  return launch;
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

/// The work of all blocks before the kernel: initialize barriers and see that
/// all threads, and all blocks of the cluster, know it.
static Operation *writePrologue(OpBuilder &b, Location loc,
                                const LaunchGrid &grid) {
  Operation *fence = NVVM::FenceMbarrierInitOp::create(b, loc);
  if (grid.hasCluster()) {
    NVVM::ClusterArriveRelaxedOp::create(b, loc, b.getUnitAttr());
    NVVM::ClusterWaitOp::create(b, loc, b.getUnitAttr());
  }
  gpu::BarrierOp::create(b, loc);
  return fence;
}

/// Threads of a kernel without barriers need not wait for their initialization:
///   nvvm.fence.mbarrier.init
///   gpu.barrier
/// goes. Blocks of a cluster still wait until all of them have started.
static void dropPrologue(KernelEmitter &emit, const LaunchGrid &grid) {
  if (!emit.getBarrierGroups().empty() || emit.tensorMemory.alloc ||
      grid.hasCluster())
    return;
  cast<gpu::BarrierOp>(emit.prologueEnd->getNextNode())->erase();
  emit.prologueEnd->erase();
  emit.prologueEnd = nullptr;
}

/// Barriers lie behind the memory that scopes take. Returns all bytes.
static int64_t placeBarriers(KernelEmitter &emit) {
  int64_t bytes = llvm::alignTo(emit.getMaxBytes(), 1024);
  for (const std::unique_ptr<BarrierGroup> &group : emit.getBarrierGroups()) {
    group->slice.setOffsetAttr(emit.b.getI32IntegerAttr(bytes));
    bytes += group->count * mosaic_gpu::kBarrierBytes;
  }
  return bytes;
}

/// Whether a block, and a cluster of blocks, has room for the mesh.
static LogicalResult checkMesh(MpmdMapOp op, MeshAttr mesh,
                               const GPUTarget &target) {
  LaunchGrid grid(mesh);
  bool failed = false;
  if (grid.warpgroups > target.warpgroups) {
    op.emitOpError("has ") << grid.warpgroups << " warpgroups per block, "
                           << 128 * grid.warpgroups << " threads; "
                           << target.warpgroups << " of "
                           << 128 * target.warpgroups
                           << " threads fit, so make the others blocks of the "
                              "grid or of a cluster";
    failed = true;
  }
  int64_t blocks = llvm::product_of(grid.cluster);
  if (blocks > target.clusterBlocks) {
    op.emitOpError("has clusters of ")
        << blocks << " blocks; " << target.clusterBlocks << " fit";
    failed = true;
  }
  return failure(failed);
}

/// Reports all arguments that have no form, not only the first.
static LogicalResult checkKernel(MpmdMapOp op, const GPUTarget &target) {
  if (op.getMeshes().size() != 1 || op.getKernels().size() != 1)
    return op.emitOpError("has ")
           << op.getMeshes().size() << " kernels; a launch on a GPU is one";
  auto mesh = cast<MeshAttr>(op.getMeshes()[0]);
  if (mesh.getKind() != MeshKind::Gpu)
    return op.emitOpError("runs on ")
           << mesh << "; kernels for GPUs run on a mesh of kind gpu";
  bool failed = mlir::failed(checkMesh(op, mesh, target));
  for (BlockArgument argument : op.getKernels()[0].getArguments()) {
    auto type = dyn_cast<RefType>(argument.getType());
    if (!type || !type.hasStaticShape() ||
        (type.getSpace() != MemorySpace::Gmem &&
         type.getSpace() != MemorySpace::Any &&
         type.getSpace() != MemorySpace::Default)) {
      op.emitOpError("gives its kernel an argument of type ")
          << argument.getType()
          << "; arguments are arrays in global memory, scratch is made by "
             "run_scoped";
      failed = true;
    }
  }
  return failure(failed);
}

void KernelFootprint::attachBuffers(Diagnostic &diag) const {
  for (const SharedBuffer &buffer : buffers)
    diag.attachNote(buffer.loc) << buffer.role << " " << buffer.index << ": "
                                << buffer.bytes << " bytes of smem";
  for (const TensorBuffer &buffer : tensorBuffers)
    diag.attachNote(buffer.loc) << "scoped " << buffer.index << ": "
                                << buffer.columns << " columns of tmem";
}

/// For remarks and checks, after the kernel is written: only then are all sizes
/// known.
static KernelFootprint measureKernel(KernelEmitter &emit,
                                     const LaunchGrid &grid,
                                     int64_t sharedBytes) {
  KernelFootprint footprint;
  footprint.buffers = llvm::to_vector(emit.getBuffers());
  footprint.sharedBytes = sharedBytes;
  for (const std::unique_ptr<BarrierGroup> &group : emit.getBarrierGroups())
    footprint.numBarriers += group->count;
  footprint.accumulatorRegisters = emit.getMaxRegisters();
  footprint.registers = emit.target.getRegisters(grid.warpgroups);
  footprint.tensorBuffers = emit.tensorMemory.buffers;
  footprint.tensorColumns = emit.tensorMemory.getAllocatedColumns();
  return footprint;
}

/// The array of all semaphores of a launch; null without any.
static RefType getSemaphoreArray(MpmdMapOp op, const SemaphorePlan &plan) {
  LaunchGrid grid(cast<MeshAttr>(op.getMeshes()[0]));
  int64_t blocks = llvm::product_of(grid.grid) * llvm::product_of(grid.cluster);
  int64_t count = plan.numShared + blocks * plan.numPerBlock;
  if (count == 0)
    return {};
  return RefType::get(count, IntegerType::get(op.getContext(), 32),
                      MemorySpace::Gmem);
}

/// Whether an array is only read, if at all, by loads that may turn out to be
/// unused: %d = arith.xori %v, %v of a loaded value.
static bool mayBeUnused(Value memref) {
  return llvm::all_of(memref.getUsers(), [](Operation *user) {
    if (isa<ViewLikeOpInterface>(user))
      return mayBeUnused(user->getResult(0));
    return isa<mosaic_gpu::VectorLoadOp, memref::LoadOp>(user);
  });
}

/// Folding drops the memrefs of arrays that the kernel does not use, and of
/// semaphores, so the types of all arrays are listed where there are such ones.
static void listArrays(func::FuncOp host, const KernelEmitter &emit,
                       Block &kernel, RefType words, unsigned numOperands) {
  SmallVector<Attribute> types;
  bool isListed = bool(words);
  for (BlockArgument argument : kernel.getArguments()) {
    Value memref = emit.boxes.lookup(argument).memref;
    isListed |= mayBeUnused(memref);
    types.push_back(TypeAttr::get(memref.getType()));
  }
  if (words) {
    auto type = TypeAttr::get(emit.semaphoreArray.getType());
    types.insert(types.begin() + numOperands, type);
    types.push_back(type);
  }
  if (isListed)
    host->setAttr(mosaic_gpu::kArraysAttrName,
                  ArrayAttr::get(host.getContext(), types));
}

/// Semaphores are an operand and a result of the call.
static int64_t countBuffers(Block &kernel, RefType words) {
  return kernel.getNumArguments() + (words ? 2 : 0);
}

/// Loads the buffers of the call: operands, results, semaphores, and the table
/// of addresses on other devices.
static void loadBuffers(KernelEmitter &emit, Block &kernel, Value buffers,
                        unsigned numOperands, RefType words) {
  OpBuilder &b = emit.b;
  for (BlockArgument argument : kernel.getArguments()) {
    auto type = cast<RefType>(argument.getType());
    GlobalBox box;
    unsigned index = argument.getArgNumber();
    // The zeros that semaphores start with are the last operand.
    if (words && index >= numOperands)
      ++index;
    box.memref = loadArray(b, emit.loc, buffers, index, type);
    for (int64_t size : type.getShape())
      box.dims.push_back(BoxDim{Value(), 0, size, true});
    emit.boxes[argument] = std::move(box);
  }
  int64_t count = countBuffers(kernel, words);
  if (words)
    emit.semaphoreArray = loadArray(b, emit.loc, buffers, count - 1, words);
  if (emit.devices.table.numDevices) {
    auto type = MemRefType::get(emit.devices.table.getSize(), b.getI64Type());
    emit.devices.memref =
        loadBuffer(b, emit.loc, buffers, count, type).getResult(0);
    auto module =
        cast<ModuleOp>(b.getInsertionBlock()->getParentOp()->getParentOp());
    module->setAttr(mosaic_gpu::kDevicesUsedAttrName, b.getUnitAttr());
  }
}

/// The prologue comes first, but is filled while the body is written, as
/// barriers are found there. The size of shared memory is set last.
static LogicalResult writeKernel(MpmdMapOp op, OpBuilder &b, func::FuncOp host,
                                 const GPUTarget &target,
                                 const RuleTable &rules,
                                 const SemaphorePlan &semaphores,
                                 FootprintReport report) {
  Location loc = op.getLoc();
  auto mesh = cast<MeshAttr>(op.getMeshes()[0]);
  Block &kernel = op.getKernels()[0].front();
  LaunchGrid grid(mesh);
  KernelEmitter emit(b, mesh, findParams<GPUParamsAttr>(op.getCompilerParams()),
                     target, rules, loc);
  emit.semaphorePlan = &semaphores;
  RefType words = getSemaphoreArray(op, semaphores);
  FailureOr<ReachableDevices> devices =
      planDevices(op, countBuffers(kernel, words));
  if (failed(devices))
    return failure();
  emit.devices = std::move(*devices);
  loadBuffers(emit, kernel, host.getArgument(1), op->getNumOperands(), words);
  gpu::LaunchOp launch = makeLaunch(b, loc, host.getArgument(0), grid);
  func::ReturnOp::create(b, loc);
  b.setInsertionPointToStart(&launch.getBody().front());
  emit.prologueEnd = writePrologue(b, loc, grid);
  if (failed(emit.convertBlock(kernel)))
    return failure();
  dropSharedWaits(emit);
  int64_t bytes = placeBarriers(emit);
  if (failed(finishTensorMemory(emit, op, bytes)))
    return failure();
  if (emit.tensorMemory.alloc)
    bytes += kTensorAddressBytes;
  dropPrologue(emit, grid);
  gpu::TerminatorOp::create(b, loc);
  listArrays(host, emit, kernel, words, op->getNumOperands());
  KernelFootprint footprint = measureKernel(emit, grid, bytes);
  if (bytes > target.sharedBytes) {
    // The user may have written a pallas_call, so the map is not named.
    InFlightDiagnostic diag = emitError(loc, "the kernel takes ");
    diag << bytes << " bytes of shared memory; a block of " << target.arch
         << " has " << target.sharedBytes
         << ", so use smaller blocks or fewer at a time";
    footprint.attachBuffers(*diag.getUnderlyingDiagnostic());
    return diag;
  }
  footprint.body = &launch.getBody().front();
  report(op, footprint);
  launch.getDynamicSharedMemorySize()
      .getDefiningOp<arith::ConstantOp>()
      .setValueAttr(b.getI32IntegerAttr(bytes));
  return success();
}

/// A name for the kernel: the one it has, or one for all.
/// Symbols of PTX have letters, digits and underscores; names of users may have
/// more, as in `paged_attention[page=64]`.
static std::string getKernelName(MpmdMapOp op) {
  std::string name;
  if (std::optional<ArrayAttr> names = op.getKernelNames())
    if (auto given = dyn_cast<StringAttr>((*names)[0]))
      for (char c : given.getValue())
        name += llvm::isAlnum(c) ? c : '_';
  if (name.empty() || llvm::isDigit(name.front()))
    name = "kernel" + name;
  return name;
}

/// Leaves a call of a declaration that names the module, which later passes
/// turn into a custom call:
///
///   %r = call @kernel_call(%x) : (tensor<64xf32>) -> tensor<64xf32>
static void createCall(MpmdMapOp op, SymbolTable &symbols, ModuleOp module,
                       RefType semaphores) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  SmallVector<Value> operands(op->getOperands());
  SmallVector<Type> results(op->getResultTypes());
  SmallVector<int64_t> aliases(op.getAliases());
  // Semaphores are zeros that the kernel changes.
  if (semaphores) {
    auto type = RankedTensorType::get(semaphores.getShape(),
                                      semaphores.getElementType());
    aliases.append({int64_t(operands.size()), int64_t(results.size())});
    operands.push_back(arith::ConstantOp::create(b, loc, b.getZeroAttr(type)));
    results.push_back(type);
  }
  auto declaration = func::FuncOp::create(
      loc, (module.getSymName()->str() + "_call"),
      b.getFunctionType(ValueRange(operands).getTypes(), results));
  declaration.setPrivate();
  declaration->setAttr("mosaic_gpu.kernel",
                       FlatSymbolRefAttr::get(module.getSymNameAttr()));
  if (!aliases.empty())
    declaration->setAttr("mosaic_gpu.aliases", b.getDenseI64ArrayAttr(aliases));
  symbols.insert(declaration, std::next(Block::iterator(module)));
  auto call = func::CallOp::create(b, loc, declaration, operands);
  op.replaceAllUsesWith(call.getResults().take_front(op->getNumResults()));
  op.erase();
}

/// Writes the module of a kernel, and calls it instead.
static LogicalResult outlineKernel(MpmdMapOp op, SymbolTable &symbols,
                                   const GPUTarget &target,
                                   const RuleTable &rules,
                                   FootprintReport report) {
  if (failed(checkKernel(op, target)))
    return failure();
  OpBuilder b(op);
  Location loc = op.getLoc();
  std::string name = getKernelName(op);
  ModuleOp module = makeModule(b, loc, name, target);
  auto function = op->getParentOfType<func::FuncOp>();
  symbols.insert(module,
                 function ? Block::iterator(function) : Block::iterator());
  b.setInsertionPointToEnd(module.getBody());
  func::FuncOp host = makeHostFunction(b, loc, name);
  b.setInsertionPointToStart(&host.getBody().front());
  SemaphorePlan semaphores = planSemaphores(op.getKernels()[0].front(),
                                            cast<MeshAttr>(op.getMeshes()[0]));
  if (failed(writeKernel(op, b, host, target, rules, semaphores, report)))
    return failure();
  createCall(op, symbols, module, getSemaphoreArray(op, semaphores));
  return success();
}

/// Goes on after an error, so that one run reports the kernels of a module.
LogicalResult mlir::pallas::outlineKernels(ModuleOp module,
                                           const GPUTarget &target,
                                           const RuleTable &rules,
                                           FootprintReport report) {
  SymbolTable symbols(module);
  bool failed = false;
  for (Operation *op : getOutermostCalls(module)) {
    auto kernel = dyn_cast<MpmdMapOp>(op);
    if (!kernel) {
      op->emitOpError("has blocks; pallas-call-to-gpu-kernel makes copies of "
                      "them before this pass");
      failed = true;
      continue;
    }
    failed |=
        mlir::failed(outlineKernel(kernel, symbols, target, rules, report));
  }
  return failure(failed);
}
