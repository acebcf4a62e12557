//===- TPUDialect.cpp - The tpu dialect -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registration, and what belongs to no single operation.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicTPU/IR/TPU.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tpu;

#include "pallas/Dialect/MosaicTPU/IR/TPUDialect.cpp.inc"
#include "pallas/Dialect/MosaicTPU/IR/TPUEnums.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "pallas/Dialect/MosaicTPU/IR/TPUTypes.cpp.inc"

#define GET_OP_CLASSES
#include "pallas/Dialect/MosaicTPU/IR/TPUOps.cpp.inc"

void TPUDialect::initialize() {
  registerAttributes();
  registerTypes();
  registerOperations();
}

void TPUDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "pallas/Dialect/MosaicTPU/IR/TPUTypes.cpp.inc"
      >();
}

void TPUDialect::registerOperations() {
  addOperations<
#define GET_OP_LIST
#include "pallas/Dialect/MosaicTPU/IR/TPUOps.cpp.inc"
      >();
}

/// Folders of tpu yield constants of arith.
Operation *TPUDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                           Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

/// The core type is a discardable attribute of functions of any dialect.
LogicalResult TPUDialect::verifyOperationAttribute(Operation *op,
                                                   NamedAttribute attribute) {
  // In a serialized module all operations are unregistered.
  if (attribute.getName() != kCoreTypeAttrName || !op->isRegistered())
    return success();
  if (!isa<FunctionOpInterface>(op))
    return op->emitOpError("has '")
           << kCoreTypeAttrName << "', which belongs on functions";
  if (!isa<CoreTypeAttr>(attribute.getValue()))
    return op->emitOpError("has '")
           << kCoreTypeAttrName << "' of " << attribute.getValue()
           << ", which is not a core; write #tpu.core_type<tc>, "
              "#tpu.core_type<sc_scalar_subcore> or "
              "#tpu.core_type<sc_vector_subcore>";
  return success();
}

//===----------------------------------------------------------------------===//
// Float8EXMY
//===----------------------------------------------------------------------===//

/// A float of up to 8 bits in the format of another type.
const llvm::fltSemantics &Float8EXMYType::getFloatSemantics() const {
  return getUnderlyingType().getFloatSemantics();
}

LogicalResult
/// It is stored in bytes.
Float8EXMYType::verify(function_ref<InFlightDiagnostic()> emitError,
                       FloatType underlyingType) {
  if (underlyingType.getWidth() > 8)
    return emitError() << "float of " << underlyingType.getWidth()
                       << " bits does not fit into the 8 bits of "
                          "!tpu.float8_exmy";
  return success();
}
