//===- MatmulOps.cpp - Matrix multiplication ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contractions are checked in full here, where the error has the location of
// the kernel.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicTPU/IR/TPU.h"

#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace mlir::tpu;

/// The form with dimension numbers. The flags for transposes are for old
/// modules.
void MatmulOp::build(OpBuilder &builder, OperationState &state, Value lhs,
                     Value rhs, Value acc,
                     DotDimensionNumbersAttr dimensionNumbers,
                     std::optional<ContractPrecision> precision) {
  ContractPrecisionAttr precisionAttr;
  if (precision)
    precisionAttr =
        ContractPrecisionAttr::get(builder.getContext(), *precision);
  build(builder, state, acc.getType(), lhs, rhs, acc, /*transpose_lhs=*/false,
        /*transpose_rhs=*/false, precisionAttr, dimensionNumbers,
        /*transpose_lhs_hint=*/false);
}

namespace {
/// The dimensions of one operand, sorted by what they are for.
struct OperandDims {
  StringRef name;
  VectorType type;
  ArrayRef<int64_t> contracting, nonContracting, batch;
};
} // namespace

/// Each dimension of the operand occurs exactly once.
///
///   %0 = tpu.matmul %a, %b, %c {dimension_numbers =
///        #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>}
///
/// lists dimension 1 of lhs as contracting and dimension 0 as non-contracting,
/// the other way around for rhs.
static LogicalResult verifyCoverage(MatmulOp op, const OperandDims &operand) {
  int64_t rank = operand.type.getRank();
  llvm::SmallBitVector seen(rank);
  for (ArrayRef<int64_t> dims :
       {operand.contracting, operand.nonContracting, operand.batch})
    for (int64_t dim : dims) {
      if (dim < 0 || dim >= rank)
        return op.emitOpError("has dimension ")
               << dim << " of " << operand.name << ", which is not in [0, "
               << rank << ")";
      if (seen.test(dim))
        return op.emitOpError("names dimension ")
               << dim << " of " << operand.name << " twice";
      seen.set(dim);
    }
  if (!seen.all())
    return op.emitOpError("does not list dimension ")
           << seen.find_first_unset() << " of " << operand.name
           << "; contracting, non-contracting and batch dimensions cover "
              "the operand";
  if (!llvm::is_sorted(operand.nonContracting))
    return op.emitOpError("has non-contracting dimensions of ")
           << operand.name << " out of order; sort them";
  return success();
}

/// Pairs of dimensions of both operands have one size.
static LogicalResult verifyPairs(MatmulOp op, StringRef what, VectorType lhs,
                                 ArrayRef<int64_t> lhsDims, VectorType rhs,
                                 ArrayRef<int64_t> rhsDims) {
  if (lhsDims.size() != rhsDims.size())
    return op.emitOpError("has ")
           << lhsDims.size() << " " << what << " dimensions of lhs and "
           << rhsDims.size() << " of rhs; they pair up";
  for (auto [l, r] : llvm::zip_equal(lhsDims, rhsDims)) {
    if (lhs.getDimSize(l) != rhs.getDimSize(r))
      return op.emitOpError("has ")
             << what << " dimension " << l << " of lhs of size "
             << lhs.getDimSize(l) << " and dimension " << r
             << " of rhs of size " << rhs.getDimSize(r) << "; they are equal";
    if (lhs.getDimSize(l) == 0)
      return op.emitOpError("has an empty ")
             << what << " dimension " << l << " of lhs";
  }
  return success();
}

/// The order of the result is fixed: batch, then lhs, then rhs dimensions.
static LogicalResult verifyDimensionNumbers(MatmulOp op,
                                            DotDimensionNumbersAttr numbers) {
  OperandDims lhs{"lhs", cast<VectorType>(op.getLhs().getType()),
                  numbers.getLhsContractingDims(),
                  numbers.getLhsNonContractingDims(),
                  numbers.getLhsBatchDims()};
  OperandDims rhs{"rhs", cast<VectorType>(op.getRhs().getType()),
                  numbers.getRhsContractingDims(),
                  numbers.getRhsNonContractingDims(),
                  numbers.getRhsBatchDims()};
  if (failed(verifyCoverage(op, lhs)) || failed(verifyCoverage(op, rhs)))
    return failure();
  // The matrix unit contracts one dimension.
  if (lhs.contracting.size() != 1 || rhs.contracting.size() != 1)
    return op.emitOpError("contracts ")
           << lhs.contracting.size() << " dimensions of lhs and "
           << rhs.contracting.size()
           << " of rhs; 1 of each is supported, reshape to merge several";
  if (failed(verifyPairs(op, "contracting", lhs.type, lhs.contracting, rhs.type,
                         rhs.contracting)) ||
      failed(
          verifyPairs(op, "batch", lhs.type, lhs.batch, rhs.type, rhs.batch)))
    return failure();

  SmallVector<int64_t> order, shape;
  auto append = [&](int64_t operand, const OperandDims &dims,
                    ArrayRef<int64_t> list) {
    for (int64_t dim : list) {
      order.append({operand, dim});
      shape.push_back(dims.type.getDimSize(dim));
    }
  };
  append(0, lhs, lhs.batch);
  append(0, lhs, lhs.nonContracting);
  append(1, rhs, rhs.nonContracting);
  if (numbers.getOutputDimOrder() != ArrayRef<int64_t>(order)) {
    InFlightDiagnostic diag = op.emitOpError("has output order [");
    llvm::interleaveComma(numbers.getOutputDimOrder(), diag);
    diag << "]; batch, lhs and rhs dimensions make [";
    llvm::interleaveComma(order, diag);
    return diag << "]";
  }
  auto acc = cast<VectorType>(op.getAcc().getType());
  if (acc.getShape() != ArrayRef<int64_t>(shape))
    return op.emitOpError("has an accumulator of type ")
           << acc << ", but the product is "
           << VectorType::get(shape, acc.getElementType());
  return success();
}

/// Checks the accumulator, then operands, then dimension numbers.
LogicalResult MatmulOp::verify() {
  Type acc = getAcc().getType();
  if (acc != getType())
    return emitOpError("gives ") << getType() << " for an accumulator of type "
                                 << acc << "; both are equal";
  Type element = cast<VectorType>(acc).getElementType();
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() != 32)
    return emitOpError("accumulates ")
           << element << " elements; use f32 or i32 and convert the result";
  // Operands may differ: narrower ones are widened to the accumulator.
  for (Value operand : {getLhs(), getRhs()})
    if (Type type = cast<VectorType>(operand.getType()).getElementType();
        isa<FloatType>(type) && !isa<FloatType>(element))
      return emitOpError("accumulates ") << element << " elements of " << type
                                         << " operands; use an f32 accumulator";
  if (getTransposeLhs())
    return emitOpError("has transpose_lhs set, which is not supported; use "
                       "dimension_numbers instead");
  // The dimension numbers are complete: beside them transpose_rhs has no
  // meaning.
  if (auto numbers = getDimensionNumbersAttr())
    return verifyDimensionNumbers(*this, numbers);
  return success();
}
