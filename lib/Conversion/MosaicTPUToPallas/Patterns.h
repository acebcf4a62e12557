//===- Patterns.h - Conversion patterns by family of operation --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_MOSAICTPUTOPALLAS_PATTERNS_H
#define PALLAS_LIB_CONVERSION_MOSAICTPUTOPALLAS_PATTERNS_H

#include "TypeConversion.h"

namespace mlir::pallas {

struct BodyConverter;

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
  /// Creates what replaces the operation. Says why when it can't.
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

/// How a sum, maximum or minimum of the tpu dialect combines elements.
CombiningKind convertKind(tpu::ReductionKind kind);

/// Whether a value is a constant with this number in all elements.
bool isSplatOf(Value value, TypedAttr element);

void populateElementPatterns(const TypeConverter &types,
                             RewritePatternSet &patterns);
void populateMemoryPatterns(const TypeConverter &types,
                            RewritePatternSet &patterns);
void populateViewPatterns(const TypeConverter &types,
                          RewritePatternSet &patterns);
void populateShapePatterns(const TypeConverter &types,
                           RewritePatternSet &patterns);
void populateReductionPatterns(const TypeConverter &types,
                               RewritePatternSet &patterns);
void populateSparseCorePatterns(const TypeConverter &types,
                                RewritePatternSet &patterns);
void populateAsyncPatterns(const TypeConverter &types,
                           RewritePatternSet &patterns);
void populateScopePatterns(const TypeConverter &types,
                           RewritePatternSet &patterns);
void populateMiscPatterns(const TypeConverter &types,
                          RewritePatternSet &patterns);

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_MOSAICTPUTOPALLAS_PATTERNS_H
