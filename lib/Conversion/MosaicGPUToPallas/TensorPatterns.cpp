//===- TensorPatterns.cpp - Tensor memory and its products ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"

using namespace mlir;
using namespace mlir::pallas;

namespace {

/// Layouts tell how lanes hold what refs hold as rows and columns.
struct RaiseTensorLayoutCast : RaisePattern<mosaic_gpu::TmemLayoutCastOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(mosaic_gpu::TmemLayoutCastOp op, Adaptor adaptor,
                         OpBuilder &) const override {
    if (failed(checkRef(op, adaptor.getRef())))
      return failure();
    return adaptor.getRef();
  }
};

///   "mosaic_gpu.async_load_tmem"(%t) : (memref<128x64xf32, tmem>)
///       -> vector<128x64xf32>
/// -->
///   pallas.async_load_tmem %t
///       : !pallas.ref<128x64xf32, tmem> -> tensor<128x64xf32>
struct RaiseTensorLoad : RaisePattern<mosaic_gpu::AsyncLoadTmemOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(mosaic_gpu::AsyncLoadTmemOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    if (std::optional<mosaic_gpu::TMEMLoadReduction> reduce = op.getReduce())
      return op->emitOpError()
             << "reduces each row ("
             << mosaic_gpu::stringifyTMEMLoadReduction(*reduce)
             << ") as it loads; load without 'reduce', and reduce the vector";
    if (failed(checkRef(op, adaptor.getSource())))
      return failure();
    return Value(
        AsyncLoadTmemOp::create(builder, op.getLoc(), adaptor.getSource()));
  }
};

struct RaiseTensorStore : RaisePattern<mosaic_gpu::AsyncStoreTmemOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(mosaic_gpu::AsyncStoreTmemOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    if (failed(checkRef(op, adaptor.getDestination())))
      return failure();
    AsyncStoreTmemOp::create(builder, op.getLoc(), adaptor.getSource(),
                             adaptor.getDestination());
    return none();
  }
};

/// One operation waits for loads or for stores; pallas has two.
struct RaiseTensorWait : RaisePattern<NVVM::Tcgen05WaitOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(NVVM::Tcgen05WaitOp op, Adaptor,
                         OpBuilder &builder) const override {
    if (op.getKind() == NVVM::Tcgen05WaitKind::LOAD)
      WaitLoadTmemOp::create(builder, op.getLoc());
    else
      CommitTmemOp::create(builder, op.getLoc());
    return none();
  }
};

/// Where hardware might take accesses out of order, programs here do not.
struct RaiseTensorFence : RaisePattern<NVVM::Tcgen05FenceOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(NVVM::Tcgen05FenceOp, Adaptor,
                         OpBuilder &) const override {
    return none();
  }
};

struct RaiseTensorProduct : RaisePattern<mosaic_gpu::TCGen05MMAOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(mosaic_gpu::TCGen05MMAOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    for (Value operand : {adaptor.getAccumulator(), adaptor.getA(),
                          adaptor.getB(), adaptor.getAScale(),
                          adaptor.getBScale(), adaptor.getASparseMetadata()})
      if (operand && failed(checkRef(op, operand)))
        return failure();
    Tcgen05MMAOp::create(
        builder, op.getLoc(), adaptor.getAccumulator(), adaptor.getA(),
        adaptor.getB(), adaptor.getAccumulate(), /*barrier=*/Value(),
        adaptor.getAScale(), adaptor.getBScale(), adaptor.getASparseMetadata(),
        getPairAxis(builder, op.getCollective()));
    return none();
  }
};

///   "mosaic_gpu.async_store_scales_smem_to_tmem"(%s, %t)
/// -->
///   pallas.async_copy_to_tmem scales %s to %t
template <typename OpTy, TensorCopyKind kind>
struct RaiseTensorCopy : RaisePattern<OpTy> {
  using RaisePattern<OpTy>::RaisePattern;
  FailureOr<Value> raise(OpTy op, typename OpTy::Adaptor adaptor,
                         OpBuilder &builder) const override {
    if (failed(checkRef(op, adaptor.getSource())) ||
        failed(checkRef(op, adaptor.getDestination())))
      return failure();
    AsyncCopyToTmemOp::create(builder, op.getLoc(), kind, adaptor.getSource(),
                              adaptor.getDestination(),
                              getPairAxis(builder, op.getCollective()));
    return RaisePattern<OpTy>::none();
  }
};

} // namespace

void mlir::pallas::populateGPUTensorPatterns(const TypeConverter &types,
                                             RewritePatternSet &patterns) {
  patterns.add<RaiseTensorLayoutCast, RaiseTensorLoad, RaiseTensorStore,
               RaiseTensorWait, RaiseTensorFence, RaiseTensorProduct,
               RaiseTensorCopy<mosaic_gpu::AsyncStoreSmemToTmemOp,
                               TensorCopyKind::Matrix>,
               RaiseTensorCopy<mosaic_gpu::AsyncStoreScalesSmemToTmemOp,
                               TensorCopyKind::Scales>,
               RaiseTensorCopy<mosaic_gpu::AsyncStoreSparseMetadataSmemToTmemOp,
                               TensorCopyKind::SparseMetadata>>(
      types, patterns.getContext());
}
