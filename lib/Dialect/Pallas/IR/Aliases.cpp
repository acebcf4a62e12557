//===- Aliases.cpp - Inputs and outputs that share memory -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parser, printer and verifier of the aliases of calls. Comments such as V24
// name rules of docs/Rules.md.
//
//===----------------------------------------------------------------------===//

#include "GridClauses.h"

using namespace mlir;
using namespace mlir::pallas;

/// Aliases are printed as pairs but stored as a flat list:
///
///   aliases [1 -> 0, 2 -> 1]
///
/// is `array<i64: 1, 0, 2, 1>`.
ParseResult mlir::pallas::parseOptionalAliases(OpAsmParser &parser,
                                               OperationState &state,
                                               StringAttr attrName) {
  if (failed(parser.parseOptionalKeyword("aliases")))
    return success();
  SmallVector<int64_t> flat;
  auto parsePair = [&]() -> ParseResult {
    return failure(parser.parseInteger(flat.emplace_back()) ||
                   parser.parseArrow() ||
                   parser.parseInteger(flat.emplace_back()));
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parsePair))
    return failure();
  state.addAttribute(attrName, parser.getBuilder().getDenseI64ArrayAttr(flat));
  return success();
}

/// Ignores an odd last position, because it also runs before the verifier.
SmallVector<std::pair<int64_t, int64_t>>
mlir::pallas::getAliasPairs(ArrayRef<int64_t> flat) {
  SmallVector<std::pair<int64_t, int64_t>> pairs;
  for (size_t i = 0; i + 1 < flat.size(); i += 2)
    pairs.emplace_back(flat[i], flat[i + 1]);
  return pairs;
}

void mlir::pallas::printAliases(OpAsmPrinter &printer,
                                ArrayRef<int64_t> aliases) {
  if (aliases.empty())
    return;
  printer.printNewline();
  printer << "  aliases [";
  llvm::interleaveComma(getAliasPairs(aliases), printer.getStream(),
                        [&](std::pair<int64_t, int64_t> pair) {
                          printer << pair.first << " -> " << pair.second;
                        });
  printer << "]";
}

/// Inputs are counted from the first index operand on, but index operands are
/// copied into scalar memory and so can't be outputs. A pinned input has its
/// place in memory already, so some output must take that place.
LogicalResult mlir::pallas::verifyAliases(Operation *op,
                                          ArrayRef<int64_t> aliases,
                                          TypeRange inputs, unsigned numIndex,
                                          TypeRange outputs) {
  // V4
  if (aliases.size() % 2 != 0)
    return op->emitOpError()
           << "aliases must be pairs of an input and an output, but has "
           << aliases.size() << " positions; give an even number";
  llvm::SmallDenseSet<int64_t> seenInputs, seenOutputs;
  for (auto [input, output] : getAliasPairs(aliases)) {
    auto error = [&, in = input, out = output] {
      return op->emitOpError() << "alias " << in << " -> " << out << " ";
    };
    // B12, K1, X11
    if (input < 0 || input >= int64_t(inputs.size()))
      return error() << "names an input that does not exist: the call has "
                     << inputs.size()
                     << " index operands and inputs, counted from 0";
    // B13, X11
    if (output < 0 || output >= int64_t(outputs.size()))
      return error() << "names an output that does not exist: the call has "
                     << outputs.size() << " outputs, counted from 0";
    // B15
    if (input < int64_t(numIndex))
      return error() << "names an index operand; only inputs can share memory "
                        "with an output, from position "
                     << numIndex << " on";
    // B14, K3, X11
    if (inputs[input] != outputs[output])
      return error() << "joins arrays of different types, " << inputs[input]
                     << " and " << outputs[output]
                     << "; both must have the same shape and element type";
    // B15, X11
    if (!seenInputs.insert(input).second)
      return error() << "names an input that is aliased already; alias each "
                        "input once";
    // B15, X11
    if (!seenOutputs.insert(output).second)
      return error() << "names an output that is aliased already; alias each "
                        "output once";
  }
  for (auto [index, type] : llvm::enumerate(inputs))
    // K2
    if (isa<PinnedType>(type) && !seenInputs.contains(index))
      return op->emitOpError() << "input " << index - numIndex
                               << " is pinned, so it must be aliased to an "
                                  "output; add the alias "
                               << index << " -> <output>";
  return success();
}
