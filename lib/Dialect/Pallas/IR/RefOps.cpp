//===- RefOps.cpp - Operations on refs ---------------------===//

#include "AsmHelpers.h"
#include "mlir/Dialect/Traits.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Types of accesses
//===----------------------------------------------------------------------===//

/// Infers the type of an access from an adaptor.
template <typename Adaptor>
static FailureOr<SmallVector<int64_t>> inferShape(Adaptor adaptor,
                                                  std::optional<Location> loc) {
  auto ref = dyn_cast<RefType>(adaptor.getRef().getType());
  if (!ref || !adaptor.getIndexer())
    return failure();
  Location where = loc.value_or(UnknownLoc::get(ref.getContext()));
  return inferAccessShape(adaptor.getIndexer(), ref.getShape(),
                          adaptor.getIndices().getTypes(),
                          [&] { return emitError(where); });
}

template <typename Adaptor>
static LogicalResult inferValueType(Adaptor adaptor,
                                    std::optional<Location> loc,
                                    SmallVectorImpl<Type> &types) {
  FailureOr<SmallVector<int64_t>> shape = inferShape(adaptor, loc);
  if (failed(shape))
    return failure();
  types.push_back(getValueType(
      *shape, cast<RefType>(adaptor.getRef().getType()).getElementType()));
  return success();
}

#define PALLAS_INFER_ACCESS(Op)                                                \
  LogicalResult Op::inferReturnTypes(                                          \
      MLIRContext *context, std::optional<Location> loc, ValueRange operands,  \
      DictionaryAttr attributes, OpaqueProperties properties,                  \
      RegionRange regions, SmallVectorImpl<Type> &types) {                     \
    return inferValueType(Adaptor(operands, attributes, properties, regions),  \
                          loc, types);                                         \
  }
PALLAS_INFER_ACCESS(GetOp)
PALLAS_INFER_ACCESS(SwapOp)
PALLAS_INFER_ACCESS(MaskedLoadOp)
PALLAS_INFER_ACCESS(MaskedSwapOp)
PALLAS_INFER_ACCESS(AtomicRMWOp)
#undef PALLAS_INFER_ACCESS

LogicalResult
SliceRefOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                             ValueRange operands, DictionaryAttr attributes,
                             OpaqueProperties properties, RegionRange regions,
                             SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  FailureOr<SmallVector<int64_t>> shape = inferShape(adaptor, loc);
  if (failed(shape))
    return failure();
  types.push_back(cast<RefType>(adaptor.getRef().getType()).withShape(*shape));
  return success();
}

LogicalResult
FreezeOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                           ValueRange operands, DictionaryAttr attributes,
                           OpaqueProperties properties, RegionRange regions,
                           SmallVectorImpl<Type> &types) {
  auto ref = dyn_cast<RefType>(operands[0].getType());
  if (!ref || ref.isSynchronization())
    return emitOptionalError(loc, "only a ref that holds values can be frozen");
  types.push_back(ref.getValueType());
  return success();
}

//===----------------------------------------------------------------------===//
// Rules of accesses
//===----------------------------------------------------------------------===//

/// Checks the indexer, and that the ref holds values that can be accessed.
static LogicalResult verifyAccess(RefAccessOpInterface op) {
  RefType ref = op.getRef().getType();
  if (ref.isSynchronization())
    return op.emitOpError()
           << "cannot access a ref of type " << ref
           << " as values; use the semaphore and barrier operations";
  FailureOr<SmallVector<int64_t>> shape = inferAccessShape(
      op.getIndexer(), ref.getShape(), op.getIndices().getTypes(),
      [&] { return op.emitOpError(); });
  if (failed(shape))
    return failure();
  for (const DimIndex &entry : op.getIndexer().getEntries())
    // N9
    if (entry.hasDynamicSize())
      return op.emitOpError()
             << "has a slice of dynamic size, which only async copies accept; "
                "use a static size and a mask";
  return success();
}

/// Checks that `value` has the type that the access selects.
static LogicalResult verifyAccessValue(RefAccessOpInterface op, Type type,
                                       StringRef what) {
  if (failed(verifyAccess(op)))
    return failure();
  Type expected = op.getAccessType();
  if (type == expected)
    return success();
  return op.emitOpError() << what << " has type " << type
                          << ", but the indexed part of the ref has type "
                          << expected << "; convert or reshape the value first";
}

/// Checks that a mask is i1 and fits the access; `exact` forbids broadcasting.
static LogicalResult verifyMask(RefAccessOpInterface op, Type mask,
                                bool exact) {
  SmallVector<int64_t> shape = op.getAccessShape();
  ArrayRef<int64_t> maskShape = getValueShape(mask);
  if (!getElementTypeOrSelf(mask).isInteger(1))
    return op.emitOpError()
           << "mask must have i1 elements, but has type " << mask;
  SmallVector<int64_t> common;
  bool fits =
      exact ? maskShape == ArrayRef<int64_t>(shape)
            : OpTrait::util::getBroadcastedShape(maskShape, shape, common) &&
                  common == shape;
  if (fits)
    return success();
  return op.emitOpError() << "mask has the shape [" << maskShape
                          << "], but the indexed part of the ref has [" << shape
                          << "]; "
                          << (exact ? "both must be equal"
                                    : "the mask must broadcast to it");
}

LogicalResult GetOp::verify() { return verifyAccess(*this); }

LogicalResult SwapOp::verify() {
  return verifyAccessValue(*this, getValue().getType(), "stored value");
}

LogicalResult AddUpdateOp::verify() {
  return verifyAccessValue(*this, getValue().getType(), "addend");
}

LogicalResult MaskedLoadOp::verify() {
  if (failed(verifyAccess(*this)))
    return failure();
  if (getMask() && failed(verifyMask(*this, getMask().getType(), false)))
    return failure();
  if (!getOther())
    return success();
  if (!getMask())
    return emitOpError() << "has `other` without a mask; add the mask that "
                            "selects between both";
  return verifyAccessValue(*this, getOther().getType(), "`other`");
}

LogicalResult MaskedSwapOp::verify() {
  if (failed(verifyAccessValue(*this, getValue().getType(), "stored value")))
    return failure();
  return verifyMask(*this, getMask().getType(), true);
}

LogicalResult AtomicRMWOp::verify() {
  if (failed(verifyAccessValue(*this, getValue().getType(), "value")))
    return failure();
  Type element = getElementTypeOrSelf(getValue().getType());
  bool isFloat = isa<FloatType>(element);
  AtomicKind kind = getKind();
  bool isBitwise = kind == AtomicKind::And || kind == AtomicKind::Or ||
                   kind == AtomicKind::Xor;
  bool isUnsigned = kind == AtomicKind::UMax || kind == AtomicKind::UMin;
  if (isFloat && (isBitwise || isUnsigned))
    return emitOpError() << "atomic " << stringifyAtomicKind(kind)
                         << " needs integers, but the element type is "
                         << element;
  if (getMask())
    return verifyMask(*this, getMask().getType(), true);
  return success();
}

LogicalResult AtomicCASOp::verify() {
  return verifyAccessValue(*this, getValue().getType(), "value");
}

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

using Effects =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

/// A swap whose old value nobody uses is a plain store.
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

static LogicalResult verifySameMemory(Operation *op, RefType ref,
                                      RefType view) {
  if (ref.getMemorySpace() == view.getMemorySpace())
    return success();
  return op->emitOpError() << "a view stays in the memory of its ref, but "
                           << ref << " becomes " << view;
}

LogicalResult ReshapeRefOp::verify() {
  RefType ref = getRef().getType(), view = getView().getType();
  if (failed(verifySameMemory(*this, ref, view)))
    return failure();
  if (ref.getElementType() != view.getElementType())
    return emitOpError() << "keeps the elements, but " << ref.getElementType()
                         << " becomes " << view.getElementType()
                         << "; use pallas.bitcast_ref";
  if (!ref.hasStaticShape() || !view.hasStaticShape())
    return emitOpError() << "needs static shapes, but views " << ref << " as "
                         << view;
  if (ref.getNumElements() != view.getNumElements())
    return emitOpError() << "views " << ref.getNumElements() << " elements as "
                         << view.getNumElements()
                         << "; both shapes must hold the same number";
  return success();
}

LogicalResult BitcastRefOp::verify() {
  RefType ref = getRef().getType(), view = getView().getType();
  if (failed(verifySameMemory(*this, ref, view)))
    return failure();
  if (!ref.getElementType().isIntOrFloat() ||
      !view.getElementType().isIntOrFloat())
    return emitOpError() << "casts integers and floats only, but views " << ref
                         << " as " << view;
  int64_t from = ref.getElementTypeBitWidth(),
          to = view.getElementTypeBitWidth();
  SmallVector<int64_t> expected(ref.getShape());
  if (from != to) {
    if (ref.getRank() < 2)
      return emitOpError() << "changes the width from " << from << " to " << to
                           << " bits, which needs a rank of at least 2, but "
                              "the ref has rank "
                           << ref.getRank();
    int64_t &size = expected[ref.getRank() - 2];
    if (!ShapedType::isDynamic(size)) {
      if (size * from % to != 0)
        return emitOpError()
               << "second-minor dimension of size " << size << " holds "
               << size * from << " bits per column, which " << to
               << "-bit elements do not divide";
      size = size * from / to;
    }
  }
  if (view.getShape() != ArrayRef<int64_t>(expected))
    return emitOpError() << "view must have the shape [" << expected
                         << "], but has [" << view.getShape()
                         << "]: the second-minor dimension scales by " << from
                         << "/" << to;
  return success();
}

LogicalResult TransposeRefOp::verify() {
  RefType ref = getRef().getType(), view = getView().getType();
  if (failed(verifySameMemory(*this, ref, view)))
    return failure();
  ArrayRef<int64_t> permutation = getPermutation();
  if (int64_t(permutation.size()) != ref.getRank() ||
      !isPermutationVector(permutation))
    return emitOpError() << "[" << permutation
                         << "] is not a permutation of the " << ref.getRank()
                         << " dimensions of the ref";
  SmallVector<int64_t> expected = applyPermutation(ref.getShape(), permutation);
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
  if (held == getInit().getType())
    return success();
  return emitOpError() << "initial value has type " << getInit().getType()
                       << ", but the ref holds " << held;
}
