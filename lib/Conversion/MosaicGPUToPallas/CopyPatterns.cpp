//===- CopyPatterns.cpp - Copies to global memory, fences, waits ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"

using namespace mlir;
using namespace mlir::pallas;

namespace {

/// The box becomes a slice of the target, so that the copy has two refs of one
/// shape:
///
///   "mosaic_gpu.async_store"(%s, %o, %row, %c0)
///       <{slice_lengths = array<i64: 64, 32>, commit_group = true, ...}>
/// -->
///   %part = pallas.slice_ref %o[ds(%row, 64), :]
///       : !pallas.ref<128x32xf32, gmem>
///   pallas.copy_smem_to_gmem %s to %part
///       : !pallas.ref<64x32xf32, smem>, !pallas.ref<64x32xf32, gmem>
struct RaiseAsyncStore : RaisePattern<mosaic_gpu::AsyncStoreOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(mosaic_gpu::AsyncStoreOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    Value source = adaptor.getSource(), target = adaptor.getDestination();
    if (failed(checkRef(op, source)) || failed(checkRef(op, target)))
      return failure();
    FailureOr<Value> there = getTarget(op, adaptor, builder);
    if (failed(there))
      return failure();
    target = *there;
    FailureOr<std::optional<AtomicKind>> kind = getKind(op);
    if (failed(kind))
      return failure();
    Box box =
        getBox(getRef(target), adaptor.getIndices(), op.getSliceLengths());
    Value part = SliceRefOp::create(builder, op.getLoc(), target, box.indexer,
                                    box.operands);
    AtomicKindAttr reduction;
    if (*kind)
      reduction = AtomicKindAttr::get(getContext(), **kind);
    CopySmemToGmemOp::create(builder, op.getLoc(), source, part,
                             adaptor.getPredicate(), op.getCommitGroup(),
                             reduction);
    return none();
  }

private:
  /// The array that a copy goes to, which another device may have.
  static FailureOr<Value> getTarget(mosaic_gpu::AsyncStoreOp op,
                                    Adaptor adaptor, OpBuilder &builder) {
    Value target = adaptor.getDestination();
    if (!op.getGmemPeerId() && !op.getIsGlobalBroadcast())
      return target;
    if (failed(checkReachesDevices(op)))
      return failure();
    if (op.getIsGlobalBroadcast())
      return MulticastRefOp::create(builder, op.getLoc(), target.getType(),
                                    target,
                                    builder.getStrArrayAttr(kDeviceAxis))
          .getResult();
    return RemoteRefOp::create(builder, op.getLoc(), target.getType(), target,
                               DeviceIdType::Logical, adaptor.getGmemPeerId(),
                               ArrayAttr())
        .getResult();
  }

  /// Signs are in Mosaic's names twice, as `min` and `smin`; pallas has one
  /// name for both.
  static FailureOr<std::optional<AtomicKind>>
  getKind(mosaic_gpu::AsyncStoreOp op) {
    if (!op.getReductionOp())
      return std::optional<AtomicKind>();
    switch (*op.getReductionOp()) {
    case mosaic_gpu::TMAReduction::Add:
      return std::optional(AtomicKind::Add);
    case mosaic_gpu::TMAReduction::Min:
    case mosaic_gpu::TMAReduction::Smin:
      return std::optional(AtomicKind::Min);
    case mosaic_gpu::TMAReduction::Max:
    case mosaic_gpu::TMAReduction::Smax:
      return std::optional(AtomicKind::Max);
    case mosaic_gpu::TMAReduction::Umin:
      return std::optional(AtomicKind::UMin);
    case mosaic_gpu::TMAReduction::Umax:
      return std::optional(AtomicKind::UMax);
    case mosaic_gpu::TMAReduction::And:
      return std::optional(AtomicKind::And);
    case mosaic_gpu::TMAReduction::Or:
      return std::optional(AtomicKind::Or);
    case mosaic_gpu::TMAReduction::Xor:
      return std::optional(AtomicKind::Xor);
    case mosaic_gpu::TMAReduction::Inc:
    case mosaic_gpu::TMAReduction::Dec:
      break;
    }
    return op.emitOpError("counts up or down to a limit, which has no form in "
                          "the pallas dialect; use add, min, max, and, or, "
                          "xor");
  }
};

/// A hint: memory is the same with and without it.
struct RaisePrefetch : RaisePattern<mosaic_gpu::AsyncPrefetchOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(mosaic_gpu::AsyncPrefetchOp, Adaptor,
                         OpBuilder &) const override {
    return none();
  }
};

//===----------------------------------------------------------------------===//
// Fences and waits
//===----------------------------------------------------------------------===//

/// An operation without operands that becomes another one.
template <typename OpTy, typename ResultTy>
struct RaiseTo : RaisePattern<OpTy> {
  using RaisePattern<OpTy>::RaisePattern;
  FailureOr<Value> raise(OpTy op, typename OpTy::Adaptor,
                         OpBuilder &builder) const override {
    ResultTy::create(builder, op.getLoc());
    return this->none();
  }
};

/// Programs see what they have written themselves; what orders others are
/// barriers.
template <typename OpTy> struct RaiseToNothing : RaisePattern<OpTy> {
  using RaisePattern<OpTy>::RaisePattern;
  FailureOr<Value> raise(OpTy, typename OpTy::Adaptor,
                         OpBuilder &) const override {
    return this->none();
  }
};

///   nvvm.wgmma.wait.group.sync.aligned 1
/// -->
///   pallas.wgmma_wait 1
struct RaiseProductWait : RaisePattern<NVVM::WgmmaWaitGroupSyncOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(NVVM::WgmmaWaitGroupSyncOp op, Adaptor,
                         OpBuilder &builder) const override {
    WGMMAWaitOp::create(builder, op.getLoc(), op.getGroup());
    return none();
  }
};

///   nvvm.cp.async.bulk.wait_group 0
/// -->
///   pallas.wait_smem_to_gmem 0
struct RaiseCopyWait : RaisePattern<NVVM::CpAsyncBulkWaitGroupOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(NVVM::CpAsyncBulkWaitGroupOp op, Adaptor,
                         OpBuilder &builder) const override {
    WaitSmemToGmemOp::create(builder, op.getLoc(), op.getGroup(),
                             op.getRead().value_or(false));
    return none();
  }
};

/// CPUs do not mind, but the operation stays, so that a kernel that is raised
/// and lowered again keeps its registers.
struct RaiseRegisters : RaisePattern<NVVM::SetMaxRegisterOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(NVVM::SetMaxRegisterOp op, Adaptor,
                         OpBuilder &builder) const override {
    SetMaxRegistersOp::create(builder, op.getLoc(), op.getRegCount(),
                              op.getAction() ==
                                  NVVM::SetMaxRegisterAction::increase);
    return none();
  }
};

/// As RaiseRegisters: kept for the way back to a GPU.
struct RaiseGridDependency : RaisePattern<NVVM::GriddepcontrolOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(NVVM::GriddepcontrolOp op, Adaptor,
                         OpBuilder &builder) const override {
    GridDependencyOp::create(builder, op.getLoc(),
                             op.getKind() ==
                                 NVVM::GridDepActionKind::launch_dependents);
    return none();
  }
};

/// "nanosleep.u32 $0;", the only assembly that is left.
///
///   llvm.inline_asm "nanosleep.u32 $0;", "r" %ns : (i32) -> ()
/// -->
///   pallas.delay %ns
struct RaiseSleep : RaisePattern<LLVM::InlineAsmOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(LLVM::InlineAsmOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    if (op.getAsmString() != "nanosleep.u32 $0;")
      return failure();
    DelayOp::create(builder, op.getLoc(), adaptor.getOperands()[0]);
    return none();
  }
};

/// Code for threads that only orders what they do: it stays.
struct RaiseCustomPrimitive
    : OpConversionPattern<mosaic_gpu::CustomPrimitiveOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(mosaic_gpu::CustomPrimitiveOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Block &body = op.getBody().front();
    for (Operation &inner : body.without_terminator())
      if (!inner.hasTrait<OpTrait::ConstantLike>() &&
          !isa<NVVM::FenceProxyOp, NVVM::FenceMbarrierInitOp,
               NVVM::WgmmaFenceAlignedOp, mosaic_gpu::PrintLayoutOp>(inner))
        return op.emitOpError() << "holds '" << inner.getName()
                                << "', code for threads; it may hold fences";
    if (op->getNumResults() != 0)
      return op.emitOpError("yields values of code for threads; it may hold "
                            "fences");
    rewriter.eraseOp(body.getTerminator());
    rewriter.inlineBlockBefore(&body, op,
                               SmallVector<Value>(op->getOperands()));
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void mlir::pallas::populateGPUCopyPatterns(const TypeConverter &types,
                                           RewritePatternSet &patterns) {
  patterns.add<RaiseAsyncStore, RaisePrefetch,
               RaiseTo<NVVM::FenceProxyOp, CommitSmemOp>,
               RaiseTo<NVVM::WgmmaGroupSyncAlignedOp, WGMMACommitOp>,
               RaiseTo<NVVM::CpAsyncBulkCommitGroupOp, CommitSmemToGmemGroupOp>,
               RaiseToNothing<NVVM::FenceMbarrierInitOp>,
               RaiseToNothing<NVVM::WgmmaFenceAlignedOp>,
               RaiseToNothing<NVVM::SyncWarpOp>,
               RaiseToNothing<mosaic_gpu::PrintLayoutOp>, RaiseProductWait,
               RaiseCopyWait, RaiseRegisters, RaiseGridDependency, RaiseSleep,
               RaiseCustomPrimitive>(types, patterns.getContext());
}
