//===- PipelineBinding.cpp - Running passes from Python -------------------===//

#include "Handles.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "pallas/Pipelines/PallasToLLVM.h"
#include "pallas/Register.h"

using namespace mlir;
using namespace mlir::pallas::python;

/// Runs a textual pipeline on a copy of the module. Returns the module after
/// it, or with `stages` after each pass that changed something.
static std::string runPipeline(ModuleBuilder &builder,
                               const std::string &pipeline, bool stages) {
  static bool registered = (pallas::registerAllPasses(), true);
  (void)registered;
  MLIRContext *context = builder.getContext();
  DialectRegistry registry;
  pallas::registerAllDialects(registry);
  pallas::registerPallasToLLVMDependencies(registry);
  context->appendDialectRegistry(registry);

  MessageCollector collector(context);
  OwningOpRef<ModuleOp> module = builder.getModule().clone();
  PassManager pm(context);
  std::string text, error;
  llvm::raw_string_ostream os(text), errors(error);
  if (failed(parsePassPipeline(pipeline, pm, errors)))
    throw nb::value_error(error.c_str());
  if (stages)
    pm.enableIRPrinting(
        /*shouldPrintBeforePass=*/nullptr,
        /*shouldPrintAfterPass=*/[](Pass *, Operation *) { return true; },
        /*printModuleScope=*/true, /*printAfterOnlyOnChange=*/true,
        /*printAfterOnlyOnFailure=*/false, os);
  if (failed(pm.run(*module)))
    throwMessages(collector.messages, "the pipeline failed");
  if (!stages)
    module->print(os);
  return text;
}

void mlir::pallas::python::bindPipelines(nb::module_ &m) {
  m.def("run_pipeline", &runPipeline, nb::arg("builder"), nb::arg("pipeline"),
        nb::arg("stages") = false);
}
