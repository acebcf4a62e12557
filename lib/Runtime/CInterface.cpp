//===- CInterface.cpp - Calls of kernels from C ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file calls kernels of objects, in programs that hold no compiler.
//
//===----------------------------------------------------------------------===//

#include "pallas-c/Runtime.h"
#include "pallas/Runtime/Devices.h"
#include "pallas/Runtime/Runtime.h"
#include <cstring>
#include <thread>

using namespace pallas_rt;

/// Semaphores that are not zero at the end are an error, as in `pallas-run`.
static std::string call(PallasEntry entry, void **descriptors,
                        DeviceContext device) {
  RuntimeScope scope(device);
  entry(descriptors);
  return llvm::toString(scope.finish(/*toleratesLeftovers=*/false));
}

/// C frees what it gets.
static char *toC(const std::string &error) {
  return error.empty() ? nullptr : strdup(error.c_str());
}

char *pallasRuntimeCall(PallasEntry entry, void **descriptors) {
  return toC(call(entry, descriptors, {}));
}

char *pallasRuntimeCallOnDevices(PallasEntry entry, const char *mesh,
                                 void **const *descriptors) {
  llvm::Expected<DeviceMesh> parsed = DeviceMesh::parse(mesh);
  if (!parsed)
    return toC(llvm::toString(parsed.takeError()));
  DeviceGroup group(*parsed);
  std::vector<std::string> errors(parsed->getNumDevices());
  std::vector<std::thread> threads;
  for (unsigned device = 0; device < errors.size(); ++device)
    threads.emplace_back([&, device] {
      errors[device] = call(entry, descriptors[device], {&group, device});
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &error : errors)
    if (!error.empty())
      return toC(error);
  return nullptr;
}
