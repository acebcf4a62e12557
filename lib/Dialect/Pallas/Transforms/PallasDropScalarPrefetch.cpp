//===- PallasDropScalarPrefetch.cpp - Less in scalar memory ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar memory is small. Two prefetches of one array become one, and those
// that nothing reads are dropped.
//
//===----------------------------------------------------------------------===//

#include "CallEditor.h"
#include "pallas/Dialect/Pallas/IR/RefEffects.h"
#include "pallas/Dialect/Pallas/Transforms/Passes.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASDROPSCALARPREFETCH
#include "pallas/Dialect/Pallas/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

/// Lets all uses of a prefetched array go to an earlier one that is the same.
static void mergeWithEarlier(CallEditor &editor, unsigned index) {
  PallasCallOp call = editor.getCall();
  SmallVector<BlockArgument> arguments = editor.getPrefetchArguments(index);
  for (unsigned earlier = 0; earlier < index; ++earlier) {
    if (call.getIndexOperands()[earlier] != call.getIndexOperands()[index])
      continue;
    SmallVector<BlockArgument> others = editor.getPrefetchArguments(earlier);
    // A write of the kernel to one copy is not seen in the other.
    if (mayBeWritten(arguments.front()) || mayBeWritten(others.front())) {
      call.emitRemark() << "prefetched operands " << earlier << " and " << index
                        << " hold the same array, but stay two: the kernel "
                           "writes to one of them";
      continue;
    }
    for (auto [argument, other] : llvm::zip_equal(arguments, others))
      argument.replaceAllUsesWith(other);
    return;
  }
}

namespace {
struct DropScalarPrefetchPass
    : public pallas::impl::PallasDropScalarPrefetchBase<
          DropScalarPrefetchPass> {
  void runOnOperation() override {
    SmallVector<PallasCallOp> calls;
    getOperation()->walk([&](PallasCallOp call) { calls.push_back(call); });
    for (PallasCallOp call : calls) {
      CallEditor editor(call);
      // Backwards, so that positions in front stay valid.
      for (unsigned index = call.getIndexOperands().size(); index-- > 0;) {
        mergeWithEarlier(editor, index);
        if (llvm::all_of(
                editor.getPrefetchArguments(index),
                [](BlockArgument argument) { return argument.use_empty(); }))
          editor.dropPrefetch(index);
      }
    }
  }
};
} // namespace
