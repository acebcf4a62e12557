//===- HostCall.cpp - Functions that kernels call back --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pallas/Runner/HostCall.h"
#include <atomic>

using namespace mlir::pallas;

static std::atomic<HostCallHandler> currentHandler = nullptr;

void mlir::pallas::setHostCallHandler(HostCallHandler handler) {
  currentHandler = handler;
}

HostCallHandler mlir::pallas::getHostCallHandler() { return currentHandler; }
