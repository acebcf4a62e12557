//===- KnownOperations.cpp - Which compilers know which operations --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file refuses operations that compilers of a version don't know. The
// compiler would refuse them only when XLA compiles the program.
//
//===----------------------------------------------------------------------===//

#include "WireOps.h"

#include "pallas/Dialect/MosaicTPU/IR/TPU.h"
#include "pallas/Target/StableMosaic/StableMosaic.h"

using namespace mlir;
using namespace mlir::tpu;

namespace {
struct NewOperation {
  StringLiteral name;
  /// The first version whose readers all know the operation. Some writers put
  /// it into older versions as well, so all versions are read with it.
  int64_t version;
};
} // namespace

static const NewOperation kNewOperations[] = {
    {"tpu.conv", 16},
    {"tpu.logistic", 16},
    {"tpu.matmul_lhs_fifo", 16},
    {"tpu.matmul_pop_fifo", 16},
    {"tpu.reduce", 16},
    {"tpu.annotate", 17},
    {"tpu.reduce_precision", 17},
    {"tpu.memref_memory_space_is", 18},
    {"tpu.shared_memref_slice", 18},
    {"tpu.tile_size", 18},
    {"tpu.vector_compress_store", 18},
    {"tpu.vector_expand_load", 18},
};

/// The last version whose readers know `tpu.repeat`.
static constexpr int64_t kLastRepeatVersion = 17;
/// The first version whose readers all know this precision.
static constexpr int64_t kThreePassesVersion = 16;

/// All versions know the operations of other dialects.
static LogicalResult checkOperation(Operation *op, int64_t version) {
  if (!isa_and_present<TPUDialect>(op->getDialect()))
    return success();
  StringRef name = op->getName().getStringRef();
  for (const NewOperation &known : kNewOperations)
    if (known.version > version && known.name == name)
      return op->emitError("'") << name << "' is not in version " << version
                                << " of stable_mosaic; use version "
                                << known.version << " or newer";
  if (isa<RepeatOp>(op) && version > kLastRepeatVersion)
    return op->emitError("'tpu.repeat' is not in version ")
           << version << " of stable_mosaic; use tpu.concatenate, or version "
           << kLastRepeatVersion << " or older";
  auto matmul = dyn_cast<MatmulOp>(op);
  if (matmul && version < kThreePassesVersion &&
      matmul.getPrecision() == ContractPrecision::BF16x3)
    return op->emitError("'tpu.matmul' cannot have the precision bf16x3 in "
                         "version ")
           << version << " of stable_mosaic; use version "
           << kThreePassesVersion << " or newer";
  return success();
}

LogicalResult tpu::checkIsKnown(ModuleOp module, int64_t version) {
  WalkResult result = module.walk(
      [&](Operation *op) { return WalkResult(checkOperation(op, version)); });
  return failure(result.wasInterrupted());
}
