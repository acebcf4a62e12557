//===- Report.cpp - What analyses write down ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts that reports of all analyses have in common.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/Analysis/Report.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Support/FileUtilities.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Dialect/Pallas/Utils/KernelNames.h"
#include "pallas/Dialect/Pallas/Utils/Locations.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace mlir::pallas;

/// `{"kind": "sc_vector", "axes": [{"name": "core", "size": 2}]}`
static llvm::json::Object describeMesh(MeshAttr mesh) {
  llvm::json::Array axes;
  for (MeshAxisAttr axis : mesh.getAxes())
    axes.push_back(llvm::json::Object{{"name", axis.getName().getValue()},
                                      {"size", axis.getSize()}});
  return llvm::json::Object{{"kind", stringifyMeshKind(mesh.getKind())},
                            {"axes", std::move(axes)}};
}

/// Of calls with a grid there are none.
static llvm::json::Array describeMeshes(Operation *op) {
  llvm::json::Array meshes;
  if (auto mpmd = dyn_cast<MpmdMapOp>(op))
    for (MeshAttr mesh : mpmd.getMeshes().getAsRange<MeshAttr>())
      meshes.push_back(describeMesh(mesh));
  if (auto map = dyn_cast<CoreMapOp>(op))
    meshes.push_back(describeMesh(map.getMesh()));
  return meshes;
}

llvm::json::Object pallas::describeOperation(Operation *op) {
  llvm::json::Object object;
  object["op"] = op->getName().getStringRef();
  if (StringRef name = getKernelName(op); !name.empty())
    object["name"] = name;
  if (auto function = op->getParentOfType<FunctionOpInterface>())
    object["function"] = function.getName();
  object["location"] = spellLocation(op->getLoc());
  if (llvm::json::Array meshes = describeMeshes(op); !meshes.empty())
    object["meshes"] = std::move(meshes);
  return object;
}

void pallas::forEachCall(Operation *module,
                         function_ref<void(Operation *)> body) {
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isa<PallasCallOp, MpmdMapOp, CoreMapOp>(op))
      return WalkResult::advance();
    body(op);
    return WalkResult::skip();
  });
}

std::string pallas::spellTuple(ArrayRef<int64_t> numbers) {
  std::string text = "(";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(numbers, os);
  os << ")";
  return text;
}
