//===- Pipelines.cpp - Pipelines inside kernels as loops ------------------===//
//
// One loop runs over all points of the grid. Inputs have two windows each:
// while the body works on one, the block of the next point is copied to the
// other. Outputs have one window, which goes back after each point.
//
//===----------------------------------------------------------------------===//

#include "KernelModule.h"
#include "Patterns.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::pallas;

namespace {

class PipelineExpansion {
public:
  explicit PipelineExpansion(EmitPipelineOp op)
      : op(op), grid(cast<GridMappingOpInterface>(op.getOperation())),
        builder(op), loc(op.getLoc()), mappings(grid.getMappings()) {
    llvm::append_range(arrays, op.getInputs());
    llvm::append_range(arrays, op.getOutputs());
  }

  LogicalResult run();

private:
  LogicalResult verify();
  SmallVector<Value> createSizes();
  void createScope();
  /// The grid indices of a point, which are numbered as they follow each other.
  SmallVector<Value> createIds(Value point);
  /// The block of an array at a point.
  Value createBlock(unsigned index, ValueRange ids);
  /// The window of a block in its buffer.
  Value createWindow(unsigned index, Value slot);
  Value selectSlot(Value buffer, Value slot);
  template <typename CopyOp> void copy(Value from, Value to, Value semaphore) {
    if constexpr (std::is_same_v<CopyOp, DMAStartOp>)
      DMAStartOp::create(builder, loc, from, to, semaphore, Value(),
                         ValueRange(), Value(), DeviceIdTypeAttr(), ArrayAttr(),
                         /*priority=*/0, /*add=*/false);
    else
      DMAWaitOp::create(builder, loc, from, to, semaphore, Value(),
                        ValueRange(), Value(), DeviceIdTypeAttr(), ArrayAttr());
  }
  template <typename CopyOp> void moveInputs(Value point, Value slot);
  void moveOutputs(ValueRange ids, ValueRange windows);
  SmallVector<Value> createStep(Value point, ValueRange carried);

  bool isInput(unsigned index) { return index < grid.getNumInputs(); }
  Value i32(int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI32IntegerAttr(value));
  }

  EmitPipelineOp op;
  GridMappingOpInterface grid;
  OpBuilder builder;
  Location loc;
  SmallVector<BlockMappingAttr> mappings;
  SmallVector<Value> arrays;
  SmallVector<Value> sizes;
  Value numPoints;
  /// In the scope: what holds the windows, and what tells that copies ended.
  SmallVector<Value> buffers, semaphores, scratch;
};

} // namespace

LogicalResult PipelineExpansion::verify() {
  for (unsigned index = 0; index < grid.getNumBlocks(); ++index) {
    ArrayRef<int64_t> shape = cast<RefType>(arrays[index].getType()).getShape();
    for (auto [position, dim] : llvm::enumerate(mappings[index].getDims())) {
      bool isKnown = dim.getKind() == BlockDimKind::Blocked ||
                     dim.getKind() == BlockDimKind::Squeezed ||
                     dim.getKind() == BlockDimKind::Element;
      if (!isKnown || dim.getPadLow() || dim.getPadHigh())
        return op.emitOpError()
               << "has the block dimension " << dim
               << ", but windows of pipelines on TPUs are blocks or elements "
                  "without padding; copy these parts in the kernel";
      if (dim.getKind() == BlockDimKind::Blocked &&
          shape[position] % dim.getSize() != 0)
        return op.emitOpError()
               << "has blocks of " << dim.getSize() << " along dimension "
               << position << ", which has " << shape[position]
               << "; on TPUs they must divide it";
    }
  }
  if (std::optional<StringRef> axis = op.getCoreAxis())
    return op.emitOpError()
           << "shares its grid along the axis '" << *axis
           << "', which has no form on TPUs yet; give each core a part of the "
              "grid";
  return success();
}

SmallVector<Value> PipelineExpansion::createSizes() {
  SmallVector<Value> result;
  auto dynamic = grid.getDynamicGridOperands().begin();
  for (int64_t size : grid.getGridShape()) {
    if (!ShapedType::isDynamic(size)) {
      result.push_back(i32(size));
      continue;
    }
    Value value = *dynamic++;
    result.push_back(value.getType().isIndex()
                         ? arith::IndexCastOp::create(
                               builder, loc, builder.getI32Type(), value)
                               .getResult()
                         : value);
  }
  return result;
}

void PipelineExpansion::createScope() {
  auto scope = RunScopedOp::create(builder, loc, TypeRange(op.getInitCarry()),
                                   ArrayAttr());
  MLIRContext *context = op->getContext();
  Block *body = builder.createBlock(&scope.getBody());
  auto add = [&](RefType type) -> Value {
    return body->addArgument(type, loc);
  };
  auto windows = grid.sliceBlockOps();
  for (auto [index, window] : llvm::enumerate(windows)) {
    auto type = cast<RefType>(window.getType());
    SmallVector<int64_t> shape(type.getShape()), one;
    if (isInput(index)) {
      shape.insert(shape.begin(), 2);
      one.push_back(2);
    }
    buffers.push_back(add(RefType::get(context, shape, type.getElementType(),
                                       type.getMemorySpace(), ArrayAttr())));
    semaphores.push_back(add(RefType::get(one, DMASemaphoreType::get(context),
                                          MemorySpace::Semaphore)));
  }
  for (BlockArgument argument : grid.sliceScratchOps())
    scratch.push_back(add(cast<RefType>(argument.getType())));
  builder.setInsertionPointToStart(body);
  op->replaceAllUsesWith(scope->getResults());
}

SmallVector<Value> PipelineExpansion::createIds(Value point) {
  SmallVector<Value> ids(sizes.size());
  for (size_t dim = sizes.size(); dim-- > 0;) {
    if (dim == 0) {
      ids[dim] = point;
      break;
    }
    ids[dim] = arith::RemSIOp::create(builder, loc, point, sizes[dim]);
    point = arith::DivSIOp::create(builder, loc, point, sizes[dim]);
  }
  return ids;
}

Value PipelineExpansion::createBlock(unsigned index, ValueRange ids) {
  Region *map = grid.getIndexMap(index);
  if (!map)
    return arrays[index];
  IRMapping mapping;
  mapping.map(map->getArguments().take_front(ids.size()), ids);
  for (Operation &nested : map->front().without_terminator())
    builder.clone(nested, mapping);
  SmallVector<DimIndex> entries;
  SmallVector<Value> starts;
  for (auto [result, dim] :
       llvm::zip_equal(map->front().getTerminator()->getOperands(),
                       mappings[index].getDims())) {
    Value start = mapping.lookupOrDefault(result);
    if (start.getType().isIndex())
      start =
          arith::IndexCastOp::create(builder, loc, builder.getI32Type(), start);
    if (dim.getKind() == BlockDimKind::Squeezed) {
      entries.push_back(DimIndex::scalar(ShapedType::kDynamic));
    } else {
      entries.push_back(DimIndex::slice(ShapedType::kDynamic, dim.getSize()));
      if (dim.getKind() == BlockDimKind::Blocked)
        start = arith::MulIOp::create(builder, loc, start, i32(dim.getSize()));
    }
    starts.push_back(start);
  }
  return SliceRefOp::create(builder, loc, arrays[index],
                            IndexerAttr::get(op->getContext(), entries),
                            starts);
}

Value PipelineExpansion::selectSlot(Value buffer, Value slot) {
  SmallVector<DimIndex> entries(cast<RefType>(buffer.getType()).getRank(),
                                DimIndex::full());
  entries.front() = DimIndex::scalar(ShapedType::kDynamic);
  return SliceRefOp::create(builder, loc, buffer,
                            IndexerAttr::get(op->getContext(), entries), slot);
}

Value PipelineExpansion::createWindow(unsigned index, Value slot) {
  return isInput(index) ? selectSlot(buffers[index], slot) : buffers[index];
}

template <typename CopyOp>
void PipelineExpansion::moveInputs(Value point, Value slot) {
  SmallVector<Value> ids = createIds(point);
  for (unsigned index = 0; index < grid.getNumInputs(); ++index)
    copy<CopyOp>(createBlock(index, ids), createWindow(index, slot),
                 selectSlot(semaphores[index], slot));
}

void PipelineExpansion::moveOutputs(ValueRange ids, ValueRange windows) {
  SmallVector<Value> blocks;
  for (unsigned index = grid.getNumInputs(); index < grid.getNumBlocks();
       ++index) {
    blocks.push_back(createBlock(index, ids));
    copy<DMAStartOp>(windows[index], blocks.back(), semaphores[index]);
  }
  for (auto [i, block] : llvm::enumerate(blocks)) {
    unsigned index = grid.getNumInputs() + i;
    copy<DMAWaitOp>(windows[index], block, semaphores[index]);
  }
}

/// One point: returns what the next one is given.
SmallVector<Value> PipelineExpansion::createStep(Value point,
                                                 ValueRange carried) {
  Value one = i32(1);
  Value slot = arith::RemSIOp::create(builder, loc, point, i32(2));
  Value next = arith::AddIOp::create(builder, loc, point, one);
  Value hasNext = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                        next, numPoints);
  auto fetch = scf::IfOp::create(builder, loc, hasNext, /*withElse=*/false);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(fetch.thenBlock());
    moveInputs<DMAStartOp>(next,
                           arith::SubIOp::create(builder, loc, one, slot));
  }
  moveInputs<DMAWaitOp>(point, slot);

  SmallVector<Value> ids = createIds(point), windows;
  Block &kernel = grid.getKernelRegion().front();
  for (auto [argument, id] : llvm::zip(kernel.getArguments(), ids))
    argument.replaceAllUsesWith(id);
  for (auto [index, argument] : llvm::enumerate(grid.sliceBlockOps())) {
    windows.push_back(createWindow(index, slot));
    argument.replaceAllUsesWith(windows.back());
  }
  for (auto [argument, ref] : llvm::zip_equal(grid.sliceScratchOps(), scratch))
    argument.replaceAllUsesWith(ref);
  for (auto [argument, value] : llvm::zip_equal(
           kernel.getArguments().take_back(carried.size()), carried))
    argument.replaceAllUsesWith(value);
  Operation *terminator = kernel.getTerminator();
  SmallVector<Value> results(terminator->getOperands());
  terminator->erase();
  Block *block = builder.getInsertionBlock();
  block->getOperations().splice(builder.getInsertionPoint(),
                                kernel.getOperations());
  moveOutputs(ids, windows);
  return results;
}

LogicalResult PipelineExpansion::run() {
  if (failed(verify()))
    return failure();
  sizes = createSizes();
  numPoints = i32(1);
  for (Value size : sizes)
    numPoints = arith::MulIOp::create(builder, loc, numPoints, size);
  SmallVector<Value> carried(op.getInitCarry());
  createScope();
  Value zero = i32(0);
  Value hasAny = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt,
                                       numPoints, zero);
  auto prologue = scf::IfOp::create(builder, loc, hasAny, /*withElse=*/false);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(prologue.thenBlock());
    moveInputs<DMAStartOp>(zero, zero);
  }
  auto loop =
      scf::ForOp::create(builder, loc, zero, numPoints, i32(1), carried);
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *body = loop.getBody();
    // Without results the loop comes with its end.
    if (body->mightHaveTerminator() && !body->empty())
      body->getTerminator()->erase();
    builder.setInsertionPointToEnd(body);
    SmallVector<Value> results =
        createStep(loop.getInductionVar(), loop.getRegionIterArgs());
    scf::YieldOp::create(builder, loc, results);
  }
  YieldOp::create(builder, loc, loop.getResults());
  op.erase();
  return success();
}

LogicalResult mlir::pallas::expandPipelines(Operation *call) {
  SmallVector<EmitPipelineOp> pipelines;
  walkNests(call, [&](Operation *op) {
    if (auto pipeline = dyn_cast<EmitPipelineOp>(op))
      pipelines.push_back(pipeline);
  });
  // Inner ones come first.
  for (EmitPipelineOp op : pipelines)
    if (failed(PipelineExpansion(op).run()))
      return failure();
  return success();
}
