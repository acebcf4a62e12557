//===- TPUAttributes.cpp - Attributes of the tpu dialect ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes of layouts and windows, in the text that the Mosaic compiler
// reads.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicTPU/IR/TPU.h"

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tpu;

#define GET_ATTRDEF_CLASSES
#include "pallas/Dialect/MosaicTPU/IR/TPUAttributes.cpp.inc"

void TPUDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "pallas/Dialect/MosaicTPU/IR/TPUAttributes.cpp.inc"
      >();
}

LogicalResult
///   #tpu.element_window<[0, 1], [0, 1]>
///
/// pads each dimension below and above.
ElementWindowAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                          ArrayRef<int64_t> padLow, ArrayRef<int64_t> padHigh) {
  if (padLow.size() != padHigh.size())
    return emitError() << "element window has " << padLow.size() << " low and "
                       << padHigh.size()
                       << " high paddings; give one of each per dimension";
  return success();
}

//===----------------------------------------------------------------------===//
// TiledLayoutAttr: #tpu.tiled<(8,128)(2,1),[16,1]>
//===----------------------------------------------------------------------===//

/// A convenience for tiles as lists of numbers.
TiledLayoutAttr TiledLayoutAttr::get(MLIRContext *context,
                                     ArrayRef<SmallVector<int64_t>> tiles,
                                     ArrayRef<int64_t> tileStrides) {
  auto tileAttrs = llvm::map_to_vector(tiles, [&](ArrayRef<int64_t> tile) {
    return DenseI64ArrayAttr::get(context, tile);
  });
  return get(context, tileAttrs, tileStrides);
}

static ParseResult parseIntegers(AsmParser &parser,
                                 AsmParser::Delimiter delimiter,
                                 SmallVectorImpl<int64_t> &values) {
  return parser.parseCommaSeparatedList(
      delimiter, [&]() { return parser.parseInteger(values.emplace_back()); });
}

/// A number, or `?` for one that is known when the kernel runs.
static ParseResult parseStride(AsmParser &parser, int64_t &stride) {
  if (failed(parser.parseOptionalQuestion()))
    return parser.parseInteger(stride);
  stride = ShapedType::kDynamic;
  return success();
}

/// Tiles until the comma, then strides:
///
///   #tpu.tiled<(8,128)(2,1),[16,1]>
Attribute TiledLayoutAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<DenseI64ArrayAttr> tiles;
  SmallVector<int64_t> strides;
  if (parser.parseLess())
    return {};
  while (failed(parser.parseOptionalComma())) {
    SmallVector<int64_t> tile;
    if (parseIntegers(parser, AsmParser::Delimiter::Paren, tile))
      return {};
    tiles.push_back(DenseI64ArrayAttr::get(parser.getContext(), tile));
  }
  if (parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square,
          [&]() { return parseStride(parser, strides.emplace_back()); }) ||
      parser.parseGreater())
    return {};
  // Text from outside may be invalid, so the verifier runs with its location.
  return getChecked([&]() { return parser.emitError(loc); },
                    parser.getContext(), tiles, strides);
}

void TiledLayoutAttr::print(AsmPrinter &printer) const {
  llvm::raw_ostream &os = printer.getStream();
  os << '<';
  for (DenseI64ArrayAttr tile : getTiles()) {
    os << '(';
    llvm::interleave(tile.asArrayRef(), os, ",");
    os << ')';
  }
  os << ",[";
  llvm::interleave(
      getTileStrides(), os,
      [&](int64_t stride) {
        if (ShapedType::isDynamic(stride))
          os << '?';
        else
          os << stride;
      },
      ",");
  os << "]>";
}

LogicalResult
/// Checks that the description makes sense by itself. Whether it fits a memref
/// is asked by verifyLayout.
TiledLayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                        ArrayRef<DenseI64ArrayAttr> tiles,
                        ArrayRef<int64_t> tileStrides) {
  for (auto [index, tile] : llvm::enumerate(tiles)) {
    if (llvm::any_of(tile.asArrayRef(), [](int64_t size) { return size < 1; }))
      return emitError() << "tile " << index
                         << " has a size below 1; sizes are positive";
    if (index == 0) {
      if (size_t(tile.size()) > tileStrides.size())
        return emitError() << "first tile has " << tile.size()
                           << " dimensions, but there are "
                           << tileStrides.size()
                           << " strides; give one stride per dimension of the "
                              "memref";
      continue;
    }
    // A further tile cuts the one before it without rest: otherwise padding
    // would lie within the first tile, where nothing expects it.
    ArrayRef<int64_t> before = tiles[index - 1].asArrayRef();
    if (size_t(tile.size()) > before.size())
      return emitError() << "tile " << index << " has " << tile.size()
                         << " dimensions, more than the " << before.size()
                         << " of the tile before it";
    for (auto [size, whole] :
         llvm::zip_equal(tile.asArrayRef(), before.take_back(tile.size())))
      if (whole % size != 0)
        return emitError() << "size " << size << " of tile " << index
                           << " does not divide size " << whole
                           << " of the tile before it";
  }
  return success();
}

LogicalResult TiledLayoutAttr::verifyLayout(
    ArrayRef<int64_t> shape,
    function_ref<InFlightDiagnostic()> emitError) const {
  if (shape.size() == getTileStrides().size())
    return success();
  return emitError() << "tiled layout has " << getTileStrides().size()
                     << " strides for a memref of rank " << shape.size()
                     << "; give one per dimension";
}

/// The size of the first tile: further ones only order elements within it.
int64_t TiledLayoutAttr::getTileElements() const {
  if (getTiles().empty())
    return 1;
  return llvm::product_of(getTiles().front().asArrayRef());
}

/// Tiles are whole, so a buffer is larger than its elements where sizes are no
/// multiples of the tile.
int64_t TiledLayoutAttr::getBufferElements(ArrayRef<int64_t> shape) const {
  ArrayRef<int64_t> tile;
  if (!getTiles().empty())
    tile = getTiles().front().asArrayRef();
  size_t untiled = shape.size() - tile.size();
  int64_t lastTile = 0;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (size == 0)
      return 0;
    int64_t count =
        dim < untiled ? size : llvm::divideCeil(size, tile[dim - untiled]);
    // The last tile determines the end of the buffer, wherever strides put it.
    lastTile += (count - 1) * getTileStrides()[dim];
  }
  return (lastTile + 1) * getTileElements();
}

/// Position of an element within the innermost tiles, in the order of memory.
/// `indices` are those within a tile of shape `tile`.
///
/// For a tile of 8x128 with subtiles of 2x1, element (3, 5) is in subtile (1,
/// 5), at place (1, 0) within it.
static AffineExpr linearizeWithinTile(ArrayRef<int64_t> tile,
                                      ArrayRef<DenseI64ArrayAttr> subtiles,
                                      ArrayRef<AffineExpr> indices,
                                      MLIRContext *context) {
  SmallVector<int64_t> sizes(tile);
  SmallVector<AffineExpr> outer(indices);
  AffineExpr inner = getAffineConstantExpr(0, context);
  int64_t innerElements = 1;
  if (!subtiles.empty()) {
    ArrayRef<int64_t> subtile = subtiles.front().asArrayRef();
    size_t skipped = sizes.size() - subtile.size();
    SmallVector<AffineExpr> within;
    for (auto [i, size] : llvm::enumerate(subtile)) {
      // The index within the subtile is the remainder; the quotient counts
      // subtiles.
      within.push_back(outer[skipped + i] % size);
      outer[skipped + i] = outer[skipped + i].floorDiv(size);
      sizes[skipped + i] /= size;
    }
    inner =
        linearizeWithinTile(subtile, subtiles.drop_front(), within, context);
    innerElements = llvm::product_of(subtile);
  }
  AffineExpr position = getAffineConstantExpr(0, context);
  for (auto [size, index] : llvm::zip_equal(sizes, outer))
    position = position * size + index;
  return position * innerElements + inner;
}

/// The place of an element in memory as a function of its indices, for tools
/// that compute with layouts:
///
///   (d0, d1) -> tile number * elements of a tile + place within the tile
AffineMap TiledLayoutAttr::getAffineMap() const {
  MLIRContext *context = getContext();
  unsigned rank = getRank();
  ArrayRef<int64_t> tile;
  if (!getTiles().empty())
    tile = getTiles().front().asArrayRef();
  size_t untiled = rank - tile.size();
  AffineExpr tileNumber = getAffineConstantExpr(0, context);
  SmallVector<AffineExpr> within;
  unsigned symbols = 0;
  for (unsigned dim = 0; dim < rank; ++dim) {
    AffineExpr index = getAffineDimExpr(dim, context);
    // Leading dimensions have no tile, and count whole tiles.
    if (dim >= untiled) {
      within.push_back(index % tile[dim - untiled]);
      index = index.floorDiv(tile[dim - untiled]);
    }
    int64_t stride = getTileStrides()[dim];
    tileNumber =
        tileNumber + (ShapedType::isDynamic(stride)
                          ? index * getAffineSymbolExpr(symbols++, context)
                          : index * stride);
  }
  AffineExpr offset = tileNumber * getTileElements();
  if (!getTiles().empty())
    offset = offset + linearizeWithinTile(tile, getTiles().drop_front(), within,
                                          context);
  return AffineMap::get(rank, symbols, offset);
}
