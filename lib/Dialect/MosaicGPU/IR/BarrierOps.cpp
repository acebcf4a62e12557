//===- BarrierOps.cpp - Barriers ------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicGPU/IR/MosaicGPU.h"

using namespace mlir;
using namespace mlir::mosaic_gpu;

//===----------------------------------------------------------------------===//
// ArriveExpectTxOp: barrier(...) 16384, or barrier(...) %bytes
//===----------------------------------------------------------------------===//

/// The attribute is the form of 0.10.2, the operand that of 0.12.
static ParseResult
parseByteCount(OpAsmParser &parser,
               std::optional<OpAsmParser::UnresolvedOperand> &dynamic,
               IntegerAttr &bytes) {
  OpAsmParser::UnresolvedOperand operand;
  OptionalParseResult isOperand = parser.parseOptionalOperand(operand);
  if (isOperand.has_value()) {
    dynamic = operand;
    return *isOperand;
  }
  int32_t count = 0;
  if (parser.parseInteger(count))
    return failure();
  bytes = parser.getBuilder().getI32IntegerAttr(count);
  return success();
}

static void printByteCount(OpAsmPrinter &printer, Operation *, Value dynamic,
                           IntegerAttr bytes) {
  if (dynamic)
    printer << dynamic;
  else
    printer << bytes.getInt();
}

/// Both are optional in ODS, because each release has one of them.
LogicalResult ArriveExpectTxOp::verify() {
  if (!getDynamicExpectTx() == !getExpectTx())
    return emitOpError("has ") << (getExpectTx() ? "two" : "no")
                               << " byte counts; give an attribute or an "
                                  "operand";
  return success();
}

//===----------------------------------------------------------------------===//
// TryClusterCancelOp, QueryClusterCancelOp
//===----------------------------------------------------------------------===//

/// The hardware writes an answer of 16 bytes, which a second operation decodes.
static LogicalResult verifyCancellation(Operation *op, MemRefType type) {
  if (!type.hasStaticShape() || type.getNumElements() != 16)
    return op->emitOpError("has an answer of type ")
           << type << "; the answer takes 16 bytes";
  if (getMemory(type) != Memory::Shared)
    return op->emitOpError("has an answer of type ")
           << type << "; it lies in #gpu.address_space<workgroup>";
  return success();
}

LogicalResult TryClusterCancelOp::verify() {
  return verifyCancellation(*this, getCancellationResult().getType());
}

LogicalResult QueryClusterCancelOp::verify() {
  return verifyCancellation(*this, getCancellationResult().getType());
}

#define GET_OP_CLASSES
#include "pallas/Dialect/MosaicGPU/IR/MosaicGPUOps.cpp.inc"

void MosaicGPUDialect::registerOperations() {
  addOperations<
#define GET_OP_LIST
#include "pallas/Dialect/MosaicGPU/IR/MosaicGPUOps.cpp.inc"
      >();
}
