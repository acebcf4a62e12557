//===- PallasJoinAliasedRefs.cpp - One name for an aliased array ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An alias makes an input and an output one array. Kernels may access it by
// either ref; after this pass they use the ref of the output only. Later passes
// can then see from the uses of one ref who reads and writes the array.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/IR/AliasedRefs.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Dialect/Pallas/Transforms/Passes.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASJOINALIASEDREFS
#include "pallas/Dialect/Pallas/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

namespace {
/// The work is in the interface, since other passes join refs as well.
struct JoinAliasedRefsPass
    : public pallas::impl::PallasJoinAliasedRefsBase<JoinAliasedRefsPass> {
  using PallasJoinAliasedRefsBase::PallasJoinAliasedRefsBase;

  void runOnOperation() override {
    getOperation()->walk([&](GridMappingOpInterface op) {
      if (op.getInputOutputAliases().empty())
        return;
      ++numJoined;
      op.joinAliasedRefs();
    });
  }
};
} // namespace
