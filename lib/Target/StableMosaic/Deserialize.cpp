//===- Deserialize.cpp - stable_mosaic bytes to tpu module ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file reads serialized kernels: it parses the bytecode, brings operations
// to the newest version, and gives them back their registered names.
//
//===----------------------------------------------------------------------===//

#include "NewerEncodings.h"
#include "WireOps.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "pallas/Dialect/MosaicTPU/IR/TPU.h"
#include "pallas/Support/GuardedRead.h"
#include "pallas/Target/StableMosaic/StableMosaic.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::tpu;

void tpu::registerKernelModuleDialects(DialectRegistry &registry) {
  registry
      .insert<TPUDialect, affine::AffineDialect, arith::ArithDialect,
              cf::ControlFlowDialect, func::FuncDialect, math::MathDialect,
              memref::MemRefDialect, scf::SCFDialect, vector::VectorDialect>();
}

/// The version in which the module was written.
static FailureOr<int64_t> getWireVersion(ModuleOp module) {
  auto version = module->getAttrOfType<IntegerAttr>(kWireVersionAttr);
  if (!version || !version.getType().isSignlessInteger(64))
    return module.emitError("not a serialized kernel: the module has no '")
           << kWireVersionAttr << "' of type i64";
  if (failed(checkVersion(module, version.getInt())))
    return failure();
  return version.getInt();
}

/// The registered operation of a wire operation: `stable_mosaic.tpu.load` is
/// `tpu.load`.
static FailureOr<RegisteredOperationName> getDemangledName(Operation *op) {
  StringRef name = op->getName().getStringRef();
  if (!name.consume_front(kWirePrefix))
    return op->emitError("operation '")
           << name << "' is in a serialized kernel, where all names begin "
           << "with '" << kWirePrefix << "'";
  MLIRContext *context = op->getContext();
  auto [dialect, rest] = name.split('.');
  context->getOrLoadDialect(dialect);
  auto registered = RegisteredOperationName::lookup(name, context);
  if (!registered)
    return op->emitError("unknown operation '") << name << "'";
  return *registered;
}

/// Replaces a wire operation by the registered one. For example:
///
///   %1 = "stable_mosaic.tpu.iota"() {dimensions = array<i32: 1>}
///       : () -> vector<8x128xi32>
///
/// becomes:
///
///   %1 = tpu.iota {dimensions = array<i32: 1>} : vector<8x128xi32>
static LogicalResult demangle(Operation *op) {
  FailureOr<RegisteredOperationName> name = getDemangledName(op);
  if (failed(name))
    return failure();
  // The wire holds inherent and discardable attributes in one dictionary.
  NamedAttrList inherent, discardable;
  ArrayRef<StringAttr> inherentNames = name->getAttributeNames();
  for (NamedAttribute attribute : op->getAttrs())
    (llvm::is_contained(inherentNames, attribute.getName()) ? inherent
                                                            : discardable)
        .push_back(attribute);
  Operation *renamed =
      replaceWithName(op, name->getStringRef(), discardable.getAttrs());
  if (renamed->getPropertiesStorageSize() == 0) {
    for (NamedAttribute attribute : inherent)
      renamed->setAttr(attribute.getName(), attribute.getValue());
    return success();
  }
  return renamed->setPropertiesFromAttribute(
      inherent.getDictionary(renamed->getContext()),
      [&]() { return renamed->emitError(); });
}

/// Reads bytes in this process. Rules run before operations get their names
/// back: properties of a registered operation can't hold the attributes of an
/// older version.
static OwningOpRef<ModuleOp> deserialize(llvm::MemoryBufferRef buffer,
                                         MLIRContext *context) {
  context->getOrLoadDialect<StableMosaicDialect>();
  // The bytecode names attributes and types of this dialect only as text.
  context->getOrLoadDialect<TPUDialect>();
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(
                                 buffer, /*RequiresNullTerminator=*/false),
                             llvm::SMLoc());
  ParserConfig config(context);
  readNewerEncodings(config.getBytecodeReaderConfig(), context);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, config);
  if (!module)
    return nullptr;
  FailureOr<int64_t> version = getWireVersion(*module);
  if (failed(version) || failed(upgradeToNewest(*module, *version)))
    return nullptr;

  WalkResult result = module->walk([&](Operation *op) {
    if (op == module->getOperation())
      return WalkResult::advance();
    return WalkResult(demangle(op));
  });
  if (result.wasInterrupted())
    return nullptr;
  module.get()->removeAttr(kWireVersionAttr);
  if (failed(verify(*module)))
    return nullptr;
  return module;
}

/// Bytecode comes from other programs and may be damaged, so a child process
/// reads it.
OwningOpRef<ModuleOp> tpu::deserializeStableMosaic(llvm::MemoryBufferRef buffer,
                                                   MLIRContext *context) {
  if (!isBytecode(buffer))
    return deserialize(buffer, context);
  auto module = pallas::readInChild(
      buffer.getBufferSize(), context->getDialectRegistry(),
      context->allowsUnregisteredDialects(),
      [&](MLIRContext &fresh) { return deserialize(buffer, &fresh); });
  if (!module) {
    emitError(FileLineColLoc::get(context, buffer.getBufferIdentifier(), 0, 0))
        << llvm::toString(module.takeError());
    return nullptr;
  }
  context->getOrLoadDialect<TPUDialect>();
  return parseSourceString<ModuleOp>((*module)->getBuffer(),
                                     ParserConfig(context));
}
