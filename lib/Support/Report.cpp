//===- Report.cpp - Files that analyses write -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file writes the JSON reports of analyses, one object per call:
// `{"calls": [...]}`.
//
//===----------------------------------------------------------------------===//

#include "pallas/Support/Report.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

LogicalResult pallas::writeReport(Operation *module, StringRef path,
                                  llvm::json::Array calls) {
  if (path.empty())
    return success();
  std::string error;
  std::unique_ptr<llvm::ToolOutputFile> file = openOutputFile(path, &error);
  if (!file)
    return module->emitError() << "can't write the report: " << error;
  llvm::json::Object report;
  report["calls"] = std::move(calls);
  file->os() << llvm::formatv("{0:2}", llvm::json::Value(std::move(report)))
             << "\n";
  // Without this the destructor removes the file.
  file->keep();
  return success();
}
