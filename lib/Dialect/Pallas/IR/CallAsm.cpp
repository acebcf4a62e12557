//===- CallAsm.cpp - Spelling of the operations that run kernels ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parsers and printers of calls, pipelines and maps. The clauses that they
// share are in GridClauses.cpp.
//
//===----------------------------------------------------------------------===//

#include "GridClauses.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"

using namespace mlir;
using namespace mlir::pallas;

using Argument = OpAsmParser::Argument;
using UnresolvedOperand = OpAsmParser::UnresolvedOperand;

/// Parses `keyword [a, b]` into an array attribute. Without the keyword,
/// nothing is parsed and no attribute is set.
static ParseResult parseOptionalArray(OpAsmParser &parser, StringRef keyword,
                                      StringAttr attrName,
                                      OperationState &state) {
  if (failed(parser.parseOptionalKeyword(keyword)))
    return success();
  ArrayAttr array;
  return parser.parseAttribute(array, attrName, state.attributes);
}

/// Prints as bare words, `semantics [parallel, arbitrary]`, though the
/// attribute is an array of enums.
static ParseResult parseOptionalSemantics(OpAsmParser &parser,
                                          StringAttr attrName,
                                          OperationState &state) {
  if (failed(parser.parseOptionalKeyword("semantics")))
    return success();
  SmallVector<Attribute> semantics;
  auto parseOne = [&]() -> ParseResult {
    FailureOr<DimensionSemantics> value =
        FieldParser<DimensionSemantics>::parse(parser);
    if (failed(value))
      return failure();
    semantics.push_back(
        DimensionSemanticsAttr::get(parser.getContext(), *value));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  state.addAttribute(attrName, parser.getBuilder().getArrayAttr(semantics));
  return success();
}

static void printSemantics(OpAsmPrinter &printer,
                           std::optional<ArrayAttr> semantics) {
  if (!semantics)
    return;
  printer.printNewline();
  printer << "  semantics [";
  llvm::interleaveComma(semantics->getAsRange<DimensionSemanticsAttr>(),
                        printer.getStream(), [&](DimensionSemanticsAttr attr) {
                          printer
                              << stringifyDimensionSemantics(attr.getValue());
                        });
  printer << "]";
}

/// A line of its own, since attributes come between clauses and the kernel.
static void printAttributes(OpAsmPrinter &printer, Operation *op,
                            ArrayRef<StringRef> elided) {
  bool hasAny = llvm::any_of(op->getAttrs(), [&](NamedAttribute attr) {
    return !llvm::is_contained(elided, attr.getName().getValue());
  });
  if (!hasAny)
    return;
  printer.printNewline();
  printer << "  attributes";
  printer.printOptionalAttrDict(op->getAttrs(), elided);
}

//===----------------------------------------------------------------------===//
// PallasCallOp
//===----------------------------------------------------------------------===//

/// Clauses have a fixed order. Prefetched operands come before blocks, because
/// the types of index map arguments follow from them:
///
///   prefetch(%s : tensor<4xi32>)
///   in(%x : tensor<64xf32>) block<[16], vmem> map(%i, %r) { ... }
///
/// Here `%r` is a !pallas.ref<4xi32, smem>. Operands are resolved at the end,
/// in the order of the segments and not of the text.
ParseResult PallasCallOp::parse(OpAsmParser &parser, OperationState &state) {
  GridClauses clauses(parser, state);
  StringAttr name;
  SmallVector<UnresolvedOperand> captures, indexOperands;
  SmallVector<Type> captureTypes, indexTypes;
  SMLoc loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalSymbolName(name)))
    state.addAttribute(getKernelNameAttrName(state.name), name);
  if (clauses.parseGrid() ||
      parseOptionalOperandClause(parser, "captures", captures, captureTypes) ||
      parseOptionalOperandClause(parser, "prefetch", indexOperands, indexTypes))
    return failure();
  for (Type type : indexTypes) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return parser.emitError(loc)
             << "a prefetched operand must be a ranked tensor, but has type "
             << type;
    auto space = MemorySpaceAttr::get(parser.getContext(), MemorySpace::Smem);
    auto ref =
        parser.getChecked<RefType>(loc, parser.getContext(), tensor.getShape(),
                                   tensor.getElementType(), space, ArrayAttr());
    if (!ref)
      return failure();
    clauses.indexMapExtraTypes.push_back(ref);
  }
  llvm::append_range(clauses.indexMapExtraTypes, captureTypes);
  if (clauses.parseInputs() || clauses.parseOutputs(/*withOperand=*/false) ||
      parseOptionalAliases(parser, state, getAliasesAttrName(state.name)) ||
      parseOptionalSemantics(parser, getDimensionSemanticsAttrName(state.name),
                             state) ||
      parseOptionalArray(parser, "names", getGridNamesAttrName(state.name),
                         state))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("vmapped"))) {
    auto dims = dyn_cast_or_null<DenseI64ArrayAttr>(
        DenseI64ArrayAttr::parse(parser, Type()));
    if (!dims)
      return failure();
    state.addAttribute(getVmappedDimsAttrName(state.name), dims);
  }
  if (parseOptionalAttributes(parser, state) ||
      clauses.parseKernel("grid, captures, prefetch, in, out, aliases, "
                          "semantics, names, vmapped and attributes"))
    return failure();

  clauses.addToState();
  SmallVector<int32_t> segments = {
      int32_t(captures.size()), int32_t(clauses.dynamicGrid.size()),
      int32_t(indexOperands.size()), int32_t(clauses.inputs.size())};
  state.getOrAddProperties<Properties>().operandSegmentSizes = {
      segments[0], segments[1], segments[2], segments[3]};
  if (parser.resolveOperands(captures, captureTypes, loc, state.operands) ||
      parser.resolveOperands(clauses.dynamicGrid, clauses.dynamicGridTypes, loc,
                             state.operands) ||
      parser.resolveOperands(indexOperands, indexTypes, loc, state.operands))
    return failure();
  for (BlockClause &input : clauses.inputs)
    if (parser.resolveOperand(input.operand, input.arrayType, state.operands))
      return failure();
  for (BlockClause &output : clauses.outputs)
    state.addTypes(output.arrayType);
  return success();
}

/// Attributes that clauses show are left out of `attributes`.
void PallasCallOp::print(OpAsmPrinter &printer) {
  if (StringAttr name = getKernelNameAttr()) {
    printer << ' ';
    printer.printSymbolName(name);
  }
  printGrid(printer, *this);
  printOperandClause(printer, "captures", getCaptures());
  printOperandClause(printer, "prefetch", getIndexOperands());
  printBlocks(printer, *this, /*outputsAreOperands=*/false);
  printAliases(printer, getAliases());
  printSemantics(printer, getDimensionSemantics());
  if (std::optional<ArrayAttr> names = getGridNames()) {
    printer.printNewline();
    printer << "  names " << *names;
  }
  if (!getVmappedDims().empty()) {
    printer.printNewline();
    printer << "  vmapped ";
    printer.printStrippedAttrOrType(getVmappedDimsAttr());
  }
  printAttributes(
      printer, *this,
      {getKernelNameAttrName(), getGridAttrName(), getBlockMappingsAttrName(),
       getGridNamesAttrName(), getVmappedDimsAttrName(), getAliasesAttrName(),
       getDimensionSemanticsAttrName(), getOperandSegmentSizesAttrName()});
  printer.printNewline();
  printer << "  kernel";
  printKernel(printer, getKernel());
}

//===----------------------------------------------------------------------===//
// MpmdMapOp
//===----------------------------------------------------------------------===//

/// Names belong to kernels one by one; the attribute exists only if some kernel
/// has one, so that a module without names reads back without it.
ParseResult MpmdMapOp::parse(OpAsmParser &parser, OperationState &state) {
  Builder &builder = parser.getBuilder();
  while (succeeded(parser.parseOptionalKeyword("in"))) {
    UnresolvedOperand operand;
    Type type;
    if (parser.parseLParen() || parser.parseOperand(operand) ||
        parser.parseColonType(type) || parser.parseRParen() ||
        parser.resolveOperand(operand, type, state.operands))
      return failure();
  }
  while (succeeded(parser.parseOptionalKeyword("out"))) {
    Type type;
    if (parser.parseLParen() || parser.parseType(type) || parser.parseRParen())
      return failure();
    state.addTypes(type);
  }
  if (parseOptionalAliases(parser, state, getAliasesAttrName(state.name)) ||
      parseOptionalArray(parser, "external",
                         getExternalMeshesAttrName(state.name), state) ||
      parseOptionalAttributes(parser, state))
    return failure();

  SmallVector<Attribute> meshes, names;
  bool anyName = false;
  while (succeeded(parser.parseOptionalKeyword("kernel"))) {
    StringAttr name;
    MeshAttr mesh;
    if (succeeded(parser.parseOptionalSymbolName(name)))
      anyName = true;
    else
      name = builder.getStringAttr("");
    if (parser.parseKeyword("on") ||
        parser.parseCustomAttributeWithFallback(mesh) ||
        parseKernelRegion(parser, *state.addRegion()))
      return failure();
    meshes.push_back(mesh);
    names.push_back(name);
  }
  state.addAttribute(getMeshesAttrName(state.name),
                     builder.getArrayAttr(meshes));
  if (anyName)
    state.addAttribute(getKernelNamesAttrName(state.name),
                       builder.getArrayAttr(names));
  return success();
}

/// Kernels are written one below the other, each with its mesh:
///
///   pallas.mpmd_map
///     kernel @scalars on <sc_scalar, [<core "c" = 2>]> (%a: ...) {...}
///     kernel on <sc_vector, [<core "c" = 2>, <subcore "s" = 16>]>
///         (%a: ...) {...}
void MpmdMapOp::print(OpAsmPrinter &printer) {
  for (Value input : getInputs()) {
    printer.printNewline();
    printer << "  in(" << input << " : " << input.getType() << ")";
  }
  for (Type type : getResultTypes()) {
    printer.printNewline();
    printer << "  out(" << type << ")";
  }
  printAliases(printer, getAliases());
  if (std::optional<ArrayAttr> external = getExternalMeshes()) {
    printer.printNewline();
    printer << "  external " << *external;
  }
  printAttributes(printer, *this,
                  {getMeshesAttrName(), getExternalMeshesAttrName(),
                   getKernelNamesAttrName(), getAliasesAttrName()});
  ArrayAttr names = getKernelNamesAttr();
  for (auto [index, kernel] : llvm::enumerate(getKernels())) {
    printer.printNewline();
    printer << "  kernel ";
    StringRef name;
    if (names && index < names.size())
      if (auto attr = dyn_cast<StringAttr>(names[index]))
        name = attr.getValue();
    if (!name.empty()) {
      printer.printSymbolName(name);
      printer << ' ';
    }
    printer << "on ";
    printer.printStrippedAttrOrType(cast<MeshAttr>(getMeshes()[index]));
    printKernel(printer, kernel);
  }
}

//===----------------------------------------------------------------------===//
// EmitPipelineOp
//===----------------------------------------------------------------------===//

/// Outputs are operands here, refs that the pipeline writes to, while a call
/// returns arrays.
ParseResult EmitPipelineOp::parse(OpAsmParser &parser, OperationState &state) {
  GridClauses clauses(parser, state);
  SmallVector<UnresolvedOperand> carry;
  SmallVector<Type> carryTypes;
  SMLoc loc = parser.getCurrentLocation();
  if (clauses.parseGrid() || clauses.parseInputs() ||
      clauses.parseOutputs(/*withOperand=*/true) ||
      parseOptionalOperandClause(parser, "carry", carry, carryTypes) ||
      parseOptionalSemantics(parser, getDimensionSemanticsAttrName(state.name),
                             state) ||
      parseOptionalAttributes(parser, state) ||
      clauses.parseKernel("grid, in, out, carry, semantics and attributes"))
    return failure();
  clauses.addToState();
  state.getOrAddProperties<Properties>().operandSegmentSizes = {
      int32_t(clauses.dynamicGrid.size()), int32_t(clauses.inputs.size()),
      int32_t(clauses.outputs.size()), int32_t(carry.size())};
  if (parser.resolveOperands(clauses.dynamicGrid, clauses.dynamicGridTypes, loc,
                             state.operands))
    return failure();
  for (SmallVector<BlockClause> *blocks : {&clauses.inputs, &clauses.outputs})
    for (BlockClause &block : *blocks)
      if (parser.resolveOperand(block.operand, block.arrayType, state.operands))
        return failure();
  state.addTypes(carryTypes);
  return parser.resolveOperands(carry, carryTypes, loc, state.operands);
}

/// A terminator without operands is implied.
void EmitPipelineOp::print(OpAsmPrinter &printer) {
  printGrid(printer, *this);
  printBlocks(printer, *this, /*outputsAreOperands=*/true);
  printOperandClause(printer, "carry", getInitCarry());
  printSemantics(printer, getDimensionSemantics());
  printAttributes(printer, *this,
                  {getGridAttrName(), getBlockMappingsAttrName(),
                   getDimensionSemanticsAttrName(),
                   getOperandSegmentSizesAttrName()});
  printer.printNewline();
  printer << "  kernel";
  printKernel(printer, getKernel(), /*printTerminator=*/getNumResults() != 0);
}

//===----------------------------------------------------------------------===//
// CoreMapOp, RunScopedOp, RunStateOp
//===----------------------------------------------------------------------===//

/// The arguments of the kernel are scratch memory, which has no operands.
ParseResult CoreMapOp::parse(OpAsmParser &parser, OperationState &state) {
  MeshAttr mesh;
  if (parser.parseCustomAttributeWithFallback(
          mesh, Type(), getMeshAttrName(state.name), state.attributes) ||
      parseOptionalAttributes(parser, state))
    return failure();
  return parseKernelRegion(parser, *state.addRegion());
}

void CoreMapOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printStrippedAttrOrType(getMesh());
  printAttributes(printer, *this, {getMeshAttrName()});
  printer << ' ';
  printKernel(printer, getBody());
}

/// For example:
///
///   %0 = pallas.run_scoped (%a: !pallas.ref<8xf32, vmem>) -> f32 {...}
///
/// The arguments are memory that the operation allocates, so there are no
/// operands for them.
ParseResult RunScopedOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<Argument> args;
  if (parser.parseArgumentList(args, AsmParser::Delimiter::Paren,
                               /*allowType=*/true) ||
      parseOptionalArray(parser, "collective",
                         getCollectiveAxesAttrName(state.name), state) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes) ||
      parser.parseOptionalArrowTypeList(state.types))
    return failure();
  return parseRegionWithYield(parser, *state.addRegion(), args);
}

void RunScopedOp::print(OpAsmPrinter &printer) {
  printer << " (";
  llvm::interleaveComma(
      getBody().getArguments(), printer.getStream(),
      [&](BlockArgument arg) { printer.printRegionArgument(arg); });
  printer << ")";
  if (ArrayAttr axes = getCollectiveAxesAttr())
    printer << " collective " << axes;
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           {getCollectiveAxesAttrName()});
  printer.printOptionalArrowTypeList(getResultTypes());
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/getNumResults() != 0);
}

/// Each ref is written beside the value that it starts with, as in
/// `pallas.run_state (%r: !pallas.ref<8xf32, vmem> = %x : tensor<8xf32>)`.
ParseResult RunStateOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<Argument> args;
  auto parseOne = [&]() -> ParseResult {
    UnresolvedOperand init;
    Type type;
    if (parser.parseArgument(args.emplace_back(), /*allowType=*/true) ||
        parser.parseEqual() || parser.parseOperand(init) ||
        parser.parseColonType(type) ||
        parser.resolveOperand(init, type, state.operands))
      return failure();
    state.addTypes(type);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseOne) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes))
    return failure();
  return parseRegionWithYield(parser, *state.addRegion(), args);
}

void RunStateOp::print(OpAsmPrinter &printer) {
  printer << " (";
  llvm::interleaveComma(llvm::zip(getBody().getArguments(), getInits()),
                        printer.getStream(), [&](auto pair) {
                          auto [arg, init] = pair;
                          printer.printRegionArgument(arg);
                          printer << " = " << init << " : " << init.getType();
                        });
  printer << ")";
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/false);
}
