//===- Patterns.h - Conversion patterns by family of operation --*- C++ -*-===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_PATTERNS_H
#define PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_PATTERNS_H

#include "Emitter.h"
#include "TypeConversion.h"

namespace mlir::pallas {

/// A pattern that writes its replacement with an emitter.
template <typename OpTy> class TPUPattern : public OpConversionPattern<OpTy> {
public:
  using Adaptor = typename OpConversionPattern<OpTy>::OpAdaptor;

  TPUPattern(const TPUTypeConverter &types, MLIRContext *context,
             PatternBenefit benefit = 1)
      : OpConversionPattern<OpTy>(types, context, benefit), types(types) {}

  LogicalResult
  matchAndRewrite(OpTy op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const final {
    Emitter emit(rewriter, op.getLoc());
    FailureOr<SmallVector<Value>> results = convert(op, adaptor, emit);
    if (failed(results))
      return failure();
    rewriter.replaceOp(op, *results);
    return success();
  }

protected:
  using Results = FailureOr<SmallVector<Value>>;

  /// Creates what replaces the operation. Says why when it can't.
  virtual Results convert(OpTy op, Adaptor adaptor, Emitter &emit) const = 0;

  static Results one(Value value) { return SmallVector<Value>{value}; }
  static Results none() { return SmallVector<Value>(); }

  Type convertType(Type type) const { return types.convertType(type); }

  const TPUTypeConverter &types;
};

/// Adds patterns of these types with the same arguments.
template <typename... Patterns>
void addTPUPatterns(const TPUTypeConverter &types,
                    RewritePatternSet &patterns) {
  patterns.add<Patterns...>(types, patterns.getContext());
}

/// Lets loops and branches carry vectors with one dimension as rows of
/// matrices.
void carryVectorsAsRows(Operation *root);

/// Replaces loops that are known to run once by their bodies.
void inlineSingleIterations(Operation *root);

/// Repeats the bodies of loops with few short iterations, so that the compiler
/// can schedule the iterations together.
void unrollShortLoops(Operation *root);

/// Whether the target takes an operation of arith or math as it is.
bool isLegalTPUArithmetic(Operation *op, const TPUChip &chip);

void populateRefPatterns(const TPUTypeConverter &types,
                         RewritePatternSet &patterns);
void populateElementwisePatterns(const TPUTypeConverter &types,
                                 RewritePatternSet &patterns);
void populateShapePatterns(const TPUTypeConverter &types,
                           RewritePatternSet &patterns);
void populateContractionPatterns(const TPUTypeConverter &types,
                                 RewritePatternSet &patterns);
void populateReductionPatterns(const TPUTypeConverter &types,
                               RewritePatternSet &patterns);
void populateSortPatterns(const TPUTypeConverter &types,
                          RewritePatternSet &patterns);
void populateGatherPatterns(const TPUTypeConverter &types,
                            RewritePatternSet &patterns);
void populateAsyncPatterns(const TPUTypeConverter &types,
                           RewritePatternSet &patterns);
void populateControlFlowPatterns(const TPUTypeConverter &types,
                                 RewritePatternSet &patterns);
void populateScopePatterns(const TPUTypeConverter &types,
                           RewritePatternSet &patterns);
/// Accesses and computations that vector subcores of SparseCores have
/// operations of their own for. They come before the general ones.
void populateSparseCoreMemoryPatterns(const TPUTypeConverter &types,
                                      RewritePatternSet &patterns);
void populateSparseCorePatterns(const TPUTypeConverter &types,
                                RewritePatternSet &patterns);
void populateMiscPatterns(const TPUTypeConverter &types,
                          RewritePatternSet &patterns);

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_PATTERNS_H
