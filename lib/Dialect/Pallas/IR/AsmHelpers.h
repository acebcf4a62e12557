//===- AsmHelpers.h - Shared by types, attributes and ops -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_DIALECT_PALLAS_IR_ASMHELPERS_H
#define PALLAS_LIB_DIALECT_PALLAS_IR_ASMHELPERS_H

#include "mlir/IR/OpImplementation.h"
#include "pallas/Dialect/Pallas/IR/PallasTypes.h"

namespace mlir::pallas {

/// `vmem` or `vmem@sc_vector`.
ParseResult parseMemorySpace(AsmParser &parser, MemorySpaceAttr &space);
void printMemorySpace(AsmPrinter &printer, MemorySpaceAttr space);

/// Parses an integer or `?`.
ParseResult parseStaticOrDynamic(AsmParser &parser, int64_t &value);
void printStaticOrDynamic(AsmPrinter &printer, int64_t value);

/// `[:, 3, ds(0, 8)]` of an operation, with operands among the entries.
ParseResult
parseIndexer(OpAsmParser &parser, IndexerAttr &indexer,
             SmallVectorImpl<OpAsmParser::UnresolvedOperand> &indices,
             SmallVectorImpl<Type> &types);
void printIndexer(OpAsmPrinter &printer, Operation *op, IndexerAttr indexer,
                  OperandRange indices, TypeRange types);

/// Checks that `transforms`, which may be null, holds layout transforms only.
LogicalResult verifyTransforms(function_ref<InFlightDiagnostic()> emitError,
                               ArrayAttr transforms);

} // namespace mlir::pallas

#endif // PALLAS_LIB_DIALECT_PALLAS_IR_ASMHELPERS_H
