//===- Handles.h - IR as Python sees it -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Python holds plain handles: they are as good as pointers, and stay valid as
// long as the builder that made them. Only the exporter touches them; users see
// text and exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_PYTHON_HANDLES_H
#define PALLAS_PYTHON_HANDLES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include <memory>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace mlir {
class PassManager;
} // namespace mlir

namespace mlir::pallas::python {

namespace nb = nanobind;

struct OpHandle {
  Operation *op;
};
struct BlockHandle {
  Block *block;
};

/// One message of a failed verification or compilation, with the source line
/// that it is about when the location has one.
struct Message {
  std::string severity;
  std::string text;
  std::string file;
  unsigned line = 0;
  std::vector<Message> notes;
};

/// A module under construction, with a context of its own: two threads that
/// export at the same time share nothing.
class ModuleBuilder {
public:
  ModuleBuilder();

  MLIRContext *getContext() { return context.get(); }
  ModuleOp getModule() { return *module; }
  BlockHandle getBody() { return {module->getBody()}; }

  /// Operations are appended to this block.
  BlockHandle getBlock() { return {builder.getInsertionBlock()}; }
  void setBlock(BlockHandle block) {
    builder.setInsertionPointToEnd(block.block);
  }
  Location getLocation() { return location; }
  void setLocation(Location loc) { location = loc; }

  OpHandle create(const std::string &name, const std::vector<Value> &operands,
                  std::optional<std::vector<Type>> types, nb::dict attributes,
                  unsigned numRegions);
  BlockHandle addBlock(OpHandle op, unsigned region,
                       const std::vector<Type> &arguments);

  /// Takes the operations of a module in text, whose places are in `file`;
  /// returns what is wrong with it.
  std::vector<Message> parse(const std::string &text, const std::string &file);
  Type parseType(const std::string &text);
  Attribute parseAttribute(const std::string &text);

  /// Messages of the verifier; empty when the module is valid.
  std::vector<Message> verify();
  std::string print(bool locations);
  nb::bytes bytecode();

private:
  std::unique_ptr<MLIRContext> context;
  Location location;
  OpBuilder builder;
  OwningOpRef<ModuleOp> module;
};

/// Fills `messages` with what is reported while it lives.
class MessageCollector {
public:
  explicit MessageCollector(MLIRContext *context);
  std::vector<Message> messages;

private:
  ScopedDiagnosticHandler handler;
};

/// Texts of messages, a line each, or `fallback` if there are none.
std::string joinMessages(const std::vector<Message> &messages,
                         const std::string &fallback);

/// Throws what was collected as a Python ValueError.
[[noreturn]] void throwMessages(const std::vector<Message> &messages,
                                const std::string &fallback);

/// A module on its way through a pipeline, in text with locations.
struct Stage {
  std::string name;
  std::string text;
  /// How many operations the text lacks.
  size_t numLeftOut;
};

/// Runs the passes. Returns the module before them and after each that changes
/// it, each as far as its first `limit` operations go. `failed` becomes true if
/// a pass fails.
std::vector<Stage> runWithStages(PassManager &pm, ModuleOp module, size_t limit,
                                 bool &failed);

void bindBuilder(nb::module_ &m);
void bindAttributes(nb::module_ &m);
void bindEngine(nb::module_ &m);
void bindPipelines(nb::module_ &m);
void bindTimeline(nb::module_ &m);

} // namespace mlir::pallas::python

#endif // PALLAS_PYTHON_HANDLES_H
