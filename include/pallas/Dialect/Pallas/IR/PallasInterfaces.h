//===- PallasInterfaces.h - Interfaces of the pallas dialect -*- C++ -*-===//

#ifndef PALLAS_DIALECT_PALLAS_IR_PALLASINTERFACES_H
#define PALLAS_DIALECT_PALLAS_IR_PALLASINTERFACES_H

#include "mlir/IR/OpDefinition.h"
#include "pallas/Dialect/Pallas/IR/PallasTypes.h"

#include "pallas/Dialect/Pallas/IR/PallasInterfaces.h.inc"

namespace mlir::pallas {

/// Checks what every grid mapping promises: block mappings, index maps and the
/// kernel's argument list agree with the operands and with each other.
LogicalResult verifyGridMapping(GridMappingOpInterface op);

/// The constant that `value` is, if it is an integer constant.
std::optional<int64_t> getConstantInteger(Value value);

/// The grid that `program_id` refers to at this operation, if there is one.
GridMappingOpInterface getEnclosingGrid(Operation *op);

/// Spells out `...` and `:` for a ref of this shape.
SmallVector<DimIndex> getFullEntries(IndexerAttr indexer,
                                     ArrayRef<int64_t> refShape);

/// Shape that an indexer selects from a ref of this shape. `indices` are its
/// operands; index arrays broadcast together. Fails, with an error through
/// `emitError`, where the rules of indexing are broken.
FailureOr<SmallVector<int64_t>>
inferAccessShape(IndexerAttr indexer, ArrayRef<int64_t> refShape,
                 TypeRange indices,
                 function_ref<InFlightDiagnostic()> emitError);

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_IR_PALLASINTERFACES_H
