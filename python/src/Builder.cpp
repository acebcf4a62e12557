//===- Builder.cpp - Building modules from Python -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Parser/Parser.h"
#include "pallas/Dialect/Pallas/IR/PallasDialect.h"

using namespace mlir;
using namespace mlir::pallas::python;

/// The first source line that a location knows, innermost call first.
static FileLineColLoc findFileLine(Location loc) {
  FileLineColLoc found;
  loc->walk([&](Location nested) {
    if (auto file = dyn_cast<FileLineColLoc>(nested)) {
      found = file;
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return found;
}

static Message convert(Diagnostic &diag) {
  Message message;
  switch (diag.getSeverity()) {
  case DiagnosticSeverity::Note:
    message.severity = "note";
    break;
  case DiagnosticSeverity::Warning:
    message.severity = "warning";
    break;
  case DiagnosticSeverity::Error:
    message.severity = "error";
    break;
  case DiagnosticSeverity::Remark:
    message.severity = "remark";
    break;
  }
  message.text = diag.str();
  if (FileLineColLoc file = findFileLine(diag.getLocation())) {
    message.file = file.getFilename().str();
    message.line = file.getLine();
  }
  for (Diagnostic &note : diag.getNotes())
    message.notes.push_back(convert(note));
  return message;
}

MessageCollector::MessageCollector(MLIRContext *context)
    : handler(context, [this](Diagnostic &diag) {
        messages.push_back(convert(diag));
        return success();
      }) {}

std::string
mlir::pallas::python::joinMessages(const std::vector<Message> &messages,
                                   const std::string &fallback) {
  std::string text;
  for (const Message &message : messages)
    text += (text.empty() ? "" : "\n") + message.text;
  return text.empty() ? fallback : text;
}

void mlir::pallas::python::throwMessages(const std::vector<Message> &messages,
                                         const std::string &fallback) {
  throw nb::value_error(joinMessages(messages, fallback).c_str());
}

static std::unique_ptr<MLIRContext> makeContext() {
  DialectRegistry registry;
  registry.insert<pallas::PallasDialect, arith::ArithDialect, func::FuncDialect,
                  linalg::LinalgDialect, math::MathDialect, scf::SCFDialect,
                  tensor::TensorDialect>();
  auto context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  // The messages name the operation; its text would only bury the remedy.
  context->printOpOnDiagnostic(false);
  return context;
}

ModuleBuilder::ModuleBuilder()
    : context(makeContext()), location(UnknownLoc::get(context.get())),
      builder(context.get()), module(ModuleOp::create(location)) {
  builder.setInsertionPointToEnd(module->getBody());
}

/// Sets the result types that the operation infers from its operands.
static void inferTypes(OperationState &state, RegisteredOperationName name) {
  auto *interface = name.getInterface<InferTypeOpInterface>();
  if (!interface)
    throw nb::value_error(
        (state.name.getStringRef() + " cannot infer its result types")
            .str()
            .c_str());
  MLIRContext *context = state.getContext();
  MessageCollector collector(context);
  DictionaryAttr attributes = state.attributes.getDictionary(context);
  auto storage = std::make_unique<char[]>(name.getOpPropertyByteSize());
  OpaqueProperties properties(storage.get());
  name.initOpProperties(properties, OpaqueProperties(nullptr));
  auto emitError = [&] { return mlir::emitError(state.location); };
  bool failedToInfer =
      failed(name.setOpPropertiesFromAttribute(name, properties, attributes,
                                               emitError)) ||
      failed(interface->inferReturnTypes(context, state.location,
                                         state.operands, attributes, properties,
                                         state.regions, state.types));
  name.destroyOpProperties(properties);
  if (failedToInfer)
    throwMessages(collector.messages, "the result types cannot be inferred");
}

OpHandle ModuleBuilder::create(const std::string &name,
                               const std::vector<Value> &operands,
                               std::optional<std::vector<Type>> types,
                               nb::dict attributes, unsigned numRegions) {
  std::optional<RegisteredOperationName> registered =
      RegisteredOperationName::lookup(name, context.get());
  if (!registered)
    throw nb::value_error(("there is no operation '" + name + "'").c_str());
  OperationState state(location, *registered);
  state.addOperands(operands);
  for (auto [key, value] : attributes)
    state.addAttribute(nb::cast<std::string>(key), nb::cast<Attribute>(value));
  for (unsigned i = 0; i < numRegions; ++i)
    state.addRegion();
  if (types)
    state.addTypes(*types);
  else
    inferTypes(state, *registered);
  return {builder.create(state)};
}

BlockHandle ModuleBuilder::addBlock(OpHandle op, unsigned region,
                                    const std::vector<Type> &arguments) {
  if (region >= op.op->getNumRegions())
    throw nb::index_error("the operation has no such region");
  Block &block = op.op->getRegion(region).emplaceBlock();
  block.addArguments(arguments,
                     SmallVector<Location>(arguments.size(), location));
  return {&block};
}

std::vector<Message> ModuleBuilder::parse(const std::string &text,
                                          const std::string &file) {
  MessageCollector collector(context.get());
  OwningOpRef<ModuleOp> parsed =
      parseSourceString<ModuleOp>(text, ParserConfig(context.get()), file);
  if (!parsed)
    return std::move(collector.messages);
  module = std::move(parsed);
  builder.setInsertionPointToEnd(module->getBody());
  return {};
}

Type ModuleBuilder::parseType(const std::string &text) {
  MessageCollector collector(context.get());
  if (Type type = mlir::parseType(text, context.get()))
    return type;
  throwMessages(collector.messages, "no type: " + text);
}

Attribute ModuleBuilder::parseAttribute(const std::string &text) {
  MessageCollector collector(context.get());
  if (Attribute attribute = mlir::parseAttribute(text, context.get()))
    return attribute;
  throwMessages(collector.messages, "no attribute: " + text);
}

std::vector<Message> ModuleBuilder::verify() {
  MessageCollector collector(context.get());
  if (succeeded(mlir::verify(*module)))
    return {};
  if (collector.messages.empty())
    collector.messages.push_back(
        {"error", "the module is not valid", "", 0, {}});
  return collector.messages;
}

std::string ModuleBuilder::print(bool locations) {
  std::string text;
  llvm::raw_string_ostream os(text);
  OpPrintingFlags flags;
  if (locations)
    flags.enableDebugInfo(/*enable=*/true, /*prettyForm=*/false);
  module->print(os, flags);
  return text;
}

nb::bytes ModuleBuilder::bytecode() {
  std::string data;
  llvm::raw_string_ostream os(data);
  if (failed(writeBytecodeToFile(*module, os)))
    throw std::runtime_error("the module has no bytecode form");
  return nb::bytes(data.data(), data.size());
}

void mlir::pallas::python::bindBuilder(nb::module_ &m) {
  nb::class_<Message>(m, "Message")
      .def_ro("severity", &Message::severity)
      .def_ro("text", &Message::text)
      .def_ro("file", &Message::file)
      .def_ro("line", &Message::line)
      .def_ro("notes", &Message::notes);
  nb::class_<Value>(m, "Value").def_prop_ro("type", &Value::getType);
  nb::class_<OpHandle>(m, "Operation")
      .def_prop_ro("results",
                   [](OpHandle handle) {
                     return std::vector<Value>(handle.op->result_begin(),
                                               handle.op->result_end());
                   })
      .def("set",
           [](OpHandle handle, const std::string &name, Attribute attribute) {
             handle.op->setAttr(name, attribute);
           })
      .def("erase", [](OpHandle handle) { handle.op->erase(); })
      .def("__str__", [](OpHandle handle) {
        std::string text;
        llvm::raw_string_ostream(text) << *handle.op;
        return text;
      });
  nb::class_<BlockHandle>(m, "Block")
      .def_prop_ro("arguments",
                   [](BlockHandle handle) {
                     return std::vector<Value>(handle.block->args_begin(),
                                               handle.block->args_end());
                   })
      .def_prop_ro("terminated", [](BlockHandle handle) {
        return !handle.block->empty() &&
               handle.block->back().hasTrait<OpTrait::IsTerminator>();
      });
  nb::class_<ModuleBuilder>(m, "ModuleBuilder")
      .def(nb::init<>())
      .def_prop_ro("body", &ModuleBuilder::getBody)
      .def_prop_rw("block", &ModuleBuilder::getBlock, &ModuleBuilder::setBlock)
      .def_prop_rw("location", &ModuleBuilder::getLocation,
                   &ModuleBuilder::setLocation)
      .def("create", &ModuleBuilder::create, nb::arg("name"),
           nb::arg("operands"), nb::arg("types").none(),
           nb::arg("attributes") = nb::dict(), nb::arg("regions") = 0)
      .def(
          "value",
          [](ModuleBuilder &self, const std::string &name,
             const std::vector<Value> &operands, Type type,
             nb::dict attributes) -> Value {
            return self
                .create(name, operands, std::vector<Type>{type}, attributes, 0)
                .op->getResult(0);
          },
          nb::arg("name"), nb::arg("operands"), nb::arg("type"),
          nb::arg("attributes") = nb::dict())
      .def("add_block", &ModuleBuilder::addBlock)
      .def("parse", &ModuleBuilder::parse, nb::arg("text"), nb::arg("file"))
      .def("parse_type", &ModuleBuilder::parseType)
      .def("parse_attribute", &ModuleBuilder::parseAttribute)
      .def("verify", &ModuleBuilder::verify)
      .def("print", &ModuleBuilder::print, nb::arg("locations") = false)
      .def("bytecode", &ModuleBuilder::bytecode);
}
