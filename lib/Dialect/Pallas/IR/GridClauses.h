//===- GridClauses.h - Clauses of operations with a grid --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_DIALECT_PALLAS_IR_GRIDCLAUSES_H
#define PALLAS_LIB_DIALECT_PALLAS_IR_GRIDCLAUSES_H

#include "mlir/IR/OpImplementation.h"
#include "pallas/Dialect/Pallas/IR/PallasInterfaces.h"

namespace mlir::pallas {

/// One `in` or `out` clause.
struct BlockClause {
  OpAsmParser::UnresolvedOperand operand;
  Type arrayType;
  BlockMappingAttr mapping;
  std::unique_ptr<Region> indexMap;
};

/// The clauses that all operations with a grid have, while they are parsed.
class GridClauses {
public:
  GridClauses(OpAsmParser &parser, OperationState &state)
      : parser(parser), state(state) {}
  /// After an error, values of the regions that are left may have uses
  /// anywhere.
  ~GridClauses();

  /// `grid(4, %n, %m index)`
  ParseResult parseGrid();
  /// `in(%x : tensor<8x8xf32>) block<[4, 8], vmem> map(%i) -> (%i, 0)`, any
  /// number of times.
  ParseResult parseInputs();
  /// As inputs; `withOperand` is set where an output is an operand, not a type.
  ParseResult parseOutputs(bool withOperand);
  /// `kernel(%x: ...) { ... }`
  /// `clauses` names those that may precede, for the error.
  ParseResult parseKernel(StringRef clauses);

  /// Adds the grid and block mapping attributes and the regions.
  void addToState();

  SmallVector<int64_t> grid;
  SmallVector<OpAsmParser::UnresolvedOperand> dynamicGrid;
  SmallVector<Type> dynamicGridTypes;
  /// Types of the index map arguments behind the program ids.
  SmallVector<Type> indexMapExtraTypes;
  SmallVector<BlockClause> inputs, outputs;

private:
  ParseResult parseBlock(BlockClause &clause, bool withOperand);
  ParseResult parseMapping(BlockClause &clause);
  ParseResult parseIndexMap(BlockClause &clause);
  ParseResult parseShortResults(ArrayRef<OpAsmParser::Argument> args,
                                OpBuilder &builder, Block &block,
                                SmallVectorImpl<Value> &results);

  OpAsmParser &parser;
  OperationState &state;
  std::unique_ptr<Region> kernel;
};

/// Printing, clause by clause.
void printGrid(OpAsmPrinter &printer, GridMappingOpInterface op);
void printBlocks(OpAsmPrinter &printer, GridMappingOpInterface op,
                 bool outputsAreOperands);
void printKernel(OpAsmPrinter &printer, Region &kernel,
                 bool printTerminator = false);

/// Parses `{ ... }` and adds a missing `pallas.yield`.
ParseResult parseRegionWithYield(OpAsmParser &parser, Region &region,
                                 ArrayRef<OpAsmParser::Argument> args);
/// Parses `(%a: type, ...) { ... }` and adds a missing `pallas.yield`.
ParseResult parseKernelRegion(OpAsmParser &parser, Region &kernel);

/// `aliases [6 -> 0, ...]`, kept as a flat list of pairs.
ParseResult parseOptionalAliases(OpAsmParser &parser, OperationState &state,
                                 StringAttr attrName);
void printAliases(OpAsmPrinter &printer, ArrayRef<int64_t> aliases);
SmallVector<std::pair<int64_t, int64_t>> getAliasPairs(ArrayRef<int64_t> flat);

/// `keyword(%a, %b : type, type)`, when the keyword follows.
ParseResult
parseOptionalOperandClause(OpAsmParser &parser, StringRef keyword,
                           SmallVectorImpl<OpAsmParser::UnresolvedOperand> &,
                           SmallVectorImpl<Type> &);
void printOperandClause(OpAsmPrinter &printer, StringRef keyword,
                        OperandRange operands);

/// Checks a region that ends with `pallas.yield` of values of these types.
/// Kernels yield nothing: they write their outputs through refs.
LogicalResult verifyKernelYield(Operation *op, Region &kernel, StringRef what,
                                TypeRange expected);
/// Checks aliases: flat pairs of a position in `inputs`, of which the first
/// `numIndex` are index operands, and one in `outputs`.
LogicalResult verifyAliases(Operation *op, ArrayRef<int64_t> aliases,
                            TypeRange inputs, unsigned numIndex,
                            TypeRange outputs);

/// `attributes {...}`, when the keyword follows.
ParseResult parseOptionalAttributes(OpAsmParser &parser, OperationState &state);

} // namespace mlir::pallas

#endif // PALLAS_LIB_DIALECT_PALLAS_IR_GRIDCLAUSES_H
