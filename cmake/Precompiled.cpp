//===- Precompiled.cpp - Anchor of the precompiled header -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CMake attaches a precompiled header to a target, and a target needs a source.
//
//===----------------------------------------------------------------------===//
