//===- VersionRules.cpp - What each version of the format changed ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rule belongs to the version that introduced a change to one operation. Its
// upgrade brings the operation from the version before, its downgrade back.
//
//===----------------------------------------------------------------------===//

#include "WireOps.h"

#include "mlir/IR/Builders.h"
#include "pallas/Dialect/MosaicTPU/IR/TPU.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tpu;

namespace {
/// Operations of the wire format hold all attributes as discardable ones.
using Change = LogicalResult (*)(Operation *op);

struct VersionRule {
  StringLiteral name;
  int64_t version;
  Change upgrade;
  Change downgrade;
};
} // namespace

//===----------------------------------------------------------------------===//
// Steps that rules share
//===----------------------------------------------------------------------===//

/// For changes that only add forms: operations of older versions stay valid.
static LogicalResult keep(Operation *) { return success(); }

/// Name as the user knows it.
static StringRef getPlainName(Operation *op) {
  StringRef name = op->getName().getStringRef();
  name.consume_front(kWirePrefix);
  return name;
}

/// The caller names the newest feature in use and the version that has it.
static InFlightDiagnostic emitTooOld(Operation *op) {
  return op->emitError("'")
         << getPlainName(op) << "' cannot be written at this version of "
         << "stable_mosaic: ";
}

static constexpr StringLiteral kSegments = "operandSegmentSizes";

static void setSegments(Operation *op, ArrayRef<int32_t> sizes) {
  op->setAttr(kSegments, DenseI32ArrayAttr::get(op->getContext(), sizes));
}

/// Segment sizes, when there are this many and they match the operands.
static FailureOr<SmallVector<int32_t>> getSegments(Operation *op,
                                                   size_t count) {
  auto attr = op->getAttrOfType<DenseI32ArrayAttr>(kSegments);
  if (!attr || static_cast<size_t>(attr.size()) != count)
    return op->emitError("'") << getPlainName(op) << "' needs '" << kSegments
                              << "' of " << count << " numbers";
  ArrayRef<int32_t> sizes = attr.asArrayRef();
  int64_t sum = 0;
  for (int32_t size : sizes) {
    if (size < 0)
      return op->emitError("'")
             << getPlainName(op) << "' has a negative segment size " << size;
    sum += size;
  }
  if (sum != op->getNumOperands())
    return op->emitError("'") << getPlainName(op) << "' has segments of " << sum
                              << " operands, but has " << op->getNumOperands();
  return SmallVector<int32_t>(sizes);
}

/// Flags that are absent are false.
static bool hasTrue(Operation *op, StringRef name) {
  auto attr = op->getAttrOfType<BoolAttr>(name);
  return attr && attr.getValue();
}

/// Sets the segments of a form that had none, by the number of operands.
static LogicalResult
addSegments(Operation *op,
            ArrayRef<std::pair<unsigned, SmallVector<int32_t>>> byCount) {
  for (const auto &[count, sizes] : byCount)
    if (op->getNumOperands() == count) {
      setSegments(op, sizes);
      return success();
    }
  return op->emitError("'")
         << getPlainName(op) << "' has " << op->getNumOperands()
         << " operands, which no early version has";
}

//===----------------------------------------------------------------------===//
// Versions 2 to 8: first forms of DMAs and shapes
//===----------------------------------------------------------------------===//

/// The number of operands told local copies (source, target, semaphore) from
/// remote ones.
static LogicalResult upgradeEnqueueDMA2(Operation *op) {
  return addSegments(op, {{3, {1, 0, 1, 1, 0, 0}}, {5, {1, 1, 1, 1, 1, 0}}});
}

static LogicalResult upgradeSemSignal2(Operation *op) {
  return addSegments(op, {{2, {1, 1, 0, 0}}, {3, {1, 1, 1, 0}}});
}

static LogicalResult downgradeSemSignal2(Operation *op) {
  auto sizes = getSegments(op, 4);
  if (failed(sizes))
    return failure();
  if (sizes->back() != 0)
    return emitTooOld(op) << "it has a core_id; use version 2 or newer";
  op->removeAttr(kSegments);
  return success();
}

/// Older versions lack the form of the operation; no other one means the same.
static LogicalResult refuseBelow2(Operation *op) {
  return emitTooOld(op) << "use version 2 or newer";
}

static LogicalResult refuseBelow3(Operation *op) {
  return emitTooOld(op) << "use version 3 or newer";
}

/// Dimensions were an array of integer attributes. For example, `reduction_dims
/// = [0, 1]` becomes `reduction_dims = array<i64: 0, 1>`.
static LogicalResult upgradeMultiReduction3(Operation *op) {
  auto dims = op->getAttrOfType<ArrayAttr>("reduction_dims");
  if (!dims)
    return op->emitError("'vector.multi_reduction' has no array of "
                         "reduction_dims");
  SmallVector<int64_t> values;
  for (Attribute dim : dims) {
    auto number = dyn_cast<IntegerAttr>(dim);
    if (!number || !number.getValue().isSignedIntN(64))
      return op->emitError("'vector.multi_reduction' has ")
             << dim << " among its reduction_dims";
    values.push_back(number.getValue().getSExtValue());
  }
  op->setAttr("reduction_dims",
              DenseI64ArrayAttr::get(op->getContext(), values));
  return success();
}

/// Copies got a priority; 0 is the default.
static LogicalResult upgradeEnqueueDMA4(Operation *op) {
  op->setAttr("priority",
              IntegerAttr::get(IntegerType::get(op->getContext(), 32), 0));
  return success();
}

/// A priority is a hint, so a copy without it still means the same.
static LogicalResult downgradeEnqueueDMA4(Operation *op) {
  op->removeAttr("priority");
  return success();
}

/// `dimension` of type i32 became the list `dimensions`. For example:
///
///   %1 = "stable_mosaic.tpu.iota"() {dimension = 1 : i32} : ...
///
/// becomes:
///
///   %1 = "stable_mosaic.tpu.iota"() {dimensions = array<i32: 1>} : ...
static LogicalResult upgradeDimension(Operation *op) {
  auto dim = op->getAttrOfType<IntegerAttr>("dimension");
  if (!dim || !dim.getType().isSignlessInteger(32))
    return op->emitError("'")
           << getPlainName(op) << "' has no dimension of type i32";
  op->removeAttr("dimension");
  op->setAttr("dimensions",
              DenseI32ArrayAttr::get(op->getContext(), dim.getInt()));
  return success();
}

static LogicalResult downgradeDimension(Operation *op) {
  auto dims = op->getAttrOfType<DenseI32ArrayAttr>("dimensions");
  if (!dims || dims.size() != 1)
    return emitTooOld(op) << "it has " << (dims ? dims.size() : 0)
                          << " dimensions; old versions have one";
  op->removeAttr("dimensions");
  op->setAttr("dimension",
              IntegerAttr::get(IntegerType::get(op->getContext(), 32),
                               dims.asArrayRef().front()));
  return success();
}

/// Waits got a device and a core; before, both were this one.
static LogicalResult upgradeWaitDMA7(Operation *op) {
  return addSegments(op, {{3, {1, 1, 1, 0, 0}}});
}

static LogicalResult downgradeWaitDMA7(Operation *op) {
  auto sizes = getSegments(op, 5);
  if (failed(sizes))
    return failure();
  if ((*sizes)[3] || (*sizes)[4])
    return emitTooOld(op) << "it has a device_id or core_id; use version 7 or "
                             "newer";
  op->removeAttr(kSegments);
  return success();
}

/// Copies that may be reordered are the older meaning.
static LogicalResult downgradeStrictOrdering8(Operation *op) {
  if (hasTrue(op, "strict_ordering"))
    return emitTooOld(op) << "it has strict_ordering set; use version 8 or "
                             "newer";
  op->removeAttr("strict_ordering");
  return success();
}

//===----------------------------------------------------------------------===//
// Versions 12, 13 and 15
//===----------------------------------------------------------------------===//

/// The semaphore at the target became optional.
static LogicalResult downgradeEnqueueDMA12(Operation *op) {
  auto sizes = getSegments(op, 6);
  if (failed(sizes))
    return failure();
  if ((*sizes)[3] == 0)
    return emitTooOld(op) << "it has no target_semaphore; use version 12 or "
                             "newer";
  return success();
}

static LogicalResult downgradeReinterpretCast12(Operation *op) {
  if (op->getNumOperands() != 1)
    return emitTooOld(op) << "it has a dynamic_offset; use version 12 or newer";
  return success();
}

/// Matmuls got a hint, which is not set in older versions.
static LogicalResult upgradeMatmul13(Operation *op) {
  op->setAttr("transpose_lhs_hint", BoolAttr::get(op->getContext(), false));
  return success();
}

static LogicalResult downgradeMatmul13(Operation *op) {
  if (hasTrue(op, "transpose_lhs_hint"))
    return emitTooOld(op) << "it has transpose_lhs_hint set; use version 13 or "
                             "newer";
  op->removeAttr("transpose_lhs_hint");
  return success();
}

/// A cast got dynamic sizes beside its dynamic offset, so its operands got
/// segments.
static LogicalResult upgradeReinterpretCast15(Operation *op) {
  unsigned count = op->getNumOperands();
  if (count != 1 && count != 2)
    return op->emitError("'tpu.reinterpret_cast' has ")
           << count << " operands; before version 15 it has 1 or 2";
  setSegments(op, {1, static_cast<int32_t>(count - 1), 0});
  return success();
}

static LogicalResult downgradeReinterpretCast15(Operation *op) {
  auto sizes = getSegments(op, 3);
  if (failed(sizes))
    return failure();
  if (sizes->back() != 0)
    return emitTooOld(op) << "it has dynamic sizes; use version 15 or newer";
  op->removeAttr(kSegments);
  return success();
}

//===----------------------------------------------------------------------===//
// Version 14: a subcore is named apart from its core
//===----------------------------------------------------------------------===//

/// Before, core_id counted the subcores of all SparseCores.
static constexpr int32_t kSubcoresPerCore = 16;

/// Only the subcores of SparseCores were counted over cores.
static bool runsOnVectorSubcore(Operation *op) {
  for (Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp())
    if (auto core = parent->getAttrOfType<CoreTypeAttr>(kCoreTypeAttrName))
      return core.getValue() == CoreType::ScVectorSubcore;
  return false;
}

/// New operation of the wire format on i32.
static Value createWireOp(OpBuilder &builder, Location loc, StringRef name,
                          ValueRange operands,
                          ArrayRef<NamedAttribute> attributes = {}) {
  OperationState state(loc, (kWirePrefix + name).str(), operands,
                       builder.getI32Type(), attributes);
  return builder.create(state)->getResult(0);
}

static Value createSubcoreCount(OpBuilder &builder, Location loc) {
  return createWireOp(builder, loc, "arith.constant", {},
                      builder.getNamedAttr("value", builder.getI32IntegerAttr(
                                                        kSubcoresPerCore)));
}

/// Position of the operand in a segment; the segment is not empty.
static unsigned getOperandIndex(ArrayRef<int32_t> sizes, size_t segment) {
  return llvm::sum_of(sizes.take_front(segment));
}

/// Splits a core that was counted over subcores. For example, the core `%c`
/// becomes:
///
///   %core = arith.divui %c, %c16 : i32
///   %subcore = arith.remui %c, %c16 : i32
template <size_t OldSegments>
static LogicalResult upgradeSubcoreId(Operation *op) {
  auto sizes = getSegments(op, OldSegments);
  if (failed(sizes))
    return failure();
  sizes->push_back(0);
  size_t coreSegment = OldSegments - 1;
  if ((*sizes)[coreSegment] && runsOnVectorSubcore(op)) {
    unsigned index = getOperandIndex(*sizes, coreSegment);
    Value linear = op->getOperand(index);
    OpBuilder builder(op);
    Value count = createSubcoreCount(builder, op->getLoc());
    Value core =
        createWireOp(builder, op->getLoc(), "arith.divui", {linear, count});
    Value subcore =
        createWireOp(builder, op->getLoc(), "arith.remui", {linear, count});
    op->setOperand(index, core);
    op->insertOperands(index + 1, subcore);
    sizes->back() = 1;
  }
  setSegments(op, *sizes);
  return success();
}

template <size_t OldSegments>
static LogicalResult downgradeSubcoreId(Operation *op) {
  auto sizes = getSegments(op, OldSegments + 1);
  if (failed(sizes))
    return failure();
  bool hasCore = (*sizes)[OldSegments - 1], hasSubcore = sizes->back();
  bool isLinear = runsOnVectorSubcore(op);
  // A reader would take one number without the other for something else.
  if (isLinear ? hasCore != hasSubcore : hasSubcore)
    return emitTooOld(op) << "its core_id and subcore_id cannot be joined; use "
                             "version 14 or newer";
  if (hasSubcore) {
    unsigned index = getOperandIndex(*sizes, OldSegments - 1);
    OpBuilder builder(op);
    Location loc = op->getLoc();
    Value count = createSubcoreCount(builder, loc);
    Value scaled = createWireOp(builder, loc, "arith.muli",
                                {op->getOperand(index), count});
    Value linear = createWireOp(builder, loc, "arith.addi",
                                {scaled, op->getOperand(index + 1)});
    op->setOperand(index, linear);
    op->eraseOperand(index + 1);
  }
  sizes->pop_back();
  setSegments(op, *sizes);
  return success();
}

//===----------------------------------------------------------------------===//
// Versions 16 to 18: strides, dimensions of scans, kinds of reductions
//===----------------------------------------------------------------------===//

/// A cast got dynamic strides: another segment, which is empty before.
static LogicalResult upgradeReinterpretCast16(Operation *op) {
  auto sizes = getSegments(op, 3);
  if (failed(sizes))
    return failure();
  sizes->push_back(0);
  setSegments(op, *sizes);
  return success();
}

static LogicalResult downgradeReinterpretCast16(Operation *op) {
  auto sizes = getSegments(op, 4);
  if (failed(sizes))
    return failure();
  if (sizes->back() != 0)
    return emitTooOld(op) << "it has dynamic strides; use version 16 or newer";
  sizes->pop_back();
  setSegments(op, *sizes);
  return success();
}

/// The vector that is reduced.
static FailureOr<VectorType> getInputVector(Operation *op) {
  auto type = op->getNumOperands()
                  ? dyn_cast<VectorType>(op->getOperand(0).getType())
                  : VectorType();
  if (type && type.getRank() > 0)
    return type;
  return op->emitError("'")
         << getPlainName(op) << "' has no vector as its first operand";
}

/// Scans ran along the last dimension.
static LogicalResult upgradeScan17(Operation *op) {
  FailureOr<VectorType> type = getInputVector(op);
  if (failed(type))
    return failure();
  op->setAttr("dimension",
              IntegerAttr::get(IntegerType::get(op->getContext(), 64),
                               type->getRank() - 1));
  return success();
}

/// `dim` may have any width, so it is compared as an `APInt`.
static LogicalResult downgradeScan17(Operation *op) {
  FailureOr<VectorType> type = getInputVector(op);
  auto dim = op->getAttrOfType<IntegerAttr>("dimension");
  if (failed(type))
    return failure();
  if (!dim || type->getRank() > 2 ||
      dim.getValue() != static_cast<uint64_t>(type->getRank() - 1))
    return emitTooOld(op) << "it has dimension = " << dim << " on " << *type
                          << "; use version 17 or newer";
  op->removeAttr("dimension");
  return success();
}

static void setKind(Operation *op, ReductionKind kind) {
  op->setAttr("kind", ReductionKindAttr::get(op->getContext(), kind));
}

/// Before 18 `max` and `min` compared floats, and integers without a sign.
static LogicalResult upgradeKind18(Operation *op) {
  FailureOr<VectorType> type = getInputVector(op);
  auto kind = op->getAttrOfType<ReductionKindAttr>("kind");
  if (failed(type))
    return failure();
  if (!kind) // The verifier asks for it.
    return success();
  bool isFloat = isa<FloatType>(type->getElementType());
  if (kind.getValue() == ReductionKind::Max)
    setKind(op, isFloat ? ReductionKind::MaxF : ReductionKind::MaxUI);
  else if (kind.getValue() == ReductionKind::Min)
    setKind(op, isFloat ? ReductionKind::MinF : ReductionKind::MinUI);
  return success();
}

/// Older compilers chose the comparison by the element type and had none for
/// signed integers.
static LogicalResult downgradeKind18(Operation *op) {
  auto kind = op->getAttrOfType<ReductionKindAttr>("kind");
  if (!kind)
    return success();
  switch (kind.getValue()) {
  case ReductionKind::MaxF:
  case ReductionKind::MaxUI:
    setKind(op, ReductionKind::Max);
    return success();
  case ReductionKind::MinF:
  case ReductionKind::MinUI:
    setKind(op, ReductionKind::Min);
    return success();
  case ReductionKind::MaxSI:
  case ReductionKind::MinSI:
    return emitTooOld(op) << "it compares signed integers by "
                          << stringifyReductionKind(kind.getValue())
                          << "; use version 18 or newer";
  default:
    return success();
  }
}

/// Nothing tells how the integers of an old `tpu.all_reduce` compare.
static LogicalResult upgradeAllReduce18(Operation *op) {
  auto kind = op->getAttrOfType<ReductionKindAttr>("kind");
  FailureOr<VectorType> type = getInputVector(op);
  if (failed(type))
    return failure();
  if (kind && isa<IntegerType>(type->getElementType()) &&
      (kind.getValue() == ReductionKind::Max ||
       kind.getValue() == ReductionKind::Min))
    return op->emitError("'tpu.all_reduce' of ")
           << *type << " has kind " << stringifyReductionKind(kind.getValue())
           << ", which before version 18 leaves open whether the integers "
              "have a sign";
  return upgradeKind18(op);
}

/// Before 18 an all-reduce of integers was ambiguous, so both signs are
/// refused.
static LogicalResult downgradeAllReduce18(Operation *op) {
  auto kind = op->getAttrOfType<ReductionKindAttr>("kind");
  if (kind && (kind.getValue() == ReductionKind::MaxUI ||
               kind.getValue() == ReductionKind::MinUI))
    return emitTooOld(op) << "it compares unsigned integers by "
                          << stringifyReductionKind(kind.getValue())
                          << "; use version 18 or newer";
  return downgradeKind18(op);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// By rising version. Versions 9, 10 and 11 changed nothing that is seen here:
/// bytecode holds boolean constants in one form, and `tpu.store`, which got an
/// attribute, is never in a module that travels.
static const VersionRule kRules[] = {
    {"tpu.enqueue_dma", 2, upgradeEnqueueDMA2, refuseBelow2},
    {"tpu.sem_signal", 2, upgradeSemSignal2, downgradeSemSignal2},
    {"vector.multi_reduction", 3, upgradeMultiReduction3, refuseBelow3},
    {"tpu.wait_dma2", 3, keep, refuseBelow3},
    {"tpu.enqueue_dma", 4, upgradeEnqueueDMA4, downgradeEnqueueDMA4},
    {"tpu.dynamic_gather", 5, upgradeDimension, downgradeDimension},
    {"tpu.iota", 6, upgradeDimension, downgradeDimension},
    {"tpu.wait_dma2", 7, upgradeWaitDMA7, downgradeWaitDMA7},
    {"tpu.enqueue_dma", 8, keep, downgradeStrictOrdering8},
    {"tpu.enqueue_dma", 12, keep, downgradeEnqueueDMA12},
    {"tpu.reinterpret_cast", 12, keep, downgradeReinterpretCast12},
    {"tpu.matmul", 13, upgradeMatmul13, downgradeMatmul13},
    {"tpu.enqueue_dma", 14, upgradeSubcoreId<6>, downgradeSubcoreId<6>},
    {"tpu.wait_dma", 14, upgradeSubcoreId<6>, downgradeSubcoreId<6>},
    {"tpu.sem_signal", 14, upgradeSubcoreId<4>, downgradeSubcoreId<4>},
    {"tpu.reinterpret_cast", 15, upgradeReinterpretCast15,
     downgradeReinterpretCast15},
    {"tpu.reinterpret_cast", 16, upgradeReinterpretCast16,
     downgradeReinterpretCast16},
    {"tpu.scan", 17, upgradeScan17, downgradeScan17},
    {"tpu.scan", 18, upgradeKind18, downgradeKind18},
    {"tpu.reduce", 18, upgradeKind18, downgradeKind18},
    {"tpu.all_reduce", 18, upgradeAllReduce18, downgradeAllReduce18},
};

/// Applies the rules of later versions than `version`, in this order.
template <typename Rules>
static LogicalResult applyRules(ModuleOp module, int64_t version, Rules rules,
                                Change VersionRule::*change) {
  // Rules add operations, which need no rules.
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops) {
    StringRef name = getPlainName(op);
    for (const VersionRule &rule : rules)
      if (rule.version > version && rule.name == name &&
          failed((rule.*change)(op)))
        return failure();
  }
  return success();
}

/// Rules are in the order of versions, so the search from the end stops at the
/// first one that `version` has.
bool tpu::isSameInNewest(ModuleOp module, int64_t version) {
  WalkResult result = module.walk([&](Operation *op) {
    StringRef name = op->getName().getStringRef();
    for (const VersionRule &rule : llvm::reverse(kRules)) {
      if (rule.version <= version)
        break;
      if (rule.name == name)
        return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return !result.wasInterrupted();
}

LogicalResult tpu::upgradeToNewest(ModuleOp module, int64_t from) {
  if (from >= std::rbegin(kRules)->version)
    return success();
  return applyRules(module, from, ArrayRef(kRules), &VersionRule::upgrade);
}

LogicalResult tpu::downgradeFromNewest(ModuleOp module, int64_t to) {
  if (to >= std::rbegin(kRules)->version)
    return success();
  return applyRules(module, to, llvm::reverse(ArrayRef(kRules)),
                    &VersionRule::downgrade);
}
