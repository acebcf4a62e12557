//===- ShareRows.cpp - One loop over rows for several operations ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the pass pallas-cpu-share-rows, which tiles and fuses rows.
// Operations on a large array are tiled by rows and fused, so that a row is in
// the cache when the next operation reads it, and temporaries shrink to a row:
//   %t = memref.alloc() : memref<1024x1024xf32>
//   linalg.generic ins(%x) outs(%t) { exp }
//   linalg.generic ins(%t) outs(%sums) { sum of a row }
// becomes
//   scf.for %i = %c0 to %c1024 step %c1 {
//     %t = memref.alloc() : memref<1024xf32>
//     linalg.generic ins(row %i of %x) outs(%t) { exp }
//     linalg.generic ins(%t) outs(element %i of %sums) { sum }
//   }
//
//===----------------------------------------------------------------------===//

#include "RowLoop.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/CPU/Target/Target.h"
#include "pallas/CPU/Transforms/Passes.h"
#include "pallas/Support/Widths.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCPUSHAREROWS
#include "pallas/CPU/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;
using namespace mlir::pallas::cpu;

/// Whether sharing rows pays: the group must not fit into the cache, and must
/// not lose vectors that run along the rows.
static bool isProfitable(const RowGroup &group, int64_t cacheBytes) {
  if (group.getMembers().size() < 2)
    return false;
  int64_t largest = 0, bytes = 0;
  for (const RowMember &member : group.getMembers())
    largest = std::max(largest, member.numIterations);
  // Short vectors of one value per row are cheap even as scalars.
  for (const RowMember &member : group.getMembers())
    if (member.losesVectors && member.numIterations * 32 > largest)
      return false;
  for (const TouchedMemory &touched : group.getMemory().getTouched()) {
    auto type = cast<MemRefType>(touched.memory.getType());
    if (touched.position && type.getElementType().isIntOrFloat())
      bytes += getByteWidth(type.getElementType()) * type.getNumElements();
  }
  return bytes > cacheBytes;
}

/// Emits the loop in front of the first member. All members are in one run, so
/// nothing in between depends on them.
static void shareLoop(RewriterBase &b, const RowGroup &group) {
  linalg::LinalgOp first = group.getMembers().front().op;
  Location loc = first.getLoc();
  b.setInsertionPoint(first);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value size = arith::ConstantIndexOp::create(b, loc, group.getNumRows());
  auto loop = scf::ForOp::create(b, loc, zero, size, one);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  emitRow(b, group, loop.getInductionVar());
}

namespace {
struct ShareRows : public pallas::impl::PallasCPUShareRowsBase<ShareRows> {
  using PallasCPUShareRowsBase::PallasCPUShareRowsBase;

  /// Returns whether anything changed.
  bool shareOnce(RewriterBase &rewriter, int64_t bits) {
    SmallVector<RowGroup, 0> groups;
    for (const LoopRun &run : collectRuns(rewriter, getOperation())) {
      RowGroup group;
      for (linalg::LinalgOp op : run.ops) {
        std::optional<RowMember> member = getRowMember(op, bits);
        if (member && group.add(*member))
          continue;
        groups.push_back(std::move(group));
        group = RowGroup();
        if (member)
          group.add(*member);
      }
      groups.push_back(std::move(group));
    }
    bool changed = false;
    for (const RowGroup &group : groups) {
      if (!isProfitable(group, cacheBytes))
        continue;
      shareLoop(rewriter, group);
      changed = true;
    }
    return changed;
  }

  LogicalResult initialize(MLIRContext *context) override {
    return cpu::getTarget(context, cpu, target);
  }

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    // Each round cuts one more dimension.
    while (shareOnce(rewriter, target.vectorBits))
      ;
  }

private:
  cpu::Target target;
};
} // namespace
