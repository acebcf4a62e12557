//===- PallasAttributes.cpp - Attributes of the pallas dialect ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parsers, printers and verifiers of attributes, except those of blocks, which
// are in BlockAttributes.cpp.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/IR/PallasAttributes.h"
#include "AsmHelpers.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "pallas/Dialect/Pallas/IR/Cumulative.h"
#include "pallas/Dialect/Pallas/IR/PallasDialect.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::pallas;

/// None for log-sum-exp, which combines pairs by more than one operation.
std::optional<CombiningKind>
mlir::pallas::getCombiningKind(CumulativeKind kind) {
  switch (kind) {
  case CumulativeKind::Sum:
    return CombiningKind::Add;
  case CumulativeKind::Prod:
    return CombiningKind::Mul;
  case CumulativeKind::Max:
    return CombiningKind::Max;
  case CumulativeKind::Min:
    return CombiningKind::Min;
  case CumulativeKind::UMax:
    return CombiningKind::UMax;
  case CumulativeKind::UMin:
    return CombiningKind::UMin;
  case CumulativeKind::LogSumExp:
    return std::nullopt;
  }
  llvm_unreachable("all kinds are handled");
}

#include "pallas/Dialect/Pallas/IR/PallasEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "pallas/Dialect/Pallas/IR/PallasAttributes.cpp.inc"

void PallasDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "pallas/Dialect/Pallas/IR/PallasAttributes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// MemorySpaceAttr
//===----------------------------------------------------------------------===//

MemorySpaceAttr MemorySpaceAttr::get(MLIRContext *context, MemorySpace space) {
  return get(context, space, std::nullopt);
}

/// A space may belong to one kind of core: `vmem@sc_vector` is the memory of a
/// vector subcore, which a TensorCore cannot address.
ParseResult mlir::pallas::parseMemorySpace(AsmParser &parser,
                                           MemorySpaceAttr &result) {
  FailureOr<MemorySpace> space = FieldParser<MemorySpace>::parse(parser);
  if (failed(space))
    return failure();
  std::optional<CoreKind> core;
  SMLoc loc = parser.getCurrentLocation();
  StringAttr coreName;
  if (succeeded(parser.parseOptionalSymbolName(coreName))) {
    core = symbolizeCoreKind(coreName.getValue());
    if (!core)
      return parser.emitError(loc)
             << "unknown core '" << coreName.getValue()
             << "'; expected tensorcore, sc_scalar or sc_vector";
  }
  result = MemorySpaceAttr::get(parser.getContext(), *space, core);
  return success();
}

void mlir::pallas::printMemorySpace(AsmPrinter &printer,
                                    MemorySpaceAttr space) {
  printer << stringifyMemorySpace(space.getSpace());
  if (std::optional<CoreKind> core = space.getCore())
    printer << '@' << stringifyCoreKind(*core);
}

Attribute MemorySpaceAttr::parse(AsmParser &parser, Type) {
  MemorySpaceAttr space;
  if (parser.parseLess() || parseMemorySpace(parser, space) ||
      parser.parseGreater())
    return {};
  return space;
}

void MemorySpaceAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printMemorySpace(printer, *this);
  printer << ">";
}

//===----------------------------------------------------------------------===//
// Layout transforms
//===----------------------------------------------------------------------===//

LogicalResult
mlir::pallas::verifyTransforms(function_ref<InFlightDiagnostic()> emitError,
                               ArrayAttr transforms) {
  if (!transforms)
    return success();
  for (Attribute transform : transforms)
    // V23
    if (!isa<TileTransformAttr, SwizzleTransformAttr, TransposeTransformAttr,
             ReshapeTransformAttr, BitcastTransformAttr, TensorMemoryAttr>(
            transform))
      return emitError()
             << "ref transform must be #pallas.tile, #pallas.swizzle, "
                "#pallas.transpose, #pallas.reshape, #pallas.bitcast or "
                "#pallas.tensor_memory, but is "
             << transform;
  return success();
}

LogicalResult
TileTransformAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                          ArrayRef<int64_t> tile) {
  for (int64_t size : tile)
    // V23
    if (size < 1)
      return emitError() << "tile size must be at least 1, but is " << size;
  return success();
}

/// The sizes are those of the tensor memory accelerator; 16 means no swizzle.
LogicalResult
SwizzleTransformAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                             int64_t bytes) {
  // V23
  if (bytes == 16 || bytes == 32 || bytes == 64 || bytes == 128)
    return success();
  return emitError() << "swizzle must be 16, 32, 64 or 128 bytes, but is "
                     << bytes;
}

LogicalResult
TransposeTransformAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<int64_t> permutation) {
  // V23
  if (isPermutationVector(permutation))
    return success();
  return emitError() << "[" << permutation << "] is not a permutation of 0 to "
                     << int64_t(permutation.size()) - 1
                     << "; name each dimension once";
}

/// Columns have 32 bits, and no element has less than 4.
LogicalResult
TensorMemoryAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                         TensorLayout, int64_t packing, bool) {
  // V23
  if (llvm::is_contained({1, 2, 4, 8}, packing))
    return success();
  return emitError() << "tensor memory packs " << packing
                     << " elements into a column; pack 1, 2, 4 or 8";
}

//===----------------------------------------------------------------------===//
// MeshAttr
//===----------------------------------------------------------------------===//

/// How many axes of each role a kind of mesh has: at least and at most.
static std::pair<unsigned, unsigned> getAxisBounds(MeshKind kind,
                                                   MeshAxisRole role) {
  constexpr unsigned many = ~0u;
  switch (kind) {
  case MeshKind::TensorCore:
  case MeshKind::ScScalar:
    return role == MeshAxisRole::Core ? std::pair(1u, 1u) : std::pair(0u, 0u);
  case MeshKind::ScVector:
    if (role == MeshAxisRole::Core || role == MeshAxisRole::Subcore)
      return {1, 1};
    return {0, 0};
  case MeshKind::Gpu:
    if (role == MeshAxisRole::Grid)
      return {0, many};
    if (role == MeshAxisRole::Cluster)
      return {0, 3};
    return {0, role == MeshAxisRole::Thread ? 1 : 0};
  case MeshKind::Warp:
    return role == MeshAxisRole::Warp ? std::pair(1u, 1u) : std::pair(0u, 0u);
  }
  return {0, 0};
}

Attribute MeshAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  FailureOr<MeshKind> kind = failure();
  SmallVector<MeshAxisAttr> axes;
  auto parseAxis = [&]() -> ParseResult {
    return parser.parseCustomAttributeWithFallback(axes.emplace_back());
  };
  if (parser.parseLess() ||
      failed(kind = FieldParser<MeshKind>::parse(parser)) ||
      parser.parseComma() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseAxis) ||
      parser.parseGreater())
    return {};
  // Reports at the text what the verifier finds; `get` would assert.
  return parser.getChecked<MeshAttr>(loc, parser.getContext(), *kind, axes);
}

void MeshAttr::print(AsmPrinter &printer) const {
  printer << "<" << stringifyMeshKind(getKind()) << ", [";
  llvm::interleaveComma(getAxes(), printer.getStream(), [&](MeshAxisAttr axis) {
    printer.printStrippedAttrOrType(axis);
  });
  printer << "]>";
}

/// The roles of axes follow from the hardware: a SparseCore has one axis of
/// cores and one of subcores, a GPU up to three of a cluster.
LogicalResult MeshAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               MeshKind kind, ArrayRef<MeshAxisAttr> axes) {
  llvm::StringSet<> names;
  for (MeshAxisAttr axis : axes) {
    // V23
    if (axis.getSize() < 1)
      return emitError() << "mesh axis \"" << axis.getName().getValue()
                         << "\" must have at least size 1, but has "
                         << axis.getSize();
    // X4
    if (!names.insert(axis.getName().getValue()).second)
      return emitError() << "mesh axis \"" << axis.getName().getValue()
                         << "\" appears twice; name each axis once";
  }
  for (unsigned value = 0; value <= getMaxEnumValForMeshAxisRole(); ++value) {
    auto role = MeshAxisRole(value);
    unsigned count = llvm::count_if(
        axes, [&](MeshAxisAttr axis) { return axis.getRole() == role; });
    auto [least, most] = getAxisBounds(kind, role);
    // X6
    if (count < least || count > most)
      return emitError() << "a " << stringifyMeshKind(kind) << " mesh has "
                         << (count < least ? "at least " : "at most ")
                         << (count < least ? least : most) << " axes of role "
                         << stringifyMeshAxisRole(role) << ", but this one has "
                         << count;
  }
  return success();
}

LogicalResult
CostEstimateAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                         int64_t flops, int64_t transcendentals,
                         int64_t bytesAccessed,
                         int64_t remoteBytesTransferred) {
  for (int64_t count :
       {flops, transcendentals, bytesAccessed, remoteBytesTransferred})
    // V23
    if (count < 0)
      return emitError() << "cost must not be negative, but is " << count;
  return success();
}

SmallVector<int64_t> MeshAttr::getShape() const {
  return llvm::map_to_vector(getAxes(),
                             [](MeshAxisAttr axis) { return axis.getSize(); });
}

/// Where arrays of a call on this mesh are unless a spec names a space.
MemorySpace MeshAttr::getDefaultMemorySpace() const {
  switch (getKind()) {
  case MeshKind::TensorCore:
    return MemorySpace::Any;
  case MeshKind::ScScalar:
  case MeshKind::ScVector:
    return MemorySpace::Hbm;
  case MeshKind::Gpu:
  case MeshKind::Warp:
    return MemorySpace::Gmem;
  }
  return MemorySpace::Any;
}

/// All cores of a mesh run at once, so no axis is sequential.
SmallVector<DimensionSemantics> MeshAttr::getDimensionSemantics() const {
  return llvm::map_to_vector(getAxes(), [&](MeshAxisAttr axis) {
    if (axis.getRole() == MeshAxisRole::Subcore)
      return DimensionSemantics::SubcoreParallel;
    bool isSparseCore =
        getKind() == MeshKind::ScScalar || getKind() == MeshKind::ScVector;
    return isSparseCore ? DimensionSemantics::CoreParallel
                        : DimensionSemantics::Parallel;
  });
}

std::optional<int64_t> MeshAttr::getAxisSize(StringRef name) const {
  for (MeshAxisAttr axis : getAxes())
    if (axis.getName().getValue() == name)
      return axis.getSize();
  return std::nullopt;
}
