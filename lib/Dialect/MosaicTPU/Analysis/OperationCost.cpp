//===- OperationCost.cpp - What operations count --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translates each operation into terms of the cost table: how often a unit
// works, and how long the next operation waits. Cycles per term come from
// measurements of each generation, so nothing here is in cycles. What is not
// listed counts as arithmetic on each register of the result.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "pallas/Dialect/MosaicTPU/Analysis/BlockCost.h"
#include "pallas/Dialect/MosaicTPU/IR/TPU.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tpu;

static constexpr int64_t kRows = 8, kLanes = 128;

/// Registers have 8 sublanes of 128 lanes of 32 bits; partial tiles take whole
/// ones. For example, vector<9x200xf32> takes 2 x 2 of them.
double mlir::tpu::getNumRegisters(Type type) {
  ArrayRef<int64_t> shape;
  // Nearly all are of one of these, which the interface takes long to find.
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    shape = tensor.getShape();
  else if (auto vector = dyn_cast<VectorType>(type))
    shape = vector.getShape();
  else if (auto other = dyn_cast<ShapedType>(type);
           other && other.hasRank() && !isa<MemRefType>(type))
    shape = other.getShape();
  if (shape.empty() || ShapedType::isDynamicShape(shape))
    return 0;
  double registers = llvm::divideCeil(shape.back(), kLanes);
  if (shape.size() > 1)
    registers *= llvm::divideCeil(shape[shape.size() - 2], kRows);
  for (int64_t size : shape.drop_back(std::min<size_t>(2, shape.size())))
    registers *= size;
  return registers;
}

/// Elements without a width, such as index, are held in words.
static unsigned getBits(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 32;
}

double mlir::tpu::getNumPackedRegisters(Type type) {
  unsigned bits = getBits(type);
  double registers = getNumRegisters(type);
  return bits < 32 && bits > 1 ? std::max(1.0, registers * bits / 32)
                               : registers;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

namespace {
/// The terms of an operation on elements per register: one term, or one of the
/// special unit and one of arithmetic; and its chain in steps of arithmetic.
struct ElementRule {
  StringLiteral op;
  CostTerm term;
  std::optional<CostTerm> arith;
  double waits;
};
} // namespace

static constexpr ElementRule kElementRules[] = {
    {"arith.divf", CostTerm::Divide, CostTerm::DivideArith, 2},
    {"tpu.reciprocal", CostTerm::Divide, CostTerm::DivideArith, 2},
    {"math.exp", CostTerm::Exp, CostTerm::ExpArith, 1},
    {"math.exp2", CostTerm::Exp, CostTerm::ExpArith, 1},
    {"math.log", CostTerm::Log, CostTerm::LogArith, 1},
    {"math.log2", CostTerm::Log, CostTerm::LogArith, 1},
    {"math.log1p", CostTerm::Log1p, CostTerm::Log1pArith, 2},
    {"math.expm1", CostTerm::Log1p, CostTerm::Log1pArith, 2},
    {"math.tanh", CostTerm::Tanh, CostTerm::TanhArith, 1},
    {"tpu.logistic", CostTerm::Logistic, CostTerm::LogisticArith, 2},
    {"math.sqrt", CostTerm::Root, CostTerm::RootArith, 1},
    {"math.rsqrt", CostTerm::Root, CostTerm::RootArith, 1},
    {"math.sin", CostTerm::Sine, std::nullopt, 60},
    {"math.cos", CostTerm::Sine, std::nullopt, 60},
    {"math.tan", CostTerm::Sine, std::nullopt, 60},
    {"math.erf", CostTerm::Erf, std::nullopt, 20},
    {"math.powf", CostTerm::Power, std::nullopt, 20},
    {"math.atan2", CostTerm::Power, std::nullopt, 20},
    {"arith.muli", CostTerm::Multiply, std::nullopt, 4},
    {"math.floor", CostTerm::Round, std::nullopt, 2},
    {"math.ceil", CostTerm::Round, std::nullopt, 2},
    {"math.round", CostTerm::Round, std::nullopt, 2},
    {"math.roundeven", CostTerm::Round, std::nullopt, 2},
    {"arith.sitofp", CostTerm::Convert, std::nullopt, 1},
    {"arith.uitofp", CostTerm::Convert, std::nullopt, 1},
    {"arith.fptosi", CostTerm::Convert, std::nullopt, 1},
    {"arith.fptoui", CostTerm::Convert, std::nullopt, 1},
    {"tpu.fptosi", CostTerm::Convert, std::nullopt, 1},
    {"tpu.sitofp", CostTerm::Convert, std::nullopt, 1},
    {"tpu.prng_random_bits", CostTerm::Random, std::nullopt, 1},
};

/// A map, since this is asked for every operation of a kernel.
static const ElementRule *findElementRule(StringRef name) {
  static const llvm::StringMap<const ElementRule *> rules = [] {
    llvm::StringMap<const ElementRule *> map;
    for (const ElementRule &rule : kElementRules)
      map[rule.op] = &rule;
    return map;
  }();
  return rules.lookup(name);
}

bool mlir::tpu::isIntegerDivision(Operation *op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
             arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp>(op);
}

/// An integer that is known, or all elements if they are the same one, as a
/// constant or as the broadcast of one.
static std::optional<APInt> findNumber(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return number;
  Operation *op = value.getDefiningOp();
  bool isSplat = op && op->getNumOperands() == 1 &&
                 op->getOperand(0).getType().isIntOrIndex();
  return isSplat ? findNumber(op->getOperand(0)) : std::nullopt;
}

/// The same value, or the same broadcast of one.
static bool isSameNumber(Value a, Value b) {
  if (a == b)
    return true;
  Operation *left = a.getDefiningOp(), *right = b.getDefiningOp();
  return left && right && left->getNumOperands() == 1 &&
         a.getType() == b.getType() && left->getName() == right->getName() &&
         isa<vector::BroadcastOp>(left) &&
         left->getOperands() == right->getOperands();
}

/// A remainder comes with the quotient of the same numbers, which is among the
/// first users of the divisor.
static bool isComputedWithQuotient(Operation *op) {
  constexpr unsigned kMostUsers = 16;
  if (!isa<arith::RemSIOp, arith::RemUIOp>(op))
    return false;
  bool isSigned = isa<arith::RemSIOp>(op);
  unsigned numUsers = 0;
  for (Operation *user : op->getOperand(1).getUsers()) {
    bool isQuotient =
        isSigned ? isa<arith::DivSIOp>(user) : isa<arith::DivUIOp>(user);
    if (isQuotient && user->getBlock() == op->getBlock() &&
        user->getOperand(1) == op->getOperand(1) &&
        isSameNumber(user->getOperand(0), op->getOperand(0)))
      return true;
    if (++numUsers == kMostUsers)
      break;
  }
  return false;
}

/// No unit divides integers. A divisor that is known becomes a product with its
/// inverse, or a shift; any other takes a step for each bit:
///
///   arith.divsi %x, dense<7>     9 cycles for a register on v5e
///   arith.divsi %x, %y           90, and 250 until the first one is done
static std::optional<OperationCost> getDivisionCost(Operation *op,
                                                    double registers) {
  if (!isIntegerDivision(op))
    return std::nullopt;
  OperationCost cost;
  std::optional<APInt> divisor = findNumber(op->getOperand(1));
  bool isShift = divisor && divisor->isPowerOf2();
  if (!registers)
    return cost.count(CostTerm::Scalar, 8)
        .wait(CostTerm::ArithLatency, isShift ? 3 : 14);
  if (!divisor && isComputedWithQuotient(op))
    return cost;
  if (!divisor)
    return cost.count(CostTerm::LongDivide, registers)
        .wait(CostTerm::DivideLatency);
  constexpr double kShift = 0.3;
  return cost.count(CostTerm::IntegerDivide, (isShift ? kShift : 1) * registers)
      .wait(CostTerm::ArithLatency, isShift ? 4 : 40);
}

/// Operations on every element, after others have had their turn.
OperationCost mlir::tpu::getElementCost(Operation *op) {
  OperationCost cost;
  if (op->getNumResults() != 1)
    return cost;
  Type type = op->getResult(0).getType();
  double registers = getNumRegisters(type);
  if (std::optional<OperationCost> division = getDivisionCost(op, registers))
    return *division;
  // Words and indices are the same.
  if (!registers)
    return isa<IntegerType, IndexType, FloatType>(type) &&
                   !isa<arith::IndexCastOp>(op)
               ? cost.count(CostTerm::Scalar, 1).wait(CostTerm::ArithLatency)
               : cost;
  StringRef name = op->getName().getStringRef();
  // The special unit works beside arithmetic: both terms count, and only the
  // latency of the slower path delays the next operation.
  if (const ElementRule *rule = findElementRule(name)) {
    cost.count(rule->term, registers);
    if (rule->arith)
      cost.count(*rule->arith, registers);
    return rule->arith ? cost.wait(CostTerm::SpecialLatency, rule->waits)
                       : cost.wait(CostTerm::ArithLatency, rule->waits);
  }
  unsigned bits = getBits(type);
  Type operand = op->getNumOperands() ? op->getOperand(0).getType() : type;
  // Masks have registers and a unit of their own.
  if (bits == 1 && getBits(operand) == 1)
    return cost.count(CostTerm::Mask, registers).wait(CostTerm::ArithLatency);
  if (isa<CastOpInterface>(op) && getBits(operand) != bits)
    return cost
        .count(CostTerm::ConvertNarrow,
               std::max(registers, getNumRegisters(operand)))
        .wait(CostTerm::ArithLatency, 2);
  bool isNarrow = bits < 32 && bits > 1;
  return cost
      .count(isNarrow ? CostTerm::ArithNarrow : CostTerm::Arith,
             isNarrow ? getNumPackedRegisters(type) : registers)
      .wait(CostTerm::ArithLatency);
}

//===----------------------------------------------------------------------===//
// Matrix unit
//===----------------------------------------------------------------------===//

/// The matrix unit holds a block of the right operand while rows of the left
/// one stream through it:
///
///   %c = tpu.matmul %a, %b : 256x512 by 512x128
///
/// on a unit of 128 columns takes 4 passes over k, each with 256 / 8 registers
/// of rows, after the weights of the pass were loaded. Results of all passes
/// are added up outside of the unit, which is why they count once per pass. The
/// first rows wait for the weights of the first pass, which are fewer where k
/// is small: up to half of the latency.
OperationCost mlir::tpu::getMatmulCost(const MatmulShape &shape,
                                       const TPUChip &chip) {
  OperationCost cost;
  double columns = llvm::divideCeil(shape.n, chip.matrixColumns);
  double inner = llvm::divideCeil(shape.k, chip.matrixColumns);
  double passes = inner * columns * shape.batch;
  // Registers with one word per element.
  double heights = llvm::divideCeil(shape.m, kRows);
  double weights = shape.batch * llvm::divideCeil(shape.k, kRows) * columns;
  cost.count(shape.bits == 32   ? CostTerm::WeightsF32
             : shape.bits == 16 ? CostTerm::WeightsBF16
                                : CostTerm::WeightsI8,
             weights * (shape.isHighest ? 3 : 1));
  cost.count(shape.isHighest    ? CostTerm::RowsHighest
             : shape.bits == 32 ? CostTerm::RowsF32
             : shape.bits == 16 ? CostTerm::RowsBF16
                                : CostTerm::RowsI8,
             heights * passes);
  cost.count(CostTerm::Result,
             shape.batch * heights * llvm::divideCeil(shape.n, kLanes) * inner);
  return cost.wait(CostTerm::MatmulLatency);
}

/// Transposed operands are turned before the unit sees them.
/// `dimension_numbers` overrides the older flags, as in the Mosaic compiler.
static OperationCost getMatmulCost(MatmulOp op, const TPUChip &chip) {
  ArrayRef<int64_t> lhs = cast<VectorType>(op.getLhs().getType()).getShape();
  ArrayRef<int64_t> rhs = cast<VectorType>(op.getRhs().getType()).getShape();
  ArrayRef<int64_t> out = cast<VectorType>(op.getResult().getType()).getShape();
  bool turnsRhs = op.getTransposeRhs(), turnsLhs = op.getTransposeLhs();
  if (auto dims = op.getDimensionNumbers()) {
    turnsLhs = dims->getLhsContractingDims().front() + 1 != int64_t(lhs.size());
    turnsRhs = dims->getRhsContractingDims().front() + 1 == int64_t(rhs.size());
  }
  MatmulShape shape;
  for (int64_t size : out.drop_back(2))
    shape.batch *= size;
  shape.m = out[out.size() - 2];
  shape.n = out.back();
  shape.k = turnsLhs ? lhs[lhs.size() - 2] : lhs.back();
  shape.bits = getBits(op.getLhs().getType());
  shape.isHighest = op.getPrecision() == ContractPrecision::FP32;
  OperationCost cost = mlir::tpu::getMatmulCost(shape, chip);
  if (turnsRhs)
    cost.count(CostTerm::Turned, getNumPackedRegisters(op.getRhs().getType()));
  if (turnsLhs) {
    cost.count(CostTerm::Transpose,
               getNumPackedRegisters(op.getLhs().getType()));
    cost.turns = 2;
  }
  // The first rows wait for the weights of the first pass, which are fewer
  // where k is small. The ranking of forms of one kernel (StepCost.cpp) leaves
  // that out: it chooses better with the latency of full passes.
  double filled = std::min(1.0, double(shape.k) / chip.matrixColumns);
  return cost.wait(CostTerm::MatmulLatency, 0.5 + 0.5 * filled);
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// Parts that begin in the middle of tiles are moved.
static OperationCost getSliceCost(ArrayRef<int64_t> offsets, Type moved) {
  OperationCost cost;
  int64_t rank = offsets.size();
  int64_t lane = rank > 0 ? offsets[rank - 1] : 0;
  int64_t row = rank > 1 ? offsets[rank - 2] : 0;
  if (lane % kLanes)
    return cost.count(CostTerm::LaneRotate, getNumRegisters(moved))
        .wait(CostTerm::CrossLatency);
  if (row % kRows)
    return cost.count(CostTerm::RowRotate, getNumRegisters(moved))
        .wait(CostTerm::ArithLatency, 2);
  return cost;
}

/// A source whose offset is no multiple of a tile is rotated into place; the
/// others are only renamed.
static OperationCost getConcatenateCost(ConcatenateOp op) {
  OperationCost cost;
  int64_t rank = cast<VectorType>(op.getOutput().getType()).getRank();
  int64_t dim = op.getDimension(), offset = 0;
  int64_t tile = dim == rank - 1 ? kLanes : dim == rank - 2 ? kRows : 1;
  double moved = 0;
  for (Value source : op.getSources()) {
    auto type = cast<VectorType>(source.getType());
    if (offset % tile)
      moved += getNumRegisters(type);
    offset += type.getShape()[dim];
  }
  if (!moved)
    return cost;
  if (tile == kLanes)
    return cost.count(CostTerm::LaneRotate, moved).wait(CostTerm::CrossLatency);
  return cost.count(CostTerm::RowRotate, moved).wait(CostTerm::ArithLatency, 3);
}

//===----------------------------------------------------------------------===//
// Lanes and rows
//===----------------------------------------------------------------------===//

static LaneOrigin getLaneOrigin(Operation *op) {
  auto reducesLanes = [](Value source, ArrayRef<int64_t> dims) {
    int64_t rank = cast<VectorType>(source.getType()).getRank();
    return llvm::is_contained(dims, rank - 1) ? LaneOrigin::Repeated
                                              : LaneOrigin::Other;
  };
  if (auto reduction = dyn_cast<vector::MultiDimReductionOp>(op))
    return reducesLanes(reduction.getSource(), reduction.getReductionDims());
  if (auto reduction = dyn_cast<ReduceOp>(op))
    return reducesLanes(reduction.getInput(), reduction.getDimensions());
  if (auto broadcast = dyn_cast<vector::BroadcastOp>(op))
    return isa<VectorType>(broadcast.getSourceType()) ? LaneOrigin::Other
                                                      : LaneOrigin::Splat;
  if (isa<vector::ShapeCastOp, ReshapeOp>(op))
    return getReshapeOrigin(op->getOperand(0).getType(),
                            op->getResult(0).getType());
  return OpTrait::hasElementwiseMappableTraits(op) ? LaneOrigin::Operands
                                                   : LaneOrigin::Other;
}

/// A reduction along lanes leaves its result in all of them, where it takes no
/// cross-lane unit to broadcast it:
///
///   %s = vector.multi_reduction <add>, %x [1] : <512x128> to <512>
///   %c = vector.shape_cast %s : <512> to <512x1>            free
///   %b = vector.broadcast %c : <512x1> to <512x128>         free
static bool isRepeatedInLanes(Value value) {
  return mlir::tpu::isRepeatedInLanes(value, getLaneOrigin);
}

static OperationCost getReshapeCost(Value source, Value result) {
  auto from = cast<VectorType>(source.getType());
  auto to = cast<VectorType>(result.getType());
  bool addsLanes = to.getRank() > 0 && to.getShape().back() == 1;
  return addsLanes && isRepeatedInLanes(source)
             ? OperationCost()
             : mlir::tpu::getReshapeCost(from, to);
}

static OperationCost getBroadcastCost(vector::BroadcastOp op) {
  auto source = dyn_cast<VectorType>(op.getSourceType());
  if (!source)
    return OperationCost().count(CostTerm::Scalar, 1);
  bool isFree = source.getRank() > 0 && source.getShape().back() == 1 &&
                isRepeatedInLanes(op.getSource());
  return isFree ? OperationCost()
                : mlir::tpu::getBroadcastCost(source, op.getResultVectorType());
}

/// An element becomes a scalar from the first lane and row of a register, to
/// which it moves before:
///
///   %s = vector.extract %v[5] : i32 from vector<8xi32>     lane 5
///   %c = vector.shape_cast %x : <8x1> to <8>
///   %t = vector.extract %c[5] : i32 from vector<8xi32>     row 5
static OperationCost getElementAccessCost(vector::ExtractOp op) {
  OperationCost cost;
  if (isa<VectorType>(op.getType()))
    return cost;
  cost.count(CostTerm::Scalar, 1);
  ArrayRef<int64_t> position = op.getStaticPosition();
  if (isa_and_nonnull<vector::BroadcastOp>(op.getSource().getDefiningOp()))
    return cost;
  auto isLastOne = [](Value value) {
    auto type = dyn_cast<VectorType>(value.getType());
    return type && type.getRank() > 1 && type.getShape().back() == 1;
  };
  auto cast = op.getSource().getDefiningOp<vector::ShapeCastOp>();
  if (position.empty() || position.back() == 0)
    return cost;
  if (cast && isLastOne(cast.getSource()))
    return cost.count(CostTerm::RowRotate, 1).wait(CostTerm::ArithLatency);
  return cost.count(CostTerm::ExtractLane, 1).wait(CostTerm::CrossLatency, 2);
}

/// Rows are chosen within a register, lanes by the cross-lane unit.
static OperationCost getGatherCost(DynamicGatherOp op) {
  auto type = cast<VectorType>(op.getOutput().getType());
  double registers = getNumRegisters(type);
  OperationCost cost;
  if (llvm::is_contained(op.getDimensions(), type.getRank() - 1))
    return cost.count(CostTerm::Gather, registers)
        .wait(CostTerm::CrossLatency, 1.8);
  return cost.count(CostTerm::RowRotate, registers)
      .wait(CostTerm::ArithLatency, 10);
}

static OperationCost getWork(Operation *op, const TPUChip &chip) {
  if (std::optional<OperationCost> access = getAccessCost(op))
    return *access;
  auto getVector = [](Value value) {
    return cast<VectorType>(value.getType());
  };
  return llvm::TypeSwitch<Operation *, OperationCost>(op)
      .Case([&](MatmulOp op) { return getMatmulCost(op, chip); })
      .Case([&](vector::MultiDimReductionOp op) {
        return getReductionCost(op.getSourceVectorType(), op.getReductionDims(),
                                op.getKind() == vector::CombiningKind::ADD);
      })
      .Case([&](ReduceOp op) {
        return getReductionCost(getVector(op.getInput()), op.getDimensions(),
                                op.getKind() == ReductionKind::Sum);
      })
      .Case([&](AllReduceOp op) {
        return getReductionCost(getVector(op.getInput()),
                                {int64_t(op.getDim())},
                                op.getKind() == ReductionKind::Sum);
      })
      .Case([&](ReduceIndexOp op) {
        return OperationCost()
            .count(CostTerm::IndexReduction,
                   getNumRegisters(op.getInput().getType()))
            .wait(CostTerm::CrossLatency);
      })
      .Case([&](vector::BroadcastOp op) { return getBroadcastCost(op); })
      .Case([&](vector::ShapeCastOp op) {
        return getReshapeCost(op.getSource(), op.getResult());
      })
      .Case([&](ReshapeOp op) {
        return getReshapeCost(op.getSource(), op.getResult());
      })
      .Case([&](vector::TransposeOp op) {
        return getTransposeCost(op.getSourceVectorType(), op.getPermutation());
      })
      .Case([&](TransposeOp op) {
        return getTransposeCost(getVector(op.getVector()), op.getPermutation());
      })
      .Case([&](vector::ExtractOp op) { return getElementAccessCost(op); })
      .Case([&](ConcatenateOp op) { return getConcatenateCost(op); })
      .Case([&](vector::ExtractStridedSliceOp op) {
        SmallVector<int64_t> offsets;
        op.getOffsets(offsets);
        return getSliceCost(offsets, op.getType());
      })
      .Case([&](DynamicRotateOp op) {
        return getRotateCost(getVector(op.getValue()), op.getDimension());
      })
      .Case([&](DynamicGatherOp op) { return getGatherCost(op); })
      .Default([&](Operation *op) {
        bool isFree = op->hasTrait<OpTrait::ConstantLike>() ||
                      op->hasTrait<OpTrait::IsTerminator>();
        return isFree ? OperationCost() : getElementCost(op);
      });
}

/// Whether the result takes registers that hold something computed.
static double getHeldRegisters(Operation *op) {
  if (op->getNumResults() != 1 || op->hasTrait<OpTrait::ConstantLike>() ||
      isa<vector::BroadcastOp, vector::LoadOp, VectorLoadOp, IotaOp>(op))
    return 0;
  return getNumRegisters(op->getResult(0).getType());
}

/// Adds what the schedule of a block asks: how many registers the result
/// occupies while it waits, whether the operation needs its operand as a whole,
/// and the memory that orders it behind earlier stores.
OperationCost mlir::tpu::getOperationCost(Operation *op, const TPUChip &chip) {
  OperationCost cost = getWork(op, chip);
  cost.held = getHeldRegisters(op);
  if (isa<MatmulOp, TransposeOp, vector::TransposeOp>(op))
    cost.needsAll = NeedsAll::Of;
  else if (isa<vector::MultiDimReductionOp, ReduceOp>(op))
    cost.needsAll = NeedsAll::OfRows;
  for (Value operand : op->getOperands())
    if (isa<MemRefType>(operand.getType())) {
      cost.memory = operand;
      break;
    }
  return cost;
}
