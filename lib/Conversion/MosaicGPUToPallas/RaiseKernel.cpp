//===- RaiseKernel.cpp - A launch as an mpmd_map --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Order of the steps: the body moves to a map first, so that its coordinates
// are axes of a mesh. Threads go before barriers, whose addresses depend on
// them, and shared memory comes last, when only its refs are left.
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::pallas;

/// Names of the launch; a kernel written in Pallas has its own.
StringRef mlir::pallas::getGridAxis(unsigned dim) {
  static constexpr StringLiteral names[] = {"x", "y", "z"};
  return names[dim];
}

StringRef mlir::pallas::getClusterAxis(unsigned dim) {
  static constexpr StringLiteral names[] = {"cluster_x", "cluster_y",
                                            "cluster_z"};
  return names[dim];
}

StringAttr mlir::pallas::getPairAxis(OpBuilder &builder, bool isCollective) {
  return isCollective ? builder.getStringAttr(getClusterAxis(0)) : StringAttr();
}

//===----------------------------------------------------------------------===//
// The map
//===----------------------------------------------------------------------===//

/// Axes of one point are left out, but for the first one of the grid. As on
/// GPUs, x runs fastest.
MeshAttr KernelRaiser::getMesh() {
  SmallVector<MeshAxisAttr> axes;
  auto add = [&](MeshAxisRole role, StringRef name, int64_t size) {
    axes.push_back(
        MeshAxisAttr::get(b.getContext(), role, b.getStringAttr(name), size));
  };
  for (unsigned dim : {2, 1, 0})
    if (dim == 0 || kernel.grid[dim] > 1)
      add(MeshAxisRole::Grid, getGridAxis(dim), kernel.grid[dim]);
  for (unsigned dim : {2, 1, 0})
    if (kernel.cluster[dim] > 1)
      add(MeshAxisRole::Cluster, getClusterAxis(dim), kernel.cluster[dim]);
  if (kernel.numWarpgroups > 1)
    add(MeshAxisRole::Thread, kWarpgroupAxis, kernel.numWarpgroups);
  return MeshAttr::get(b.getContext(), MeshKind::Gpu, axes);
}

/// Creates the map, with an empty kernel, as the body of the entry. The entry
/// takes the arrays that are read, and yields those that are written.
void KernelRaiser::createMap() {
  if (kernel.devices.memref)
    entry->setAttr(
        kDeviceMeshAttrName,
        b.getArrayAttr(b.getArrayAttr(
            {b.getStringAttr(kDeviceAxis),
             b.getI64IntegerAttr(kernel.devices.table.numDevices)})));
  b.setInsertionPointToStart(entry.addEntryBlock());
  SmallVector<Type> results;
  SmallVector<int64_t> aliases;
  SmallVector<Type> refs;
  SmallVector<Type> outputs;
  unsigned numInputs = 0;
  for (const KernelArray &array : kernel.arrays) {
    RefType ref = convertGPUMemRef(array.type);
    bool isInput = array.isRead || !array.isWritten;
    if (isInput && array.isWritten)
      aliases.append({int64_t(numInputs), int64_t(results.size())});
    if (isInput) {
      refs.push_back(ref);
      ++numInputs;
    }
    if (array.isWritten) {
      results.push_back(array.getArrayType());
      outputs.push_back(ref);
    }
  }
  llvm::append_range(refs, outputs);
  Location loc = gpu::LaunchOp(kernel.launch).getLoc();
  map = MpmdMapOp::create(
      b, loc, results, entry.getArguments(), b.getArrayAttr({getMesh()}),
      /*externalMeshes=*/ArrayAttr(),
      b.getArrayAttr({b.getStringAttr(entry.getName())}),
      b.getDenseI64ArrayAttr(aliases), /*compilerParams=*/ArrayAttr(),
      /*costEstimate=*/CostEstimateAttr(), /*metadata=*/DictionaryAttr(), 1);
  func::ReturnOp::create(b, loc, map.getResults());
  OpBuilder::InsertionGuard guard(b);
  block = b.createBlock(&map.getKernels()[0], {}, refs,
                        SmallVector<Location>(refs.size(), loc));
  YieldOp::create(b, loc);
}

/// Moves the launched code to the map. Arrays become arguments, and constants
/// around the launch come along.
LogicalResult KernelRaiser::moveBody() {
  gpu::LaunchOp launch = kernel.launch;
  Location loc = launch.getLoc();
  Block &body = launch.getBody().front();
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(launch.getBody(), captured);
  b.setInsertionPointToStart(block);
  IRMapping values;
  unsigned numInputs = 0, numOutputs = entry.getNumArguments();
  for (const KernelArray &array : kernel.arrays) {
    bool isInput = array.isRead || !array.isWritten;
    numInputs += isInput;
    Value ref =
        block->getArgument(array.isWritten ? numOutputs++ : numInputs - 1);
    refs[array.position] = ref;
    if (array.memref)
      values.map(array.memref,
                 UnrealizedConversionCastOp::create(b, loc, array.type, ref)
                     .getResult(0));
  }
  if (MemRefType type = kernel.semaphores.type) {
    auto refType = RefType::get(
        type.getShape(), SemaphoreType::get(b.getContext()), MemorySpace::Gmem);
    Value ref = GetGlobalOp::create(b, loc, refType, "semaphores");
    refs[kernel.semaphores.position] = ref;
    for (Value name : kernel.semaphores.names)
      values.map(name,
                 UnrealizedConversionCastOp::create(b, loc, name.getType(), ref)
                     .getResult(0));
  }
  if (Value table = kernel.devices.memref) {
    deviceTable = UnrealizedConversionCastOp::create(b, loc, table.getType(),
                                                     ValueRange())
                      .getResult(0);
    values.map(table, deviceTable);
  }
  for (Value value : captured) {
    if (values.contains(value))
      continue;
    Operation *op = value.getDefiningOp();
    if (!op || op->getNumOperands() != 0 || op->getNumRegions() != 0 ||
        !isMemoryEffectFree(op)) {
      InFlightDiagnostic diag =
          launch.emitError()
          << "uses a value of type " << value.getType()
          << " from outside; a kernel uses constants and arrays in global "
             "memory that the function takes";
      diag.attachNote(value.getLoc()) << "the value is made here";
      return diag;
    }
    b.clone(*op, values);
  }
  for (Value value : captured)
    replaceAllUsesInRegionWith(value, values.lookup(value), launch.getBody());
  if (failed(replaceIds()))
    return failure();
  body.getTerminator()->erase();
  block->getOperations().splice(std::prev(block->end()), body.getOperations());
  return success();
}

//===----------------------------------------------------------------------===//
// Coordinates
//===----------------------------------------------------------------------===//

/// An axis of size 1 is left out of the mesh, so its index is a constant.
Value KernelRaiser::createAxisIndex(Location loc, StringRef name,
                                    int64_t size) {
  if (size == 1)
    return arith::ConstantIndexOp::create(b, loc, 0);
  Value index = AxisIndexOp::create(b, loc, name);
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), index);
}

namespace {
/// The axes that the launch has for a place along x, y and z.
struct Coordinates {
  std::array<Value, 3> blockId, clusterId, blockInCluster, threadId;
  std::array<Value, 3> gridDim, clusterDim, gridClusters, blockDim;
};
} // namespace

/// The operations ask for one dimension each, while results of the launch have
/// all three.
static Value getCoordinate(const Coordinates &at, Operation *op) {
  auto select = [&](const std::array<Value, 3> &values) -> Value {
    auto dim = op->getAttrOfType<gpu::DimensionAttr>("dimension");
    return values[static_cast<unsigned>(dim.getValue())];
  };
  if (isa<gpu::BlockIdOp>(op))
    return select(at.blockId);
  if (isa<gpu::ThreadIdOp>(op))
    return select(at.threadId);
  if (isa<gpu::GridDimOp>(op))
    return select(at.gridDim);
  if (isa<gpu::BlockDimOp>(op))
    return select(at.blockDim);
  if (isa<gpu::ClusterIdOp>(op))
    return select(at.clusterId);
  if (isa<gpu::ClusterBlockIdOp>(op))
    return select(at.blockInCluster);
  if (isa<gpu::ClusterDimBlocksOp>(op))
    return select(at.clusterDim);
  if (isa<gpu::ClusterDimOp>(op))
    return select(at.gridClusters);
  return {};
}

/// Replaces the coordinates of blocks and the bounds by those of the mesh.
LogicalResult KernelRaiser::replaceIds() {
  gpu::LaunchOp launch = kernel.launch;
  Location loc = launch.getLoc();
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  threadId = gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x);
  Coordinates at;
  for (unsigned dim : {0, 1, 2}) {
    int64_t clusters = kernel.grid[dim], blocks = kernel.cluster[dim];
    at.clusterId[dim] = createAxisIndex(loc, getGridAxis(dim), clusters);
    at.blockInCluster[dim] = createAxisIndex(loc, getClusterAxis(dim), blocks);
    at.clusterDim[dim] = index(blocks);
    at.gridClusters[dim] = index(clusters);
    at.gridDim[dim] = index(clusters * blocks);
    at.blockDim[dim] = index(dim ? 1 : kernel.numWarpgroups * kWarpgroupSize);
    at.threadId[dim] = dim ? index(0) : threadId;
    Value first =
        arith::MulIOp::create(b, loc, at.clusterId[dim], at.clusterDim[dim]);
    at.blockId[dim] =
        arith::AddIOp::create(b, loc, first, at.blockInCluster[dim]);
  }
  auto replace = [](gpu::KernelDim3 dims, const std::array<Value, 3> &values) {
    dims.x.replaceAllUsesWith(values[0]);
    dims.y.replaceAllUsesWith(values[1]);
    dims.z.replaceAllUsesWith(values[2]);
  };
  replace(launch.getBlockIds(), at.blockId);
  replace(launch.getThreadIds(), at.threadId);
  replace(launch.getGridSize(), at.gridDim);
  replace(launch.getBlockSize(), at.blockDim);
  if (launch.hasClusterSize()) {
    replace(*launch.getClusterIds(), at.clusterId);
    replace(*launch.getClusterSize(), at.clusterDim);
  }
  launch.getBody().walk([&](Operation *op) {
    // Code for warps has indices of its own.
    auto id = dyn_cast<gpu::ThreadIdOp>(op);
    if (id && id.getDimension() == gpu::Dimension::x &&
        op->getParentOfType<mosaic_gpu::WarpMapOp>())
      return;
    if (Value value = getCoordinate(at, op)) {
      op->getResult(0).replaceAllUsesWith(value);
      op->erase();
    }
  });
  return success();
}

/// Folds constants and drops dead code, so that what is left of the arithmetic
/// on thread indices can be read.
void KernelRaiser::fold() {
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  (void)applyPatternsGreedily(map.getKernels()[0],
                              RewritePatternSet(b.getContext()), config);
}

/// Whether code for lanes updates memory atomically, as semaphores do, too, and
/// takes nothing that lanes hold parts of.
static bool updatesMemory(mosaic_gpu::CustomPrimitiveOp op) {
  bool isPlain = op.getInLayouts().empty() && op.getOutLayouts().empty() &&
                 llvm::all_of(op.getInTransforms(), [](Attribute transforms) {
                   return cast<ArrayAttr>(transforms).empty();
                 });
  auto isUpdate = [](Operation *inner) {
    if (isa<memref::AtomicRMWOp, memref::GenericAtomicRMWOp>(inner))
      return WalkResult::interrupt();
    auto assembly = dyn_cast<LLVM::InlineAsmOp>(inner);
    bool looks =
        assembly && (assembly.getAsmString().starts_with("atom.relaxed.") ||
                     assembly.getAsmString().starts_with("ld.relaxed."));
    return looks ? WalkResult::interrupt() : WalkResult::advance();
  };
  return isPlain && op.getBody().walk(isUpdate).wasInterrupted();
}

/// Such code becomes part of that around it:
///   %old = "mosaic_gpu.custom_primitive"(%r, %v) ({
///   ^bb0(%e: memref<f32, ...>, %w: f32):
///     %before = memref.atomic_rmw addf %w, %e[]
///     mosaic_gpu.return %before
///   })
/// -->
///   %old = memref.atomic_rmw addf %v, %r[]
static void inlineUpdates(Block &block) {
  SmallVector<mosaic_gpu::CustomPrimitiveOp> primitives;
  block.walk([&](mosaic_gpu::CustomPrimitiveOp op) {
    if (updatesMemory(op))
      primitives.push_back(op);
  });
  for (mosaic_gpu::CustomPrimitiveOp op : primitives) {
    Block &body = op.getBody().front();
    for (auto [argument, operand] :
         llvm::zip_equal(body.getArguments(), op->getOperands()))
      argument.replaceAllUsesWith(operand);
    Operation *end = body.getTerminator();
    op->replaceAllUsesWith(end->getOperands());
    end->erase();
    op->getBlock()->getOperations().splice(op->getIterator(),
                                           body.getOperations());
    op.erase();
  }
}

/// Whether code for warps alone reads a scalar of each thread. Warps write
/// different values then, as the phases that they have waited for.
static bool isOfWarps(memref::AllocaOp alloca) {
  auto isInWarp = [](Operation *op) {
    return bool(op->getParentOfType<CoreMapOp>());
  };
  return alloca.getType().getRank() == 0 &&
         llvm::any_of(alloca->getUsers(), isInWarp) &&
         llvm::all_of(alloca->getUsers(), [&](Operation *op) {
           return isa<memref::StoreOp>(op) ||
                  (isa<memref::LoadOp>(op) && isInWarp(op));
         });
}

/// Gives each warp a copy. The warpgroup writes to all of them:
///   memref.store %v, %phase[] : memref<i32>
/// -->
///   memref.store %v, %copies[%c0] : memref<4xi32>
///   ... up to %c3
static void accessCopies(OpBuilder &b, memref::AllocaOp alloca, Value copies) {
  for (Operation *op : llvm::make_early_inc_range(alloca->getUsers())) {
    Location loc = op->getLoc();
    b.setInsertionPoint(op);
    SmallVector<Value> warps;
    if (op->getParentOfType<CoreMapOp>()) {
      Value warp = AxisIndexOp::create(b, loc, kWarpAxis);
      warps.push_back(
          arith::IndexCastOp::create(b, loc, b.getIndexType(), warp));
    } else {
      for (int64_t i = 0; i < kWarpgroupSize / kWarpSize; ++i)
        warps.push_back(arith::ConstantIndexOp::create(b, loc, i));
    }
    if (isa<memref::LoadOp>(op))
      op->getResult(0).replaceAllUsesWith(
          memref::LoadOp::create(b, loc, copies, warps).getResult());
    else
      for (Value warp : warps)
        memref::StoreOp::create(b, loc, op->getOperand(0), copies, warp);
    op->erase();
  }
}

/// Memory of a thread is a scope's, which each program has for itself:
///   %phase = memref.alloca() : memref<i32>
/// becomes the argument of a pallas.run_scoped around the whole body. Warps of
/// a warpgroup share it unless each has a copy.
void KernelRaiser::replaceAllocas() {
  SmallVector<memref::AllocaOp> allocas;
  block->walk([&](memref::AllocaOp alloca) {
    if (alloca->getBlock() == block && alloca->getNumOperands() == 0)
      allocas.push_back(alloca);
  });
  if (allocas.empty())
    return;
  Location loc = gpu::LaunchOp(kernel.launch).getLoc();
  Operation *first = &block->front(), *terminator = block->getTerminator();
  b.setInsertionPoint(terminator);
  auto scope = RunScopedOp::create(b, loc, TypeRange(),
                                   /*collectiveAxes=*/ArrayAttr());
  Block *body = b.createBlock(&scope.getBody());
  body->getOperations().splice(body->end(), block->getOperations(),
                               first->getIterator(), scope->getIterator());
  b.setInsertionPointToEnd(body);
  YieldOp::create(b, loc);
  b.setInsertionPointToStart(body);
  for (memref::AllocaOp alloca : allocas) {
    bool ofWarps = isOfWarps(alloca);
    SmallVector<int64_t> shape(alloca.getType().getShape());
    if (ofWarps)
      shape.push_back(kWarpgroupSize / kWarpSize);
    // A memref of no memory space would be in global memory.
    MemRefType type = MemRefType::get(
        shape, alloca.getType().getElementType(), MemRefLayoutAttrInterface(),
        mosaic_gpu::getSharedMemorySpace(b.getContext()));
    Value ref = body->addArgument(convertGPUMemRef(type), alloca.getLoc());
    Value cast =
        UnrealizedConversionCastOp::create(b, alloca.getLoc(), type, ref)
            .getResult(0);
    if (ofWarps)
      accessCopies(b, alloca, cast);
    else
      alloca.getResult().replaceAllUsesWith(cast);
    b.setInsertionPointToStart(body);
    alloca.erase();
  }
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static std::optional<StringRef> getSupported(StringRef dialect) {
  return llvm::StringSwitch<std::optional<StringRef>>(dialect)
      .Case("nvvm",
            "elect.sync, shfl.sync idx, mbarrier.init, "
            "mbarrier.try_wait.parity, fences, cluster.arrive, cluster.wait, "
            "wgmma.fence, wgmma.commit.group, wgmma.wait.group, "
            "cp.async.bulk.commit.group, cp.async.bulk.wait_group, "
            "bar.warp.sync, tcgen05.wait, tcgen05.fence, "
            "setmaxregister and griddepcontrol")
      .Case("gpu", "barrier, printf and the coordinates of threads and blocks")
      .Case("llvm", "the arithmetic on addresses of barriers")
      .Case("mosaic_gpu",
            "barriers, slices of shared and tensor memory, copies, loads and "
            "stores of vectors, products, and operations on vectors")
      .Default(std::nullopt);
}

/// Reports what no pattern knows. Custom primitives have a pattern that checks
/// their bodies. The address of a barrier stays for an operation that is
/// unknown, which tells more than the address does.
LogicalResult
KernelRaiser::checkOperations(const DenseSet<OperationName> &known) {
  auto isAddress = [](Operation *op) {
    return isa<mosaic_gpu::SliceSMEMOp>(op) ||
           isa_and_present<LLVM::LLVMDialect>(op->getDialect());
  };
  Operation *unknown = nullptr;
  block->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<mosaic_gpu::CustomPrimitiveOp>(op))
      return WalkResult::skip();
    bool isUnknown = getSupported(op->getName().getDialectNamespace()) &&
                     !known.contains(op->getName());
    if (isUnknown && (!unknown || (isAddress(unknown) && !isAddress(op))))
      unknown = op;
    return WalkResult::advance();
  });
  if (!unknown)
    return success();
  StringRef dialect = unknown->getName().getDialectNamespace();
  return unknown->emitOpError()
         << "has no form in the pallas dialect here; of '" << dialect
         << "', a kernel may use " << *getSupported(dialect);
}

/// A product of the pallas dialect is a group of its own, so the commit of the
/// products in front of it goes:
///   mosaic_gpu.wgmma ...
///   nvvm.wgmma.commit.group.sync.aligned
void KernelRaiser::eraseCommits() {
  bool isOpen = false;
  SmallVector<Operation *> done;
  block->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<NVVM::WgmmaGroupSyncAlignedOp>(op) && isOpen)
      done.push_back(op);
    if (isa<NVVM::WgmmaGroupSyncAlignedOp, NVVM::WgmmaWaitGroupSyncOp>(op))
      isOpen = false;
    isOpen |= isa<mosaic_gpu::WGMMAOp>(op);
  });
  for (Operation *op : done)
    op->erase();
}

LogicalResult KernelRaiser::run(const DenseSet<OperationName> &known) {
  createMap();
  if (failed(moveBody()))
    return failure();
  inlineUpdates(*block);
  fold();
  if (failed(raiseDevices()) || failed(raiseSemaphores()) ||
      failed(raiseThreads()))
    return failure();
  fold();
  if (failed(raiseBarriers()))
    return failure();
  // The addresses of barriers are dead now.
  fold();
  if (failed(raiseTensorMemory()) || failed(raiseSharedMemory()))
    return failure();
  eraseCommits();
  replaceAllocas();
  moveConditions();
  fold();
  return checkOperations(known);
}
