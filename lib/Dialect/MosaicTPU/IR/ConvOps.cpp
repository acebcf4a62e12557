//===- ConvOps.cpp - Convolution ------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of tpu.conv. Dimension numbers are those of XLA's convolution.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicTPU/IR/TPU.h"

#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace mlir::tpu;

/// Both named dimensions and the spatial ones are all that the vector has.
static LogicalResult verifyDims(ConvOp op, StringRef name, VectorType type,
                                int64_t first, int64_t second,
                                ArrayRef<int64_t> spatial) {
  if (type.getRank() != static_cast<int64_t>(spatial.size()) + 2)
    return op.emitOpError("has ")
           << name << " of rank " << type.getRank() << " with "
           << spatial.size()
           << " spatial dimensions; there are two dimensions beside these";
  SmallVector<int64_t> dims(spatial);
  dims.append({first, second});
  llvm::SmallBitVector seen(dims.size());
  for (int64_t dim : dims) {
    if (dim < 0 || dim >= type.getRank())
      return op.emitOpError("has dimension ")
             << dim << " of " << name << ", which is not in [0, "
             << type.getRank() << ")";
    if (seen.test(dim))
      return op.emitOpError("names dimension ")
             << dim << " of " << name << " twice";
    seen.set(dim);
  }
  return success();
}

/// Batch and feature dimensions are always there, so equal numbers of spatial
/// dimensions mean equal ranks.
static LogicalResult verifyRanks(ConvOp op, VectorType lhs, VectorType rhs,
                                 VectorType acc) {
  if (lhs.getRank() == rhs.getRank() && lhs.getRank() == acc.getRank())
    return success();
  return op.emitOpError("has ranks ")
         << lhs.getRank() << ", " << rhs.getRank() << " and " << acc.getRank()
         << " of lhs, rhs and acc; they are equal";
}

/// The lists have an entry for each spatial dimension, and steps are positive.
static LogicalResult verifyWindow(ConvOp op, int64_t spatial) {
  auto verifyCount = [&](StringRef name, int64_t count,
                         int64_t wanted) -> LogicalResult {
    if (count == wanted)
      return success();
    return op.emitOpError("has ")
           << count << " numbers in " << name << " for " << spatial
           << " spatial dimensions; give " << wanted;
  };
  if (failed(verifyCount("padding", op.getPadding().size(), 2 * spatial)) ||
      failed(verifyCount("window_reversal", op.getWindowReversal().size(),
                         spatial)))
    return failure();
  for (auto [name, steps] : {std::pair("window_strides", op.getWindowStrides()),
                             std::pair("lhs_dilation", op.getLhsDilation()),
                             std::pair("rhs_dilation", op.getRhsDilation())}) {
    if (failed(verifyCount(name, steps.size(), spatial)))
      return failure();
    for (int64_t step : steps)
      if (step < 1)
        return op.emitOpError("has ")
               << step << " in " << name << ", which is below 1";
  }
  return success();
}

/// Features are divided among groups, or else batches are.
///
/// With two groups of features, an input of 8 features needs a kernel of 4:
/// each group is a convolution of its own.
static LogicalResult verifyFeatures(ConvOp op, VectorType lhs, VectorType rhs,
                                    VectorType acc) {
  ConvDimensionNumbersAttr dims = op.getDimensionNumbers();
  int64_t featureGroups = op.getFeatureGroupCount();
  int64_t batchGroups = op.getBatchGroupCount();
  if (featureGroups < 1 || batchGroups < 1)
    return op.emitOpError("has ")
           << featureGroups << " groups of features and " << batchGroups
           << " of batches; give at least 1";
  int64_t features = lhs.getDimSize(dims.getInputFeatureDim());
  int64_t kernelFeatures = rhs.getDimSize(dims.getKernelInputFeatureDim());
  if (features != kernelFeatures * featureGroups)
    return op.emitOpError("has ")
           << features << " features in " << featureGroups
           << " groups for a kernel of " << kernelFeatures
           << " input features; each group needs as many as the kernel has";
  int64_t batches = lhs.getDimSize(dims.getInputBatchDim());
  int64_t given = acc.getDimSize(dims.getOutputBatchDim());
  if (batches != given * batchGroups)
    return op.emitOpError("turns ")
           << batches << " batches in " << batchGroups << " groups into "
           << given << " of the accumulator; these are those of one group";
  int64_t outputs = rhs.getDimSize(dims.getKernelOutputFeatureDim());
  if (acc.getDimSize(dims.getOutputFeatureDim()) != outputs)
    return op.emitOpError("has ")
           << outputs << " output features of the kernel and "
           << acc.getDimSize(dims.getOutputFeatureDim())
           << " of the accumulator; they are equal";
  return success();
}

/// Size of `elements` with holes of `dilation - 1` between them.
static int64_t getDilated(int64_t elements, int64_t dilation) {
  return elements == 0 ? 0 : (elements - 1) * dilation + 1;
}

/// The size of the result along a spatial dimension is the number of places
/// that the dilated window has in the dilated and padded input.
/// For example, a window of 3 with dilation 2 covers 5 elements. In 10 elements
/// with a padding of 1 on both sides and a stride of 2 it has (12 - 5) / 2 + 1
/// = 4 places.
static LogicalResult verifySizes(ConvOp op, VectorType lhs, VectorType rhs,
                                 VectorType acc) {
  ConvDimensionNumbersAttr dims = op.getDimensionNumbers();
  for (auto [i, in, kernel, out] :
       llvm::enumerate(dims.getInputSpatialDims(), dims.getKernelSpatialDims(),
                       dims.getOutputSpatialDims())) {
    int64_t room = getDilated(lhs.getDimSize(in), op.getLhsDilation()[i]) +
                   op.getPadding()[2 * i] + op.getPadding()[2 * i + 1] -
                   // A window that is larger than its input has no place.
                   getDilated(rhs.getDimSize(kernel), op.getRhsDilation()[i]);
    int64_t size = room < 0 ? 0 : room / op.getWindowStrides()[i] + 1;
    if (acc.getDimSize(out) != size)
      return op.emitOpError("has size ")
             << acc.getDimSize(out) << " of the accumulator along spatial "
             << "dimension " << i << ", where the window has " << size
             << " places";
  }
  return success();
}

/// From cheap to expensive, and such that later checks can rely on earlier
/// ones: the sizes are looked up by dimensions that were found to be valid.
LogicalResult ConvOp::verify() {
  auto lhs = cast<VectorType>(getLhs().getType());
  auto rhs = cast<VectorType>(getRhs().getType());
  auto acc = cast<VectorType>(getAcc().getType());
  if (acc != getType())
    return emitOpError("gives ") << getType() << " for an accumulator of type "
                                 << acc << "; both are equal";
  ConvDimensionNumbersAttr dims = getDimensionNumbers();
  size_t spatial = dims.getInputSpatialDims().size();
  return success(
      succeeded(verifyDims(*this, "lhs", lhs, dims.getInputBatchDim(),
                           dims.getInputFeatureDim(),
                           dims.getInputSpatialDims())) &&
      succeeded(verifyDims(*this, "rhs", rhs, dims.getKernelInputFeatureDim(),
                           dims.getKernelOutputFeatureDim(),
                           dims.getKernelSpatialDims())) &&
      succeeded(verifyDims(*this, "acc", acc, dims.getOutputBatchDim(),
                           dims.getOutputFeatureDim(),
                           dims.getOutputSpatialDims())) &&
      succeeded(verifyRanks(*this, lhs, rhs, acc)) &&
      succeeded(verifyWindow(*this, spatial)) &&
      succeeded(verifyFeatures(*this, lhs, rhs, acc)) &&
      succeeded(verifySizes(*this, lhs, rhs, acc)));
}
