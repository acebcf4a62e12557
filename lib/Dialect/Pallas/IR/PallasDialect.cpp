//===- PallasDialect.cpp - The pallas dialect -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers operations, types and attributes.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/IR/PallasDialect.h"
#include "AsmHelpers.h"
#include "OperationModels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/InliningUtils.h"
#include "pallas/Dialect/Pallas/IR/CheckOps.h"
#include "pallas/Dialect/Pallas/IR/LaunchControlOps.h"
#include "pallas/Dialect/Pallas/IR/MeshOps.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Dialect/Pallas/IR/WindowOps.h"

using namespace mlir;
using namespace mlir::pallas;

#include "pallas/Dialect/Pallas/IR/PallasDialect.cpp.inc"
#include "pallas/Dialect/Pallas/IR/PallasInterfaces.cpp.inc"

namespace {

/// Kernels are isolated, and operations on refs mean the same wherever the
/// function that holds them is inlined.
struct PallasInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const override {
    return true;
  }
  bool isLegalToInline(Operation *, Region *, bool,
                       IRMapping &) const override {
    return true;
  }
};

} // namespace

void PallasDialect::initialize() {
  addInterfaces<PallasInlinerInterface>();
  registerAttributes();
  registerTypes();
  registerOperations(*this);
  addOperations<
#define GET_OP_LIST
#include "pallas/Dialect/Pallas/IR/PallasCheckOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "pallas/Dialect/Pallas/IR/PallasLaunchControlOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "pallas/Dialect/Pallas/IR/PallasMeshOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "pallas/Dialect/Pallas/IR/PallasWindowOps.cpp.inc"
      >();
}

Operation *PallasDialect::materializeConstant(OpBuilder &builder,
                                              Attribute value, Type type,
                                              Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}
