//===- GPUOps.cpp - Operations of GPU kernels -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComputeChecks.h"
#include "pallas/Dialect/Pallas/IR/CheckOps.h"

using namespace mlir;
using namespace mlir::pallas;

using Effects =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

/// Products, waits and reads of accumulators stay in program order.
static void addPipelineEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), PipelineResource::get());
  effects.emplace_back(MemoryEffects::Write::get(), PipelineResource::get());
}

/// Operands in registers are values, without effects on memory.
static void addReadOfRef(OpOperand &operand, Effects &effects) {
  if (isa<RefType>(operand.get().getType()))
    effects.emplace_back(MemoryEffects::Read::get(), &operand);
}

/// Checks m x n += m x k @ k x n and the element types. Two blocks that work
/// together hold half of the columns of rhs each.
static LogicalResult verifyProduct(Operation *op, ArrayRef<int64_t> acc,
                                   Type accElement, ShapedType lhs,
                                   ShapedType rhs, bool isCollective = false,
                                   bool isSparse = false) {
  // V19
  if (acc.size() != 2 || lhs.getRank() != 2 || rhs.getRank() != 2)
    return op->emitOpError()
           << "multiplies matrices, but the operands have "
              "the ranks "
           << acc.size() << ", " << lhs.getRank() << " and " << rhs.getRank()
           << "; slice or reshape them to rank 2";
  // V19
  int64_t columns = isCollective && acc[1] % 2 == 0 ? acc[1] / 2 : acc[1];
  if (lhs.getDimSize(0) != acc[0] || rhs.getDimSize(1) != columns ||
      lhs.getDimSize(1) * (isSparse ? 2 : 1) != rhs.getDimSize(0))
    return op->emitOpError()
           << "accumulator of shape " << describeShape(acc)
           << " does not fit lhs " << describeShape(lhs.getShape())
           << " and rhs " << describeShape(rhs.getShape())
           << "; they must be m x n, m x " << (isSparse ? "k / 2" : "k")
           << " and k x " << (isCollective ? "n / 2" : "n");
  // V19
  if (!lhs.hasStaticShape() || !rhs.hasStaticShape())
    return op->emitOpError() << "multiplies matrices of known sizes only, but "
                                "has the operands "
                             << Type(lhs) << " and " << Type(rhs)
                             << "; slice a static part first";
  Type left = lhs.getElementType(), right = rhs.getElementType();
  // V19
  if (!left.isSignlessIntOrFloat() || !right.isSignlessIntOrFloat())
    return op->emitOpError() << "multiplies " << left << " by " << right
                             << "; both must be integers or floats";
  auto isFloat8 = [](Type type) {
    return isa<Float8E4M3FNType, Float8E5M2Type>(type);
  };
  // V19
  if (left != right && !(isFloat8(left) && isFloat8(right)))
    return op->emitOpError() << "multiplies " << left << " by " << right
                             << "; both must be equal, except that f8E4M3FN "
                                "and f8E5M2 may mix";
  // V19
  if (left.isInteger() && !accElement.isInteger(32))
    return op->emitOpError() << "products of integers accumulate in i32, but "
                                "the accumulator has elements of type "
                             << accElement << "; use an i32 accumulator";
  return success();
}

//===----------------------------------------------------------------------===//
// Warpgroup matmuls
//===----------------------------------------------------------------------===//

LogicalResult WGMMARefOp::verify() {
  AccumulatorType acc = getAcc().getType();
  return verifyProduct(*this, acc.getShape(), acc.getElementType(),
                       cast<ShapedType>(getLhs().getType()),
                       getRhs().getType());
}

/// The accumulator is read and written. The matmul runs asynchronously, so it
/// is also ordered by the pipeline: a wait must not move across it.
void WGMMARefOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getAccMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getAccMutable());
  addReadOfRef(getLhsMutable(), effects);
  addReadOfRef(getRhsMutable(), effects);
  addPipelineEffects(effects);
}

LogicalResult WGMMAOp::verify() {
  RankedTensorType acc = getAcc().getType();
  return verifyProduct(*this, acc.getShape(), acc.getElementType(),
                       cast<ShapedType>(getLhs().getType()),
                       getRhs().getType());
}

/// Here the accumulator is a value, as after discharge. Only the order of the
/// pipeline remains.
void WGMMAOp::getEffects(Effects &effects) {
  addReadOfRef(getLhsMutable(), effects);
  addReadOfRef(getRhsMutable(), effects);
  addPipelineEffects(effects);
}

/// After discharge the operand is the value itself.
LogicalResult AccumulatorDerefOp::inferReturnTypes(
    MLIRContext *, std::optional<Location>, ValueRange operands, DictionaryAttr,
    OpaqueProperties, RegionRange, SmallVectorImpl<Type> &types) {
  Type held = operands[0].getType();
  if (auto accumulator = dyn_cast<AccumulatorType>(held))
    held = accumulator.getValueType();
  types.push_back(held);
  return success();
}

LogicalResult AccumulatorDerefOp::verify() {
  // V20
  if (!getWaitN() || int64_t(*getWaitN()) >= 0)
    return success();
  return emitOpError() << "can wait for at least 0 groups in flight, but "
                          "waits for "
                       << int64_t(*getWaitN()) << "; use 0 to wait for all";
}

void AccumulatorDerefOp::getEffects(Effects &effects) {
  if (isa<AccumulatorType>(getAcc().getType()))
    effects.emplace_back(MemoryEffects::Read::get(), &getAccMutable());
  addPipelineEffects(effects);
}

LogicalResult AccumulatorStoreOp::verify() {
  // V21
  if (getAcc().getType().getValueType() == getValue().getType())
    return success();
  return emitOpError() << "accumulator holds "
                       << getAcc().getType().getValueType()
                       << ", but the value has type " << getValue().getType()
                       << "; convert or reshape it first";
}

void AccumulatorStoreOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), &getAccMutable());
  addPipelineEffects(effects);
}

static LogicalResult verifyPending(Operation *op, int64_t pending) {
  // V20
  if (pending >= 0)
    return success();
  return op->emitOpError()
         << "number of pending groups must not be negative, but is " << pending
         << "; use 0 to wait for all";
}

LogicalResult WGMMAWaitOp::verify() {
  return verifyPending(*this, getPending());
}
LogicalResult WaitSmemToGmemOp::verify() {
  return verifyPending(*this, getPending());
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Checks elements and shapes. Two blocks share a partitioned dimension of the
/// source.
static LogicalResult verifyCopy(Operation *op, RefType source, RefType target,
                                std::optional<int64_t> partitioned = {}) {
  // V22
  if (source.getElementType() != target.getElementType())
    return op->emitOpError()
           << "copies between different element types, "
           << source.getElementType() << " and " << target.getElementType()
           << "; view one of them with pallas.bitcast_ref";
  // V22
  SmallVector<int64_t> part(source.getShape());
  if (partitioned) {
    // V22
    if (*partitioned < 0 || *partitioned >= source.getRank())
      return op->emitOpError()
             << "partitions dimension " << *partitioned << " of " << source
             << "; give one from 0 to " << source.getRank() - 1;
    int64_t &size = part[*partitioned];
    // V22
    if (!ShapedType::isDynamic(size) && size % 2 != 0)
      return op->emitOpError()
             << "partitions dimension " << *partitioned << " of size " << size
             << " among two blocks; use an even size";
    if (!ShapedType::isDynamic(size))
      size /= 2;
  }
  // V22
  if (succeeded(verifyCompatibleShape(part, target.getShape())))
    return success();
  return op->emitOpError() << "copies between different shapes, "
                           << describeShape(part) << " and "
                           << describeShape(target.getShape())
                           << "; slice the larger one with pallas.slice_ref";
}

static LogicalResult verifySpace(Operation *op, RefType ref, StringRef what,
                                 MemorySpace space) {
  // V22
  if (ref.getSpace() == space)
    return success();
  return op->emitOpError() << what << " must be in "
                           << stringifyMemorySpace(space) << ", but is in "
                           << stringifyMemorySpace(ref.getSpace());
}

/// Verifies that an axis along which two blocks act as one has as many.
static LogicalResult verifyPairAxis(Operation *op, StringRef what,
                                    StringRef name) {
  if (failed(verifyAxisName(op, what, name)))
    return failure();
  AxisLookup found = lookUpAxis(op, name);
  // V22
  if (!found.size || *found.size == 2)
    return success();
  InFlightDiagnostic diag = op->emitOpError()
                            << what << " the axis \"" << name << "\" of size "
                            << *found.size
                            << ", but two blocks act as one; use an axis of "
                               "size 2";
  diag.attachNote(found.owner->getLoc()) << "the kernel belongs to this";
  return diag;
}

/// A leader tracks the copies of a pair of blocks by its barrier. That works
/// for one axis of two blocks, since the leader is the first of them.
/// Checks of copies keep the same rules.
template <typename Op>
static LogicalResult verifyEnds(Op op, MemorySpace from, MemorySpace to) {
  if (failed(verifySpace(op, op.getSource().getType(), "source", from)))
    return failure();
  return verifySpace(op, op.getTarget().getType(), "target", to);
}

LogicalResult CopyGmemToSmemOp::verify() {
  if (failed(verifyEnds(*this, MemorySpace::Gmem, MemorySpace::Smem)))
    return failure();
  if (getLeaderTracked() || getPartitionedDim()) {
    size_t numAxes = getCollectiveAxes() ? getCollectiveAxes()->size() : 0;
    // V22
    if (numAxes != 1)
      return emitOpError() << "has a leader among the blocks along " << numAxes
                           << " axes of the cluster; name one collective axis";
    if (failed(verifyPairAxis(
            *this, "has a leader among the blocks along",
            cast<StringAttr>((*getCollectiveAxes())[0]).getValue())))
      return failure();
  }
  return verifyCopy(*this, getSource().getType(), getTarget().getType(),
                    getPartitionedDim());
}

/// The reduction takes place in memory, by the atomic operations that it has.
LogicalResult CopySmemToGmemOp::verify() {
  if (failed(verifyEnds(*this, MemorySpace::Smem, MemorySpace::Gmem)))
    return failure();
  if (getReduction() &&
      failed(verifyAtomicKind(*this, *getReduction(),
                              getTarget().getType().getElementType())))
    return failure();
  return verifyCopy(*this, getSource().getType(), getTarget().getType());
}

LogicalResult CheckCopyGmemToSmemOp::verify() {
  if (failed(verifyEnds(*this, MemorySpace::Gmem, MemorySpace::Smem)))
    return failure();
  return verifyCopy(*this, getSource().getType(), getTarget().getType());
}

LogicalResult CheckCopySmemToGmemOp::verify() {
  if (failed(verifyEnds(*this, MemorySpace::Smem, MemorySpace::Gmem)))
    return failure();
  return verifyCopy(*this, getSource().getType(), getTarget().getType());
}

//===----------------------------------------------------------------------===//
// Tensor memory, registers
//===----------------------------------------------------------------------===//

/// A row of scales belongs to a row of an operand, and divides it into parts of
/// equal size. Memory for scales has a multiple of 128 rows, so there may be
/// more rows than the operand has.
static LogicalResult verifyScaleShape(Tcgen05MMAOp op, Value scales,
                                      StringRef operand, int64_t rows,
                                      int64_t depth) {
  auto type = cast<RefType>(scales.getType());
  // V19
  if (type.getRank() == 2 && type.hasStaticShape() &&
      isa<FloatType>(type.getElementType()) && type.getDimSize(0) >= rows &&
      type.getDimSize(1) > 0 && depth % type.getDimSize(1) == 0)
    return verifySpace(op, type, "scales", MemorySpace::Tmem);
  return op.emitOpError() << "has scales of type " << type << " for the "
                          << rows << " rows of " << depth << " elements of "
                          << operand
                          << "; there are floats for at least as many rows, "
                             "and their columns divide the elements";
}

/// Scaled products are computed in f32.
static LogicalResult verifyScaledElements(Tcgen05MMAOp op) {
  auto isNarrow = [](RefType type) {
    auto element = dyn_cast<FloatType>(type.getElementType());
    return element && element.getWidth() <= 32;
  };
  std::array<Value, 5> values{op.getLhs(), op.getRhs(), op.getAcc(),
                              op.getLhsScale(), op.getRhsScale()};
  for (Value value : values)
    // V19
    if (auto type = cast<RefType>(value.getType()); !isNarrow(type))
      return op.emitOpError()
             << "scales a product of elements of type " << type.getElementType()
             << "; operands, scales and accumulator are floats of at most 32 "
                "bits";
  return success();
}

/// A row has two elements of four in a row. Places of elements of 16 bits lie
/// in tiles of 128x64.
static LogicalResult verifySparseShape(Tcgen05MMAOp op) {
  RefType lhs = op.getLhs().getType();
  bool isTiled = lhs.getElementTypeBitWidth() == 16;
  // V19
  if (lhs.getDimSize(1) % (isTiled ? 64 : 2) == 0 &&
      (!isTiled || lhs.getDimSize(0) % 128 == 0))
    return success();
  return op.emitOpError() << "has a sparse lhs of type " << lhs << "; it needs "
                          << (isTiled ? "a multiple of 128 rows and of 64 "
                                      : "an even number of ")
                          << "columns";
}

/// Scales of both operands or none, and a place for each element of a sparse
/// operand.
static LogicalResult verifyScales(Tcgen05MMAOp op) {
  RefType lhs = op.getLhs().getType(), rhs = op.getRhs().getType();
  // V19
  if (!op.getLhsScale() != !op.getRhsScale())
    return op.emitOpError("has scales of one operand; give both or none");
  int64_t columns = rhs.getDimSize(1) * (op.getCollectiveAxis() ? 2 : 1);
  if (op.getLhsScale() &&
      (failed(verifyScaledElements(op)) ||
       failed(verifyScaleShape(op, op.getLhsScale(), "lhs", lhs.getDimSize(0),
                               rhs.getDimSize(0))) ||
       failed(verifyScaleShape(op, op.getRhsScale(), "rhs", columns,
                               rhs.getDimSize(0)))))
    return failure();
  if (!op.getLhsMetadata())
    return success();
  RefType metadata = op.getLhsMetadata().getType();
  // V19
  if (metadata.getShape() != lhs.getShape() ||
      !metadata.getElementType().isInteger(2))
    return op.emitOpError() << "has metadata of type " << metadata
                            << " for a sparse lhs of type " << lhs
                            << "; it has an i2 for each element";
  if (failed(verifySparseShape(op)))
    return failure();
  return verifySpace(op, metadata, "metadata", MemorySpace::Tmem);
}

/// With a collective axis two blocks multiply together, and each one holds half
/// of the columns of rhs.
LogicalResult Tcgen05MMAOp::verify() {
  RefType acc = getAcc().getType();
  if (failed(verifySpace(*this, acc, "accumulator", MemorySpace::Tmem)))
    return failure();
  if (getCollectiveAxis() &&
      failed(verifyPairAxis(*this, "multiplies along", *getCollectiveAxis())))
    return failure();
  if (failed(verifyProduct(*this, acc.getShape(), acc.getElementType(),
                           getLhs().getType(), getRhs().getType(),
                           /*isCollective=*/getCollectiveAxis().has_value(),
                           /*isSparse=*/!!getLhsMetadata())))
    return failure();
  return verifyScales(*this);
}

void Tcgen05MMAOp::build(OpBuilder &builder, OperationState &state, Value acc,
                         Value lhs, Value rhs, Value accumulate) {
  build(builder, state, acc, lhs, rhs, accumulate, /*barrier=*/Value(),
        /*lhsScale=*/Value(), /*rhsScale=*/Value(), /*lhsMetadata=*/Value(),
        /*collectiveAxis=*/StringAttr());
}

/// Its end is seen by the barrier, which counts as written.
void Tcgen05MMAOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getAccMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getAccMutable());
  addReadOfRef(getLhsMutable(), effects);
  addReadOfRef(getRhsMutable(), effects);
  for (MutableOperandRange range :
       {getLhsScaleMutable(), getRhsScaleMutable(), getLhsMetadataMutable()})
    for (OpOperand &operand : range)
      addReadOfRef(operand, effects);
  for (OpOperand &barrier : getBarrierMutable())
    effects.emplace_back(MemoryEffects::Write::get(), &barrier);
  addPipelineEffects(effects);
}

/// Tiles of scales and of metadata hold whole parts of tensor memory.
LogicalResult AsyncCopyToTmemOp::verify() {
  RefType source = getSource().getType(), target = getTarget().getType();
  if (failed(verifySpace(*this, source, "source", MemorySpace::Smem)) ||
      failed(verifySpace(*this, target, "target", MemorySpace::Tmem)))
    return failure();
  if (getCollectiveAxis() &&
      failed(verifyPairAxis(*this, "copies along", *getCollectiveAxis())))
    return failure();
  SmallVector<int64_t> shape(target.getShape());
  bool isRight = shape.size() == 2 && target.hasStaticShape();
  if (isRight && getKind() != TensorCopyKind::Matrix) {
    int64_t columns = getKind() == TensorCopyKind::Scales ? 4 : 64;
    isRight = shape[0] % 128 == 0 && shape[1] % columns == 0;
    shape = {shape[0] / 128, shape[1] / columns, 128, 64};
    if (getKind() == TensorCopyKind::Scales)
      shape = {shape[0], shape[1], 32, 16};
  }
  // Two tiles of scales may be one of twice the height.
  bool isTall = isRight && getKind() == TensorCopyKind::Scales &&
                shape[0] == 2 &&
                source.getShape() == ArrayRef<int64_t>({1, shape[1], 64, 16});
  // V11
  if (isRight && source.getElementType() == target.getElementType() &&
      (isTall || source.getShape() == ArrayRef<int64_t>(shape)))
    return success();
  return emitOpError() << "copies " << source << " to " << target << " as "
                       << stringifyEnum(getKind())
                       << "; a matrix keeps its shape, scales for 128 rows by "
                          "4 are a tile of 32 x 16, and metadata for 128 rows "
                          "by 64 a tile of 128 x 64, of the same elements";
}

/// As products, copies stay in the order of the program.
void AsyncCopyToTmemOp::getEffects(Effects &effects) {
  addReadOfRef(getSourceMutable(), effects);
  effects.emplace_back(MemoryEffects::Write::get(), &getTargetMutable());
  addPipelineEffects(effects);
}

/// Infers that an operation yields what a ref holds.
static LogicalResult inferHeldType(Value ref, std::optional<Location> loc,
                                   SmallVectorImpl<Type> &types) {
  auto type = dyn_cast<RefType>(ref.getType());
  // V11
  if (!type || type.isSynchronization())
    return emitOptionalError(loc, "reads ", ref.getType(),
                             ", but only a ref to integers or floats holds a "
                             "value");
  types.push_back(type.getValueType());
  return success();
}

LogicalResult AsyncLoadTmemOp::inferReturnTypes(MLIRContext *,
                                                std::optional<Location> loc,
                                                ValueRange operands,
                                                DictionaryAttr,
                                                OpaqueProperties, RegionRange,
                                                SmallVectorImpl<Type> &types) {
  return inferHeldType(operands[0], loc, types);
}

LogicalResult AsyncLoadTmemOp::verify() {
  return verifySpace(*this, getSource().getType(), "source", MemorySpace::Tmem);
}

LogicalResult AsyncStoreTmemOp::verify() {
  RefType target = getTarget().getType();
  if (failed(verifySpace(*this, target, "target", MemorySpace::Tmem)))
    return failure();
  // V22
  if (target.getValueType() == getValue().getType())
    return success();
  return emitOpError() << "stores " << getValue().getType() << " to " << target
                       << "; both must have the same shape and elements";
}

/// The bounds are those of PTX's `setmaxnreg`.
LogicalResult SetMaxRegistersOp::verify() {
  int64_t count = getCount();
  // V20
  if (count >= 24 && count <= 256 && count % 8 == 0)
    return success();
  return emitOpError() << "register count must be a multiple of 8 from 24 to "
                          "256, but is "
                       << count;
}

//===----------------------------------------------------------------------===//
// Memory of other devices
//===----------------------------------------------------------------------===//

LogicalResult ClusterRefOp::verify() {
  return verifyAxisName(*this, "goes to a block along", getAxisName());
}

/// A logical id is the device's number; mesh ids are coordinates, which may be
/// given for some axes while the others stay those of this device.
LogicalResult RemoteRefOp::verify() {
  size_t numIds = getDeviceIds().size();
  // V17
  if (numIds == 0 ||
      (getDeviceIdType() == DeviceIdType::Logical && numIds != 1))
    return emitOpError() << "names a device by " << numIds
                         << " ids; a logical device id is one number, a mesh "
                            "id one per axis";
  std::optional<ArrayAttr> axes = getDeviceAxes();
  // V17
  if (axes &&
      (getDeviceIdType() == DeviceIdType::Logical || axes->size() != numIds))
    return emitOpError() << "names " << axes->size() << " mesh axes, but "
                         << numIds << " ids of type "
                         << stringifyDeviceIdType(getDeviceIdType())
                         << "; give one mesh coordinate per axis";
  return success();
}

LogicalResult MultimemLoadReduceOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, ValueRange operands,
    DictionaryAttr, OpaqueProperties, RegionRange,
    SmallVectorImpl<Type> &types) {
  return inferHeldType(operands[0], loc, types);
}
