//===- BlockAttributes.cpp - How arrays are cut into blocks ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parsers, printers and verifiers of the attributes that tell how an array is
// split into blocks, and the shapes of these blocks.
//
//===----------------------------------------------------------------------===//

#include "AsmHelpers.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// BlockDimAttr
//===----------------------------------------------------------------------===//

/// Parses one dimension of a block: a size, or a keyword with its size.
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

/// Padding prints only where there is some, and a plain size is a blocked
/// dimension: `[8, squeezed, element<128, 1, 1>]`.
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

/// For the attribute by itself; within a mapping dimensions have no brackets.
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

/// JAX has padding for element dimensions alone: a blocked one would start its
/// windows at multiples of the block, which padding shifts.
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
                       << padHigh << "); use element<size, low, high>";
  // V23
  if (kind == BlockDimKind::Squeezed && size != 1)
    return emitError() << "a squeezed dimension has size 1, but is given "
                       << size
                       << "; use a blocked or element dimension for more";
  return success();
}

//===----------------------------------------------------------------------===//
// PipelineModeAttr
//===----------------------------------------------------------------------===//

/// Options come in any order, and those with their default value are not
/// printed.
/// For example, `<3, lookahead, prefetched 1>`.
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

/// Buffers that were filled before the pipeline starts are among those that it
/// has.
LogicalResult
PipelineModeAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                         int64_t bufferCount, bool, RevisitMode,
                         int64_t prefetchedCount, int64_t delayRelease) {
  // V23
  if (bufferCount < 1)
    return emitError() << "a window needs at least 1 buffer, but has "
                       << bufferCount
                       << "; use 1 for no overlap, 2 to fetch ahead";
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

/// The shape and the memory space are always there; what is rare has a key.
/// For example, `<[8, squeezed, 128], vmem, pipeline = <2>>`.
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
  return parser.getChecked<BlockMappingAttr>(start, parser.getContext(),
                                             ArrayRef(dims), space, mode,
                                             transforms, origin);
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

/// In the dimensions of the array: squeezed ones have size 1.
SmallVector<int64_t> BlockMappingAttr::getBlockShape() const {
  return llvm::map_to_vector(getDims(),
                             [](BlockDimAttr dim) { return dim.getSize(); });
}

/// In the dimensions that the kernel sees: squeezed ones are gone.
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

/// With padding, the window would move over places outside of the array.
bool BlockMappingAttr::coversWholeArray(ArrayRef<int64_t> arrayShape) const {
  return getBlockShape() == arrayShape &&
         llvm::all_of(getDims(), [](BlockDimAttr dim) {
           return dim.getPadLow() == 0 && dim.getPadHigh() == 0;
         });
}

/// A bounded slice takes a start and a size, all others one index.
unsigned BlockMappingAttr::getNumIndexMapResults() const {
  unsigned count = getDims().size();
  for (BlockDimAttr dim : getDims())
    count += dim.getKind() == BlockDimKind::BoundedSlice;
  return count;
}
