//===- DistinctVerifier.cpp - Verification without repetition -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels repeat the same few operations hundreds of times. Verification of ODS
// looks at types and attributes only, so one of each form is enough.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicTPU/IR/DistinctVerifier.h"
#include "pallas/Dialect/MosaicTPU/IR/TPU.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mlir::tpu;

/// Whether types, attributes and the function decide if an operation is valid.
/// Regions, terminators and foreign attributes need more than the form.
static bool isCheckedByForm(Operation &op) {
  return op.getNumRegions() == 0 &&
         isa_and_present<arith::ArithDialect, math::MathDialect,
                         memref::MemRefDialect, vector::VectorDialect,
                         TPUDialect>(op.getDialect()) &&
         op.getDiscardableAttrDictionary().empty() &&
         !op.mightHaveTrait<OpTrait::IsTerminator>() &&
         llvm::all_of(op.getOperands(), [](Value value) { return value; });
}

/// Of two objects that live at once, equal bytes mean equal values.
/// Properties are compared as bytes, which is exact as long as they hold
/// pointers to uniqued objects and numbers.
static StringRef getPropertyBytes(Operation *op) {
  size_t size = op->getPropertiesStorageSize();
  return size ? StringRef(op->getPropertiesStorage().as<const char *>(), size)
              : StringRef();
}

namespace {

/// Operations are equal that have one name, types and properties.
struct FormInfo : DenseMapInfo<Operation *> {
  static unsigned getHashValue(Operation *op) {
    // One operand is enough for the hash; equality compares them all.
    Type result = op->getNumResults() ? op->getResult(0).getType() : Type();
    Type operand = op->getNumOperands() ? op->getOperand(0).getType() : Type();
    return llvm::hash_combine(op->getName().getAsOpaquePointer(), result,
                              operand, getPropertyBytes(op));
  }
  static bool isEqual(Operation *lhs, Operation *rhs) {
    if (lhs == rhs || !isOperation(lhs) || !isOperation(rhs))
      return lhs == rhs;
    return lhs->getName() == rhs->getName() &&
           lhs->getResultTypes() == rhs->getResultTypes() &&
           lhs->getOperandTypes() == rhs->getOperandTypes() &&
           getPropertyBytes(lhs) == getPropertyBytes(rhs);
  }

private:
  static bool isOperation(Operation *op) {
    return op != getEmptyKey() && op != getTombstoneKey();
  }
};

/// Verifies a module as mlir::verify does, but each form once per function: an
/// operation may look at its function, such as for the core.
class DistinctVerifier {
public:
  LogicalResult verifyOperation(Operation &op);

private:
  LogicalResult verifyRegions(Operation &op);

  /// One operation of each form in a function.
  DenseSet<Operation *, FormInfo> seen;
};

} // namespace

/// Whether the regions of an operation hold a block each, with nothing in it
/// that jumps. What control flow needs beyond that is for upstream to check.
static bool hasPlainRegions(Operation &op) {
  return llvm::all_of(op.getRegions(), [](Region &region) {
    return region.empty() ||
           (region.hasOneBlock() && !region.front().empty() &&
            llvm::all_of(region.front(), [](Operation &nested) {
              return nested.getNumSuccessors() == 0;
            }));
  });
}

LogicalResult DistinctVerifier::verifyOperation(Operation &op) {
  // Upstream's verifier costs more to set up than most of these checks.
  if (isCheckedByForm(op))
    // Only the first of a form is verified.
    return success(!seen.insert(&op).second ||
                   (succeeded(op.getName().verifyInvariants(&op)) &&
                    succeeded(op.getName().verifyRegionInvariants(&op))));
  if (op.getNumRegions() == 0)
    return mlir::verify(&op, /*verifyRecursively=*/false);
  // An empty block may be right, which depends on its operation.
  if (!op.isRegistered() || !hasPlainRegions(op))
    return mlir::verify(&op);
  // Not recursive, but it sees which values the blocks of the operation use.
  return success(succeeded(verifyRegions(op)) &&
                 succeeded(mlir::verify(&op, /*verifyRecursively=*/false)));
}

/// A function is isolated, and its forms are forgotten at its end.
LogicalResult DistinctVerifier::verifyRegions(Operation &op) {
  if (op.hasTrait<OpTrait::IsIsolatedFromAbove>())
    seen.clear();
  for (Region &region : op.getRegions())
    for (Block &block : region) {
      for (Operation &nested : block)
        if (failed(verifyOperation(nested)))
          return failure();
      if (!op.hasTrait<OpTrait::NoTerminator>() &&
          !block.back().mightHaveTrait<OpTrait::IsTerminator>())
        return block.back().emitError("block with no terminator; end it with "
                                      "one of the dialect of '")
               << op.getName() << "'";
    }
  if (op.hasTrait<OpTrait::IsIsolatedFromAbove>())
    seen.clear();
  return success();
}

LogicalResult mlir::tpu::verifyDistinct(Operation *root) {
  return DistinctVerifier().verifyOperation(*root);
}
