//===- PallasPrecompiledDialects.h - Our ops compiled once ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For libraries most of whose sources include these ops: a change of an op
// rebuilds all of such a library, which it nearly does without this header.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_CMAKE_PALLASPRECOMPILEDDIALECTS_H
#define PALLAS_CMAKE_PALLASPRECOMPILEDDIALECTS_H

#include "PallasPrecompiled.h"

#include "pallas/Dialect/MosaicTPU/IR/TPU.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"

#endif // PALLAS_CMAKE_PALLASPRECOMPILEDDIALECTS_H
