//===- MosaicGPUSetRelease.cpp - The form that a release reads ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialect here has what both releases have. What one of them lacks is
// rewritten where another form means the same, and refused where none does:
//   mosaic_gpu.arrive_expect_tx barrier(%b) 8192            0.10.2
//   mosaic_gpu.arrive_expect_tx barrier(%b) dynamic(%c8192) 0.12.0.1
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicGPU/IR/MosaicGPU.h"
#include "pallas/Dialect/MosaicGPU/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::mosaic_gpu {
#define GEN_PASS_DEF_MOSAICGPUSETRELEASE
#include "pallas/Dialect/MosaicGPU/Transforms/Passes.h.inc"
} // namespace mlir::mosaic_gpu

using namespace mlir;
using namespace mlir::mosaic_gpu;

static constexpr StringLiteral kOld = "0.10.2", kNew = "0.12.0.1";

static LogicalResult refuse(Operation *op, StringRef what, StringRef remedy,
                            StringRef release = kOld) {
  return op->emitOpError(what)
         << ", which jaxlib " << release << " doesn't have; " << remedy;
}

/// The alias id as an integer of another width.
static LogicalResult setAliasWidth(Operation *op, unsigned width) {
  auto id = op->getAttrOfType<IntegerAttr>("alias_id");
  if (!id || id.getType().isInteger(width))
    return success();
  if (width == 32 && !llvm::isInt<32>(id.getInt()))
    return op->emitOpError("has an alias_id of ")
           << id.getInt() << "; jaxlib 0.10.2 holds it in 32 bits";
  op->setAttr(
      "alias_id",
      IntegerAttr::get(IntegerType::get(op->getContext(), width), id.getInt()));
  return success();
}

//===----------------------------------------------------------------------===//
// To 0.10.2
//===----------------------------------------------------------------------===//

/// The count is an attribute there, so it has to be known.
static LogicalResult toOld(ArriveExpectTxOp op) {
  Value bytes = op.getDynamicExpectTx();
  if (!bytes)
    return success();
  IntegerAttr constant;
  if (!matchPattern(bytes, m_Constant(&constant)) || constant.getInt() < 0)
    return refuse(op, "expects a number of bytes that is computed",
                  "give a constant");
  op.getDynamicExpectTxMutable().clear();
  op.setExpectTxAttr(constant);
  return success();
}

/// Its operands have five groups, and the fifth is the predicate: the peer
/// goes, and the barrier is no longer optional.
static LogicalResult toOld(AsyncLoadOp op) {
  ArrayRef<int32_t> sizes = op.getOperandSegmentSizes();
  if (sizes.size() == 5)
    return success();
  if (op.getGmemPeerId())
    return refuse(op, "copies from another device", "copy from this one");
  if (!op.getBarrier())
    return refuse(op, "has no barrier", "give one");
  op.setOperandSegmentSizes(SmallVector<int32_t>(sizes.drop_back()));
  return success();
}

/// Types come first, since any operation may have a value of one.
static LogicalResult toOld(Operation *op) {
  auto holdsSixBits = [](Type type) {
    auto memref = dyn_cast<MemRefType>(type);
    return memref && isa<B6x16P32Type, P2B6Type>(memref.getElementType());
  };
  if (llvm::any_of(op->getOperandTypes(), holdsSixBits) ||
      llvm::any_of(op->getResultTypes(), holdsSixBits))
    return refuse(op, "takes elements of 6 bits in memory",
                  "use elements of 8 bits");
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case<ArriveExpectTxOp, AsyncLoadOp>([](auto op) { return toOld(op); })
      .Case<ArriveOp, TCGen05CommitArriveOp>([](auto op) -> LogicalResult {
        if (op.getPredicate())
          return refuse(op, "has a predicate", "put it into an scf.if");
        return success();
      })
      .Case<AsyncLoadTmemOp>([](AsyncLoadTmemOp op) -> LogicalResult {
        if (op.getReduce())
          return refuse(op, "reduces rows", "reduce the vector");
        return success();
      })
      .Case<LayoutCastOp>([](LayoutCastOp op) -> LogicalResult {
        // It only forbids casts, so what is valid stays valid.
        op.removeStrictAttr();
        return success();
      })
      .Case<SliceSMEMOp>([](Operation *op) { return setAliasWidth(op, 32); })
      .Case<SliceTmemOp>([](SliceTmemOp op) -> LogicalResult {
        if (op.getAliasId())
          return refuse(op, "has an alias_id", "leave it out");
        return success();
      })
      .Case<AllocSmemOp, AllocaScopeOp, RunScopedOp>([](Operation *op) {
        return refuse(op, "allocates shared memory",
                      "give offsets by mosaic_gpu.slice_smem");
      })
      .Case<VectorConcatOp>([](Operation *op) {
        return refuse(op, "concatenates vectors",
                      "store the parts to a memref and load it");
      })
      .Default(success());
}

//===----------------------------------------------------------------------===//
// To 0.12.0.1
//===----------------------------------------------------------------------===//

/// The count is an operand there, also where it is known.
static LogicalResult toNew(ArriveExpectTxOp op) {
  IntegerAttr bytes = op.getExpectTxAttr();
  if (!bytes)
    return success();
  OpBuilder builder(op);
  Value constant = arith::ConstantOp::create(builder, op.getLoc(), bytes);
  op.getDynamicExpectTxMutable().assign(constant);
  op.removeExpectTxAttr();
  return success();
}

/// The sixth group of operands is the peer, which older modules cannot name.
static LogicalResult toNew(AsyncLoadOp op) {
  SmallVector<int32_t> sizes(op.getOperandSegmentSizes());
  if (sizes.size() == 5) {
    sizes.push_back(0);
    op.setOperandSegmentSizes(sizes);
  }
  return success();
}

/// Almost all of 0.10.2 is in 0.12.0.1, too.
static LogicalResult toNew(Operation *op) {
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case<ArriveExpectTxOp, AsyncLoadOp>([](auto op) { return toNew(op); })
      .Case<SliceSMEMOp, SliceTmemOp>(
          [](Operation *op) { return setAliasWidth(op, 64); })
      .Case<WaitOp>([](Operation *op) {
        return refuse(op, "waits for a barrier",
                      "use nvvm.mbarrier.try_wait.parity", kNew);
      })
      .Default(success());
}

namespace {
struct SetReleasePass
    : public mosaic_gpu::impl::MosaicGPUSetReleaseBase<SetReleasePass> {
  using MosaicGPUSetReleaseBase::MosaicGPUSetReleaseBase;

  void runOnOperation() override {
    if (release != kOld && release != kNew) {
      getOperation()->emitError("release is '")
          << release << "'; give " << kOld << " or " << kNew;
      return signalPassFailure();
    }
    bool failed = false;
    getOperation()->walk([&](Operation *op) {
      failed |= mlir::failed(release == kOld ? toOld(op) : toNew(op));
    });
    if (failed)
      signalPassFailure();
  }
};
} // namespace
