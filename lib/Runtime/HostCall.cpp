//===- HostCall.cpp - Functions that kernels call back --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file holds the function through which kernels call back into the
// process. The package sets it when it is imported.
//
//===----------------------------------------------------------------------===//

#include "pallas/Runtime/HostCall.h"
#include <atomic>

using namespace pallas_rt;

static std::atomic<HostCallHandler> currentHandler = nullptr;

void pallas_rt::setHostCallHandler(HostCallHandler handler) {
  currentHandler = handler;
}

HostCallHandler pallas_rt::getHostCallHandler() { return currentHandler; }
