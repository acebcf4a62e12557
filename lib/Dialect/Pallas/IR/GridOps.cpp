//===- GridOps.cpp - Grid, devices, debugging -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folders and verifiers of operations that ask for ids, sizes and axes.
// Comments such as V24 name rules of docs/Rules.md.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Dialect/Pallas/IR/PrintFormat.h"

using namespace mlir;
using namespace mlir::pallas;

/// The function around a kernel may hold these operations too, after a kernel
/// has become one; the grid is then known to the caller alone.
static LogicalResult verifyAxis(Operation *op, int64_t axis) {
  // V25
  if (axis < 0)
    return op->emitOpError() << "axis must not be negative, but is " << axis;
  GridMappingOpInterface grid = getEnclosingGrid(op);
  if (!grid || axis < int64_t(grid.getNumUserGridDimensions()))
    return success();
  // V25
  InFlightDiagnostic diag =
      op->emitOpError() << "axis " << axis << " is out of range: the grid has "
                        << grid.getNumUserGridDimensions()
                        << " dimensions that the kernel sees; count from 0";
  diag.attachNote(grid.getLoc()) << "the grid belongs to this call";
  return diag;
}

LogicalResult ProgramIdOp::verify() { return verifyAxis(*this, getAxis()); }
LogicalResult NumProgramsOp::verify() { return verifyAxis(*this, getAxis()); }

OpFoldResult NumProgramsOp::fold(FoldAdaptor) {
  GridMappingOpInterface grid = getEnclosingGrid(*this);
  if (!grid || getAxis() >= grid.getNumUserGridDimensions())
    return {};
  int64_t size = grid.getGridShape()[grid.getGridDimensionOfAxis(getAxis())];
  if (ShapedType::isDynamic(size))
    return {};
  return IntegerAttr::get(getType(), size);
}

OpFoldResult AxisSizeOp::fold(FoldAdaptor) {
  std::optional<int64_t> size = lookUpAxis(*this, getAxisName()).size;
  if (!size || ShapedType::isDynamic(*size))
    return {};
  return IntegerAttr::get(getType(), *size);
}

LogicalResult DebugPrintOp::verify() {
  size_t placeholders = splitPrintFormat(getFormat()).size() - 1;
  // V26
  if (placeholders != getValues().size())
    return emitOpError() << "format has " << placeholders
                         << " placeholders {}, but " << getValues().size()
                         << " values are given; give one value per placeholder";
  std::optional<ArrayRef<bool>> isUnsigned = getUnsignedValues();
  // V26
  if (isUnsigned && isUnsigned->size() != getValues().size())
    return emitOpError() << "has " << isUnsigned->size()
                         << " flags for unsigned values, but "
                         << getValues().size() << " values";
  return success();
}
