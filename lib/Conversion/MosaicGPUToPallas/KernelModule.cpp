//===- KernelModule.cpp - Kernels of the functions of a module ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads what a launch is made of: arrays, sizes and shared memory. Only
// constants are understood, because the pallas dialect has them in its types.
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"
#include "pallas/Dialect/MosaicGPU/IR/KernelArrays.h"
#include "pallas/Dialect/Pallas/IR/LaunchControlOps.h"

using namespace mlir;
using namespace mlir::pallas;

bool mlir::pallas::launchesKernel(func::FuncOp func) {
  return func.walk([](gpu::LaunchOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

/// The position of the array that a pointer is of, which is loaded from the
/// list of pointers that the function takes.
static std::optional<int64_t> getPointerPosition(Value pointer) {
  auto load = pointer.getDefiningOp<LLVM::LoadOp>();
  if (!load)
    return std::nullopt;
  Value address = load.getAddr();
  auto element = address.getDefiningOp<LLVM::GEPOp>();
  if (!element)
    return isa<BlockArgument>(address) ? std::optional<int64_t>(0)
                                       : std::nullopt;
  ArrayRef<int32_t> indices = element.getRawConstantIndices();
  if (!isa<BlockArgument>(element.getBase()) || indices.size() != 1 ||
      indices[0] == LLVM::GEPOp::kDynamicIndex)
    return std::nullopt;
  return indices[0];
}

/// The position of the array that a descriptor is of.
static std::optional<int64_t> getPosition(Value descriptor) {
  while (auto insert = descriptor.getDefiningOp<LLVM::InsertValueOp>()) {
    ArrayRef<int64_t> position = insert.getPosition();
    if (position.size() == 1 && position[0] == 1)
      return getPointerPosition(insert.getValue());
    descriptor = insert.getContainer();
  }
  return std::nullopt;
}

/// Refs have no strides, so arrays have none either.
static LogicalResult verifyArray(Location loc, MemRefType type,
                                 int64_t position) {
  if (type.hasStaticShape() && type.getLayout().isIdentity() &&
      mosaic_gpu::getMemory(type) == mosaic_gpu::Memory::Global &&
      RefType::isValidElementType(type.getElementType()))
    return success();
  return mlir::emitError(loc)
         << "array " << position << " of the kernel has type " << type
         << "; arrays lie row by row in global memory, with a static shape "
            "and elements that are integers or floats";
}

/// Arrays are numbered by their place in the list of pointers, which is the
/// order of the call's operands.
static LogicalResult addArray(LaunchedKernel &kernel, Value memref,
                              int64_t position) {
  auto type = cast<MemRefType>(memref.getType());
  if (failed(verifyArray(memref.getLoc(), type, position)))
    return failure();
  if (position >= int64_t(kernel.arrays.size()))
    kernel.arrays.resize(position + 1);
  if (kernel.arrays[position].memref)
    return mlir::emitError(memref.getLoc())
           << "is array " << position << " of the kernel a second time";
  kernel.arrays[position].memref = memref;
  kernel.arrays[position].type = type;
  kernel.arrays[position].position = position;
  return success();
}

/// Where a kernel reaches other devices, the last buffer is the table of
/// addresses there:
///   func.func @f(%x: memref<8xf32>, %table: memref<9xi64>)
/// has four numbers, four addresses of %x, and one of all of them.
static LogicalResult takeDevices(LaunchedKernel &kernel) {
  auto module = kernel.func->getParentOfType<ModuleOp>();
  if (!module->hasAttr(mosaic_gpu::kDevicesUsedAttrName))
    return success();
  mosaic_gpu::DeviceTable table;
  table.numArrays = int64_t(kernel.arrays.size()) - 1;
  MemRefType type =
      kernel.arrays.empty() ? MemRefType() : kernel.arrays.back().type;
  if (table.numArrays > 0 && type && type.getRank() == 1 &&
      type.getElementType().isInteger(64))
    table.numDevices = (type.getDimSize(0) - mosaic_gpu::DeviceTable::kHeader) /
                           table.numArrays -
                       1;
  if (table.numDevices < 1 || type.getDimSize(0) != table.getSize())
    return kernel.func.emitError("has '")
           << mosaic_gpu::kDevicesUsedAttrName
           << "' without a table of addresses as its last array: i64, four "
              "numbers, and for each other array one per device and one more";
  kernel.devices = {kernel.arrays.back().memref, table};
  kernel.arrays.pop_back();
  return success();
}

/// Finds the memrefs of global memory: arguments of the function, or casts of
/// descriptors that are made of the pointers that it takes.
static LogicalResult readMemRefs(LaunchedKernel &kernel) {
  int64_t numArguments = 0;
  for (BlockArgument argument : kernel.func.getArguments())
    if (isa<MemRefType>(argument.getType()) &&
        failed(addArray(kernel, argument, numArguments++)))
      return failure();
  for (auto cast : kernel.func.getOps<UnrealizedConversionCastOp>()) {
    if (cast.getNumOperands() != 1 || cast.getNumResults() != 1 ||
        !isa<MemRefType>(cast.getType(0)) ||
        !isa<LLVM::LLVMStructType>(cast.getOperand(0).getType()))
      continue;
    std::optional<int64_t> position = getPosition(cast.getOperand(0));
    if (!position)
      return cast.emitError("makes an array of a pointer that the function "
                            "does not take; load it from a constant position "
                            "of the list of pointers");
    if (failed(addArray(kernel, cast.getResult(0), *position)))
      return failure();
  }
  return success();
}

/// Arrays that code names as a whole by no memref are in a list of types.
static LogicalResult readTypes(LaunchedKernel &kernel) {
  auto types =
      kernel.func->getAttrOfType<ArrayAttr>(mosaic_gpu::kArraysAttrName);
  if (!types)
    return success();
  kernel.arrays.resize(std::max(kernel.arrays.size(), types.size()));
  for (auto [position, attribute] : llvm::enumerate(types)) {
    auto typeAttr = dyn_cast<TypeAttr>(attribute);
    auto type = typeAttr ? dyn_cast<MemRefType>(typeAttr.getValue()) : nullptr;
    KernelArray &array = kernel.arrays[position];
    if (!type || (array.memref && array.type != type))
      return kernel.func.emitError()
             << "has " << attribute << " in '" << mosaic_gpu::kArraysAttrName
             << "' for array " << position
             << "; list the type of its memref there";
    if (failed(verifyArray(kernel.func.getLoc(), type, position)))
      return failure();
    array.type = type;
    array.position = position;
  }
  return success();
}

/// Whether code uses the array by its address only. Code of warps takes it as
/// an argument.
static bool isUsedByAddress(Value memref) {
  return !memref.use_empty() &&
         llvm::all_of(memref.getUses(), [](OpOperand &use) {
           Operation *user = use.getOwner();
           if (auto warps = dyn_cast<mosaic_gpu::WarpMapOp>(user))
             return isUsedByAddress(
                 warps.getRegion().getArgument(use.getOperandNumber()));
           return isa<UnrealizedConversionCastOp>(user) &&
                  isa<LLVM::LLVMStructType>(user->getResult(0).getType());
         });
}

/// Semaphores are the last array. The kernel starts with zeros there, so the
/// call has an operand for it, too, that no code names.
static void takeSemaphores(LaunchedKernel &kernel) {
  if (kernel.arrays.empty() || !kernel.arrays.back().type)
    return;
  int64_t position = kernel.arrays.size() - 1;
  SemaphoreArray semaphores;
  KernelArray &last = kernel.arrays.back();
  if (!last.type.getElementType().isInteger(32) || last.type.getRank() != 1)
    return;
  if (last.memref && isUsedByAddress(last.memref))
    semaphores.names.push_back(last.memref);
  // Folding leaves the pointer.
  if (!last.memref)
    for (auto load : kernel.func.getOps<LLVM::LoadOp>())
      if (getPointerPosition(load) == position)
        semaphores.names.push_back(load);
  if (semaphores.names.empty())
    return;
  semaphores.type = last.type;
  semaphores.position = position;
  kernel.semaphores = std::move(semaphores);
  kernel.arrays.pop_back();
  for (auto it = kernel.arrays.rbegin(); it != kernel.arrays.rend(); ++it)
    if (!it->memref && (!it->type || it->type == kernel.semaphores.type)) {
      kernel.arrays.erase(std::next(it).base());
      return;
    }
}

/// The assembly in the code of a primitive that has `text` in it; null without.
static LLVM::InlineAsmOp findAssembly(mosaic_gpu::CustomPrimitiveOp op,
                                      StringRef text) {
  LLVM::InlineAsmOp found;
  op.getBody().walk([&](LLVM::InlineAsmOp assembly) {
    if (assembly.getAsmString().contains(text))
      found = assembly;
  });
  return found;
}

/// Raises an event of JAX's profiler, which notes in shared memory when a span
/// begins, or ends where the highest bit of its number is set. The names of the
/// spans stay in the process that made the module.
///   "mosaic_gpu.custom_primitive"(%start, %first, %notes, %array, %count) ({
///     llvm.inline_asm "@$0 st.shared.v2.u32 [$1], {$2, %clock};" ... %c3
///   })
/// -->
///   pallas.trace_start "span 3"
static bool raiseEvent(mosaic_gpu::CustomPrimitiveOp op) {
  if (op->getNumOperands() != 5)
    return false;
  // At the end notes are copied, with the number of the multiprocessor.
  if (findAssembly(op, "%smid"))
    return true;
  LLVM::InlineAsmOp note = findAssembly(op, "%clock}");
  std::optional<int64_t> number;
  if (note && note->getNumOperands() == 3)
    number = getConstantIntValue(note->getOperand(2));
  if (!number)
    return false;
  OpBuilder b(op);
  if (static_cast<int32_t>(*number) < 0)
    TraceStopOp::create(b, op.getLoc());
  else
    TraceStartOp::create(b, op.getLoc(), "span " + std::to_string(*number));
  return true;
}

/// A profile is no result of a kernel: its array goes, and so do the clock and
/// the number of notes. Folding drops the rest of it.
static void raiseProfile(LaunchedKernel &kernel) {
  SmallVector<mosaic_gpu::CustomPrimitiveOp> events;
  kernel.launch.walk([&](mosaic_gpu::CustomPrimitiveOp op) {
    if (raiseEvent(op))
      events.push_back(op);
  });
  llvm::SetVector<Value> values;
  for (mosaic_gpu::CustomPrimitiveOp op : events) {
    values.insert_range(op->getOperands());
    op.erase();
  }
  llvm::erase_if(kernel.arrays, [&](const KernelArray &array) {
    return values.contains(array.memref);
  });
  for (Value value : values) {
    Operation *op = value.getDefiningOp();
    bool isCount = isa_and_present<memref::AllocaOp>(op) &&
                   llvm::all_of(op->getUsers(), llvm::IsaPred<memref::StoreOp>);
    if (isCount)
      for (Operation *store : llvm::make_early_inc_range(op->getUsers()))
        store->erase();
    if (isCount || (isa_and_present<LLVM::InlineAsmOp>(op) && op->use_empty()))
      op->erase();
  }
}

static void readAccesses(KernelArray &array, Value memref) {
  forEachAccess(memref, [&](OpOperand &use) {
    array.isRead |= readsFrom(use);
    array.isWritten |= writesTo(use);
  });
}

/// Every device runs this kernel, so an access to the array of a peer implies
/// the same access, by a peer, to the array here.
static void readRemoteAccesses(LaunchedKernel &kernel) {
  kernel.launch.walk([&](memref::LoadOp load) {
    std::optional<RemoteArray> remote;
    if (kernel.devices.memref &&
        getCaptured(load.getMemref()) == kernel.devices.memref)
      remote = getRemoteArray(load, kernel.devices.table);
    if (!remote)
      return;
    for (UnrealizedConversionCastOp cast : getMemRefsOf(load.getResult()))
      for (KernelArray &array : kernel.arrays)
        if (array.position == remote->position)
          readAccesses(array, cast.getResult(0));
  });
}

/// All arrays have a type then; those without a memref are never accessed.
static LogicalResult readArrays(LaunchedKernel &kernel) {
  if (failed(readMemRefs(kernel)) || failed(takeDevices(kernel)) ||
      failed(readTypes(kernel)))
    return failure();
  raiseProfile(kernel);
  takeSemaphores(kernel);
  for (auto [i, array] : llvm::enumerate(kernel.arrays)) {
    if (!array.type)
      return kernel.func.emitError()
             << "takes " << kernel.arrays.size()
             << " pointers, but makes no array of pointer " << i
             << "; list the types of all arrays in '"
             << mosaic_gpu::kArraysAttrName << "'";
    if (array.memref)
      readAccesses(array, array.memref);
  }
  readRemoteAccesses(kernel);
  return success();
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

/// A size of run time could not become an axis of a mesh.
static FailureOr<int64_t> readBound(gpu::LaunchOp launch, Value value,
                                    StringRef what) {
  std::optional<int64_t> constant = getConstantIntValue(value);
  if (constant && *constant > 0)
    return *constant;
  return launch.emitError()
         << "has a " << what
         << " that is not a positive constant; launch with constants";
}

/// gpu.launch counts blocks, the mesh clusters and blocks of a cluster.
static LogicalResult readBounds(LaunchedKernel &kernel) {
  gpu::LaunchOp launch = kernel.launch;
  auto read = [&](gpu::KernelDim3 dims, StringRef what,
                  std::array<int64_t, 3> &result) -> LogicalResult {
    std::array<Value, 3> values = {dims.x, dims.y, dims.z};
    for (auto [value, place] : llvm::zip_equal(values, result)) {
      FailureOr<int64_t> bound = readBound(launch, value, what);
      if (failed(bound))
        return failure();
      place = *bound;
    }
    return success();
  };
  std::array<int64_t, 3> threads;
  kernel.cluster = {1, 1, 1};
  if (failed(
          read(launch.getGridSizeOperandValues(), "grid size", kernel.grid)) ||
      failed(read(launch.getBlockSizeOperandValues(), "block size", threads)) ||
      (launch.hasClusterSize() &&
       failed(read(*launch.getClusterSizeOperandValues(), "cluster size",
                   kernel.cluster))))
    return failure();
  for (auto [blocks, size] : llvm::zip_equal(kernel.grid, kernel.cluster)) {
    if (blocks % size != 0)
      return launch.emitError() << "has " << blocks
                                << " blocks along a dimension of the grid, "
                                   "which clusters of "
                                << size << " don't divide";
    blocks /= size;
  }
  if (threads[0] % kWarpgroupSize != 0 || threads[1] != 1 || threads[2] != 1)
    return launch.emitError()
           << "has blocks of " << threads[0] << " x " << threads[1] << " x "
           << threads[2] << " threads; warpgroups lie along x, with "
           << kWarpgroupSize << " threads each";
  kernel.numWarpgroups = threads[0] / kWarpgroupSize;
  if (Value bytes = launch.getDynamicSharedMemorySize())
    kernel.sharedBytes = getConstantIntValue(bytes);
  return success();
}

FailureOr<LaunchedKernel> mlir::pallas::readKernel(func::FuncOp func) {
  LaunchedKernel kernel;
  kernel.func = func;
  for (auto launch : func.getOps<gpu::LaunchOp>()) {
    if (kernel.launch) {
      InFlightDiagnostic diag =
          launch.emitError("is a second launch; a function has one kernel");
      diag.attachNote(kernel.launch.getLoc()) << "the first launch is here";
      return diag;
    }
    kernel.launch = launch;
  }
  if (!kernel.launch)
    return func.emitError(
        "launches its kernel inside of another operation; move the "
        "launch to the body of the function");
  if (!kernel.launch.getBody().hasOneBlock())
    return kernel.launch.emitError(
        "has branches between blocks; use operations of scf");
  raisePackedElements(kernel.launch.getBody().front());
  if (failed(readArrays(kernel)) || failed(readBounds(kernel)))
    return failure();
  return kernel;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

RefType mlir::pallas::convertGPUMemRef(MemRefType type) {
  if (!RefType::isValidElementType(type.getElementType()) ||
      isa<mosaic_gpu::BarrierType>(type.getElementType()))
    return {};
  MemorySpace space = MemorySpace::Gmem;
  switch (mosaic_gpu::getMemory(type)) {
  case mosaic_gpu::Memory::Global:
    break;
  case mosaic_gpu::Memory::Shared:
  case mosaic_gpu::Memory::Cluster:
    space = MemorySpace::Smem;
    break;
  case mosaic_gpu::Memory::Tensor:
    space = MemorySpace::Tmem;
    break;
  case mosaic_gpu::Memory::Other:
    return {};
  }
  return RefType::get(type.getShape(), type.getElementType(), space);
}

bool mlir::pallas::isMemRefView(Operation *op) {
  return isa<memref::SubViewOp, memref::CastOp, memref::TransposeOp,
             memref::CollapseShapeOp, memref::ExpandShapeOp,
             mosaic_gpu::WithTransformsOp, mosaic_gpu::ReinterpretCastOp,
             mosaic_gpu::GetClusterRefOp, mosaic_gpu::TmemLayoutCastOp>(op);
}

void mlir::pallas::forEachAccess(Value memref,
                                 function_ref<void(OpOperand &)> access) {
  for (OpOperand &use : memref.getUses()) {
    Operation *op = use.getOwner();
    // Copies to shared memory are raised before the memory is.
    bool isRef = isa<UnrealizedConversionCastOp>(op) &&
                 isa<RefType>(op->getResult(0).getType());
    if (isRef || (isMemRefView(op) && use.getOperandNumber() == 0)) {
      forEachAccess(op->getResult(0), access);
    } else if (isa<mosaic_gpu::WarpMapOp, mosaic_gpu::CustomPrimitiveOp>(op)) {
      forEachAccess(op->getRegion(0).getArgument(use.getOperandNumber()),
                    access);
    } else {
      access(use);
    }
  }
}

bool mlir::pallas::writesTo(OpOperand &use) {
  Operation *op = use.getOwner();
  if (auto load = dyn_cast<mosaic_gpu::AsyncLoadOp>(op))
    return use.get() == load.getDestination();
  if (auto copy = dyn_cast<CopyGmemToSmemOp>(op))
    return use.get() == copy.getTarget();
  if (isa<TryClusterCancelOp>(op))
    return use.getOperandNumber() == 0;
  if (auto store = dyn_cast<mosaic_gpu::AsyncStoreOp>(op))
    return use.get() == store.getDestination();
  if (auto store = dyn_cast<mosaic_gpu::VectorStoreOp>(op))
    return use.get() == store.getDestination();
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return use.get() == store.getMemref();
  if (isa<memref::AtomicRMWOp, memref::GenericAtomicRMWOp>(op))
    return true;
  if (auto product = dyn_cast<mosaic_gpu::TCGen05MMAOp>(op))
    return use.get() == product.getAccumulator();
  if (isa<mosaic_gpu::AsyncStoreTmemOp, mosaic_gpu::AsyncStoreSmemToTmemOp,
          mosaic_gpu::AsyncStoreScalesSmemToTmemOp,
          mosaic_gpu::AsyncStoreSparseMetadataSmemToTmemOp>(op))
    return use.getOperandNumber() == 1;
  if (auto store = dyn_cast<vector::StoreOp>(op))
    return use.get() == store.getBase();
  return false;
}

bool mlir::pallas::readsFrom(OpOperand &use) {
  Operation *op = use.getOwner();
  if (!writesTo(use))
    return true;
  if (auto store = dyn_cast<mosaic_gpu::AsyncStoreOp>(op))
    return store.getReductionOp().has_value();
  if (auto store = dyn_cast<mosaic_gpu::VectorStoreOp>(op))
    return store.getAtomicType().has_value();
  return isa<memref::AtomicRMWOp, memref::GenericAtomicRMWOp>(op);
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

Box mlir::pallas::getBox(RefType ref, ValueRange starts,
                         ArrayRef<int64_t> lengths) {
  IndexerBuilder index(ref);
  for (auto [start, length] : llvm::zip_equal(starts, lengths)) {
    if (isa<ShapedType>(start.getType()))
      index.addGather(start);
    else if (length == -1)
      index.addScalar(start);
    else
      index.addSlice(start, length);
  }
  return {index.getIndexer(ref.getContext()),
          SmallVector<Value>(index.getOperands())};
}

int64_t mlir::pallas::getBoxBytes(Type element, ArrayRef<int64_t> lengths) {
  int64_t bits = element.getIntOrFloatBitWidth();
  for (int64_t length : lengths)
    bits *= length == -1 ? 1 : length;
  return llvm::divideCeil(bits, 8);
}
