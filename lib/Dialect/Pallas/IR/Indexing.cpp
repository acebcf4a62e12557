//===- Indexing.cpp - Indexers of refs ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indexers select elements of refs by an entry per dimension, as NumPy does:
// `r[ds(%i, 8), :, gather(%v)]`. This file parses and prints them, and infers
// the shape of the selected elements.
//
//===----------------------------------------------------------------------===//

#include "AsmHelpers.h"
#include "mlir/Dialect/Traits.h"
#include "mlir/IR/OpImplementation.h"
#include "pallas/Dialect/Pallas/IR/PallasInterfaces.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Spelling
//===----------------------------------------------------------------------===//

/// Attributes write `?` where the operation has an operand.
ParseResult mlir::pallas::parseStaticOrDynamic(AsmParser &parser,
                                               int64_t &value) {
  if (succeeded(parser.parseOptionalQuestion())) {
    value = ShapedType::kDynamic;
    return success();
  }
  return parser.parseInteger(value);
}

void mlir::pallas::printStaticOrDynamic(AsmPrinter &printer, int64_t value) {
  if (ShapedType::isDynamic(value))
    printer << '?';
  else
    printer << value;
}

/// Parses the entries of an indexer between brackets. `parseValue` parses a
/// start, size or scalar, and `parseGather` the operand of a gather entry.
static ParseResult parseEntries(AsmParser &parser,
                                SmallVectorImpl<DimIndex> &entries,
                                function_ref<ParseResult(int64_t &)> parseValue,
                                function_ref<ParseResult()> parseGather) {
  if (parser.parseLSquare())
    return failure();
  if (succeeded(parser.parseOptionalEllipsis()))
    return parser.parseRSquare();
  auto parseEntry = [&]() -> ParseResult {
    DimIndex &entry = entries.emplace_back();
    if (succeeded(parser.parseOptionalColon()))
      return success();
    if (succeeded(parser.parseOptionalKeyword("ds"))) {
      entry.kind = IndexKind::Slice;
      if (parser.parseLParen() || parseValue(entry.start) ||
          parser.parseComma() || parseValue(entry.size))
        return failure();
      if (succeeded(parser.parseOptionalComma()) &&
          parser.parseInteger(entry.stride))
        return failure();
      return parser.parseRParen();
    }
    if (succeeded(parser.parseOptionalKeyword("gather"))) {
      entry = DimIndex::gather();
      return parseGather();
    }
    entry = DimIndex::scalar(0);
    return parseValue(entry.start);
  };
  if (parser.parseCommaSeparatedList(parseEntry))
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalColon()))
    return parser.emitError(loc) << "a slice is written ds(start, size) or "
                                    "ds(start, size, stride)";
  return parser.parseRSquare();
}

/// The counterpart of `parseEntries`; the callbacks print numbers and operands.
static void printEntries(AsmPrinter &printer, ArrayRef<DimIndex> entries,
                         function_ref<void(int64_t)> printValue,
                         function_ref<void()> printGather) {
  printer << "[";
  if (entries.empty())
    printer << "...";
  llvm::interleaveComma(entries, printer.getStream(), [&](DimIndex entry) {
    switch (entry.kind) {
    case IndexKind::Full:
      printer << ":";
      break;
    case IndexKind::Slice:
      printer << "ds(";
      printValue(entry.start);
      printer << ", ";
      printValue(entry.size);
      if (entry.stride != 1)
        printer << ", " << entry.stride;
      printer << ")";
      break;
    case IndexKind::Scalar:
      printValue(entry.start);
      break;
    case IndexKind::Gather:
      printer << "gather";
      printGather();
      break;
    }
  });
  printer << "]";
}

/// In generic form the operands are apart, so `?` and `gather` have none.
Attribute IndexerAttr::parse(AsmParser &parser, Type) {
  SmallVector<DimIndex> entries;
  auto parseValue = [&](int64_t &value) {
    return parseStaticOrDynamic(parser, value);
  };
  if (parser.parseLess() ||
      parseEntries(parser, entries, parseValue, [] { return success(); }) ||
      parser.parseGreater())
    return {};
  return get(parser.getContext(), entries);
}

void IndexerAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printEntries(
      printer, getEntries(),
      [&](int64_t value) { printStaticOrDynamic(printer, value); }, [] {});
  printer << ">";
}

/// The custom form of operations has operands in the place of `?`.
ParseResult mlir::pallas::parseIndexer(
    OpAsmParser &parser, IndexerAttr &indexer,
    SmallVectorImpl<OpAsmParser::UnresolvedOperand> &indices,
    SmallVectorImpl<Type> &types) {
  Type i32 = parser.getBuilder().getI32Type();
  auto parseValue = [&](int64_t &value) -> ParseResult {
    OpAsmParser::UnresolvedOperand operand;
    OptionalParseResult isOperand = parser.parseOptionalOperand(operand);
    if (!isOperand.has_value())
      return parser.parseInteger(value);
    if (failed(*isOperand))
      return failure();
    value = ShapedType::kDynamic;
    indices.push_back(operand);
    // A scalar is i32 unless the keyword `index` follows.
    types.push_back(succeeded(parser.parseOptionalKeyword("index"))
                        ? Type(parser.getBuilder().getIndexType())
                        : i32);
    return success();
  };
  auto parseGather = [&]() -> ParseResult {
    return failure(
        parser.parseLParen() || parser.parseOperand(indices.emplace_back()) ||
        parser.parseColonType(types.emplace_back()) || parser.parseRParen());
  };
  SmallVector<DimIndex> entries;
  if (parseEntries(parser, entries, parseValue, parseGather))
    return failure();
  indexer = IndexerAttr::get(parser.getContext(), entries);
  return success();
}

void mlir::pallas::printIndexer(OpAsmPrinter &printer, Operation *,
                                IndexerAttr indexer, OperandRange indices,
                                TypeRange types) {
  unsigned next = 0;
  auto printValue = [&](int64_t value) {
    if (!ShapedType::isDynamic(value)) {
      printer << value;
      return;
    }
    printer << indices[next];
    if (types[next].isIndex())
      printer << " index";
    ++next;
  };
  auto printGather = [&] {
    printer << "(" << indices[next] << " : " << types[next] << ")";
    ++next;
  };
  printEntries(printer, indexer.getEntries(), printValue, printGather);
}

//===----------------------------------------------------------------------===//
// Meaning
//===----------------------------------------------------------------------===//

/// True for `[...]`, which has no entries, and for `[:, :]`.
bool IndexerAttr::isTrivial() const {
  return llvm::all_of(getEntries(), [](const DimIndex &entry) {
    return entry.kind == IndexKind::Full;
  });
}

unsigned IndexerAttr::getNumOperands() const {
  unsigned count = 0;
  for (const DimIndex &entry : getEntries())
    count += entry.getNumOperands();
  return count;
}

bool IndexerAttr::hasGather() const {
  return llvm::any_of(getEntries(), [](const DimIndex &entry) {
    return entry.kind == IndexKind::Gather;
  });
}

/// One entry per dimension, with `:` written out as a slice, so that users
/// handle slices alone.
SmallVector<DimIndex> mlir::pallas::getFullEntries(IndexerAttr indexer,
                                                   ArrayRef<int64_t> refShape) {
  SmallVector<DimIndex> entries(indexer.getEntries());
  entries.resize(refShape.size());
  for (auto [entry, size] : llvm::zip(entries, refShape))
    if (entry.kind == IndexKind::Full)
      entry = DimIndex::slice(0, size);
  return entries;
}

/// NumPy's rule: the common dimensions of index arrays take the place of the
/// first integer entry if all of those are adjacent, and come first otherwise.
///
///   r[:, gather(%a), 0]     selects [:, common]
///   r[0, :, gather(%a)]     selects [common, :]
unsigned mlir::pallas::getCommonPosition(ArrayRef<DimIndex> entries) {
  auto isInteger = [](const DimIndex &entry) {
    return entry.kind == IndexKind::Scalar || entry.kind == IndexKind::Gather;
  };
  const auto *first = llvm::find_if(entries, isInteger);
  const auto *rest = std::find_if_not(first, entries.end(), isInteger);
  bool isAdjacent = std::none_of(rest, entries.end(), isInteger);
  return first != entries.end() && isAdjacent ? first - entries.begin() : 0;
}

/// `a dimension of size 8`, as far as that is known.
static std::string describeDimension(int64_t size) {
  if (ShapedType::isDynamic(size))
    return "a dimension of dynamic size";
  return "a dimension of size " + std::to_string(size);
}

/// Checks one entry against the size of its dimension, as far as both are
/// known.
static LogicalResult verifyEntry(const DimIndex &entry, unsigned position,
                                 int64_t size, bool mayHangOver,
                                 function_ref<InFlightDiagnostic()> emitError) {
  auto error = [&] { return emitError() << "index " << position << " "; };
  bool isStaticDim = !ShapedType::isDynamic(size);
  switch (entry.kind) {
  case IndexKind::Full:
  case IndexKind::Gather:
    return success();
  case IndexKind::Scalar:
    // N6
    if (!entry.hasDynamicStart() &&
        (entry.start < 0 || (isStaticDim && entry.start >= size)))
      return error() << "is " << entry.start << ", out of bounds for "
                     << describeDimension(size)
                     << "; count from 0, and from the front";
    return success();
  case IndexKind::Slice:
    break;
  }
  // N3
  if (entry.stride < 0)
    return error() << "has the stride " << entry.stride
                   << "; a stride must not be negative";
  // N3
  if (!entry.hasDynamicSize() && entry.size < 0)
    return error() << "has the size " << entry.size
                   << "; a size must not be negative";
  if (entry.hasDynamicStart())
    return success();
  // N4
  if (entry.start < 0 ||
      (isStaticDim && !mayHangOver && entry.size != 0 && entry.start >= size))
    return error() << "starts at " << entry.start << ", out of bounds for "
                   << describeDimension(size)
                   << "; count from 0, and from the front";
  if (!isStaticDim || mayHangOver || entry.hasDynamicSize() || entry.size == 0)
    return success();
  // N5; computed without overflow for any start, size and stride
  int64_t room = size - 1 - entry.start;
  if (entry.stride != 0 && entry.size - 1 > room / entry.stride)
    return error() << "is a slice of " << entry.size << " elements from "
                   << entry.start << " with stride " << entry.stride
                   << ", out of bounds for " << describeDimension(size)
                   << "; at most " << room / entry.stride + 1 << " fit";
  return success();
}

/// Checks the operands of one entry and broadcasts index arrays into
/// `intShape`.
static LogicalResult
verifyEntryOperands(const DimIndex &entry, unsigned position,
                    TypeRange operands, SmallVectorImpl<int64_t> &intShape,
                    function_ref<InFlightDiagnostic()> emitError) {
  for (Type type : operands)
    // V11
    if (isa<ShapedType>(type) != (entry.kind == IndexKind::Gather))
      return emitError() << "index " << position << " takes "
                         << (isa<ShapedType>(type) ? "a scalar"
                                                   : "an index array")
                         << ", but its operand has type " << type
                         << "; write gather(...) around arrays only";
  if (entry.kind != IndexKind::Gather)
    return success();
  ArrayRef<int64_t> shape = cast<ShapedType>(operands[0]).getShape();
  SmallVector<int64_t> common;
  // N7
  if (!OpTrait::util::getBroadcastedShape(intShape, shape, common))
    return emitError() << "index arrays of shapes " << describeShape(intShape)
                       << " and " << describeShape(shape)
                       << " do not broadcast together; reshape one of them";
  intShape = common;
  return success();
}

/// Verifies and infers at once, since both go through entries and operands in
/// parallel. `mayHangOver` lets slices extend past the ref, for accesses that
/// mask.
FailureOr<SmallVector<int64_t>> mlir::pallas::inferAccessShape(
    IndexerAttr indexer, ArrayRef<int64_t> refShape, TypeRange indices,
    function_ref<InFlightDiagnostic()> emitError, bool mayHangOver) {
  size_t count = indexer.getEntries().size();
  // N1
  if (count != 0 && count != refShape.size())
    return emitError() << "has " << count
                       << " index entries, but the ref has rank "
                       << refShape.size()
                       << "; write one entry per dimension, ':' for a full one";
  // V11
  if (indexer.getNumOperands() != indices.size())
    return emitError() << "indexer takes " << indexer.getNumOperands()
                       << " operands, but " << indices.size()
                       << " are given; give one for each '?' and each array";

  SmallVector<int64_t> result, intShape;
  SmallVector<DimIndex> full = getFullEntries(indexer, refShape);
  unsigned next = 0;
  for (auto [position, size] : llvm::enumerate(refShape)) {
    // Operands belong to the entry as it is written: a full entry of a dynamic
    // dimension takes none.
    DimIndex entry =
        count == 0 ? DimIndex::full() : indexer.getEntries()[position];
    unsigned numOperands = entry.getNumOperands();
    if (failed(verifyEntry(entry, position, size, mayHangOver, emitError)) ||
        failed(verifyEntryOperands(entry, position,
                                   indices.slice(next, numOperands), intShape,
                                   emitError)))
      return failure();
    next += numOperands;
    if (full[position].kind == IndexKind::Slice)
      result.push_back(full[position].size);
  }
  result.insert(result.begin() + getCommonPosition(full), intShape.begin(),
                intShape.end());
  return result;
}

//===----------------------------------------------------------------------===//
// RefAccessOpInterface
//===----------------------------------------------------------------------===//

SmallVector<DimIndex> RefAccessOpInterface::getFullEntries() {
  return pallas::getFullEntries(getIndexer(), getRef().getType().getShape());
}

/// Joins what users of an access need per dimension: its entry, its operands,
/// and where its elements are in the selection.
SmallVector<AccessDim> RefAccessOpInterface::getAccessDims() {
  SmallVector<DimIndex> entries = getFullEntries();
  unsigned common = getCommonPosition(entries), nextSlice = 0;
  unsigned numSlices = llvm::count_if(entries, [](const DimIndex &entry) {
    return entry.kind == IndexKind::Slice;
  });
  // Only arrays of indices, which refs may hold, have dimensions of their own.
  unsigned commonRank = 0;
  if (llvm::any_of(entries, [](const DimIndex &entry) {
        return entry.kind == IndexKind::Gather;
      }))
    commonRank = getAccessShape().size() - numSlices;
  SmallVector<AccessDim> dims;
  dims.reserve(entries.size());
  auto operand = getIndices().begin();
  // Operands belong to the entries as they are written: a full entry of a
  // dynamic dimension takes none.
  SmallVector<DimIndex> written(getIndexer().getEntries());
  written.resize(entries.size());
  for (auto [entry, asWritten] : llvm::zip_equal(entries, written)) {
    AccessDim &dim = dims.emplace_back();
    dim.entry = entry;
    dim.firstSelected = common;
    dim.numSelected = commonRank;
    if (entry.kind == IndexKind::Slice) {
      dim.firstSelected = nextSlice + (nextSlice >= common ? commonRank : 0);
      dim.numSelected = 1;
      ++nextSlice;
    }
    if (asWritten.kind == IndexKind::Gather) {
      dim.array = *operand++;
      continue;
    }
    if (asWritten.hasDynamicStart())
      dim.start = *operand++;
    if (asWritten.hasDynamicSize())
      dim.size = *operand++;
  }
  return dims;
}

SmallVector<int64_t> RefAccessOpInterface::getAccessShape() {
  // The verifier has checked the entries, so nothing is left to report.
  FailureOr<SmallVector<int64_t>> shape = inferAccessShape(
      getIndexer(), getRef().getType().getShape(), getIndices().getTypes(),
      [&] { return emitOpError(); }, /*mayHangOver=*/true);
  return succeeded(shape) ? *shape : SmallVector<int64_t>();
}

Type RefAccessOpInterface::getAccessType() {
  return getValueType(getAccessShape(), getRef().getType().getElementType());
}

bool RefAccessOpInterface::isWholeAccess() {
  return llvm::all_of(
      llvm::zip(getFullEntries(), getRef().getType().getShape()),
      [](auto pair) {
        auto [entry, size] = pair;
        return entry == DimIndex::slice(0, size);
      });
}
