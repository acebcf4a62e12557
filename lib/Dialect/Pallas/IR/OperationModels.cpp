//===- OperationModels.cpp - What the context keeps of operations ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperationModels.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"

using namespace mlir;
using namespace mlir::pallas;

template <typename... Ops> static void insertAll(Dialect &dialect) {
  (RegisteredOperationName::insert<Ops>(dialect), ...);
}

void pallas::registerOperations(Dialect &dialect) {
  insertAll<
#define GET_OP_LIST
#include "pallas/Dialect/Pallas/IR/PallasOps.cpp.inc"
      >(dialect);
}
