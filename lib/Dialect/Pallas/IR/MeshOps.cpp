//===- MeshOps.cpp - Cores of meshes that are loops -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Syntax and verifiers of the operations that replace kernels on meshes.
// Comments such as V28 name rules of docs/Rules.md.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/IR/MeshOps.h"
#include "AsmHelpers.h"
#include "pallas/Dialect/Pallas/IR/CheckOps.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// OnCoreOp
//===----------------------------------------------------------------------===//

LogicalResult OnCoreOp::verify() {
  size_t numAxes = getMesh().getAxes().size();
  // V28
  if (getIds().size() != numAxes)
    return emitOpError() << "has " << getIds().size()
                         << " coordinates for a mesh of " << numAxes
                         << " axes; give one per axis";
  // V28
  if (getFirstAxis().has_value() != getFirstTask().has_value() ||
      getFirstAxis().value_or(0) > numAxes)
    return emitOpError() << "is on a mesh of " << numAxes
                         << " axes; a task needs a first_axis of at most "
                            "that, and a first_task";
  return success();
}

//===----------------------------------------------------------------------===//
// TaskScopeOp and CoreScratchOp
//===----------------------------------------------------------------------===//

/// Each ref is written beside the mesh whose cores have it:
///
///   (%s: !pallas.ref<8xf32, vmem> of <tensorcore, [<core "core" = 2>]>) {...}
static ParseResult parseTaskScratch(OpAsmParser &parser, ArrayAttr &owners,
                                    Region &body) {
  SmallVector<OpAsmParser::Argument> args;
  SmallVector<Attribute> meshes;
  auto parseOne = [&]() -> ParseResult {
    MeshAttr mesh;
    if (parser.parseArgument(args.emplace_back(), /*allowType=*/true) ||
        parser.parseKeyword("of") ||
        parser.parseCustomAttributeWithFallback(mesh))
      return failure();
    meshes.push_back(mesh);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseOne))
    return failure();
  owners = parser.getBuilder().getArrayAttr(meshes);
  if (parser.parseRegion(body, args))
    return failure();
  // `{}` is a body without operations.
  if (body.empty())
    body.emplaceBlock();
  return success();
}

static void printTaskScratch(OpAsmPrinter &printer, Operation *,
                             ArrayAttr owners, Region &body) {
  printer << '(';
  llvm::interleaveComma(
      llvm::zip(body.getArguments(), owners.getAsRange<MeshAttr>()),
      printer.getStream(), [&](auto pair) {
        auto [arg, mesh] = pair;
        printer.printRegionArgument(arg);
        printer << " of ";
        printer.printStrippedAttrOrType(mesh);
      });
  printer << ") ";
  printer.printRegion(body, /*printEntryBlockArgs=*/false);
}

LogicalResult TaskScopeOp::verify() {
  Block &block = getBody().front();
  // V28
  if (block.getNumArguments() != getOwners().size())
    return emitOpError() << "has " << block.getNumArguments() << " refs, but "
                         << getOwners().size()
                         << " meshes whose cores have them; give one for each";
  for (auto [argument, mesh] :
       llvm::zip(block.getArguments(), getOwners().getAsRange<MeshAttr>())) {
    // V28
    if (!isa<RefType, AccumulatorType>(argument.getType()))
      return emitOpError() << "argument " << argument.getArgNumber()
                           << " has type " << argument.getType()
                           << ", which is no memory; use a ref or an "
                              "accumulator";
    // V28
    if (getFirstAxis() > mesh.getAxes().size())
      return emitOpError() << "has tasks from axis " << getFirstAxis()
                           << " on, but " << mesh << " has "
                           << mesh.getAxes().size() << " axes";
    for (Operation *user : argument.getUsers())
      // V28; a check is about the memory of all instances.
      if (!isa<CoreScratchOp>(user) && !isCheck(user)) {
        InFlightDiagnostic diag =
            user->emitOpError()
            << "uses the scratch of all cores; each core sees its own by "
               "pallas.core_scratch";
        diag.attachNote(getLoc())
            << "argument " << argument.getArgNumber() << " of this scope";
        return diag;
      }
  }
  return success();
}

LogicalResult CoreScratchOp::verify() {
  auto argument = dyn_cast<BlockArgument>(getScratch());
  // V28
  if (!argument || !isa<TaskScopeOp>(argument.getOwner()->getParentOp()))
    return emitOpError() << "is an instance of " << getScratch().getType()
                         << ", which cores don't have one each of; use an "
                            "argument of a pallas.task_scope";
  // V28
  if (!(*this)->getParentOfType<OnCoreOp>())
    return emitOpError("belongs to a core, but none is around; move it into a "
                       "pallas.on_core");
  return success();
}

TaskScopeOp CoreScratchOp::getScope() {
  auto argument = cast<BlockArgument>(getScratch());
  return cast<TaskScopeOp>(argument.getOwner()->getParentOp());
}

MeshAttr CoreScratchOp::getOwner() {
  unsigned position = cast<BlockArgument>(getScratch()).getArgNumber();
  return cast<MeshAttr>(getScope().getOwners()[position]);
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

/// The mesh tells which blocks there are.
LogicalResult ClusterSyncOp::verify() {
  if ((*this)->getParentOfType<OnCoreOp>())
    return success();
  return emitOpError() << "is in no pallas.on_core, whose mesh has the blocks; "
                          "put it into one";
}

#define GET_OP_CLASSES
#include "pallas/Dialect/Pallas/IR/PallasMeshOps.cpp.inc"
