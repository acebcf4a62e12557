//===- PallasTypes.cpp - Types of the pallas dialect ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parsers, printers and verifiers of types. Comments such as V24 name rules of
// docs/Rules.md.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/IR/PallasTypes.h"
#include "AsmHelpers.h"
#include "mlir/IR/DialectImplementation.h"
#include "pallas/Dialect/Pallas/IR/PallasDialect.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::pallas;

#define GET_TYPEDEF_CLASSES
#include "pallas/Dialect/Pallas/IR/PallasTypes.cpp.inc"

void PallasDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "pallas/Dialect/Pallas/IR/PallasTypes.cpp.inc"
      >();
}

/// Scalars have no tensor around them, so that `arith` and `scf` take what an
/// access yields as it is: `pallas.get %r[%i]` is an f32, not a tensor<f32>.
Type mlir::pallas::getValueType(ArrayRef<int64_t> shape, Type elementType) {
  if (shape.empty())
    return elementType;
  return RankedTensorType::get(shape, elementType);
}

/// For messages, in the notation of NumPy.
std::string mlir::pallas::describeShape(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "[";
  llvm::interleaveComma(shape, os, [&](int64_t size) {
    if (ShapedType::isDynamic(size))
      os << "?";
    else
      os << size;
  });
  os << "]";
  return text;
}

/// The inverse of `getValueType`: a scalar has no dimensions.
ArrayRef<int64_t> mlir::pallas::getValueShape(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.getShape();
  return {};
}

/// None on overflow. A zero comes first: sizes that overflow without it make no
/// elements with it.
std::optional<int64_t> mlir::pallas::countElements(ArrayRef<int64_t> shape) {
  if (llvm::is_contained(shape, 0))
    return 0;
  int64_t count = 1;
  for (int64_t size : shape)
    if (llvm::MulOverflow(count, size, count))
      return std::nullopt;
  return count;
}

static bool isSynchronizationType(Type type) {
  return isa<SemaphoreType, DMASemaphoreType, BarrierSemaphoreType, BarrierType,
             ClusterBarrierType>(type);
}

/// The opening bracket is taken here, the closing one by the caller: what comes
/// in between depends on the type.
static ParseResult parseShapeAndElement(AsmParser &parser,
                                        SmallVectorImpl<int64_t> &shape,
                                        Type &elementType) {
  return failure(parser.parseLess() ||
                 parser.parseDimensionList(shape, /*allowDynamic=*/true) ||
                 parser.parseType(elementType));
}

static void printShapeAndElement(AsmPrinter &printer, ArrayRef<int64_t> shape,
                                 Type elementType) {
  printer << "<";
  for (int64_t size : shape) {
    printStaticOrDynamic(printer, size);
    printer << 'x';
  }
  printer << elementType;
}

//===----------------------------------------------------------------------===//
// RefType
//===----------------------------------------------------------------------===//

/// Memory spaces print as keywords, so that refs stay short in kernels that
/// name dozens of them: `!pallas.ref<8x128xf32, vmem>`.
Type RefType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> shape;
  Type elementType;
  MemorySpaceAttr space;
  ArrayAttr transforms;
  if (parseShapeAndElement(parser, shape, elementType) || parser.parseComma() ||
      parseMemorySpace(parser, space))
    return {};
  if (succeeded(parser.parseOptionalComma()) &&
      parser.parseAttribute(transforms))
    return {};
  if (parser.parseGreater())
    return {};
  return parser.getChecked<RefType>(loc, parser.getContext(), shape,
                                    elementType, space, transforms);
}

void RefType::print(AsmPrinter &printer) const {
  printShapeAndElement(printer, getShape(), getElementType());
  printer << ", ";
  printMemorySpace(printer, getMemorySpace());
  if (ArrayAttr transforms = getTransforms())
    printer << ", " << transforms;
  printer << ">";
}

LogicalResult RefType::verify(function_ref<InFlightDiagnostic()> emitError,
                              ArrayRef<int64_t> shape, Type elementType,
                              MemorySpaceAttr memorySpace,
                              ArrayAttr transforms) {
  for (int64_t size : shape)
    // V23
    if (size < 0 && !ShapedType::isDynamic(size))
      return emitError() << "ref dimension must not be negative, but is "
                         << size;
  // V23
  if (!isValidElementType(elementType))
    return emitError() << "ref element must be a signless integer, a float, a "
                          "semaphore or a barrier, but is "
                       << elementType;
  ArrayRef<Attribute> all =
      transforms ? transforms.getValue() : ArrayRef<Attribute>();
  // V23
  if (llvm::count_if(all, llvm::IsaPred<TensorMemoryAttr>) > 1)
    return emitError() << "ref has several of " << transforms
                       << "; tensor memory holds it in one way";
  for (Attribute transform : all)
    // V23
    if (isa<TensorMemoryAttr>(transform) &&
        memorySpace.getSpace() != MemorySpace::Tmem)
      return emitError() << "ref in " << stringifyEnum(memorySpace.getSpace())
                         << " has " << transform
                         << ", which tells how tensor memory holds it; use it "
                            "for refs in tmem";
  return verifyTransforms(emitError, transforms);
}

RefType RefType::get(ArrayRef<int64_t> shape, Type elementType,
                     MemorySpace space) {
  MLIRContext *context = elementType.getContext();
  return get(context, shape, elementType, MemorySpaceAttr::get(context, space),
             ArrayAttr());
}

MemorySpace RefType::getSpace() const { return getMemorySpace().getSpace(); }

RefType RefType::withShape(ArrayRef<int64_t> shape) const {
  return get(getContext(), shape, getElementType(), getMemorySpace(),
             getTransforms());
}

RefType RefType::withElementType(Type elementType) const {
  return get(getContext(), getShape(), elementType, getMemorySpace(),
             getTransforms());
}

/// Signs belong to operations in MLIR, and an integer without bits has no
/// memory.
bool RefType::isValidElementType(Type type) {
  return (type.isSignlessInteger() && !type.isInteger(0)) ||
         isa<FloatType, IndexType>(type) || isSynchronizationType(type);
}

bool RefType::isSynchronization() const {
  return isSynchronizationType(getElementType());
}

/// Null for semaphores and barriers: no value holds what they count, and
/// accesses to them are operations of their own.
Type RefType::getValueType() const {
  if (isSynchronization())
    return {};
  return pallas::getValueType(getShape(), getElementType());
}

/// For the interface of shaped types, which lets upstream's helpers take refs.
bool RefType::hasRank() const { return true; }

ShapedType RefType::cloneWith(std::optional<ArrayRef<int64_t>> shape,
                              Type elementType) const {
  return get(getContext(), shape.value_or(getShape()), elementType,
             getMemorySpace(), getTransforms());
}

//===----------------------------------------------------------------------===//
// AccumulatorType
//===----------------------------------------------------------------------===//

Type AccumulatorType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> shape;
  Type elementType;
  if (parseShapeAndElement(parser, shape, elementType) || parser.parseGreater())
    return {};
  return parser.getChecked<AccumulatorType>(loc, parser.getContext(), shape,
                                            elementType);
}

void AccumulatorType::print(AsmPrinter &printer) const {
  printShapeAndElement(printer, getShape(), getElementType());
  printer << ">";
}

/// Accumulators are registers of a warpgroup, whose shape the instruction
/// fixes.
LogicalResult
AccumulatorType::verify(function_ref<InFlightDiagnostic()> emitError,
                        ArrayRef<int64_t> shape, Type elementType) {
  // V23
  if (shape.size() != 2 || ShapedType::isDynamicShape(shape))
    return emitError() << "accumulator must have 2 static dimensions, m x n, "
                          "but has the shape "
                       << describeShape(shape);
  // V23
  if (!isa<FloatType>(elementType) && !elementType.isSignlessInteger(32))
    return emitError() << "accumulator element must be a float or i32, but is "
                       << elementType;
  return success();
}

RankedTensorType AccumulatorType::getValueType() const {
  return RankedTensorType::get(getShape(), getElementType());
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

/// A barrier that expects nothing would complete at once and again for ever.
static LogicalResult
verifyArrivals(function_ref<InFlightDiagnostic()> emitError,
               int64_t numArrivals) {
  // V23
  if (numArrivals >= 1)
    return success();
  return emitError() << "barrier needs at least 1 arrival, but has "
                     << numArrivals
                     << "; give the number of threads or copies that arrive";
}

LogicalResult BarrierType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  int64_t numArrivals, bool) {
  return verifyArrivals(emitError, numArrivals);
}

LogicalResult
ClusterBarrierType::verify(function_ref<InFlightDiagnostic()> emitError,
                           ArrayAttr collectiveAxes, int64_t numArrivals, bool,
                           bool) {
  llvm::SmallDenseSet<Attribute> named;
  for (Attribute axis : collectiveAxes) {
    auto group = dyn_cast<ArrayAttr>(axis);
    // V23
    if (!isa<StringAttr>(axis) &&
        (!group || group.empty() ||
         !llvm::all_of(group, llvm::IsaPred<StringAttr>)))
      return emitError() << "collective axis must be a string, or an array of "
                            "strings that count as one axis, but is "
                         << axis;
    for (Attribute name : group ? group.getValue() : ArrayRef(axis))
      // V23
      if (!named.insert(name).second)
        return emitError() << "collective axis " << name
                           << " is named twice; name each axis once";
  }
  return verifyArrivals(emitError, numArrivals);
}
