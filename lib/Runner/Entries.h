//===- Entries.h - Functions of a module that can be called -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_RUNNER_ENTRIES_H
#define PALLAS_LIB_RUNNER_ENTRIES_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "pallas/Runner/Engine.h"

namespace mlir::pallas {

/// The type of a buffer as messages spell it.
std::string describe(DType dtype, ArrayRef<int64_t> shape);

/// Whether the function can be called from outside. In a lowered module these
/// are the functions with a C interface beside them.
bool isEntry(FunctionOpInterface func, ModuleOp module);

llvm::Expected<EntrySignature> getSignatureOf(FunctionOpInterface func);

/// Notes which inputs are floats, and makes float outputs integers.
llvm::Error enterRing(FunctionOpInterface func, EntrySignature &signature,
                      SmallVectorImpl<const llvm::fltSemantics *> &inputs);

/// The inputs as ring elements, in the memory of `elements`.
SmallVector<BufferView>
takeIntoRing(ArrayRef<BufferView> inputs,
             ArrayRef<const llvm::fltSemantics *> semantics,
             SmallVectorImpl<std::vector<char>> &elements);

} // namespace mlir::pallas

#endif // PALLAS_LIB_RUNNER_ENTRIES_H
