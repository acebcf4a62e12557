//===- ArrayRefs.cpp - Refs that kernels had as arguments -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArrayRefs.h"
#include "pallas/Dialect/Pallas/IR/CheckOps.h"
#include "pallas/Dialect/Pallas/IR/WindowOps.h"
#include "pallas/Dialect/Pallas/Utils/RootRefs.h"

using namespace mlir;
using namespace mlir::pallas;

LogicalResult pallas::verifyArrays(Operation *op, TypeRange operands,
                                   TypeRange results) {
  auto isStatic = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape();
  };
  for (Type type : operands)
    if (!isStatic(type))
      return op->emitOpError()
             << "has an operand of type " << type
             << "; on CPUs operands are ranked tensors of static shape";
  for (Type type : results)
    if (!isStatic(type))
      return op->emitOpError()
             << "has a result of type " << type
             << "; on CPUs results are ranked tensors of static shape";
  return success();
}

///   %c = pallas.pad_ref %x low [0]
///     : !pallas.ref<8xf32, any> -> !pallas.ref<8xf32, any>
Value pallas::copyArray(OpBuilder &b, Location loc, Value ref) {
  auto type = cast<RefType>(ref.getType());
  SmallVector<int64_t> none(type.getRank(), 0);
  return PadRefOp::create(b, loc, type, ref, none, /*uninitialized=*/false);
}

///   {pallas.ref_names = ["input 0 (x_ref)"]}
void pallas::keepName(Operation *made, BlockArgument argument) {
  made->setAttr(kRefNamesAttrName,
                Builder(made).getStrArrayAttr({describeRef(argument)}));
}

///   {pallas.made_for = "pallas.emit_pipeline",
///    pallas.ref_names = ["scratch 0"]}
///
/// By itself, the first ref of a scope is "scoped ref 0" of
/// "pallas.run_scoped".
void pallas::keepNames(Operation *scope, ArrayRef<BlockArgument> scratch,
                       StringAttr madeFor) {
  auto names = llvm::map_to_vector(
      scratch, [](BlockArgument ref) { return describeRef(ref); });
  scope->setAttr(kRefNamesAttrName, Builder(scope).getStrArrayAttr(
                                        llvm::to_vector_of<StringRef>(names)));
  scope->setAttr(kMadeForAttrName, madeFor);
}
