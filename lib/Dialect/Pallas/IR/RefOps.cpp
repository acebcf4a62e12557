//===- RefOps.cpp - Operations on refs ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers, inferred types and effects of accesses and views. Comments such as
// V24 name rules of docs/Rules.md.
//
//===----------------------------------------------------------------------===//

#include "AccessVerifier.h"
#include "AsmHelpers.h"
#include "ComputeChecks.h"
#include "mlir/Dialect/Traits.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "pallas/Dialect/Pallas/IR/AccessBounds.h"
#include "pallas/Dialect/Pallas/IR/CheckOps.h"
#include "pallas/Dialect/Pallas/IR/RefEffects.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Types of accesses
//===----------------------------------------------------------------------===//

/// Infers the shape that an access selects. Errors look like those of a
/// verifier, though there may be no operation yet.
template <typename Op>
static FailureOr<SmallVector<int64_t>> inferShape(typename Op::Adaptor adaptor,
                                                  std::optional<Location> loc,
                                                  bool mayHangOver = false) {
  Type type = adaptor.getRef().getType();
  auto error = [&] {
    return emitError(loc.value_or(UnknownLoc::get(type.getContext())))
           << "'" << Op::getOperationName() << "' op ";
  };
  auto ref = dyn_cast<RefType>(type);
  // V11
  if (!ref || !adaptor.getIndexer())
    return error() << "indexes a value of type " << type
                   << ", but only a !pallas.ref can be indexed";
  return inferAccessShape(adaptor.getIndexer(), ref.getShape(),
                          adaptor.getIndices().getTypes(), error, mayHangOver);
}

template <typename Op>
static LogicalResult inferValueType(typename Op::Adaptor adaptor,
                                    std::optional<Location> loc,
                                    SmallVectorImpl<Type> &types) {
  auto ref = dyn_cast<RefType>(adaptor.getRef().getType());
  // V15
  if (ref && ref.isSynchronization())
    return emitOptionalError(
        loc, "'", Op::getOperationName(), "' op cannot access a ref of type ",
        ref, " as values; use the semaphore and barrier operations");
  // Whether an access may leave the ref depends on its mask, which the verifier
  // checks with a better message.
  FailureOr<SmallVector<int64_t>> shape =
      inferShape<Op>(adaptor, loc, /*mayHangOver=*/true);
  if (failed(shape))
    return failure();
  types.push_back(getValueType(*shape, ref.getElementType()));
  return success();
}

#define PALLAS_INFER_ACCESS(Op)                                                \
  LogicalResult Op::inferReturnTypes(                                          \
      MLIRContext *context, std::optional<Location> loc, ValueRange operands,  \
      DictionaryAttr attributes, OpaqueProperties properties,                  \
      RegionRange regions, SmallVectorImpl<Type> &types) {                     \
    return inferValueType<Op>(                                                 \
        Adaptor(operands, attributes, properties, regions), loc, types);       \
  }
PALLAS_INFER_ACCESS(GetOp)
PALLAS_INFER_ACCESS(SwapOp)
PALLAS_INFER_ACCESS(MaskedLoadOp)
PALLAS_INFER_ACCESS(MaskedSwapOp)
PALLAS_INFER_ACCESS(AtomicRMWOp)
PALLAS_INFER_ACCESS(AtomicCASOp)
#undef PALLAS_INFER_ACCESS

/// A view keeps elements, memory space and layout, and has the selected shape.
LogicalResult
SliceRefOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                             ValueRange operands, DictionaryAttr attributes,
                             OpaqueProperties properties, RegionRange regions,
                             SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  FailureOr<SmallVector<int64_t>> shape = inferShape<SliceRefOp>(adaptor, loc);
  if (failed(shape))
    return failure();
  types.push_back(cast<RefType>(adaptor.getRef().getType()).withShape(*shape));
  return success();
}

/// Freezing ends a ref and yields what it holds, so it has to hold something.
LogicalResult
FreezeOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                           ValueRange operands, DictionaryAttr attributes,
                           OpaqueProperties properties, RegionRange regions,
                           SmallVectorImpl<Type> &types) {
  auto ref = dyn_cast<RefType>(operands[0].getType());
  // V10
  if (!ref || ref.isSynchronization())
    return emitOptionalError(
        loc,
        "only a ref that holds values can be frozen, but the operand has type ",
        operands[0].getType(), "; end it with pallas.free_ref");
  types.push_back(ref.getValueType());
  return success();
}

//===----------------------------------------------------------------------===//
// Rules of accesses
//===----------------------------------------------------------------------===//

LogicalResult pallas::verifyAccess(RefAccessOpInterface op) {
  RefType ref = op.getRef().getType();
  // V15
  if (ref.isSynchronization())
    return op.emitOpError()
           << "cannot access a ref of type " << ref
           << " as values; use the semaphore and barrier operations";
  FailureOr<SmallVector<int64_t>> shape = inferAccessShape(
      op.getIndexer(), ref.getShape(), op.getIndices().getTypes(),
      [&] { return op.emitOpError(); },
      /*mayHangOver=*/keepsElementsInPlace(op));
  if (failed(shape))
    return failure();
  // N9
  if (ShapedType::isDynamicShape(*shape))
    return op.emitOpError()
           << "selects the shape " << describeShape(*shape)
           << ", but only async copies accept a dynamic size; use a static "
              "size and a mask";
  for (Type index : op.getIndices().getTypes())
    // N8
    if (isa<RefType>(index))
      return op.emitOpError()
             << "takes indices from a ref of type " << index
             << ", which only async copies do; read them with pallas.get";
  return success();
}

/// Checks that a write is not in the condition region of a loop. That region
/// runs once more than the body, which is rarely what the author expects.
static LogicalResult verifyWrite(RefAccessOpInterface op) {
  Region *owner = skipAliases(op.getRef()).getParentRegion();
  for (Region *region = op->getParentRegion(); region && region != owner;
       region = region->getParentRegion()) {
    Operation *parent = region->getParentOp();
    // W3; by name, so that the dialect does not need scf
    if (!parent || region->getRegionNumber() != 0 ||
        parent->getName().getStringRef() != "scf.while")
      continue;
    InFlightDiagnostic diag = op.emitOpError()
                              << "writes to a ref in the condition of a loop; "
                                 "write in the body, or carry the value";
    diag.attachNote(parent->getLoc()) << "this is the loop";
    return diag;
  }
  return success();
}

/// Checks that `value` has the type that the access selects.
static LogicalResult verifyAccessValue(RefAccessOpInterface op, Type type,
                                       StringRef what) {
  if (failed(verifyAccess(op)))
    return failure();
  Type expected = op.getAccessType();
  // V11
  if (type == expected)
    return success();
  return op.emitOpError() << what << " has type " << type
                          << ", but the indexed part of the ref has type "
                          << expected << "; convert or reshape the value first";
}

static LogicalResult verifyStore(RefAccessOpInterface op, Type type,
                                 StringRef what) {
  return success(succeeded(verifyAccessValue(op, type, what)) &&
                 succeeded(verifyWrite(op)));
}

LogicalResult pallas::verifyMask(RefAccessOpInterface op, Type mask,
                                 bool exact) {
  SmallVector<int64_t> shape = op.getAccessShape();
  ArrayRef<int64_t> maskShape = getValueShape(mask);
  // V12
  if (!getElementTypeOrSelf(mask).isInteger(1))
    return op.emitOpError() << "mask must have i1 elements, but has type "
                            << mask << "; compare to get a mask";
  SmallVector<int64_t> common;
  bool fits =
      exact ? maskShape == ArrayRef<int64_t>(shape)
            : OpTrait::util::getBroadcastedShape(maskShape, shape, common) &&
                  common == shape;
  // V12
  if (fits)
    return success();
  return op.emitOpError() << "mask has the shape " << describeShape(maskShape)
                          << ", but the indexed part of the ref has "
                          << describeShape(shape) << "; "
                          << (exact ? "both must be equal"
                                    : "the mask must broadcast to it");
}

LogicalResult GetOp::verify() { return verifyAccess(*this); }

LogicalResult SwapOp::verify() {
  return verifyStore(*this, getValue().getType(), "stored value");
}

LogicalResult AddUpdateOp::verify() {
  return verifyStore(*this, getValue().getType(), "addend");
}

LogicalResult MaskedLoadOp::verify() {
  if (failed(verifyAccess(*this)))
    return failure();
  if (getMask() && failed(verifyMask(*this, getMask().getType(), false)))
    return failure();
  if (!getOther())
    return success();
  // V12
  if (!getMask())
    return emitOpError() << "has `other` without a mask; add the mask that "
                            "selects between both";
  return verifyAccessValue(*this, getOther().getType(), "`other`");
}

LogicalResult MaskedSwapOp::verify() {
  if (failed(verifyStore(*this, getValue().getType(), "stored value")))
    return failure();
  return verifyMask(*this, getMask().getType(), true);
}

LogicalResult AtomicRMWOp::verify() {
  if (failed(verifyStore(*this, getValue().getType(), "value")))
    return failure();
  if (failed(verifyAtomicKind(*this, getKind(),
                              getElementTypeOrSelf(getValue().getType()))))
    return failure();
  if (getMask())
    return verifyMask(*this, getMask().getType(), true);
  return success();
}

LogicalResult AtomicCASOp::verify() {
  return verifyStore(*this, getValue().getType(), "value");
}

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

using Effects =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

/// A swap whose old value has no uses is a plain store: it doesn't read.
static void getSwapEffects(OpOperand &ref, Value old, Effects &effects) {
  if (!old.use_empty())
    effects.emplace_back(MemoryEffects::Read::get(), &ref);
  effects.emplace_back(MemoryEffects::Write::get(), &ref);
}

void SwapOp::getEffects(Effects &effects) {
  getSwapEffects(getRefMutable(), getOld(), effects);
}

void MaskedSwapOp::getEffects(Effects &effects) {
  getSwapEffects(getRefMutable(), getOld(), effects);
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// Index arrays make a view that no address computation can express.
static LogicalResult verifyGatherView(SliceRefOp op) {
  unsigned numArrays = 0, numRefs = 0, numScalars = 0;
  for (Type type : op.getIndices().getTypes())
    numRefs += isa<RefType>(type);
  for (const DimIndex &entry : op.getIndexer().getEntries()) {
    numArrays += entry.kind == IndexKind::Gather;
    numScalars += entry.kind == IndexKind::Scalar;
  }
  // N8
  if (numRefs > 1 || (numRefs == 1 && numArrays + numScalars > 1))
    return op.emitOpError()
           << "takes indices from " << numRefs << " refs among "
           << numArrays + numScalars
           << " entries that are no slices; a ref of indices must be the only "
              "one of them";
  for (Operation *user : op.getView().getUsers()) {
    // V14
    if (isa<CopyGmemToSmemOp, CopySmemToGmemOp, DMAStartOp, DMAWaitOp,
            CheckCopyGmemToSmemOp, CheckCopySmemToGmemOp, CheckDMAStartOp,
            CheckDMAWaitOp>(user))
      continue;
    InFlightDiagnostic diag =
        op.emitOpError() << "views a ref through an index array, so only async "
                            "copies can use it; index with the array in "
                            "pallas.get or pallas.swap instead";
    diag.attachNote(user->getLoc()) << "used here";
    return diag;
  }
  return success();
}

LogicalResult SliceRefOp::verify() {
  return getIndexer().hasGather() ? verifyGatherView(*this) : success();
}

static LogicalResult verifySameMemory(Operation *op, RefType ref,
                                      RefType view) {
  // V14
  if (ref.getMemorySpace() == view.getMemorySpace())
    return success();
  return op->emitOpError() << "a view stays in the memory of its ref, but "
                           << ref << " becomes " << view
                           << "; name the same memory space";
}

LogicalResult ReshapeRefOp::verify() {
  RefType ref = getRef().getType(), view = getView().getType();
  if (failed(verifySameMemory(*this, ref, view)))
    return failure();
  // V14
  if (ref.getElementType() != view.getElementType())
    return emitOpError() << "keeps the elements, but " << ref.getElementType()
                         << " becomes " << view.getElementType()
                         << "; use pallas.bitcast_ref";
  // V14
  if (!ref.hasStaticShape() || !view.hasStaticShape())
    return emitOpError() << "needs static shapes, but views " << ref << " as "
                         << view << "; slice a static part first";
  std::optional<int64_t> from = countElements(ref.getShape()),
                         to = countElements(view.getShape());
  // V14
  if (!from || from != to)
    return emitOpError() << "views " << ref << " as " << view
                         << "; both shapes must hold the same number of "
                            "elements";
  return success();
}

LogicalResult BitcastRefOp::verify() {
  RefType ref = getRef().getType(), view = getView().getType();
  if (failed(verifySameMemory(*this, ref, view)))
    return failure();
  // V14
  if (!ref.getElementType().isIntOrFloat() ||
      !view.getElementType().isIntOrFloat())
    return emitOpError() << "casts integers and floats only, but views " << ref
                         << " as " << view << "; cast numbers that a ref holds";
  int64_t from = ref.getElementTypeBitWidth(),
          to = view.getElementTypeBitWidth();
  SmallVector<int64_t> expected(ref.getShape());
  if (from != to) {
    // V14
    if (ref.getRank() < 2)
      return emitOpError() << "changes the width from " << from << " to " << to
                           << " bits, which needs a rank of at least 2, but "
                              "the ref has rank "
                           << ref.getRank() << "; reshape the ref first";
    int64_t &size = expected[ref.getRank() - 2];
    int64_t bits = 0;
    if (!ShapedType::isDynamic(size)) {
      // V14
      if (llvm::MulOverflow(size, from, bits) || bits % to != 0)
        return emitOpError()
               << "second-minor dimension of size " << size << " holds " << from
               << "-bit elements, which " << to
               << "-bit elements do not divide; slice or pad it";
      size = bits / to;
    }
  }
  // V14
  if (view.getShape() != ArrayRef<int64_t>(expected))
    return emitOpError() << "view must have the shape "
                         << describeShape(expected) << ", but has "
                         << describeShape(view.getShape())
                         << ": the second-minor dimension scales by " << from
                         << "/" << to;
  return success();
}

LogicalResult TransposeRefOp::verify() {
  RefType ref = getRef().getType(), view = getView().getType();
  if (failed(verifySameMemory(*this, ref, view)))
    return failure();
  ArrayRef<int64_t> permutation = getPermutation();
  // V14
  if (int64_t(permutation.size()) != ref.getRank() ||
      !isPermutationVector(permutation))
    return emitOpError() << "[" << permutation
                         << "] is not a permutation of the " << ref.getRank()
                         << " dimensions of the ref; name each once";
  SmallVector<int64_t> expected = applyPermutation(ref.getShape(), permutation);
  // V14
  if (view.getShape() != ArrayRef<int64_t>(expected) ||
      view.getElementType() != ref.getElementType())
    return emitOpError() << "view must have the type "
                         << ref.withShape(expected) << ", but has " << view;
  return success();
}

OpFoldResult ReshapeRefOp::fold(FoldAdaptor) {
  return getRef().getType() == getView().getType() ? getRef() : Value();
}

OpFoldResult BitcastRefOp::fold(FoldAdaptor) {
  return getRef().getType() == getView().getType() ? getRef() : Value();
}

OpFoldResult TransposeRefOp::fold(FoldAdaptor) {
  return isIdentityPermutation(getPermutation()) ? getRef() : Value();
}

OpFoldResult SliceRefOp::fold(FoldAdaptor) {
  return cast<RefAccessOpInterface>(getOperation()).isWholeAccess() ? getRef()
                                                                    : Value();
}

LogicalResult NewRefOp::verify() {
  Type held = getRef().getType().getValueType();
  // V10
  if (!held)
    return emitOpError() << "makes " << getRef().getType()
                         << ", which holds no value; use pallas.empty_ref";
  // V10
  if (held == getInit().getType())
    return success();
  return emitOpError() << "initial value has type " << getInit().getType()
                       << ", but the ref holds " << held
                       << "; convert or reshape it first";
}

/// Checks that memory for a ref can be reserved without knowing more.
static LogicalResult verifyReserved(Operation *op, Type type) {
  auto ref = dyn_cast<RefType>(type);
  // J8
  if (!ref || ref.hasStaticShape())
    return success();
  return op->emitOpError() << "makes a ref of type " << ref
                           << ", but memory of unknown size cannot be "
                              "reserved; use a static shape";
}

LogicalResult EmptyRefOp::verify() {
  return verifyReserved(*this, getRef().getType());
}

LogicalResult GetGlobalOp::verify() {
  return verifyReserved(*this, getRef().getType());
}
