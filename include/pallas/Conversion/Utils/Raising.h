//===- Raising.h - From dialects of targets to pallas -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the conversions from the dialects of several targets: vectors
// become tensors, and memrefs become refs.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_CONVERSION_UTILS_RAISING_H
#define PALLAS_CONVERSION_UTILS_RAISING_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"

namespace mlir::pallas {

/// Vectors become tensors; what memrefs become depends on the target.
class RaisingTypeConverter : public TypeConverter {
public:
  RaisingTypeConverter();
};

/// Converts all operations of `function`, and takes out the casts between.
LogicalResult raiseBody(func::FuncOp function, const ConversionTarget &target,
                        const FrozenRewritePatternSet &patterns);

/// A pattern whose replacement is one value, or nothing for an operation
/// without results.
template <typename OpTy> class RaisePattern : public OpConversionPattern<OpTy> {
public:
  using Adaptor = typename OpConversionPattern<OpTy>::OpAdaptor;
  using OpConversionPattern<OpTy>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpTy op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const final {
    FailureOr<Value> result = raise(op, adaptor, rewriter);
    if (failed(result))
      return failure();
    if (op->getNumResults() == 0)
      rewriter.eraseOp(op);
    else
      rewriter.replaceOp(op, *result);
    return success();
  }

protected:
  /// Creates what replaces the operation, or reports why it can't.
  virtual FailureOr<Value> raise(OpTy op, Adaptor adaptor,
                                 OpBuilder &builder) const = 0;

  static Value none() { return {}; }
  /// The tensor that replaces a vector.
  static RankedTensorType toTensor(Type type) {
    auto vector = cast<VectorType>(type);
    return RankedTensorType::get(vector.getShape(), vector.getElementType());
  }
};

/// Collects the entries of an indexer with their operands. Constant places in
/// bounds become part of the indexer.
class IndexerBuilder {
public:
  explicit IndexerBuilder(RefType ref) : shape(ref.getShape()) {}

  void addFull() { entries.push_back(DimIndex::full()); }
  void addScalar(Value place);
  void addScalar(int64_t place) { entries.push_back(DimIndex::scalar(place)); }
  void addSlice(Value start, int64_t size, int64_t stride = 1);
  void addSlice(Value start, Value size);
  void addGather(Value places);

  IndexerAttr getIndexer(MLIRContext *context) const {
    return IndexerAttr::get(context, entries);
  }
  ValueRange getOperands() const { return operands; }

private:
  /// The place, if it is a constant and `extent` elements from it are inside.
  std::optional<int64_t> getStaticPlace(Value place, int64_t extent) const;

  ArrayRef<int64_t> shape;
  SmallVector<DimIndex> entries;
  SmallVector<Value> operands;
};

/// Whether a value is a constant with this number in all elements.
bool isSplatOf(Value value, TypedAttr element);

/// The part of a ref that an access selects, and the shape that the vector has
/// for it.
struct VectorAccess {
  IndexerAttr indexer;
  SmallVector<Value> operands;
};

VectorAccess getAccess(const IndexerBuilder &index, RefType ref);
VectorAccess selectVector(RefType ref, VectorType vector, ValueRange starts,
                          ArrayRef<int32_t> strides = {});
VectorAccess selectElement(RefType ref, ValueRange places);
Value load(OpBuilder &builder, Location loc, Value ref,
           const VectorAccess &access, Value mask = {});
void store(OpBuilder &builder, Location loc, Value ref,
           const VectorAccess &access, Value value, Value mask = {});

inline RefType getRef(Value value) { return cast<RefType>(value.getType()); }

/// Whether the operand that should be a ref is one.
LogicalResult checkRef(Operation *op, Value base);

/// The value itself if it has this type already.
Value reshape(OpBuilder &builder, Location loc, Value value, Type type);

/// Dimensions of a product, each side's in the order of the result.
struct ProductDims {
  SmallVector<int64_t> lhsContracting, rhsContracting, lhsBatch, rhsBatch;
};

Value createProduct(OpBuilder &builder, Location loc, Value lhs, Value rhs,
                    Value acc, const ProductDims &dims, Precision precision);

/// All patterns that targets share.
void populateRaisingPatterns(const TypeConverter &types,
                             RewritePatternSet &patterns);
/// Operations stay that the `pallas` dialect works with, once their types are
/// raised; `scf` gets patterns for that. `types` outlives `target`.
void markRaisedLegal(const TypeConverter &types, RewritePatternSet &patterns,
                     ConversionTarget &target);
/// Operations of `arith` and `math`.
void populateArithmeticRaisingPatterns(const TypeConverter &types,
                                       RewritePatternSet &patterns);
/// Operations of `vector` that move elements.
void populateVectorRaisingPatterns(const TypeConverter &types,
                                   RewritePatternSet &patterns);
void populateReductionRaisingPatterns(const TypeConverter &types,
                                      RewritePatternSet &patterns);
/// Loads and stores of `vector` and `memref`.
void populateMemoryRaisingPatterns(const TypeConverter &types,
                                   RewritePatternSet &patterns);

} // namespace mlir::pallas

#endif // PALLAS_CONVERSION_UTILS_RAISING_H
