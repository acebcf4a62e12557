//===- Rules.h - What becomes of each operation -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOMOSAICGPU_RULES_H
#define PALLAS_LIB_CONVERSION_PALLASTOMOSAICGPU_RULES_H

#include "KernelEmitter.h"
#include "llvm/ADT/SmallBitVector.h"
#include <functional>

namespace mlir::pallas {

/// A rule per kind of operation. It emits what replaces the operation and
/// records what its results have become.
class RuleTable {
public:
  using Rule = std::function<LogicalResult(Operation *, KernelEmitter &)>;

  template <typename OpT>
  void add(LogicalResult (*rule)(OpT, KernelEmitter &)) {
    rules[TypeID::get<OpT>()] = [rule](Operation *op, KernelEmitter &emit) {
      return rule(cast<OpT>(op), emit);
    };
  }
  /// The rules of all operations that have a form on GPUs.
  static RuleTable ofAllOperations();

  /// Null when there is no rule.
  const Rule *find(Operation *op) const {
    auto it = rules.find(op->getName().getTypeID());
    return it == rules.end() ? nullptr : &it->second;
  }

private:
  DenseMap<TypeID, Rule> rules;
};

void addAccessRules(RuleTable &rules);
void addBarrierRules(RuleTable &rules);
void addContractionRules(RuleTable &rules);
void addControlFlowRules(RuleTable &rules);
void addCopyRules(RuleTable &rules);
void addDebugRules(RuleTable &rules);
void addDeviceRules(RuleTable &rules);
void addElementwiseRules(RuleTable &rules);
void addGridRules(RuleTable &rules);
void addLaunchControlRules(RuleTable &rules);
void addLoopRules(RuleTable &rules);
void addMiscRules(RuleTable &rules);
void addOrderRules(RuleTable &rules);
void addPartRules(RuleTable &rules);
void addProductRules(RuleTable &rules);
void addReductionRules(RuleTable &rules);
void addRefRules(RuleTable &rules);
void addScopeRules(RuleTable &rules);
void addSemaphoreRules(RuleTable &rules);
void addShapeRules(RuleTable &rules);
void addTensorRules(RuleTable &rules);
void addViewRules(RuleTable &rules);

/// Operations of arith and math, which are the same on vectors.
LogicalResult convertElementwise(Operation *op, KernelEmitter &emit);

/// The memref of a ref in shared memory with this layout.
Value applyTransforms(KernelEmitter &emit, Value memref, RefType type);

/// Whether an access takes elements one by one: those that index arrays name,
/// or that lie apart.
bool takesElements(RefAccessOpInterface op);
/// Reads or writes them. A null result is an error.
FailureOr<Value> getElements(RefAccessOpInterface op, KernelEmitter &emit);
LogicalResult swapElements(SwapOp op, KernelEmitter &emit);

/// Where an entry of an access starts; null where that is constant. It moves
/// inside of the ref where the access could leave it, unless its elements stay
/// in place.
FailureOr<Value> getAccessStart(KernelEmitter &emit, RefAccessOpInterface op,
                                unsigned dim, const AccessDim &access);

/// The memref that an access means, without dimensions of size 1.
FailureOr<Value> getAccessedMemRef(KernelEmitter &emit,
                                   RefAccessOpInterface op);
/// Loads from a memref, and converts to `element` what is stored as another
/// type.
Value loadStored(KernelEmitter &emit, Value memref, Type element,
                 BoolAttr optimized = {});
/// The part of a memref with the dimensions that are kept.
Value takePart(KernelEmitter &emit, Value memref,
               ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
               const llvm::SmallBitVector &kept);
/// The memref.subview that an indexer selects, without the dimensions of its
/// scalar indices.
FailureOr<Value> narrowMemRef(KernelEmitter &emit, Value memref,
                              RefAccessOpInterface op, bool maySplit = false);
/// The memref of a ref in shared or global memory. Views of the latter may
/// split bytes where `maySplit` is set.
FailureOr<Value> getMemRef(KernelEmitter &emit, Value ref,
                           bool maySplit = false);
/// The same of a view of an operand or result of the kernel, but at `place`.
FailureOr<Value> getMemRefAt(KernelEmitter &emit, Value ref,
                             const DevicePlace &place, bool maySplit = false);

/// The same memory without dimensions of size 1, as vectors have none.
Value dropUnitDims(KernelEmitter &emit, Value memref);

/// A vector of equal elements, or the element when there is one.
Value broadcastScalar(KernelEmitter &emit, Value scalar, Type type);

/// Whether operations of the kernel relate vectors by dimensions. Vectors of
/// other kernels lie in their order, each 128th part in a lane, and have any
/// shape.
bool relatesDims(KernelEmitter &emit, Operation *op);

/// The vector in the layout of the accumulators of wgmma.
Value castToWGMMALayout(KernelEmitter &emit, Value vector);

/// Where the warps of a reduction meet in memory. It gets a barrier if others
/// may still read what is there.
int64_t allocateReduction(KernelEmitter &emit, Operation *reduction,
                          int64_t bytes);
/// Waits for what still reads the memory of a scope at its end. Fails where
/// something may still write to it.
LogicalResult finishScope(RunScopedOp op, KernelEmitter &emit);
/// A fence that orders earlier stores to the memory of a scope in front of
/// copies to it; null where there are none.
Operation *fenceCopies(RunScopedOp op, KernelEmitter &emit);
/// Lets warpgroups wait for each other at the end of a scope that they share.
void leaveScope(KernelEmitter &emit, unsigned firstBuffer);
/// The role of memory that scopes make.
inline constexpr llvm::StringLiteral kScopeRole = "scoped";
/// Erases the barriers of buffers whose memory nothing else is in.
void dropSharedWaits(KernelEmitter &emit);

/// Waits until at most `pending` groups of copies to global memory are left; or
/// until those have read their memory.
void waitForCopies(KernelEmitter &emit, int64_t pending, bool isReadOnly);
/// Waits until at most `pending` groups of products are left.
void waitForProducts(KernelEmitter &emit, int64_t pending);

/// Shows the tensor cores and copies what lanes have written to shared memory.
void commitSharedMemory(KernelEmitter &emit);

/// Starts an accumulator: products may read it from here on.
Value startAccumulator(KernelEmitter &emit, Value value);

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOMOSAICGPU_RULES_H
