//===- PallasAnalyzeCoverage.cpp - Which blocks programs visit ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass prints what Analysis/BlockCoverage finds, one remark per output, and
// warns of windows that are wrong for sure.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/AsmState.h"
#include "pallas/Dialect/Pallas/Analysis/BlockCoverage.h"
#include "pallas/Dialect/Pallas/Analysis/BlockWalk.h"
#include "pallas/Dialect/Pallas/Analysis/Report.h"
#include "pallas/Dialect/Pallas/Transforms/Passes.h"
#include "pallas/Dialect/Pallas/Utils/Aliases.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASANALYZECOVERAGE
#include "pallas/Dialect/Pallas/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

/// Readers of the report find the block and the point by number, not in text.
static llvm::json::Object toJSON(const CoverageFinding &finding) {
  llvm::json::Object object{{"count", finding.count}};
  if (!finding.count)
    return object;
  object["first"] = llvm::json::Array(finding.block);
  if (!finding.program.empty())
    object["program"] = llvm::json::Array(finding.program);
  if (!finding.before.empty())
    object["before"] = llvm::json::Array(finding.before);
  return object;
}

namespace {
/// The findings about one block, as text and as JSON.
struct BlockReport {
  BlockReport(GridMappingOpInterface grid, unsigned block, int64_t maxPrograms)
      : grid(grid), coverage(computeBlockCoverage(grid, block, maxPrograms)),
        mapping(grid.getMappings()[block]),
        index(coverage.isOutput ? block - grid.getNumInputs() : block),
        isAliased(isAliasedOutput(grid, block)) {}

  /// Whether windows may come back after others.
  bool mayReturn() const {
    PipelineModeAttr mode = mapping.getPipelineMode();
    return !coverage.isOutput ||
           (mode && mode.getRevisit() == RevisitMode::Any);
  }
  StringRef getUnit() const {
    return coverage.countsElements ? "element" : "block";
  }

  void emit() const;
  llvm::json::Object toJSON() const;
  void addWalk(llvm::json::Object &object, int64_t maxPrograms);

private:
  InFlightDiagnostic &name(InFlightDiagnostic &diag) const {
    diag << (coverage.isOutput ? "output " : "input ") << index;
    if (StringAttr origin = mapping.getOrigin())
      diag << " (" << origin.getValue() << ")";
    return diag << ": ";
  }
  void emitProblems() const;

  GridMappingOpInterface grid;
  BlockCoverage coverage;
  BlockMappingAttr mapping;
  unsigned index;
  bool isAliased;
};
} // namespace

/// Each warning names the first block that is wrong, the program, and the
/// remedy.
void BlockReport::emitProblems() const {
  auto warn = [&] { return grid->emitWarning(); };
  if (const CoverageFinding &outside = coverage.outside; outside.count) {
    InFlightDiagnostic diag = warn();
    name(diag) << "program " << spellTuple(outside.program) << " has "
               << getUnit() << " " << spellTuple(outside.block)
               << ", which is outside of the array";
    if (outside.count > 1)
      diag << ", and so are " << outside.count - 1 << " more";
    diag << "; every window has to begin inside: change the index map or the "
            "grid";
  }
  // Inputs may be read in any order, any number of times.
  if (!coverage.isOutput)
    return;
  if (!coverage.isWritten) {
    InFlightDiagnostic diag = warn();
    name(diag) << "the kernel never writes to it, so its contents are "
                  "undefined; write to its ref, or remove it";
  }
  if (const CoverageFinding &revisited = coverage.revisited;
      revisited.count && !mayReturn()) {
    InFlightDiagnostic diag = warn();
    name(diag) << getUnit() << " " << spellTuple(revisited.block)
               << " is left after program " << spellTuple(revisited.before)
               << " and comes back in program " << spellTuple(revisited.program)
               << "; programs that share an output window have to be "
                  "consecutive: put the grid dimensions that choose the window "
                  "in front";
  }
  if (const CoverageFinding &missing = coverage.missing;
      missing.count && !isAliased) {
    InFlightDiagnostic diag = warn();
    name(diag) << getUnit() << " " << spellTuple(missing.block)
               << " is in the window of no program";
    if (missing.count > 1)
      diag << ", nor are " << missing.count - 1 << " more of "
           << coverage.total;
    diag << "; its contents are undefined: change the grid or the index map, "
            "or alias the output to an input";
  }
}

/// Unknown coverage is a remark, since nothing is known to be wrong.
void BlockReport::emit() const {
  if (!coverage.unknown.empty()) {
    InFlightDiagnostic diag = grid->emitRemark();
    name(diag) << "coverage is not known: " << coverage.unknown;
    return;
  }
  emitProblems();
  if (!coverage.isOutput)
    return;
  InFlightDiagnostic diag = grid->emitRemark();
  name(diag) << coverage.visited << " of " << coverage.total << " " << getUnit()
             << "s are visited by " << coverage.numPrograms << " programs";
  if (coverage.shared)
    diag << ", " << coverage.shared
         << (coverage.countsElements ? " in several windows"
                                     : " by several of them");
  if (coverage.missing.count && isAliased)
    diag << "; the others keep what the aliased input holds";
}

/// The same facts for tools, such as the picture of a grid.
llvm::json::Object BlockReport::toJSON() const {
  llvm::json::Object object{{"kind", coverage.isOutput ? "output" : "input"},
                            {"index", int64_t(index)}};
  if (StringAttr origin = mapping.getOrigin())
    object["origin"] = origin.getValue();
  if (coverage.isOutput) {
    object["written"] = coverage.isWritten;
    object["aliased"] = isAliased;
  }
  if (!coverage.unknown.empty()) {
    object["unknown"] = coverage.unknown;
    return object;
  }
  object["unit"] = getUnit();
  object["total"] = coverage.total;
  object["visited"] = coverage.visited;
  object["shared"] = coverage.shared;
  object["changes"] = coverage.changes;
  object["missing"] = ::toJSON(coverage.missing);
  object["revisited"] = ::toJSON(coverage.revisited);
  object["outside"] = ::toJSON(coverage.outside);
  return object;
}

/// Affine walks are short; others are tables with a row per program.
static llvm::json::Object toJSON(const BlockWalk &walk) {
  if (!walk.unknown.empty())
    return llvm::json::Object{{"unknown", walk.unknown}};
  llvm::json::Object object{{"dims", llvm::json::Array(walk.dims)}};
  if (!walk.isAffine) {
    object["table"] = llvm::json::Array(walk.table);
    return object;
  }
  llvm::json::Array strides;
  for (ArrayRef<int64_t> ofIndex : walk.strides)
    strides.push_back(llvm::json::Array(ofIndex));
  object["base"] = llvm::json::Array(walk.base);
  object["strides"] = std::move(strides);
  return object;
}

/// The operations of an index map, a line each.
static std::string spellMap(Region &map) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  AsmState state(map.getParentOp());
  for (Operation &op : map.front()) {
    stream << (text.empty() ? "" : "\n");
    op.print(stream, state);
  }
  return text;
}

/// The facts that a picture of the block needs.
void BlockReport::addWalk(llvm::json::Object &object, int64_t maxPrograms) {
  unsigned block = coverage.block;
  ShapedType array = getArrayShapedType(grid.getArrayType(block));
  llvm::json::Array sizes, kinds, padding;
  for (int64_t size : array ? array.getShape() : ArrayRef<int64_t>())
    sizes.push_back(ShapedType::isDynamic(size) ? llvm::json::Value(nullptr)
                                                : llvm::json::Value(size));
  for (BlockDimAttr dim : mapping.getDims()) {
    kinds.push_back(stringifyBlockDimKind(dim.getKind()));
    padding.push_back(dim.getPadLow());
  }
  object["array"] = std::move(sizes);
  object["window"] = llvm::json::Array(mapping.getBlockShape());
  object["kinds"] = std::move(kinds);
  object["padding"] = std::move(padding);
  if (Region *map = grid.getIndexMap(block))
    object["map"] = spellMap(*map);
  object["walk"] = ::toJSON(computeBlockWalk(grid, block, maxPrograms));
}

namespace {
struct AnalyzeCoveragePass
    : public pallas::impl::PallasAnalyzeCoverageBase<AnalyzeCoveragePass> {
  using PallasAnalyzeCoverageBase::PallasAnalyzeCoverageBase;

  void runOnOperation() override {
    llvm::json::Array calls;
    getOperation()->walk<WalkOrder::PreOrder>([&](GridMappingOpInterface grid) {
      // Kernels of a mesh cut their arrays themselves.
      if (isa<MpmdMapOp>(grid))
        return;
      llvm::json::Object call = describeOperation(grid);
      llvm::json::Array sizes, blocks;
      for (int64_t size : grid.getGridShape())
        sizes.push_back(ShapedType::isDynamic(size) ? llvm::json::Value(nullptr)
                                                    : llvm::json::Value(size));
      for (unsigned block = 0; block < grid.getNumBlocks(); ++block) {
        BlockReport report(grid, block, maxPrograms);
        report.emit();
        llvm::json::Object object = report.toJSON();
        if (walk)
          report.addWalk(object, maxPrograms);
        blocks.push_back(std::move(object));
      }
      call["grid"] = std::move(sizes);
      call["blocks"] = std::move(blocks);
      calls.push_back(std::move(call));
    });
    if (failed(writeReport(getOperation(), json, std::move(calls))))
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
