//===- PallasAttributes.cpp - Attributes of the pallas dialect ------------===//

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
// BlockDimAttr
//===----------------------------------------------------------------------===//

/// Parses a dimension as it stands in a block: a size or a kind.
static ParseResult parseBlockDim(AsmParser &parser, BlockDimAttr &dim) {
  SMLoc loc = parser.getCurrentLocation();
  int64_t size = 1, low = 0, high = 0;
  BlockDimKind kind = BlockDimKind::Blocked;
  OptionalParseResult plainSize = parser.parseOptionalInteger(size);
  if (plainSize.has_value()) {
    if (failed(*plainSize))
      return failure();
  } else {
    FailureOr<BlockDimKind> parsed = FieldParser<BlockDimKind>::parse(parser);
    if (failed(parsed))
      return failure();
    kind = *parsed;
    if (kind != BlockDimKind::Squeezed &&
        (parser.parseLess() || parser.parseInteger(size)))
      return failure();
    if (kind == BlockDimKind::Element && succeeded(parser.parseOptionalComma()))
      if (parser.parseInteger(low) || parser.parseComma() ||
          parser.parseInteger(high))
        return failure();
    if (kind != BlockDimKind::Squeezed && parser.parseGreater())
      return failure();
  }
  dim = parser.getChecked<BlockDimAttr>(loc, parser.getContext(), kind, size,
                                        low, high);
  return success(static_cast<bool>(dim));
}

static void printBlockDim(AsmPrinter &printer, BlockDimAttr dim) {
  if (dim.getKind() == BlockDimKind::Blocked) {
    printer << dim.getSize();
    return;
  }
  printer << stringifyBlockDimKind(dim.getKind());
  if (dim.getKind() == BlockDimKind::Squeezed)
    return;
  printer << "<" << dim.getSize();
  if (dim.getPadLow() != 0 || dim.getPadHigh() != 0)
    printer << ", " << dim.getPadLow() << ", " << dim.getPadHigh();
  printer << ">";
}

Attribute BlockDimAttr::parse(AsmParser &parser, Type) {
  BlockDimAttr dim;
  if (parser.parseLess() || parseBlockDim(parser, dim) || parser.parseGreater())
    return {};
  return dim;
}

void BlockDimAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printBlockDim(printer, *this);
  printer << ">";
}

LogicalResult BlockDimAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   BlockDimKind kind, int64_t size,
                                   int64_t padLow, int64_t padHigh) {
  // D14
  if (size < 1)
    return emitError() << "block size must be at least 1, but is " << size;
  // D14
  if (padLow < 0 || padHigh < 0)
    return emitError() << "padding must not be negative, but is (" << padLow
                       << ", " << padHigh << ")";
  // V23
  if (kind != BlockDimKind::Element && (padLow != 0 || padHigh != 0))
    return emitError() << "only element dimensions can be padded, but a "
                       << stringifyBlockDimKind(kind)
                       << " dimension has the padding (" << padLow << ", "
                       << padHigh << ")";
  // V23
  if (kind == BlockDimKind::Squeezed && size != 1)
    return emitError() << "a squeezed dimension has size 1, but is given "
                       << size;
  return success();
}

//===----------------------------------------------------------------------===//
// PipelineModeAttr
//===----------------------------------------------------------------------===//

Attribute PipelineModeAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  int64_t count, prefetched = 0, delayRelease = 0;
  bool lookahead = false;
  RevisitMode revisit = RevisitMode::Immediate;
  if (parser.parseLess() || parser.parseInteger(count))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc wordLoc = parser.getCurrentLocation();
    StringRef word;
    if (parser.parseKeyword(&word))
      return {};
    if (word == "lookahead") {
      lookahead = true;
    } else if (word == "revisit") {
      revisit = RevisitMode::Any;
    } else if (word == "prefetched") {
      if (parser.parseInteger(prefetched))
        return {};
    } else if (word == "delay_release") {
      if (parser.parseInteger(delayRelease))
        return {};
    } else {
      parser.emitError(wordLoc)
          << "unknown buffering option '" << word
          << "'; expected lookahead, revisit, prefetched or delay_release";
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<PipelineModeAttr>(loc, parser.getContext(), count,
                                             lookahead, revisit, prefetched,
                                             delayRelease);
}

void PipelineModeAttr::print(AsmPrinter &printer) const {
  printer << "<" << getBufferCount();
  if (getUseLookahead())
    printer << ", lookahead";
  if (getRevisit() == RevisitMode::Any)
    printer << ", revisit";
  if (getPrefetchedCount() != 0)
    printer << ", prefetched " << getPrefetchedCount();
  if (getDelayRelease() != 0)
    printer << ", delay_release " << getDelayRelease();
  printer << ">";
}

LogicalResult
PipelineModeAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                         int64_t bufferCount, bool, RevisitMode,
                         int64_t prefetchedCount, int64_t delayRelease) {
  // V23
  if (bufferCount < 1)
    return emitError() << "a window needs at least 1 buffer, but has "
                       << bufferCount;
  // V23
  if (prefetchedCount < 0 || prefetchedCount > bufferCount)
    return emitError() << "prefetched count must be between 0 and the "
                       << bufferCount << " buffers, but is " << prefetchedCount;
  // V23
  if (delayRelease < 0)
    return emitError() << "delay_release must not be negative, but is "
                       << delayRelease;
  return success();
}

//===----------------------------------------------------------------------===//
// BlockMappingAttr
//===----------------------------------------------------------------------===//

Attribute BlockMappingAttr::parse(AsmParser &parser, Type) {
  SMLoc start = parser.getCurrentLocation();
  SmallVector<BlockDimAttr> dims;
  auto space = MemorySpaceAttr::get(parser.getContext(), MemorySpace::Default);
  PipelineModeAttr mode;
  ArrayAttr transforms;
  StringAttr origin;
  auto parseDim = [&] {
    return parseBlockDim(parser, dims.emplace_back(BlockDimAttr()));
  };
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseDim) ||
      parser.parseComma() || parseMemorySpace(parser, space))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc loc = parser.getCurrentLocation();
    StringRef word;
    if (parser.parseKeyword(&word) || parser.parseEqual())
      return {};
    ParseResult result = success();
    if (word == "pipeline")
      result = parser.parseCustomAttributeWithFallback(mode);
    else if (word == "transforms")
      result = parser.parseAttribute(transforms);
    else if (word == "origin")
      result = parser.parseAttribute(origin);
    else
      result = parser.emitError(loc)
               << "unknown key '" << word
               << "'; expected pipeline, transforms or origin";
    if (failed(result))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<BlockMappingAttr>(start, parser.getContext(), dims,
                                             space, mode, transforms, origin);
}

LogicalResult
BlockMappingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                         ArrayRef<BlockDimAttr>, MemorySpaceAttr,
                         PipelineModeAttr, ArrayAttr transforms, StringAttr) {
  return verifyTransforms(emitError, transforms);
}

void BlockMappingAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(getDims(), printer.getStream(),
                        [&](BlockDimAttr dim) { printBlockDim(printer, dim); });
  printer << "], ";
  printMemorySpace(printer, getMemorySpace());
  if (PipelineModeAttr mode = getPipelineMode()) {
    printer << ", pipeline = ";
    printer.printStrippedAttrOrType(mode);
  }
  if (ArrayAttr transforms = getTransforms())
    printer << ", transforms = " << transforms;
  if (StringAttr origin = getOrigin())
    printer << ", origin = " << origin;
  printer << ">";
}

SmallVector<int64_t> BlockMappingAttr::getBlockShape() const {
  return llvm::map_to_vector(getDims(),
                             [](BlockDimAttr dim) { return dim.getSize(); });
}

SmallVector<int64_t> BlockMappingAttr::getRefShape() const {
  SmallVector<int64_t> shape;
  for (BlockDimAttr dim : getDims())
    if (dim.getKind() != BlockDimKind::Squeezed)
      shape.push_back(dim.getSize());
  return shape;
}

RefType BlockMappingAttr::getRefType(Type elementType) const {
  return RefType::get(getContext(), getRefShape(), elementType,
                      getMemorySpace(), getTransforms());
}

bool BlockMappingAttr::coversWholeArray(ArrayRef<int64_t> arrayShape) const {
  return getBlockShape() == arrayShape &&
         llvm::all_of(getDims(), [](BlockDimAttr dim) {
           return dim.getPadLow() == 0 && dim.getPadHigh() == 0;
         });
}

unsigned BlockMappingAttr::getNumIndexMapResults() const {
  unsigned count = getDims().size();
  for (BlockDimAttr dim : getDims())
    count += dim.getKind() == BlockDimKind::BoundedSlice;
  return count;
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
             ReshapeTransformAttr, BitcastTransformAttr>(transform))
      return emitError()
             << "ref transform must be #pallas.tile, #pallas.swizzle, "
                "#pallas.transpose, #pallas.reshape or #pallas.bitcast, but is "
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
                     << int64_t(permutation.size()) - 1;
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
  return parser.getChecked<MeshAttr>(loc, parser.getContext(), *kind, axes);
}

void MeshAttr::print(AsmPrinter &printer) const {
  printer << "<" << stringifyMeshKind(getKind()) << ", [";
  llvm::interleaveComma(getAxes(), printer.getStream(), [&](MeshAxisAttr axis) {
    printer.printStrippedAttrOrType(axis);
  });
  printer << "]>";
}

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
