//===- GridClauses.cpp - Clauses of operations with a grid ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses and prints the clauses that operations with a grid share: grid, blocks
// with their index maps, and the kernel. Index maps and blocks that follow from
// the array are left out of the text.
//
//===----------------------------------------------------------------------===//

#include "GridClauses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"

using namespace mlir;
using namespace mlir::pallas;

using Argument = OpAsmParser::Argument;
using UnresolvedOperand = OpAsmParser::UnresolvedOperand;

/// After an error regions are destroyed one by one, and values of one may still
/// have uses in another: the uses go first.
GridClauses::~GridClauses() {
  SmallVector<Region *> regions = {kernel.get()};
  for (auto *clauses : {&inputs, &outputs})
    for (BlockClause &clause : *clauses)
      regions.push_back(clause.indexMap.get());
  for (Region *region : regions)
    if (region)
      for (Block &block : *region)
        block.dropAllDefinedValueUses();
}

//===----------------------------------------------------------------------===//
// Grid
//===----------------------------------------------------------------------===//

/// A size is a number or an operand, in one list: `grid(4, %n, %m index)`.
ParseResult GridClauses::parseGrid() {
  auto parseSize = [&]() -> ParseResult {
    int64_t &size = grid.emplace_back(ShapedType::kDynamic);
    UnresolvedOperand operand;
    OptionalParseResult isOperand = parser.parseOptionalOperand(operand);
    if (!isOperand.has_value())
      return parser.parseInteger(size);
    if (failed(*isOperand))
      return failure();
    dynamicGrid.push_back(operand);
    Builder &builder = parser.getBuilder();
    dynamicGridTypes.push_back(succeeded(parser.parseOptionalKeyword("index"))
                                   ? Type(builder.getIndexType())
                                   : Type(builder.getI32Type()));
    return success();
  };
  return failure(
      parser.parseKeyword("grid") ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseSize));
}

/// An operand of type i32, the common one, has no type in the text.
void mlir::pallas::printGrid(OpAsmPrinter &printer, GridMappingOpInterface op) {
  printer << " grid(";
  OperandRange dynamicGrid = op.getDynamicGridOperands();
  unsigned next = 0;
  llvm::interleaveComma(op.getGridShape(), printer.getStream(),
                        [&](int64_t size) {
                          if (!ShapedType::isDynamic(size)) {
                            printer << size;
                            return;
                          }
                          Value operand = dynamicGrid[next++];
                          printer << operand;
                          if (operand.getType().isIndex())
                            printer << " index";
                        });
  printer << ")";
}

//===----------------------------------------------------------------------===//
// Blocks and index maps
//===----------------------------------------------------------------------===//

/// The mapping of a block clause that is not written: one window that holds
/// the whole array. Null when the shape is not static or has no elements.
static BlockMappingAttr getWholeArrayMapping(Type arrayType) {
  MLIRContext *context = arrayType.getContext();
  auto array = dyn_cast<ShapedType>(arrayType);
  if (auto pinned = dyn_cast<PinnedType>(arrayType))
    array = pinned.getArrayType();
  if (!array || !array.hasStaticShape() ||
      llvm::is_contained(array.getShape(), 0))
    return {};
  SmallVector<BlockDimAttr> dims;
  for (int64_t size : array.getShape())
    dims.push_back(
        BlockDimAttr::get(context, BlockDimKind::Blocked, size, 0, 0));
  return BlockMappingAttr::get(
      context, dims, MemorySpaceAttr::get(context, MemorySpace::Default),
      PipelineModeAttr(), ArrayAttr(), StringAttr());
}

/// Without `block` there is one window, the whole array:
///   in(%x : tensor<8x128xf32>)
/// means
///   in(%x : tensor<8x128xf32>) block<[8, 128], default>
ParseResult GridClauses::parseMapping(BlockClause &clause) {
  SMLoc loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("block")))
    return parser.parseCustomAttributeWithFallback(clause.mapping);
  clause.mapping = getWholeArrayMapping(clause.arrayType);
  if (!clause.mapping)
    return parser.emitError(loc)
           << "an array of type " << clause.arrayType
           << " needs a block clause: only a static shape without zeros "
              "implies one";
  return success();
}

/// The arguments of a short map are no values of the parser, because its region
/// is built here: they are looked up by name.
ParseResult GridClauses::parseShortResults(ArrayRef<Argument> args,
                                           OpBuilder &builder, Block &block,
                                           SmallVectorImpl<Value> &results) {
  auto parseResult = [&]() -> ParseResult {
    Location loc = parser.getEncodedSourceLoc(parser.getCurrentLocation());
    UnresolvedOperand operand;
    OptionalParseResult isOperand = parser.parseOptionalOperand(operand);
    if (!isOperand.has_value()) {
      int32_t constant;
      if (parser.parseInteger(constant))
        return failure();
      results.push_back(arith::ConstantOp::create(
          builder, loc, builder.getI32IntegerAttr(constant)));
      return success();
    }
    if (failed(*isOperand))
      return failure();
    for (auto [index, arg] : llvm::enumerate(args))
      if (arg.ssaName.name == operand.name &&
          arg.ssaName.number == operand.number) {
        results.push_back(block.getArgument(index));
        return success();
      }
    return parser.emitError(operand.location)
           << "'" << operand.name
           << "' is not an argument of this index map; to compute, write "
              "map(...) { ... pallas.yield ... }";
  };
  if (parser.parseLParen())
    return failure();
  if (succeeded(parser.parseOptionalRParen()))
    return success();
  if (parser.parseCommaSeparatedList(parseResult))
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalRParen()))
    return success();
  return parser.emitError(loc)
         << "a short index map returns program ids and integers; to compute, "
            "write map(...) { ... pallas.yield ... }";
}

/// Takes three forms: none (all results are zero), the short one, and a region
/// that computes and may read prefetched scalars:
///
///   map(%i, %j) -> (%i, 0)
///   map(%i, %j, %s) { ... pallas.yield %a, %b : i32, i32 }
///
/// Only a region can read index refs, so only there they are named.
ParseResult GridClauses::parseIndexMap(BlockClause &clause) {
  clause.indexMap = std::make_unique<Region>();
  SmallVector<Type> types(grid.size(), parser.getBuilder().getI32Type());
  llvm::append_range(types, indexMapExtraTypes);

  SMLoc argLoc = parser.getCurrentLocation();
  Location loc = parser.getEncodedSourceLoc(argLoc);
  bool hasMap = succeeded(parser.parseOptionalKeyword("map"));
  SmallVector<Argument> args;
  if (hasMap && parser.parseArgumentList(args, AsmParser::Delimiter::Paren))
    return failure();
  bool isShort = !hasMap || succeeded(parser.parseOptionalArrow());
  size_t numNamed = isShort ? grid.size() : types.size();
  if (hasMap && args.size() != numNamed) {
    InFlightDiagnostic diag =
        parser.emitError(argLoc)
        << "this index map has " << numNamed << " arguments (" << grid.size()
        << " program ids"
        << (isShort ? "" : ", then index refs and captured values") << "), but "
        << args.size() << " are named";
    if (isShort && args.size() == types.size())
      diag << "; to read index refs, write map(...) { ... pallas.yield ... }";
    return diag;
  }
  if (!isShort) {
    for (auto [arg, type] : llvm::zip(args, types))
      arg.type = type;
    return parser.parseRegion(*clause.indexMap, args);
  }

  Block &block = clause.indexMap->emplaceBlock();
  for (Type type : types)
    block.addArgument(type, loc);
  // The region has no operation yet, so the builder cannot ask it.
  OpBuilder builder(parser.getContext());
  builder.setInsertionPointToEnd(&block);
  SmallVector<Value> results;
  if (hasMap) {
    if (parseShortResults(args, builder, block, results))
      return failure();
  } else {
    for (unsigned i = 0; i < clause.mapping.getNumIndexMapResults(); ++i)
      results.push_back(arith::ConstantOp::create(
          builder, loc, builder.getI32IntegerAttr(0)));
  }
  YieldOp::create(builder, loc, results);
  return success();
}

/// Outputs of a call have no operand, only a type: `out(tensor<8xf32>)`.
ParseResult GridClauses::parseBlock(BlockClause &clause, bool withOperand) {
  if (parser.parseLParen())
    return failure();
  if (withOperand &&
      (parser.parseOperand(clause.operand) || parser.parseColon()))
    return failure();
  return failure(parser.parseType(clause.arrayType) || parser.parseRParen() ||
                 parseMapping(clause) || parseIndexMap(clause));
}

ParseResult GridClauses::parseInputs() {
  while (succeeded(parser.parseOptionalKeyword("in")))
    if (parseBlock(inputs.emplace_back(), /*withOperand=*/true))
      return failure();
  return success();
}

ParseResult GridClauses::parseOutputs(bool withOperand) {
  while (succeeded(parser.parseOptionalKeyword("out")))
    if (parseBlock(outputs.emplace_back(), withOperand))
      return failure();
  return success();
}

/// Whether an index map can be written as `map(%i, %j) -> (%i, 0)`: it yields
/// program ids and i32 constants and does nothing else.
static bool isShortIndexMap(Region &map, unsigned gridRank) {
  Block &block = map.front();
  for (Operation &op : block.without_terminator()) {
    auto constant = dyn_cast<arith::ConstantOp>(op);
    if (!constant || !constant.getType().isInteger(32))
      return false;
  }
  return llvm::all_of(block.getTerminator()->getOperands(), [&](Value result) {
    if (auto arg = dyn_cast<BlockArgument>(result))
      return arg.getArgNumber() < gridRank;
    return getConstantInteger(result).has_value();
  });
}

/// Prints the shortest form that reads back as the same map.
static void printIndexMap(OpAsmPrinter &printer, Region &map,
                          unsigned gridRank) {
  Block &block = map.front();
  bool isShort = isShortIndexMap(map, gridRank);
  OperandRange results = block.getTerminator()->getOperands();
  if (isShort && llvm::all_of(results, [](Value result) {
        return getConstantInteger(result) == 0;
      }))
    return;
  printer << " map(";
  ArrayRef<BlockArgument> args = block.getArguments();
  llvm::interleaveComma(isShort ? args.take_front(gridRank) : args,
                        printer.getStream(), [&](BlockArgument arg) {
                          printer.printRegionArgument(arg, {},
                                                      /*omitType=*/true);
                        });
  printer << ")";
  if (!isShort) {
    printer << " ";
    printer.printRegion(map, /*printEntryBlockArgs=*/false);
    return;
  }
  printer << " -> (";
  llvm::interleaveComma(results, printer.getStream(), [&](Value result) {
    if (isa<BlockArgument>(result))
      printer << result;
    else
      printer << *getConstantInteger(result);
  });
  printer << ")";
}

/// One block per line, and of each only what parsing does not find out:
///   in(%x : tensor<8x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
void mlir::pallas::printBlocks(OpAsmPrinter &printer, GridMappingOpInterface op,
                               bool outputsAreOperands) {
  SmallVector<BlockMappingAttr> mappings = op.getMappings();
  unsigned numInputs = op.getNumInputs();
  for (unsigned index = 0, e = op.getNumBlocks(); index < e; ++index) {
    printer.printNewline();
    printer << "  " << (index < numInputs ? "in(" : "out(");
    if (index < numInputs)
      printer << op.getInputOperands()[index] << " : ";
    else if (outputsAreOperands)
      printer << cast<EmitPipelineOp>(op).getOutputs()[index - numInputs]
              << " : ";
    printer << op.getArrayType(index) << ")";
    if (mappings[index] != getWholeArrayMapping(op.getArrayType(index))) {
      printer << " block";
      printer.printStrippedAttrOrType(mappings[index]);
    }
    printIndexMap(printer, *op.getIndexMap(index), op.getGridRank());
  }
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// A body without results may leave its terminator out.
ParseResult mlir::pallas::parseRegionWithYield(OpAsmParser &parser,
                                               Region &region,
                                               ArrayRef<Argument> args) {
  Location loc = parser.getEncodedSourceLoc(parser.getCurrentLocation());
  if (parser.parseRegion(region, args))
    return failure();
  if (region.empty()) {
    Block &block = region.emplaceBlock();
    for (const Argument &arg : args)
      block.addArgument(arg.type, loc);
  }
  for (Block &block : region)
    if (!block.mightHaveTerminator()) {
      OpBuilder builder(parser.getContext());
      builder.setInsertionPointToEnd(&block);
      YieldOp::create(builder, loc);
    }
  return success();
}

ParseResult mlir::pallas::parseKernelRegion(OpAsmParser &parser,
                                            Region &kernel) {
  SmallVector<Argument> args;
  return failure(parser.parseArgumentList(args, AsmParser::Delimiter::Paren,
                                          /*allowType=*/true) ||
                 parseRegionWithYield(parser, kernel, args));
}

/// The message lists the clauses, since a misspelt or misplaced one is found
/// only here.
ParseResult GridClauses::parseKernel(StringRef clauses) {
  kernel = std::make_unique<Region>();
  return failure(
      parser.parseKeyword("kernel", " or a clause before it; they are " +
                                        clauses + ", in this order") ||
      parseKernelRegion(parser, *kernel));
}

/// Types of the arguments are beside them, as no other clause has them.
void mlir::pallas::printKernel(OpAsmPrinter &printer, Region &kernel,
                               bool printTerminator) {
  printer << "(";
  if (!kernel.empty())
    llvm::interleaveComma(
        kernel.getArguments(), printer.getStream(),
        [&](BlockArgument arg) { printer.printRegionArgument(arg); });
  printer << ") ";
  printer.printRegion(kernel, /*printEntryBlockArgs=*/false, printTerminator);
}

/// The kernel is region 0, and the map of block b is region 1 + b.
void GridClauses::addToState() {
  Builder &builder = parser.getBuilder();
  SmallVector<Attribute> mappings;
  state.addRegion(std::move(kernel));
  for (SmallVector<BlockClause> *blocks : {&inputs, &outputs})
    for (BlockClause &block : *blocks) {
      mappings.push_back(block.mapping);
      state.addRegion(std::move(block.indexMap));
    }
  state.addAttribute("grid", builder.getDenseI64ArrayAttr(grid));
  state.addAttribute("blockMappings", builder.getArrayAttr(mappings));
}

//===----------------------------------------------------------------------===//
// Smaller clauses
//===----------------------------------------------------------------------===//

ParseResult mlir::pallas::parseOptionalOperandClause(
    OpAsmParser &parser, StringRef keyword,
    SmallVectorImpl<UnresolvedOperand> &operands,
    SmallVectorImpl<Type> &types) {
  if (failed(parser.parseOptionalKeyword(keyword)))
    return success();
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLParen() || parser.parseOperandList(operands) ||
      parser.parseColonTypeList(types) || parser.parseRParen())
    return failure();
  if (operands.size() != types.size())
    return parser.emitError(loc)
           << keyword << " clause has " << operands.size() << " operands, but "
           << types.size() << " types";
  return success();
}

void mlir::pallas::printOperandClause(OpAsmPrinter &printer, StringRef keyword,
                                      OperandRange operands) {
  if (operands.empty())
    return;
  printer.printNewline();
  printer << "  " << keyword << "(" << operands << " : " << operands.getTypes()
          << ")";
}

ParseResult mlir::pallas::parseOptionalAttributes(OpAsmParser &parser,
                                                  OperationState &state) {
  if (failed(parser.parseOptionalKeyword("attributes")))
    return success();
  return parser.parseOptionalAttrDict(state.attributes);
}
