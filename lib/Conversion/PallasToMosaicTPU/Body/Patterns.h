//===- Patterns.h - Conversion patterns by family of operation --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_BODY_PATTERNS_H
#define PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_BODY_PATTERNS_H

#include "../Memory/TargetUtils.h"
#include "../Memory/TypeConversion.h"
#include "llvm/ADT/StringMap.h"
#include <memory>

namespace mlir::pallas {

/// Writes what replaces operations of one kind, or of any.
class TPUPatternBase {
public:
  using Results = FailureOr<SmallVector<Value>>;

  /// `root` is the name of the operations; none means any.
  TPUPatternBase(const TPUTypeConverter &types, StringRef root,
                 unsigned benefit)
      : types(types), root(root), benefit(benefit) {}
  virtual ~TPUPatternBase() = default;

  /// Creates the values in place of the results, from the operands as they are
  /// after conversion; a null value for an unused result. Fails without an
  /// error when the pattern is not for this operation, and with one when the
  /// operation can't be converted.
  virtual Results rewrite(Operation *op, ValueRange operands,
                          Emitter &emit) const = 0;

  StringRef getRoot() const { return root; }
  unsigned getBenefit() const { return benefit; }

protected:
  static Results one(Value value) { return SmallVector<Value>{value}; }
  static Results none() { return SmallVector<Value>(); }

  Type convertType(Type type) const { return types.convertType(type); }

  const TPUTypeConverter &types;

private:
  StringRef root;
  unsigned benefit;
};

/// A pattern for one operation.
template <typename OpTy> class TPUPattern : public TPUPatternBase {
public:
  using Adaptor = typename OpTy::Adaptor;

  explicit TPUPattern(const TPUTypeConverter &types, unsigned benefit = 1)
      : TPUPatternBase(types, OpTy::getOperationName(), benefit) {}

  Results rewrite(Operation *op, ValueRange operands,
                  Emitter &emit) const final {
    auto source = cast<OpTy>(op);
    return convert(source, Adaptor(operands, source), emit);
  }

protected:
  using Results = TPUPatternBase::Results;

  virtual Results convert(OpTy op, Adaptor adaptor, Emitter &emit) const = 0;
};

/// Patterns by the operations that they are for.
class TPUPatternSet {
public:
  template <typename... Patterns, typename... Args> void add(Args &&...args) {
    (insert(std::make_unique<Patterns>(args...)), ...);
  }

  /// Patterns for the operation, those of the greatest benefit first.
  ArrayRef<const TPUPatternBase *> lookup(OperationName name) const {
    auto it = byRoot.find(name.getStringRef());
    return it == byRoot.end() ? ArrayRef<const TPUPatternBase *>() : it->second;
  }
  /// Patterns for any operation.
  ArrayRef<const TPUPatternBase *> getGeneral() const { return general; }

private:
  void insert(std::unique_ptr<TPUPatternBase> pattern);

  SmallVector<std::unique_ptr<TPUPatternBase>> patterns;
  llvm::StringMap<SmallVector<const TPUPatternBase *, 1>> byRoot;
  SmallVector<const TPUPatternBase *> general;
};

/// Adds patterns of these types with the same arguments.
template <typename... Patterns>
void addTPUPatterns(const TPUTypeConverter &types, TPUPatternSet &patterns) {
  patterns.add<Patterns...>(types);
}

/// Brings a body to the dialects of the target in one walk. Reports an error
/// when it can't.
LogicalResult convertBody(Operation *root, const TPUTypeConverter &types,
                          const TPUPatternSet &patterns);

/// Replaces switches by branches, and loops that run once by their bodies.
void simplifyControlFlow(Operation *root);

/// Whether a SparseCore copies from `source` to `target`.
LogicalResult checkSparseCoreCopy(DMAStartOp op, Emitter &emit,
                                  tpu::CoreType core, Value source,
                                  Value target);

/// Whether this list, a buffer or a part of one, can select rows or elements.
LogicalResult checkIndexList(SliceRefOp op, Emitter &emit, Value list);

/// Whether an indirect copy can start or end at this part of a buffer.
LogicalResult checkIndirectEnd(DMAStartOp op, Emitter &emit, Value end);

/// Marks parallel loops for the compiler for SparseCores; on TensorCores they
/// are ordinary loops.
void markParallelLoops(Operation *root, tpu::CoreType core);

/// Whether the target takes an operation of arith or math as it is.
bool isLegalTPUArithmetic(Operation *op, const TPUChip &chip);

void populateRefPatterns(const TPUTypeConverter &types,
                         TPUPatternSet &patterns);
void populateElementwisePatterns(const TPUTypeConverter &types,
                                 TPUPatternSet &patterns);
void populateShapePatterns(const TPUTypeConverter &types,
                           TPUPatternSet &patterns);
void populateContractionPatterns(const TPUTypeConverter &types,
                                 TPUPatternSet &patterns);
void populateReductionPatterns(const TPUTypeConverter &types,
                               TPUPatternSet &patterns);
void populateSortPatterns(const TPUTypeConverter &types,
                          TPUPatternSet &patterns);
void populateGatherScatterPatterns(const TPUTypeConverter &types,
                                   TPUPatternSet &patterns);
void populateAsyncPatterns(const TPUTypeConverter &types,
                           TPUPatternSet &patterns);
void populateScopePatterns(const TPUTypeConverter &types,
                           TPUPatternSet &patterns);
/// Accesses and computations that vector subcores of SparseCores have
/// operations of their own for. They come before the general ones.
void populateSparseCoreMemoryPatterns(const TPUTypeConverter &types,
                                      TPUPatternSet &patterns);
void populateSparseCorePatterns(const TPUTypeConverter &types,
                                TPUPatternSet &patterns);
void populateMiscPatterns(const TPUTypeConverter &types,
                          TPUPatternSet &patterns);

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_BODY_PATTERNS_H
