//===- EdgeViews.cpp - Windows of partial blocks --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file recognizes windows of blocks that may extend past the end of their
// array, as convert-pallas-to-cpu makes them:
//   %w = scf.if %inside { ... part of %x ... } else { ... copy ... }
//
//===----------------------------------------------------------------------===//

#include "EdgeViews.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "pallas/Support/Edges.h"

using namespace mlir;
using namespace mlir::pallas;
using namespace mlir::pallas::cpu;

/// Casts only forget static sizes and strides.
static Value skipCasts(Value memory) {
  while (auto cast = memory.getDefiningOp<memref::CastOp>())
    memory = cast.getSource();
  return memory;
}

/// Whether a size or stride is the constant 1.
static bool isOne(OpFoldResult value) { return isConstantIntValue(value, 1); }

/// The part of `memory` from its first element on that is copied, if there is
/// one such part.
static memref::SubViewOp findStart(Value memory) {
  memref::SubViewOp start;
  for (Operation *user : memory.getUsers()) {
    auto view = dyn_cast<memref::SubViewOp>(user);
    if (!view)
      continue;
    bool isStart = llvm::all_of(view.getMixedOffsets(), isZeroInteger) &&
                   llvm::all_of(view.getMixedStrides(), isOne) &&
                   view.getType().getRank() == view.getSourceType().getRank();
    if (start || !isStart)
      return {};
    start = view;
  }
  return start;
}

/// The branches are marked by an attribute: an `scf.if` of the user may look
/// like them, but its copy may be read beyond the array.
static std::optional<EdgeView> getBranches(Value memory, StringRef kind) {
  memory = skipCasts(memory);
  auto branches = memory.getDefiningOp<scf::IfOp>();
  auto attribute = branches ? branches->getAttrOfType<StringAttr>(kEdgeAttrName)
                            : StringAttr();
  if (!attribute || attribute.getValue() != kind ||
      branches->getNumResults() != 1)
    return std::nullopt;
  EdgeView edge;
  edge.branches = branches;
  edge.inside = skipCasts(branches.thenYield().getOperand(0))
                    .getDefiningOp<memref::SubViewOp>();
  if (!edge.inside || !skipCasts(branches.elseYield().getOperand(0))
                           .getDefiningOp<memref::AllocOp>())
    return std::nullopt;
  return edge;
}

bool cpu::areKnownAt(ArrayRef<OpFoldResult> values, Operation *op) {
  return llvm::all_of(values, [&](OpFoldResult value) {
    auto known = dyn_cast<Value>(value);
    return !known || known.getParentRegion()->isAncestor(op->getParentRegion());
  });
}

/// The sizes are those of the copy from the array to the front of the buffer.
std::optional<EdgeView> cpu::getInputEdge(Value memory) {
  std::optional<EdgeView> edge = getBranches(memory, "input");
  if (!edge)
    return std::nullopt;
  Value copy = skipCasts(edge->branches.elseYield().getOperand(0));
  memref::SubViewOp start = findStart(copy);
  if (!start || !areKnownAt(start.getMixedSizes(), edge->branches))
    return std::nullopt;
  edge->sizes = start.getMixedSizes();
  return edge;
}

/// The sizes are those of the copy back, which is the last user.
std::optional<EdgeView> cpu::getOutputEdge(Value memory) {
  std::optional<EdgeView> edge = getBranches(memory, "output");
  if (!edge)
    return std::nullopt;
  memref::SubViewOp start = findStart(edge->branches.getResult(0));
  auto writeBack =
      start ? dyn_cast<scf::IfOp>(start->getParentOp()) : scf::IfOp();
  if (!writeBack || !writeBack.getElseRegion().empty() ||
      writeBack->getBlock() != edge->branches->getBlock() ||
      !areKnownAt(start.getMixedSizes(), writeBack))
    return std::nullopt;
  edge->sizes = start.getMixedSizes();
  edge->writeBack = writeBack;
  return edge;
}
