//===- TPUCarryVectorsAsMatrices.cpp - Vectors that control flow carries --===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler finds no layout for some vectors with one dimension that a loop
// carries or a branch yields. They are carried as one row of a matrix:
//
//   scf.for ... iter_args(%a = %v) -> (vector<128xf32>)
// becomes
//   %m = vector.shape_cast %v : vector<128xf32> to vector<1x128xf32>
//   scf.for ... iter_args(%a = %m) -> (vector<1x128xf32>)
//
// Narrow scalars are carried in 32 bits, which are all that scalar units know.
//
// It gives a vector that an scf.while carries the layout that the vector starts
// with. One that starts as a broadcast has each element in many places, and the
// value that the body yields can't be brought there. It starts in memory
// instead:
//
//   %v = vector.broadcast %row        %v = tpu.region { store, vector.load }
//   scf.while (%a = %v)          =>   scf.while (%a = %v)
//
// For an scf.for it looks at the body twice: a vector that starts as a
// broadcast and gets the elements of a load in the first round is found. One
// that gets them in a later round, from another carried vector, starts in
// memory, too:
//
//   scf.for ... iter_args(%a = %splat, %b = %splat, %c = %load)
//     scf.yield %b, %c, %a
//
//===----------------------------------------------------------------------===//

#include "KernelFunctions.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Dialect/MosaicTPU/Transforms/Passes.h"
#include "pallas/Dialect/MosaicTPU/Utils/ScopedBuffer.h"
#include "pallas/Dialect/MosaicTPU/Utils/VectorShapes.h"
#include "pallas/Support/Nests.h"

namespace mlir::tpu {
#define GEN_PASS_DEF_TPUCARRYVECTORSASMATRICES
#include "pallas/Dialect/MosaicTPU/Transforms/Passes.h.inc"
} // namespace mlir::tpu

using namespace mlir;
using namespace mlir::tpu;

/// The type to carry in place of this one; null when it can stay.
/// Masks stay: they have no layout that could differ. Scalars have 32 bits.
static Type getCarriedType(Type type) {
  if (type.isIntOrFloat() && !type.isInteger(1) &&
      type.getIntOrFloatBitWidth() < 32)
    return isa<FloatType>(type) ? Type(Float32Type::get(type.getContext()))
                                : IntegerType::get(type.getContext(), 32);
  auto vector = dyn_cast<VectorType>(type);
  if (!vector || vector.getRank() != 1 || vector.getElementType().isInteger(1))
    return {};
  return VectorType::get({1, vector.getDimSize(0)}, vector.getElementType());
}

/// The value as it is carried, or as it was before.
static Value castTo(Emitter &emit, Value value, Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return emit.reshape(value, vector.getShape());
  return type.getIntOrFloatBitWidth() == 32 ? widen(emit, value)
                                            : narrow(emit, value, type);
}

/// Casts the operands of an operation, or of a terminator, to the carried
/// types.
static void passRows(Operation *op, const TPUChip &chip) {
  OpBuilder builder(op);
  Emitter emit(builder, op->getLoc(), chip);
  for (OpOperand &operand : op->getOpOperands())
    if (Type type = getCarriedType(operand.get().getType()))
      operand.set(castTo(emit, operand.get(), type));
}

/// Makes the value one that is carried, and casts it back for its users.
static void receiveRow(OpBuilder &builder, Value value, const TPUChip &chip) {
  Type type = value.getType(), carried = getCarriedType(type);
  if (!carried)
    return;
  value.setType(carried);
  Emitter emit(builder, value.getLoc(), chip);
  Value cast = castTo(emit, value, type);
  value.replaceAllUsesExcept(cast, cast.getDefiningOp());
}

/// All values at the border of control flow change together: operands,
/// arguments, what regions yield, and results.
static void carryRows(Operation *op, const TPUChip &chip) {
  passRows(op, chip);
  for (Region &region : op->getRegions()) {
    if (region.empty())
      continue;
    OpBuilder builder = OpBuilder::atBlockBegin(&region.front());
    for (BlockArgument argument : region.getArguments())
      receiveRow(builder, argument, chip);
    passRows(region.front().getTerminator(), chip);
  }
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  for (OpResult result : op->getResults())
    receiveRow(builder, result, chip);
}

/// Whether each element of a vector is known to be in one place: it was loaded
/// so, or combined with what was.
/// A wrong answer costs a store and a load, so the search may give up.
static bool isSpreadOut(Value value) {
  SmallVector<Value> worklist = {value};
  SmallPtrSet<Operation *, 16> seen;
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    Operation *op = next.getDefiningOp();
    if (!op || !seen.insert(op).second)
      continue;
    if (isa<vector::LoadOp, tpu::VectorLoadOp, tpu::StridedLoadOp>(op))
      return true;
    if (!op->hasTrait<OpTrait::Elementwise>())
      continue;
    for (Value operand : op->getOperands())
      if (isa<VectorType>(operand.getType()))
        worklist.push_back(operand);
  }
  return false;
}

namespace {
/// Finds vectors that repeat an element: constants, broadcasts, and elementwise
/// arithmetic on such vectors only. `repeated` has the vectors carried by
/// `loop` that do.
class RepeatedElements {
public:
  RepeatedElements(scf::ForOp loop, const DenseSet<Value> &repeated)
      : loop(loop), repeated(repeated) {}

  bool contains(Value value) {
    if (auto known = found.find(value); known != found.end())
      return known->second;
    // The search calls itself, so long chains count as having other elements.
    if (depth == kMaxDepth)
      return false;
    ++depth;
    bool result = find(value);
    --depth;
    return found[value] = result;
  }

private:
  bool find(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto carrier = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      if (!carrier || carrier == loop)
        return repeated.contains(argument);
      OpOperand *init = carrier.getTiedLoopInit(argument);
      return init && contains(init->get());
    }
    auto result = cast<OpResult>(value);
    Operation *op = result.getOwner();
    if (isa<vector::BroadcastOp>(op) || op->hasTrait<OpTrait::ConstantLike>())
      return true;
    if (auto cast = dyn_cast<vector::ShapeCastOp>(op))
      return contains(cast.getSource());
    unsigned number = result.getResultNumber();
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return contains(branch.thenYield().getOperand(number)) &&
             contains(branch.elseYield().getOperand(number));
    if (auto inner = dyn_cast<scf::ForOp>(op))
      return contains(inner.getInits()[number]) &&
             contains(inner.getYieldedValues()[number]);
    return op->hasTrait<OpTrait::Elementwise>() &&
           llvm::all_of(op->getOperands(), [&](Value operand) {
             return !isa<VectorType>(operand.getType()) || contains(operand);
           });
  }

  static constexpr unsigned kMaxDepth = 256;

  scf::ForOp loop;
  const DenseSet<Value> &repeated;
  DenseMap<Value, bool> found;
  unsigned depth = 0;
};
} // namespace

/// The carried vectors of `loop` that start with an element in many places, and
/// have them in one place each only from the third round on:
///
///   scf.for ... iter_args(%a = %splat, %b = %splat, %c = %load)
///     scf.yield %b, %c, %a
///
/// `%b` gets the elements of the load in the first round, which the compiler
/// finds, `%a` in the second one.
static SmallVector<OpOperand *> findLateVectors(scf::ForOp loop) {
  auto getInit = [&](Value carried) {
    return loop.getTiedLoopInit(cast<BlockArgument>(carried));
  };
  DenseSet<Value> none, repeated;
  RepeatedElements atStart(loop, none);
  for (BlockArgument carried : loop.getRegionIterArgs()) {
    auto type = dyn_cast<VectorType>(carried.getType());
    if (type && type.getNumElements() > 1 &&
        atStart.contains(getInit(carried)->get()))
      repeated.insert(carried);
  }
  auto afterRound = [&](const DenseSet<Value> &before) {
    RepeatedElements elements(loop, before);
    DenseSet<Value> after;
    for (BlockArgument carried : loop.getRegionIterArgs())
      if (before.contains(carried) &&
          elements.contains(loop.getTiedLoopYieldedValue(carried)->get()))
        after.insert(carried);
    return after;
  };
  DenseSet<Value> first = afterRound(repeated), last = first, next;
  while ((next = afterRound(last)).size() < last.size())
    last = next;
  SmallVector<OpOperand *> result;
  for (BlockArgument carried : loop.getRegionIterArgs())
    if (first.contains(carried) && !last.contains(carried))
      result.push_back(getInit(carried));
  return result;
}

/// Masks go through memory as integers.
static Value loadFromBuffer(Emitter &emit, Value vector) {
  if (getElementType(vector.getType()).isInteger(1))
    return emit.i32ToBool(loadFromBuffer(emit, emit.boolToI32(vector)));
  tpu::ScopedBuffer buffer(emit, vector, /*dim=*/0, vector.getType());
  return buffer.finish(buffer.loadAll());
}

/// Returns how many vectors it spread.
static unsigned spreadInitialVectors(scf::WhileOp loop, const TPUChip &chip) {
  OpBuilder builder(loop);
  Emitter emit(builder, loop.getLoc(), chip);
  unsigned count = 0;
  for (OpOperand &init : loop.getInitsMutable()) {
    auto type = dyn_cast<VectorType>(init.get().getType());
    // A single element is in one place anyhow.
    if (!type || type.getNumElements() == 1 || isSpreadOut(init.get()))
      continue;
    init.set(loadFromBuffer(emit, init.get()));
    ++count;
  }
  return count;
}

/// Returns how many vectors it spread.
static unsigned spreadLateVectors(scf::ForOp loop, const TPUChip &chip) {
  SmallVector<OpOperand *> late = findLateVectors(loop);
  OpBuilder builder(loop);
  Emitter emit(builder, loop.getLoc(), chip);
  for (OpOperand *init : late)
    init->set(loadFromBuffer(emit, init->get()));
  return late.size();
}

/// For the statistic: whether anything changes.
static bool carriesRows(Operation *op) {
  auto isRow = [](Type type) {
    return static_cast<bool>(getCarriedType(type));
  };
  return llvm::any_of(op->getOperandTypes(), isRow) ||
         llvm::any_of(op->getResultTypes(), isRow);
}

namespace {
/// Rows first: a vector that an scf.while carries is a matrix when its start is
/// examined.
struct CarryVectorsAsMatricesPass
    : public tpu::impl::TPUCarryVectorsAsMatricesBase<
          CarryVectorsAsMatricesPass> {
  using TPUCarryVectorsAsMatricesBase::TPUCarryVectorsAsMatricesBase;

  void runOnOperation() override {
    if (failed(forEachKernelFunction(
            getOperation(), chip, [&](func::FuncOp function, const TPUChip &c) {
              // The vectors of SparseCores have one dimension everywhere.
              if (getCoreType(function) == CoreType::TensorCore)
                run(function, c);
            })))
      signalPassFailure();
  }

  void run(func::FuncOp function, const TPUChip &target) {
    pallas::walkNests(function, [&](Operation *op) {
      if (!isa<scf::ForOp, scf::WhileOp, scf::IfOp>(op))
        return;
      numCarried += carriesRows(op);
      carryRows(op, target);
    });
    function.walk([&](Operation *op) {
      if (auto loop = dyn_cast<scf::WhileOp>(op))
        numSpread += spreadInitialVectors(loop, target);
      if (auto loop = dyn_cast<scf::ForOp>(op))
        numSpread += spreadLateVectors(loop, target);
    });
  }
};
} // namespace
