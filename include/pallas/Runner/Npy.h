//===- Npy.h - NumPy's array files ------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_RUNNER_NPY_H
#define PALLAS_RUNNER_NPY_H

#include "pallas/Runner/Engine.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

namespace mlir::pallas {

/// An array read from a .npy file; the data stay in the mapped file.
struct NpyArray {
  /// NumPy's spelling of the element type. Types of ml_dtypes are stored as
  /// opaque bytes: bf16 as "<V2", the 8-bit floats and int4 as "|V1".
  std::string descr;
  SmallVector<int64_t> shape;
  std::unique_ptr<llvm::MemoryBuffer> file;
  size_t dataOffset = 0;

  /// Whether elements spelled like this can be elements of this type.
  bool holds(DType dtype) const;
  BufferView view(DType dtype) const;
};

/// Reads a whole file; whatever is wrong with it is an error that names it.
llvm::Expected<NpyArray> readNpy(StringRef path);

/// Writes the bytes of a .npy file with this array.
void writeNpy(llvm::raw_ostream &stream, const BufferView &array);

/// An array, and the file that it goes to.
struct NpyOutput {
  std::string path;
  BufferView array;
};

/// Writes files, of which either all appear, complete, or none.
llvm::Error writeNpyFiles(ArrayRef<NpyOutput> outputs);

} // namespace mlir::pallas

#endif // PALLAS_RUNNER_NPY_H
