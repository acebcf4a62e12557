//===- Checks.h - Calls of the checker --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOCPU_CHECKS_H
#define PALLAS_LIB_CONVERSION_PALLASTOCPU_CHECKS_H

#include "MemoryBuilder.h"
#include "pallas/Dialect/Pallas/IR/CheckOps.h"
#include "pallas/Runtime/CheckedCode.h"

namespace mlir::pallas {
// Checked code reports to the runtime in these terms.
using pallas_rt::AccessKind;
using pallas_rt::kBufferedWindow;
using pallas_rt::kNewRegion;
using pallas_rt::kOutputWindow;
using pallas_rt::kRegionOfCores;
using pallas_rt::kReturningWindow;
using pallas_rt::kSharedRegion;

/// An element of a ref; `inside` is whether it is one, and null if it is one
/// for sure.
struct ElementPlace {
  SmallVector<Value> at;
  Value inside;
};

/// The name of an operation, or of the one that a check is about.
StringRef getCheckedName(Operation *op);
/// An error of an operation, also where its check meets the error first.
InFlightDiagnostic emitErrorOf(Operation *op);

/// Lowers checks to calls that tell the runtime what happens to refs.
class CheckEmitter {
public:
  CheckEmitter(func::FuncOp func, MemoryBuilder &b,
               const DenseMap<Value, Value> &memory)
      : func(func), b(b), memory(memory) {}

  // Operations that check memory, in MemoryChecks.cpp.
  void lower(CheckMemoryOp op);
  void lower(CheckMemoryEndOp op);
  void lower(CheckSameContentsOp op);
  void lower(CheckPackedViewOp op);
  void lower(CheckBuffersBeginOp op);
  void lower(CheckBuffersEndOp op);
  void lower(CheckUnwrittenOp op);
  /// Memory whose elements are unwritten until `checkAccessTo` writes to them.
  void beginUnwritten(Value memory, StringRef name, int64_t flags = 0);
  void checkAccessTo(Operation *check, AccessKind kind, StringRef name,
                     Value view);
  /// Reads all of it, and ends it.
  Value readUnwritten(Operation *check, StringRef name, Value memory,
                      Type type);

  // Operations that check accesses, in AccessChecks.cpp.
  void checkAccess(CheckAccessOp op, Value view);
  void lower(CheckContentsOp op);
  void checkBounds(RefAccessOpInterface op);
  void checkElement(RefAccessOpInterface op, const ElementPlace &accessed,
                    const ElementPlace &named, Value mask);
  void lower(CheckTensorBoundsOp op);
  // Operations that check commits and waits.
  void lower(CheckCommitOp op);
  void lower(CheckWaitOp op);
  void lower(CheckTensorMemoryWaitOp op);
  // Operations that check products.
  void lower(CheckProductOp op);
  void lower(CheckAccumulatorOp op);
  void lower(CheckFollowProductsOp op);

  // Operations that check grids.
  void lower(CheckGridBeginOp op);
  void lower(CheckGridEndOp op);
  void lower(CheckAliasOp op);
  void lower(CheckProgramOp op);
  void lower(CheckWindowOp op);
  void lower(CheckOutputOp op);
  // Operations that check meshes, in SynchronizationChecks.cpp.
  void lower(CheckCoresBeginOp op);
  void lower(CheckCoresEndOp op);
  void lower(CheckCoreBeginOp op);
  void lower(CheckCoreEndOp op);

  // Concurrency, in SynchronizationChecks.cpp.
  /// Without an amount, by one.
  void checkSignal(Location loc, Value semaphore, Value amount = {});
  void checkArrival(CheckArrivalOp op, Value place, int64_t numArrivals);
  void checkWait(Location loc, Value semaphore, Value amount,
                 bool isPhase = false);
  void lower(CheckSemaphoresEndOp op);
  void lower(CheckBarrierEndOp op);
  void checkCopyBegin(Operation *check);
  void checkCopyIndices(CheckDMAStartOp op, Value ref, StringRef name);
  void checkCopyPart(Operation *check, Value source, Value target, bool adds);
  void checkCopyEnd(Location loc, Value semaphore, Value sourceSemaphore,
                    Value amount);
  void checkFill(CheckCopyGmemToSmemOp op, AccessKind kind);
  /// `group` is what tells the runtime which copies of other blocks belong to
  /// the one that has ended.
  void checkMulticast(CheckCopyGmemToSmemOp op, ValueRange group);
  void checkCommitted(Operation *check, StringRef name, Value view);

private:
  Value getMemory(Value ref) const { return memory.lookup(ref); }
  Value createSite(Operation *op, StringRef name, const Twine &subject);
  Value createSite(RefAccessOpInterface check);
  Value createCopySite(Operation *check);
  void callAccess(Location loc, Value site, AccessKind kind, Value view,
                  StringRef callee = "pallas_check_access");
  void callChecker(Location loc, StringRef name, ValueRange leading,
                   ValueRange rest);
  void announce(Value memory, StringRef name, MemoryState state, int64_t flags);
  void endRegion(Value memory);
  void appendView(SmallVectorImpl<Value> &words, Value view);
  Value toWord(Value value);
  SmallVector<Value> toWords(ValueRange values);
  Value word(Location loc, int64_t value);
  Value getAddressWord(Location loc, Value memory);

  func::FuncOp func;
  MemoryBuilder &b;
  const DenseMap<Value, Value> &memory;
};

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOCPU_CHECKS_H
