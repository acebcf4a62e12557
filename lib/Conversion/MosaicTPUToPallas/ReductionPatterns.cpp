//===- ReductionPatterns.cpp - Products and reductions --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matmuls and reductions of TensorCores.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

namespace {

///   %0 = tpu.matmul %a, %b, %c {dimension_numbers = ...}
///
/// becomes
///
///   %0 = pallas.dot_general %a, %b acc %c contract [1] x [0]
///
/// Without dimension numbers it is a product of two matrices, the second of
/// which may be transposed. Hints about transposes have no effect on the
/// result.
struct RaiseMatmul : RaisePattern<tpu::MatmulOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::MatmulOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    ProductDims dims;
    if (auto numbers = op.getDimensionNumbersAttr()) {
      dims = {llvm::to_vector(numbers.getLhsContractingDims()),
              llvm::to_vector(numbers.getRhsContractingDims()),
              llvm::to_vector(numbers.getLhsBatchDims()),
              llvm::to_vector(numbers.getRhsBatchDims())};
    } else {
      dims.lhsContracting = {1};
      dims.rhsContracting = {op.getTransposeRhs() ? 1 : 0};
    }
    Precision precision = Precision::Default;
    // Any other precision is the default.
    if (std::optional<tpu::ContractPrecision> said = op.getPrecision()) {
      if (*said == tpu::ContractPrecision::FP32)
        precision = Precision::Highest;
      else if (*said == tpu::ContractPrecision::BF16x3)
        precision = Precision::High;
    }
    return createProduct(builder, op.getLoc(), adaptor.getLhs(),
                         adaptor.getRhs(), adaptor.getAcc(), dims, precision);
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Other kinds are sums, or have been refused by the verifier.
CombiningKind mlir::pallas::convertKind(tpu::ReductionKind kind) {
  switch (kind) {
  case tpu::ReductionKind::MaxF:
  case tpu::ReductionKind::MaxSI:
    return CombiningKind::Max;
  case tpu::ReductionKind::MinF:
  case tpu::ReductionKind::MinSI:
    return CombiningKind::Min;
  case tpu::ReductionKind::MaxUI:
    return CombiningKind::UMax;
  case tpu::ReductionKind::MinUI:
    return CombiningKind::UMin;
  default:
    return CombiningKind::Add;
  }
}

namespace {

/// The reduced dimensions stay, with size 1.
///
///   %0 = pallas.reduce <max> %x dims [1] : tensor<8x128xf32>
///   %1 = pallas.reshape %0 : tensor<8xf32> -> tensor<8x1xf32>
struct RaiseReduce : RaisePattern<tpu::ReduceOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::ReduceOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    Value result =
        ReduceOp::create(builder, op.getLoc(), convertKind(op.getKind()),
                         adaptor.getInput(), op.getDimensions());
    return Value(ReshapeOp::create(builder, op.getLoc(), toTensor(op.getType()),
                                   result));
  }
};

///   %0 = pallas.arg_reduce <max> %x dim 1 to i32
struct RaiseReduceIndex : RaisePattern<tpu::ReduceIndexOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::ReduceIndexOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    bool isMax = op.getKind() == tpu::ReductionKind::ArgMax;
    auto type = cast<VectorType>(op.getOutput().getType());
    return Value(ArgReduceOp::create(
        builder, op.getLoc(),
        CombiningKindAttr::get(getContext(),
                               isMax ? CombiningKind::Max : CombiningKind::Min),
        adaptor.getInput(), builder.getI64IntegerAttr(op.getAxis()),
        TypeAttr::get(type.getElementType())));
  }
};

} // namespace

void mlir::pallas::populateReductionPatterns(const TypeConverter &types,
                                             RewritePatternSet &patterns) {
  patterns.add<RaiseMatmul, RaiseReduce, RaiseReduceIndex>(
      types, patterns.getContext());
}
