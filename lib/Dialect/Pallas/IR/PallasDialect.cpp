//===- PallasDialect.cpp - The pallas dialect -----------------------------===//

#include "pallas/Dialect/Pallas/IR/PallasDialect.h"
#include "AsmHelpers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"

using namespace mlir;
using namespace mlir::pallas;

#include "pallas/Dialect/Pallas/IR/PallasDialect.cpp.inc"
#include "pallas/Dialect/Pallas/IR/PallasInterfaces.cpp.inc"

void PallasDialect::initialize() {
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "pallas/Dialect/Pallas/IR/PallasOps.cpp.inc"
      >();
}

Operation *PallasDialect::materializeConstant(OpBuilder &builder,
                                              Attribute value, Type type,
                                              Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

#define GET_OP_CLASSES
#include "pallas/Dialect/Pallas/IR/PallasOps.cpp.inc"
