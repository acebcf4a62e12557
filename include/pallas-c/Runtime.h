//===-- pallas-c/Runtime.h - Calls of kernels in objects ----------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects that `pallas-run --emit=obj` writes run without a compiler. Link them
// with PallasRuntime, which needs LLVM's support library.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_C_RUNTIME_H
#define PALLAS_C_RUNTIME_H

#ifdef __cplusplus
extern "C" {
#endif

/// Function `f` of a module is `_pallas_packed_f` in its object. It takes a
/// pointer to a memref descriptor for each array, inputs before outputs.
typedef void (*PallasEntry)(void **descriptors);

/// Calls `entry`. Returns null, or what went wrong, which the caller frees.
char *pallasRuntimeCall(PallasEntry entry, void **descriptors);

/// Calls `entry` on all devices of a mesh at the same time, on a thread each:
/// `4`, `2x2` or `x=2,y=2`. `descriptors` has an array of them for each device.
char *pallasRuntimeCallOnDevices(PallasEntry entry, const char *mesh,
                                 void **const *descriptors);

#ifdef __cplusplus
}
#endif

#endif // PALLAS_C_RUNTIME_H
