//===- KernelEmitter.cpp - Writes the body of a kernel --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks a kernel and applies a rule to each operation. What one lane must not
// do alone, and how memory and barriers are shared out, is decided here, so
// that rules stay local.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"
#include "Rules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "pallas/Dialect/Pallas/Utils/ClusterAxes.h"
#include "pallas/Dialect/Pallas/Utils/Elements.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Goes on after an error, since one run should report all of them. Users of a
/// value that has no form are skipped: they would fail for that reason alone.
LogicalResult KernelEmitter::convertBlock(Block &block) {
  bool isRefused = false;
  for (Operation &op : block) {
    if (op.hasTrait<OpTrait::IsTerminator>())
      continue;
    Location outer = loc;
    loc = op.getLoc();
    bool usesRefused = llvm::any_of(op.getOperands(), [&](Value operand) {
      return refused.contains(operand);
    });
    if (usesRefused || failed(convert(&op))) {
      refused.insert_range(op.getResults());
      isRefused = true;
    }
    loc = outer;
  }
  return failure(isRefused);
}

/// Whether all warps of a warpgroup have to run this operation together: it
/// works on vectors, which they share, or waits for all of them.
static bool needsWarpgroup(Operation *op) {
  if (auto assembly = dyn_cast<LLVM::InlineAsmOp>(op))
    return KernelEmitter::isWarpgroupSync(op) ||
           assembly.getAsmString().contains("mapa.shared::cluster");
  return isa<gpu::BarrierOp, NVVM::SetMaxRegisterOp, NVVM::WgmmaFenceAlignedOp,
             NVVM::WgmmaGroupSyncAlignedOp, NVVM::WgmmaWaitGroupSyncOp>(op) ||
         llvm::any_of(op->getOperandTypes(), llvm::IsaPred<VectorType>) ||
         llvm::any_of(op->getResultTypes(), llvm::IsaPred<VectorType>);
}

/// In the code of one warp, looks at what the rule has written: rules do not
/// know where they are, and operations on vectors would wait for other warps.
LogicalResult KernelEmitter::convert(Operation *op) {
  if (!isInWarp)
    return applyRule(op);
  Block *block = b.getInsertionBlock();
  Operation *last = b.getInsertionPoint() == block->begin()
                        ? nullptr
                        : &*std::prev(b.getInsertionPoint());
  if (failed(applyRule(op)))
    return failure();
  auto first = last ? std::next(last->getIterator()) : block->begin();
  for (Operation &written : llvm::make_range(first, b.getInsertionPoint()))
    if (written
            .walk([](Operation *nested) {
              return needsWarpgroup(nested) ? WalkResult::interrupt()
                                            : WalkResult::advance();
            })
            .wasInterrupted())
      return op->emitOpError(
          "takes all warps of a warpgroup, but is code of one warp; warps "
          "copy, arrive and wait at barriers, and access scalars, so move it "
          "out of the core_map");
  return success();
}

/// Whether an operation computes, reads or writes no elements at all.
static bool doesNothing(Operation *op) {
  if (op->getNumRegions() != 0)
    return false;
  if (auto update = dyn_cast<AddUpdateOp>(op))
    return isEmptyArray(update.getValue().getType());
  return op->getNumResults() != 0 &&
         llvm::all_of(op->getResultTypes(), isEmptyArray) &&
         (isMemoryEffectFree(op) ||
          isa<AtomicRMWOp, GetOp, MaskedLoadOp, MaskedSwapOp, SwapOp>(op));
}

/// Arithmetic has one rule for all operations.
LogicalResult KernelEmitter::applyRule(Operation *op) {
  if (!isa_and_present<PallasDialect>(op->getDialect()) &&
      llvm::any_of(op->getResultTypes(), llvm::IsaPred<RefType>))
    return op->emitOpError("yields a ref that is known at run time only; on "
                           "GPUs refs name memory at fixed places, so "
                           "access each of them in a branch of its own");
  if (doesNothing(op))
    return success();
  if (yieldsEmptyArray(op))
    return op->emitOpError("has a result without elements, which has no form "
                           "for GPUs; leave out what is computed with it");
  if (const RuleTable::Rule *rule = rules.find(op))
    return (*rule)(op, *this);
  if (isa_and_present<arith::ArithDialect, math::MathDialect>(op->getDialect()))
    return convertElementwise(op, *this);
  return op->emitOpError("has no form for GPUs; kernels for GPUs copy by "
                         "copy_gmem_to_smem and copy_smem_to_gmem, wait at "
                         "barriers, multiply by wgmma_ref, and compute "
                         "elementwise, by reductions and broadcasts");
}

FailureOr<SmallVector<Value>> KernelEmitter::getTerminatorValues(Block &block) {
  if (!block.mightHaveTerminator())
    return SmallVector<Value>();
  return getValues(block.getTerminator()->getOperands());
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static bool isNotUnit(int64_t size) { return size != 1; }

/// Mosaic has no vectors with dimensions of size 1, which have no layout:
///
///   tensor<1x128xf32> becomes vector<128xf32>
Type KernelEmitter::convertType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return type;
  SmallVector<int64_t> shape(
      llvm::make_filter_range(tensor.getShape(), isNotUnit));
  if (shape.empty())
    return tensor.getElementType();
  return VectorType::get(shape, tensor.getElementType());
}

std::optional<int64_t> KernelEmitter::convertDim(ArrayRef<int64_t> shape,
                                                 int64_t dim) {
  if (shape[dim] == 1)
    return std::nullopt;
  return llvm::count_if(shape.take_front(dim), isNotUnit);
}

/// A ref in global memory is a box until a copy or an access asks for a memref.
FailureOr<Value> KernelEmitter::getValue(Value source) {
  if (Value value = values.lookup(source))
    return value;
  InFlightDiagnostic diag =
      emitError(loc) << "uses a value of type " << source.getType()
                     << " where a vector, a scalar or a ref to shared memory "
                        "is needed";
  if (boxes.count(source))
    diag << "; it lies in global memory, from where copy_gmem_to_smem brings "
            "it";
  return diag;
}

FailureOr<SmallVector<Value>> KernelEmitter::getValues(ValueRange sources) {
  SmallVector<Value> result;
  for (Value source : sources) {
    FailureOr<Value> value = getValue(source);
    if (failed(value))
      return failure();
    result.push_back(*value);
  }
  return result;
}

Value KernelEmitter::i32(int64_t value) {
  return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
}

/// Indices of the hardware's copies and barriers are i32.
Value KernelEmitter::toI32(Value value) {
  if (value.getType().isInteger(32))
    return value;
  if (value.getType().isIndex())
    return arith::IndexCastOp::create(b, loc, b.getI32Type(), value);
  if (value.getType().getIntOrFloatBitWidth() > 32)
    return arith::TruncIOp::create(b, loc, b.getI32Type(), value);
  if (value.getType().isInteger(1))
    return arith::ExtUIOp::create(b, loc, b.getI32Type(), value);
  return arith::ExtSIOp::create(b, loc, b.getI32Type(), value);
}

Value KernelEmitter::toIndex(Value value) {
  if (value.getType().isIndex())
    return value;
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), value);
}

Value KernelEmitter::addConstant(Value value, int64_t constant) {
  if (constant == 0)
    return value;
  Value addend = arith::ConstantOp::create(
      b, loc, b.getIntegerAttr(value.getType(), constant));
  return arith::AddIOp::create(b, loc, value, addend);
}

/// A barrier is 8 bytes whatever its type tells.
int64_t mlir::pallas::getNumBytes(ShapedType type) {
  int64_t bits = isa<mosaic_gpu::BarrierType>(type.getElementType())
                     ? mosaic_gpu::kBarrierBytes * 8
                     : type.getElementTypeBitWidth();
  return llvm::divideCeil(type.getNumElements() * bits, 8);
}

//===----------------------------------------------------------------------===//
// Warpgroups
//===----------------------------------------------------------------------===//

/// The number of a thread's warpgroup.
static Value emitWarpgroup(KernelEmitter &emit) {
  Value thread = gpu::ThreadIdOp::create(emit.b, emit.loc, gpu::Dimension::x);
  return arith::ShRUIOp::create(emit.b, emit.loc, emit.toI32(thread),
                                emit.i32(7));
}

Value KernelEmitter::getWarpgroup() {
  // The compiler cannot know that lanes agree, but a shuffle makes it sure.
  Value warpgroup = emitWarpgroup(*this);
  return NVVM::ShflOp::create(
      b, loc, b.getI32Type(), i32(-1), warpgroup, i32(0), i32(31),
      NVVM::ShflKindAttr::get(b.getContext(), NVVM::ShflKind::idx),
      /*return_value_and_is_valid=*/UnitAttr());
}

Value KernelEmitter::getWarp() {
  Value thread = gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x);
  Value warp = arith::ShRUIOp::create(b, loc, toI32(thread), i32(5));
  warp = NVVM::ShflOp::create(
      b, loc, b.getI32Type(), i32(-1), warp, i32(0), i32(31),
      NVVM::ShflKindAttr::get(b.getContext(), NVVM::ShflKind::idx),
      /*return_value_and_is_valid=*/UnitAttr());
  return arith::RemUIOp::create(b, loc, warp, i32(4));
}

Value KernelEmitter::electThread() {
  Value elected = NVVM::ElectSyncOp::create(b, loc, b.getI1Type(), Value());
  if (isInWarp)
    return elected;
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        getWarp(), i32(0));
  return arith::AndIOp::create(b, loc, isFirst, elected);
}

Value KernelEmitter::emitAssembly(Type result, ValueRange operands,
                                  StringRef text, StringRef constraints) {
  auto assembly = LLVM::InlineAsmOp::create(
      b, loc, result ? result : LLVM::LLVMVoidType::get(b.getContext()),
      operands, text, constraints, /*has_side_effects=*/true,
      /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
      LLVM::AsmDialectAttr(), ArrayAttr());
  return result ? assembly.getRes() : Value();
}

/// The compiler has a barrier for the block only, so this one is assembly.
void KernelEmitter::syncWarpgroup() {
  // Barrier 0 belongs to gpu.barrier.
  Value number = addConstant(emitWarpgroup(*this), 1);
  emitAssembly(Type(), number, "bar.sync $0, 128;", "r");
}

bool KernelEmitter::isWarpgroupSync(Operation *op) {
  auto assembly = dyn_cast<LLVM::InlineAsmOp>(op);
  return assembly && assembly.getAsmString().starts_with("bar.sync");
}

Value KernelEmitter::emitLaneCode(
    Value element, ValueRange scalars,
    function_ref<Value(Value memref, ValueRange scalars)> write) {
  auto type = cast<MemRefType>(element.getType());
  SmallVector<Value> operands{element};
  llvm::append_range(operands, scalars);
  ArrayAttr none = b.getArrayAttr({});
  SmallVector<Attribute> transforms;
  if (mosaic_gpu::getMemory(type) == mosaic_gpu::Memory::Shared)
    transforms.push_back(none);
  auto code = mosaic_gpu::CustomPrimitiveOp::create(
      b, loc, type.getElementType(), operands, none, b.getArrayAttr(transforms),
      none);
  Block &body = code.getBody().emplaceBlock();
  for (Value operand : operands)
    body.addArgument(operand.getType(), loc);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&body);
  Value result =
      write(body.getArgument(0), ValueRange(body.getArguments()).drop_front());
  mosaic_gpu::ReturnOp::create(b, loc, result);
  return code.getResult(0);
}

/// A warp must not wait for the other three of its warpgroup.
void KernelEmitter::syncLanes() {
  if (!isInWarp)
    return syncWarpgroup();
  NVVM::SyncWarpOp::create(b, loc, i32(-1));
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

void KernelEmitter::fenceSharedMemory() {
  MLIRContext *context = b.getContext();
  NVVM::FenceProxyOp::create(
      b, loc, NVVM::ProxyKindAttr::get(context, NVVM::ProxyKind::async_shared),
      NVVM::SharedSpaceAttr::get(context, NVVM::SharedSpace::shared_cta));
}

int64_t KernelEmitter::allocate(int64_t bytes, StringRef role, unsigned index) {
  // Swizzled memory starts at a multiple of 1024 bytes, since the hardware
  // permutes by bits of the address.
  int64_t offset = usedBytes;
  usedBytes += llvm::alignTo(bytes, 1024);
  maxBytes = std::max(maxBytes, usedBytes);
  buffers.push_back({loc, role, index, offset, usedBytes - offset});
  return offset;
}

void KernelEmitter::releaseTo(int64_t mark) {
  usedBytes = mark;
  llvm::erase_if(freeScratch,
                 [&](const auto &free) { return free.first >= mark; });
}

int64_t KernelEmitter::allocateScratch(int64_t bytes) {
  auto *free = llvm::find_if(
      freeScratch, [&](const auto &part) { return part.second == bytes; });
  if (free == freeScratch.end())
    return scratch.emplace_back(allocate(bytes), bytes).first;
  scratch.push_back(*free);
  freeScratch.erase(free);
  return scratch.back().first;
}

void KernelEmitter::releaseScratchTo(size_t count) {
  if (scratch.size() == count)
    return;
  auto released = ArrayRef(scratch).drop_front(count);
  if (LaunchGrid(mesh).warpgroups > 1)
    llvm::append_range(freeScratch, released);
  else
    releaseTo(released.front().first);
  scratch.truncate(count);
}

bool KernelEmitter::isFreeScratch(int64_t offset) const {
  return llvm::is_contained(llvm::make_first_range(freeScratch), offset);
}

void KernelEmitter::takeRegisters(ShapedType accumulator) {
  // Words of 32 bits, shared by the 128 threads of a warpgroup.
  usedRegisters += llvm::divideCeil(getNumBytes(accumulator), 4 * 128);
  maxRegisters = std::max(maxRegisters, usedRegisters);
}

/// How often one arrives at a barrier until its phase ends.
static int64_t getNumArrivals(KernelEmitter &emit, Type type) {
  if (auto barrier = dyn_cast<pallas::BarrierType>(type))
    return barrier.getNumArrivals();
  auto barrier = cast<ClusterBarrierType>(type);
  // An arrival goes to each block that differs from this one along the axes of
  // one group at most.
  int64_t blocks = 1;
  for (ArrayRef<StringAttr> group : getAxisGroups(barrier)) {
    int64_t reached = 1;
    for (StringAttr axis : group)
      reached *= emit.mesh.getAxisSize(axis).value_or(1);
    blocks += reached - 1;
  }
  return barrier.getNumArrivals() * blocks;
}

/// Initializes barriers at which one lane of a warpgroup arrives for all of it.
static void initializeClusterBarriers(KernelEmitter &emit, Value pointer,
                                      int64_t arrivals, int64_t count) {
  OpBuilder &b = emit.b;
  Location loc = emit.loc;
  Value thread = gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x);
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        emit.toI32(thread), emit.i32(0));
  Type element = b.getI64Type();
  for (int64_t i = 0; i < count; ++i) {
    Value address = pointer;
    if (i)
      address =
          LLVM::GEPOp::create(b, loc, pointer.getType(), element, pointer,
                              ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
    NVVM::MBarrierInitOp::create(b, loc, address, emit.i32(arrivals), isFirst);
  }
}

/// Barriers are initialized once, at the start of the kernel, so a scope that
/// ends gives its group back for the next one of the same type. Phases go on: a
/// barrier that is used again continues where it was.
FailureOr<BarrierGroup *> KernelEmitter::takeBarriers(Type type,
                                                      int64_t count) {
  if (count > target.barriers) {
    emitError(loc) << "takes " << count
                   << " barriers at once; the word of their phases has "
                   << target.barriers << " bits";
    return failure();
  }
  for (std::unique_ptr<BarrierGroup> &group : groups)
    if (group->isFree && group->type == type && group->count == count) {
      group->isFree = false;
      return group.get();
    }
  auto group = std::make_unique<BarrierGroup>();
  group->type = type;
  group->count = count;
  group->isFree = false;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(prologueEnd);
  MLIRContext *context = b.getContext();
  auto barrier = dyn_cast<pallas::BarrierType>(type);
  bool orders = barrier ? barrier.getOrdersTensorCore()
                        : cast<ClusterBarrierType>(type).getOrdersTensorCore();
  auto memref = MemRefType::get(
      count, mosaic_gpu::BarrierType::get(context, orders),
      MemRefLayoutAttrInterface(), mosaic_gpu::getSharedMemorySpace(context));
  // The offset is known when all memory is: barriers lie behind it.
  group->slice = mosaic_gpu::SliceSMEMOp::create(
      b, loc, memref, b.getI32IntegerAttr(0), IntegerAttr());
  auto pointer = LLVM::LLVMPointerType::get(context, 3);
  auto array = LLVM::LLVMArrayType::get(b.getI64Type(), 1);
  auto descriptor = LLVM::LLVMStructType::getLiteral(
      context, {pointer, pointer, b.getI64Type(), array, array});
  Value fields = UnrealizedConversionCastOp::create(b, loc, descriptor,
                                                    group->slice.getResult())
                     .getResult(0);
  group->pointer = LLVM::ExtractValueOp::create(b, loc, fields, 1);
  int64_t arrivals = getNumArrivals(*this, type);
  if (barrier)
    mosaic_gpu::InitializeBarrierOp::create(b, loc, group->pointer, arrivals,
                                            count, orders);
  else
    initializeClusterBarriers(*this, group->pointer, arrivals, count);
  group->phases =
      memref::AllocaOp::create(b, loc, MemRefType::get({}, b.getI32Type()));
  memref::StoreOp::create(b, loc, i32(0), group->phases);
  return groups.emplace_back(std::move(group)).get();
}
