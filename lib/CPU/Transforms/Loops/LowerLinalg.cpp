//===- LowerLinalg.cpp - linalg on memrefs to vector loops ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the pass pallas-cpu-lower-linalg, which replaces each linalg
// operation on memrefs by vector loops:
//   linalg.generic ins(%x) outs(%y) { math.exp }
// becomes
//   scf.for %i = %c0 to %c1024 step %c16 {
//     %v = vector.load %x[%i] : memref<1024xf32>, vector<16xf32>
//     %e = math.exp %v : vector<16xf32>
//     vector.store %e, %y[%i] : memref<1024xf32>, vector<16xf32>
//   }
// It runs after the fusion of loops, since loops can't be fused any more.
//
//===----------------------------------------------------------------------===//

#include "LoopGroups.h"
#include "LoopPlan.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "pallas/CPU/Target/Target.h"
#include "pallas/CPU/Transforms/Passes.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCPULOWERLINALG
#include "pallas/CPU/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

namespace {
/// The operations are collected first, since the loops of one may contain
/// operations that the walk would visit again. The target is resolved once per
/// pass: its vector width decides the loops.
struct LowerLinalg
    : public pallas::impl::PallasCPULowerLinalgBase<LowerLinalg> {
  using PallasCPULowerLinalgBase::PallasCPULowerLinalgBase;

  LogicalResult initialize(MLIRContext *context) override {
    return cpu::getTarget(context, cpu, target);
  }

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    cpu::generalizeCopies(rewriter, getOperation());
    int64_t bits = target.vectorBits;
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    for (linalg::LinalgOp op : ops) {
      // Loops write to memory.
      if (!op.hasPureBufferSemantics()) {
        op.emitOpError("must have been bufferized");
        return signalPassFailure();
      }
      if (failed(cpu::emitLoops(rewriter, op, cpu::planLoops(op, bits))))
        return signalPassFailure();
      rewriter.eraseOp(op);
    }
  }

private:
  cpu::Target target;
};
} // namespace
