//===- GridMappingVerifier.h - Rules of grid mappings -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_DIALECT_PALLAS_IR_GRIDMAPPINGVERIFIER_H
#define PALLAS_LIB_DIALECT_PALLAS_IR_GRIDMAPPINGVERIFIER_H

#include "pallas/Dialect/Pallas/IR/PallasOps.h"

namespace mlir::pallas {

/// Checks one grid mapping; every message names the operand it is about.
class GridMappingVerifier {
public:
  explicit GridMappingVerifier(GridMappingOpInterface op) : op(op) {}

  LogicalResult verifySignature() {
    return success(succeeded(verifyGrid()) &&
                   succeeded(verifyIndexOperands()) &&
                   succeeded(verifyBlockMappings()));
  }
  LogicalResult verifyRegions() {
    return success(succeeded(verifyIndexMaps()) && succeeded(verifyKernel()) &&
                   succeeded(verifyScratch()) &&
                   succeeded(verifyMutableIndexRefs()));
  }

private:
  LogicalResult verifyGrid();
  LogicalResult verifyNames();
  LogicalResult verifyVmappedDimensions();
  LogicalResult verifyIndexOperands();
  LogicalResult verifyBlockMappings();
  LogicalResult verifyDimensionKinds(unsigned index, BlockMappingAttr mapping);
  LogicalResult verifyIndexMaps();
  LogicalResult verifyIndexMap(unsigned index, Region &map);
  LogicalResult verifyIndexMapResults(unsigned index, YieldOp yield);
  LogicalResult verifyIndexMapBody(unsigned index, Region &map);
  LogicalResult verifyKernel();
  LogicalResult verifyArgument(BlockArgument arg, Type expected,
                               const Twine &what);
  LogicalResult verifyScratch();
  LogicalResult verifyMutableIndexRefs();

  /// `input 1 (args[1])` or `output 0`.
  std::string describeBlock(unsigned index);

  GridMappingOpInterface op;
};

} // namespace mlir::pallas

#endif // PALLAS_LIB_DIALECT_PALLAS_IR_GRIDMAPPINGVERIFIER_H
