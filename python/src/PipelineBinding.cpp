//===- PipelineBinding.cpp - Running passes from Python -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "pallas/Pipelines/PallasToLLVM.h"
#include "pallas/Register.h"
#include "pallas/Target/TPUCustomCall/TPUCustomCall.h"

using namespace mlir;
using namespace mlir::pallas::python;

/// A context for all passes around the builder's module.
static void prepareContext(MLIRContext *context) {
  static bool registered = (pallas::registerAllPasses(), true);
  (void)registered;
  DialectRegistry registry;
  pallas::registerAllDialects(registry);
  pallas::registerPallasToLLVMDependencies(registry);
  context->appendDialectRegistry(registry);
}

/// Text that is no pipeline is an error.
static void addPasses(PassManager &pm, const std::string &pipeline) {
  std::string error;
  llvm::raw_string_ostream errors(error);
  if (failed(parsePassPipeline(pipeline, pm, errors)))
    throw nb::value_error(error.c_str());
}

static void checkPipeline(ModuleBuilder &builder, const std::string &pipeline) {
  prepareContext(builder.getContext());
  PassManager pm(builder.getContext());
  addPasses(pm, pipeline);
}

/// Runs a textual pipeline on a copy of the module for the sake of what it
/// reports, errors included.
static std::vector<Message> diagnose(ModuleBuilder &builder,
                                     const std::string &pipeline) {
  MLIRContext *context = builder.getContext();
  prepareContext(context);
  MessageCollector collector(context);
  OwningOpRef<ModuleOp> module = builder.getModule().clone();
  PassManager pm(context);
  addPasses(pm, pipeline);
  if (failed(pm.run(*module)) && collector.messages.empty())
    throw nb::value_error(("the pipeline " + pipeline + " failed").c_str());
  return std::move(collector.messages);
}

/// Runs a textual pipeline on a copy of the module. Returns the module after
/// it, or with `stages` after each pass that changed something.
static std::string runPipeline(ModuleBuilder &builder,
                               const std::string &pipeline, bool stages) {
  MLIRContext *context = builder.getContext();
  prepareContext(context);
  MessageCollector collector(context);
  OwningOpRef<ModuleOp> module = builder.getModule().clone();
  PassManager pm(context);
  std::string text;
  llvm::raw_string_ostream os(text);
  addPasses(pm, pipeline);
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

/// Runs a textual pipeline on a copy of the module. Returns the module as it is
/// and after each pass that changed something, each as far as `limit`
/// operations go, and the error of the pass that fails.
static std::pair<std::vector<Stage>, std::string>
listStages(ModuleBuilder &builder, const std::string &pipeline, size_t limit) {
  MLIRContext *context = builder.getContext();
  prepareContext(context);
  MessageCollector collector(context);
  OwningOpRef<ModuleOp> module = builder.getModule().clone();
  PassManager pm(context);
  addPasses(pm, pipeline);
  bool hasFailed = false;
  std::vector<Stage> stages = runWithStages(pm, *module, limit, hasFailed);
  std::string failure;
  if (hasFailed)
    failure = joinMessages(collector.messages, "the pipeline failed");
  return {std::move(stages), std::move(failure)};
}

/// Lowers a copy of the module for a chip and writes it as StableHLO, with its
/// kernels in calls that this release of libtpu reads.
static std::string toTPUCustomCall(ModuleBuilder &builder,
                                   const std::string &chip,
                                   const std::string &libtpu,
                                   const std::string &coarsen) {
  std::optional<tpu::LibtpuRelease> release = tpu::LibtpuRelease::parse(libtpu);
  if (!release)
    throw nb::value_error(
        ("'" + libtpu + "' is no release of libtpu from 0.0.42.1 on").c_str());
  MLIRContext *context = builder.getContext();
  prepareContext(context);
  MessageCollector collector(context);
  OwningOpRef<ModuleOp> module = builder.getModule().clone();
  PassManager pm(context);
  std::string text, error;
  llvm::raw_string_ostream os(text), errors(error);
  if (failed(parsePassPipeline("pallas-to-mosaic-tpu{chip=" + chip +
                                   " coarsen=" + coarsen + "}",
                               pm, errors)))
    throw nb::value_error(error.c_str());
  if (failed(pm.run(*module)) ||
      failed(tpu::writeHostModule(*module, os, *release)))
    throwMessages(collector.messages, "the lowering failed");
  return text;
}

void mlir::pallas::python::bindPipelines(nb::module_ &m) {
  m.def("run_pipeline", &runPipeline, nb::arg("builder"), nb::arg("pipeline"),
        nb::arg("stages") = false);
  nb::class_<Stage>(m, "Stage")
      .def_ro("name", &Stage::name)
      .def_ro("text", &Stage::text)
      .def_ro("left_out", &Stage::numLeftOut);
  m.def("list_stages", &listStages, nb::arg("builder"), nb::arg("pipeline"),
        nb::arg("limit"));
  m.def("check_pipeline", &checkPipeline, nb::arg("builder"),
        nb::arg("pipeline"));
  m.def("diagnose", &diagnose, nb::arg("builder"), nb::arg("pipeline"));
  m.def("to_tpu_custom_call", &toTPUCustomCall, nb::arg("builder"),
        nb::arg("chip"), nb::arg("libtpu"), nb::arg("coarsen") = "auto");
}
