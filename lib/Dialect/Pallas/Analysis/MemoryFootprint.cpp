//===- MemoryFootprint.cpp - How much memory kernels take -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds up the memory that is live at the same time in a kernel: double buffers
// of blocks that move, scratch, and nested allocations.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/Analysis/MemoryFootprint.h"
#include "pallas/Support/Widths.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pallas;

/// Accumulators have no memory space; they are counted under a name of their
/// own because hardware keeps them in registers or tensor memory.
StringRef MemoryBuffer::getSpace() const {
  auto ref = dyn_cast<RefType>(type);
  return ref ? stringifyMemorySpace(ref.getSpace()) : "acc";
}

StringRef pallas::stringifyRole(MemoryBuffer::Role role) {
  switch (role) {
  case MemoryBuffer::Role::Prefetch:
    return "prefetch";
  case MemoryBuffer::Role::Input:
    return "input";
  case MemoryBuffer::Role::Output:
    return "output";
  case MemoryBuffer::Role::Scratch:
    return "scratch";
  case MemoryBuffer::Role::Scoped:
    return "scoped";
  }
  return "";
}

/// Booleans take a byte each, elements of four bits half of one. This is what
/// arrays take at rest; targets with tiles pass a size of their own.
std::optional<int64_t> pallas::getElementBytes(Type type) {
  ArrayRef<int64_t> shape;
  Type element;
  if (auto accumulator = dyn_cast<AccumulatorType>(type)) {
    shape = accumulator.getShape();
    element = accumulator.getElementType();
  } else if (ShapedType shaped = getArrayShapedType(type)) {
    shape = shaped.getShape();
    element = shaped.getElementType();
  } else {
    element = type;
  }
  if (ShapedType::isDynamicShape(shape) ||
      !(element.isIntOrFloat() || element.isIndex()))
    return std::nullopt;
  int64_t bits = element.isInteger(1) ? 8 : getBitWidth(element);
  return llvm::divideCeil(ShapedType::getNumElements(shape) * bits, 8);
}

/// Whether a block in this space is the array itself and not a copy of a part.
static bool holdsArrays(MemorySpace space) {
  switch (space) {
  case MemorySpace::Any:
  case MemorySpace::Hbm:
  case MemorySpace::Gmem:
  case MemorySpace::Host:
  case MemorySpace::Semaphore:
    return true;
  default:
    return false;
  }
}

int64_t pallas::getNumBuffers(GridMappingOpInterface grid, unsigned block) {
  BlockMappingAttr mapping = grid.getMappings()[block];
  // A block that never changes is copied once, so it needs no second buffer.
  if (holdsArrays(mapping.getMemorySpace().getSpace()) ||
      grid.hasTrivialWindow(block))
    return 1;
  if (PipelineModeAttr mode = mapping.getPipelineMode())
    return mode.getBufferCount();
  if (auto pipeline = dyn_cast<EmitPipelineOp>(grid.getOperation()))
    if (std::optional<uint64_t> steps = pipeline.getMaxConcurrentSteps())
      return *steps;
  return 2;
}

namespace {
using Bytes = llvm::MapVector<StringRef, int64_t>;

/// Adds up by memory space. `footprint` also gets the list of buffers, so that
/// a message can show what takes the memory.
class Accounting {
public:
  Accounting(MemoryFootprint &footprint,
             function_ref<std::optional<int64_t>(const MemoryBuffer &)> sizeOf)
      : footprint(footprint), sizeOf(sizeOf) {}

  Bytes getPeak(Operation *op);

private:
  Bytes getPeak(Region &region);
  void add(Bytes &bytes, MemoryBuffer buffer);
  void addGrid(Bytes &bytes, GridMappingOpInterface grid);
  void addArguments(Bytes &bytes, Operation *owner, ValueRange arguments,
                    MemoryBuffer::Role role, StringAttr origin = {});

  MemoryFootprint &footprint;
  function_ref<std::optional<int64_t>(const MemoryBuffer &)> sizeOf;
};
} // namespace

static void addAll(Bytes &to, const Bytes &from) {
  for (const auto &[space, bytes] : from)
    to[space] += bytes;
}

/// A semaphore has no size in bytes, and its absence makes nothing incomplete.
void Accounting::add(Bytes &bytes, MemoryBuffer buffer) {
  buffer.bytes = sizeOf ? sizeOf(buffer) : getElementBytes(buffer.type);
  auto ref = dyn_cast<RefType>(buffer.type);
  if (buffer.bytes)
    bytes[buffer.getSpace()] += buffer.count * *buffer.bytes;
  else if (!ref || !ref.isSynchronization())
    footprint.isComplete = false;
  footprint.buffers.push_back(buffer);
}

void Accounting::addArguments(Bytes &bytes, Operation *owner,
                              ValueRange arguments, MemoryBuffer::Role role,
                              StringAttr origin) {
  for (auto [index, argument] : llvm::enumerate(arguments))
    if (isa<RefType, AccumulatorType>(argument.getType()))
      add(bytes, {role, unsigned(index), owner, argument.getType(), origin});
}

/// The order of the buffers is that of the kernel's arguments, which is the
/// order in which users wrote them.
void Accounting::addGrid(Bytes &bytes, GridMappingOpInterface grid) {
  using Role = MemoryBuffer::Role;
  Operation *op = grid;
  addArguments(bytes, op, ValueRange(grid.sliceIndexOps()), Role::Prefetch);
  unsigned numInputs = grid.getNumInputs();
  for (auto [block, argument] : llvm::enumerate(grid.sliceBlockOps())) {
    if (!isa<RefType>(argument.getType()))
      continue;
    bool isInput = block < numInputs;
    MemoryBuffer buffer{isInput ? Role::Input : Role::Output,
                        unsigned(isInput ? block : block - numInputs), op,
                        argument.getType()};
    buffer.origin = grid.getMappings()[block].getOrigin();
    buffer.count = getNumBuffers(grid, block);
    // A pipeline's windows of memory that holds arrays belong to the call.
    if (isa<EmitPipelineOp>(op) &&
        holdsArrays(cast<RefType>(argument.getType()).getSpace()))
      continue;
    add(bytes, buffer);
  }
  addArguments(bytes, op, ValueRange(grid.sliceScratchOps()), Role::Scratch);
}

/// Allocations that follow each other in a region share memory: one has ended
/// when the next starts. An allocation and the ones nested in it are live at
/// the same time, so they add up.
Bytes Accounting::getPeak(Region &region) {
  Bytes kept, peak;
  region.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto empty = dyn_cast<EmptyRefOp>(op))
      addArguments(kept, op, op->getResults(), MemoryBuffer::Role::Scoped);
    if (isa<NewRefOp, GetGlobalOp>(op))
      addArguments(kept, op, op->getResults(), MemoryBuffer::Role::Scoped);
    if (op->getNumRegions() == 0 || !isa<RunScopedOp, RunStateOp, CoreMapOp,
                                         MpmdMapOp, GridMappingOpInterface>(op))
      return WalkResult::advance();
    for (const auto &[space, bytes] : getPeak(op))
      peak[space] = std::max(peak[space], bytes);
    return WalkResult::skip();
  });
  addAll(peak, kept);
  return peak;
}

/// The memory of an operation itself, and the peak of its regions on top, since
/// its memory lives until the regions are done.
Bytes Accounting::getPeak(Operation *op) {
  using Role = MemoryBuffer::Role;
  Bytes bytes;
  if (auto grid = dyn_cast<GridMappingOpInterface>(op)) {
    addGrid(bytes, grid);
    addAll(bytes, getPeak(grid.getKernelRegion()));
    return bytes;
  }
  // Kernels of several meshes run at the same time, on the same arrays.
  if (auto mpmd = dyn_cast<MpmdMapOp>(op)) {
    unsigned numInputs = mpmd.getInputs().size();
    unsigned numArrays = numInputs + mpmd.getNumResults();
    for (auto [number, kernel] : llvm::enumerate(mpmd.getKernels())) {
      auto arguments = ValueRange(kernel.getArguments());
      if (number == 0) {
        addArguments(bytes, op, arguments.take_front(numInputs), Role::Input);
        addArguments(bytes, op,
                     arguments.slice(numInputs, numArrays - numInputs),
                     Role::Output);
        addArguments(bytes, op, arguments.drop_front(numArrays), Role::Scratch);
      }
      addAll(bytes, getPeak(kernel));
    }
    return bytes;
  }
  for (Region &region : op->getRegions()) {
    addArguments(bytes, op, ValueRange(region.getArguments()),
                 isa<CoreMapOp>(op) ? Role::Scratch : Role::Scoped);
    addAll(bytes, getPeak(region));
  }
  return bytes;
}

MemoryFootprint pallas::computeMemoryFootprint(
    Operation *call,
    function_ref<std::optional<int64_t>(const MemoryBuffer &)> sizeOf) {
  MemoryFootprint footprint;
  footprint.bytes = Accounting(footprint, sizeOf).getPeak(call);
  return footprint;
}

/// One note per buffer, at the operation that owns it: the sum alone would not
/// tell which block to make smaller.
void MemoryFootprint::attachBuffers(Diagnostic &diag) const {
  for (const MemoryBuffer &buffer : buffers) {
    if (!buffer.bytes)
      continue;
    Diagnostic &note = diag.attachNote(buffer.owner->getLoc());
    note << stringifyRole(buffer.role) << " " << buffer.index;
    if (buffer.origin)
      note << " (" << buffer.origin.getValue() << ")";
    note << ": ";
    if (buffer.count > 1)
      note << buffer.count << " x ";
    note << *buffer.bytes << " bytes of " << buffer.getSpace();
  }
}
