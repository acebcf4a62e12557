//===- Precompiled.cpp - Anchor of the precompiled header -----------------===//
//
// CMake attaches a precompiled header to a target, and a target needs a source.
//
//===----------------------------------------------------------------------===//
