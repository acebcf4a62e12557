//===- NewerEncodings.cpp - Builtin encodings of later releases -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// JAX 0.11.1 and later writes these, at every version of the format: memrefs
// hold an affine map as their layout, so no kernel is without one.
//
//===----------------------------------------------------------------------===//

#include "NewerEncodings.h"

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mlir::tpu;

namespace {

/// Codes of attributes that the reader of this release lacks.
enum AttributeCode : uint64_t { kAffineMap = 23, kStridedLayout = 25 };

/// The two lowest bits of the first number of a map; the others count its
/// dimensions.
enum MapForm : uint64_t { kIdentity, kPermutation, kProjection, kGeneral };

/// More dimensions or deeper expressions than any kernel has are damage.
constexpr uint64_t kMaxDims = 256;
constexpr unsigned kMaxDepth = 64;

class MapReader {
public:
  MapReader(DialectBytecodeReader &reader, MLIRContext *context)
      : reader(reader), context(context) {}

  FailureOr<AffineMap> read();

private:
  FailureOr<uint64_t> readCount(uint64_t limit, StringRef what);
  FailureOr<AffineExpr> readDim();
  FailureOr<AffineExpr> readExpr(unsigned depth);
  FailureOr<AffineExpr> readBinary(AffineExprKind kind, unsigned depth);

  DialectBytecodeReader &reader;
  MLIRContext *context;
  uint64_t numDims = 0, numSymbols = 0;
};

} // namespace

/// A number up to `limit`.
FailureOr<uint64_t> MapReader::readCount(uint64_t limit, StringRef what) {
  uint64_t count;
  if (failed(reader.readVarInt(count)))
    return failure();
  if (count > limit)
    return reader.emitError() << "affine map has " << count << " as " << what
                              << ", above " << limit;
  return count;
}

/// The callers ensure that there is a dimension.
FailureOr<AffineExpr> MapReader::readDim() {
  FailureOr<uint64_t> dim = readCount(numDims - 1, "a dimension");
  if (failed(dim))
    return failure();
  return getAffineDimExpr(*dim, context);
}

/// The builder of expressions asserts on products of two dimensions, so damaged
/// bytes must not reach it.
FailureOr<AffineExpr> MapReader::readBinary(AffineExprKind kind,
                                            unsigned depth) {
  FailureOr<AffineExpr> lhs = readExpr(depth + 1);
  if (failed(lhs))
    return failure();
  FailureOr<AffineExpr> rhs = readExpr(depth + 1);
  if (failed(rhs))
    return failure();
  if (kind != AffineExprKind::Add && !lhs->isSymbolicOrConstant() &&
      !rhs->isSymbolicOrConstant())
    return reader.emitError("affine map scales one dimension by another");
  return getAffineBinaryOpExpr(kind, *lhs, *rhs);
}

/// The kind of an expression, then what it consists of.
FailureOr<AffineExpr> MapReader::readExpr(unsigned depth) {
  constexpr AffineExprKind binaries[] = {
      AffineExprKind::Add, AffineExprKind::Mul, AffineExprKind::Mod,
      AffineExprKind::FloorDiv, AffineExprKind::CeilDiv};
  if (depth > kMaxDepth)
    return reader.emitError("affine map is nested too deeply");
  FailureOr<uint64_t> kind =
      readCount(2 + std::size(binaries), "a kind of expression");
  if (failed(kind))
    return failure();
  if (*kind > 2)
    return readBinary(binaries[*kind - 3], depth);
  if (*kind == 0 && numDims > 0)
    return readDim();
  if (*kind == 1 && numSymbols > 0) {
    FailureOr<uint64_t> symbol = readCount(numSymbols - 1, "a symbol");
    if (failed(symbol))
      return failure();
    return getAffineSymbolExpr(*symbol, context);
  }
  int64_t constant;
  if (*kind != 2)
    return reader.emitError("affine map names a dimension that it lacks");
  if (failed(reader.readSignedVarInt(constant)))
    return failure();
  return getAffineConstantExpr(constant, context);
}

/// Frequent maps have short forms. For example, `(d0, d1) -> (d0, d1)` is one
/// number, and `(d0, d1) -> (d1, d0)` needs no count of results.
FailureOr<AffineMap> MapReader::read() {
  FailureOr<uint64_t> head = readCount(kMaxDims << 2, "its head");
  if (failed(head))
    return failure();
  uint64_t form = *head & 3;
  numDims = *head >> 2;
  if (form == kIdentity)
    return AffineMap::getMultiDimIdentityMap(numDims, context);
  FailureOr<uint64_t> symbols(0), results(numDims);
  if (form == kGeneral)
    symbols = readCount(kMaxDims, "its symbols");
  if (failed(symbols))
    return failure();
  numSymbols = *symbols;
  if (form != kPermutation)
    results = readCount(kMaxDims, "its results");
  if (failed(results))
    return failure();
  if (form != kGeneral && numDims == 0 && *results > 0)
    return reader.emitError("affine map names a dimension that it lacks");
  SmallVector<AffineExpr> exprs;
  for (uint64_t i = 0; i < *results; ++i) {
    FailureOr<AffineExpr> expr = form == kGeneral ? readExpr(0) : readDim();
    if (failed(expr))
      return failure();
    exprs.push_back(*expr);
  }
  return AffineMap::get(numDims, numSymbols, exprs, context);
}

/// The offset, the rank and the strides.
/// A damaged rank does no harm: each stride takes a byte at least, so reading
/// them fails where the file ends.
static FailureOr<Attribute> readStridedLayout(DialectBytecodeReader &reader,
                                              MLIRContext *context) {
  int64_t offset;
  uint64_t rank;
  if (failed(reader.readSignedVarInt(offset)) ||
      failed(reader.readVarInt(rank)))
    return failure();
  SmallVector<int64_t> strides;
  for (uint64_t i = 0; i < rank; ++i)
    if (failed(reader.readSignedVarInt(strides.emplace_back())))
      return failure();
  return Attribute(StridedLayoutAttr::get(context, offset, strides));
}

/// Leaves `attribute` empty where the reader knows the code itself.
static LogicalResult readAttribute(DialectBytecodeReader &reader,
                                   MLIRContext *context, Attribute &attribute) {
  uint64_t code;
  if (failed(reader.readVarInt(code)))
    return failure();
  if (code == kStridedLayout) {
    FailureOr<Attribute> layout = readStridedLayout(reader, context);
    attribute = layout.value_or(Attribute());
    return layout;
  }
  if (code != kAffineMap)
    return success();
  FailureOr<AffineMap> map = MapReader(reader, context).read();
  if (failed(map))
    return failure();
  attribute = AffineMapAttr::get(*map);
  return success();
}

/// The float at `number` of the list. Codes beyond it yield none, so that
/// MLIR's own reader gets to reject them.
template <typename... Floats>
static Type getFloat(uint64_t number, MLIRContext *context) {
  using Getter = Type (*)(MLIRContext *);
  constexpr Getter getters[] = {
      [](MLIRContext *c) -> Type { return Floats::get(c); }...};
  return number < sizeof...(Floats) ? getters[number](context) : Type();
}

/// Narrow floats have codes without gaps, in this order. `type` stays empty
/// where the reader knows the code itself.
static LogicalResult readType(DialectBytecodeReader &reader,
                              MLIRContext *context, Type &type) {
  constexpr uint64_t kFirstFloat = 21;
  uint64_t code;
  if (failed(reader.readVarInt(code)))
    return failure();
  if (code >= kFirstFloat)
    type = getFloat<FloatTF32Type, Float8E5M2Type, Float8E4M3Type,
                    Float8E4M3FNType, Float8E5M2FNUZType, Float8E4M3FNUZType,
                    Float8E4M3B11FNUZType, Float8E3M4Type, Float4E2M1FNType,
                    Float6E2M3FNType, Float6E3M2FNType, Float8E8M0FNUType>(
        code - kFirstFloat, context);
  return success();
}

/// MLIR asks these callbacks before the dialect itself. If one leaves an entry
/// empty, MLIR reads the entry from its code again, so the callbacks may read
/// codes that they don't know.
void tpu::readNewerEncodings(BytecodeReaderConfig &config,
                             MLIRContext *context) {
  config.attachAttributeCallback([context](DialectBytecodeReader &reader,
                                           StringRef dialect,
                                           Attribute &attribute) {
    return dialect == "builtin" ? readAttribute(reader, context, attribute)
                                : success();
  });
  config.attachTypeCallback([context](DialectBytecodeReader &reader,
                                      StringRef dialect, Type &type) {
    return dialect == "builtin" ? readType(reader, context, type) : success();
  });
}
