//===- BlockPairs.cpp - Products of two blocks of a cluster ---------------===//

#include "pallas/Dialect/Pallas/Utils/BlockPairs.h"

using namespace mlir;

LogicalResult mlir::pallas::verifyOwnBlock(Operation *op,
                                           std::optional<StringRef> axis) {
  if (!axis)
    return success();
  return op->emitOpError() << "works together with another block along \""
                           << *axis
                           << "\", whose memory only GPUs reach from this one; "
                              "multiply in each block on its own";
}
