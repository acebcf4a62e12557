//===- ScopedBuffer.h - A value in memory for a while -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_MOSAICTPU_UTILS_SCOPEDBUFFER_H
#define PALLAS_DIALECT_MOSAICTPU_UTILS_SCOPEDBUFFER_H

#include "pallas/Dialect/MosaicTPU/Utils/Emitter.h"

namespace mlir::tpu {

/// How many steps along a dimension are written out; more are in a loop over a
/// buffer.
inline constexpr int64_t kMaxStepsWrittenOut = 32;

/// Memory for a vector in VMEM, for as long as the region around it runs.
Value createVmemBuffer(Emitter &emit, VectorType type);

/// A vector in VMEM, so that loops reach its parts along one of the leading
/// dimensions. Code emitted until `finish` is in a region.
class ScopedBuffer {
public:
  ScopedBuffer(Emitter &emit, Value value, int64_t dim, Type result);

  /// The part at an index, of size 1 along the dimension.
  Value load(Value at);
  void store(Value part, Value at);
  Value loadAll();
  /// Ends the region, which `value` leaves.
  Value finish(Value value);

private:
  SmallVector<Value> getPlace(Value at);

  Emitter &emit;
  OpBuilder::InsertionGuard guard;
  VectorType type;
  int64_t dim;
  tpu::RegionOp region;
  Value buffer;
};

} // namespace mlir::tpu

#endif // PALLAS_DIALECT_MOSAICTPU_UTILS_SCOPEDBUFFER_H
