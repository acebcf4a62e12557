//===- MiscOps.cpp - Regions, grid, debugging ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers and control flow of regions, and of operations that ask for ids or
// print.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicTPU/IR/TPU.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::tpu;

//===----------------------------------------------------------------------===//
// RegionOp, TraceOp
//===----------------------------------------------------------------------===//

/// The region runs once: control enters it from the operation and leaves to the
/// results. So analyses follow values across its border.
void RegionOp::getSuccessorRegions(
    RegionBranchPoint point, SmallVectorImpl<RegionSuccessor> &successors) {
  if (point.isParent())
    successors.emplace_back(&getRegion());
  else
    successors.emplace_back(getOperation(), getResults());
}

void TraceOp::getSuccessorRegions(
    RegionBranchPoint point, SmallVectorImpl<RegionSuccessor> &successors) {
  if (point.isParent())
    successors.emplace_back(&getRegion());
  else
    successors.emplace_back(getOperation(), getResults());
}

LogicalResult RegionOp::verify() {
  // An allocation of the region ends with the region, so no memref leaves it.
  for (Type type : getResultTypes())
    if (!isa<FloatType, IntegerType, IndexType, VectorType>(type))
      return emitOpError("gives a result of type ")
             << type
             << "; floats, integers, indices and vectors leave a region";
  return success();
}

//===----------------------------------------------------------------------===//
// IterationBoundOp
//===----------------------------------------------------------------------===//

LogicalResult IterationBoundOp::verify() {
  // The accessor is unsigned, while the text may hold a negative number.
  if (static_cast<int32_t>(getDim()) < 0)
    return emitOpError("asks for dimension ")
           << static_cast<int32_t>(getDim()) << " of the grid";
  auto func = (*this)->getParentOfType<FunctionOpInterface>();
  if (!func)
    return success();
  // Without the attribute there is no grid to compare with.
  auto bounds = func->getAttrOfType<DenseI64ArrayAttr>("iteration_bounds");
  if (bounds && static_cast<int64_t>(getDim()) >= bounds.size()) {
    InFlightDiagnostic diag = emitOpError("asks for dimension ")
                              << getDim() << " of a grid with " << bounds.size()
                              << " dimensions";
    diag.attachNote(func->getLoc()) << "the grid is that of this function";
    return diag;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// LogOp, LogBufferOp
//===----------------------------------------------------------------------===//

LogicalResult LogOp::verify() {
  CoreType core = getCoreType(*this);
  if (core == CoreType::TensorCore)
    return success();
  if (getFormatted())
    return emitOpError("is formatted, but runs on ")
           << stringifyCoreType(core) << "; only tc formats";
  if (getInputs().size() > 1)
    return emitOpError("prints ")
           << getInputs().size() << " values on " << stringifyCoreType(core)
           << "; a SparseCore prints at most 1";
  if (core == CoreType::ScScalarSubcore && !getInputs().empty() &&
      isa<VectorType>(getInputs().front().getType()))
    return emitOpError("prints ")
           << getInputs().front().getType()
           << " on sc_scalar_subcore, which has no vectors";
  return success();
}

LogicalResult LogBufferOp::verify() {
  int64_t rank = cast<MemRefType>(getInput().getType()).getRank();
  if (static_cast<int64_t>(getShape().size()) != rank)
    return emitOpError("has a shape of ")
           << getShape().size() << " dimensions for a memref of rank " << rank;
  return success();
}
