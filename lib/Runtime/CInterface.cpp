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
#include "llvm/ADT/Sequence.h"
#include <cstring>

using namespace pallas_rt;

/// Semaphores that are not zero at the end are an error, as in `pallas-run`.
static llvm::Error call(PallasEntry entry, void **descriptors,
                        DeviceContext device) {
  RuntimeScope scope(device);
  entry(descriptors);
  return scope.finish(/*toleratesLeftovers=*/false);
}

/// C frees what it gets.
static char *toC(llvm::Error error) {
  return error ? strdup(llvm::toString(std::move(error)).c_str()) : nullptr;
}

char *pallasRuntimeCall(PallasEntry entry, void **descriptors) {
  return toC(call(entry, descriptors, {}));
}

char *pallasRuntimeCallOnDevices(PallasEntry entry, const char *mesh,
                                 void **const *descriptors) {
  llvm::Expected<DeviceMesh> parsed = DeviceMesh::parse(mesh);
  if (!parsed)
    return toC(parsed.takeError());
  DeviceGroup group(*parsed);
  auto devices = llvm::to_vector(llvm::seq<unsigned>(parsed->getNumDevices()));
  return toC(
      runTogether(group, devices, [&](DeviceContext device, size_t position) {
        return call(entry, descriptors[position], device);
      }));
}
