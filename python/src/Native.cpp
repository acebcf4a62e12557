//===- Native.cpp - The extension module of the Python package ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"

NB_MODULE(_native, m) {
  m.doc() = "Builds, verifies and runs pallas modules";
  mlir::pallas::python::bindBuilder(m);
  mlir::pallas::python::bindAttributes(m);
  mlir::pallas::python::bindEngine(m);
  mlir::pallas::python::bindPipelines(m);
  mlir::pallas::python::bindTimeline(m);
}
