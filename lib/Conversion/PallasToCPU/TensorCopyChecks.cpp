//===- TensorCopyChecks.cpp - Checks of copies of GPUs --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file lowers the operations that pallas-insert-checks puts in front of
// copies between global and shared memory. A copy is reported with the part of
// its box that lies in the array, as the copy itself has it.
//
//===----------------------------------------------------------------------===//

#include "GPULowering.h"

using namespace mlir;
using namespace mlir::pallas;

/// A copy of rows that an index array names has a part for each element.
LogicalResult GPULowering::checkRows(Operation *check, Value source,
                                     Value target) {
  Location loc = check->getLoc();
  checker.checkCopyBegin(check);
  return async.forEachCopiedRow(
      loc, source, target,
      [&](Value source, ValueRange from, Value target, ValueRange to) {
        checker.checkCopyPart(check, b.createElement(loc, source, from),
                              b.createElement(loc, target, to), /*adds=*/false);
      });
}

/// A copy to several blocks is one copy for the checker also where it reads no
/// element. Others begin where they read any:
///
///   scf.if %inside {
///     llvm.call @pallas_check_copy_begin, _part of %whole, _end
///   } else {
///     llvm.call @pallas_check_access(%site, %copy_write, %shared, ...)
///     scf.if %reached {
///       llvm.call @pallas_check_copy_begin, _part of %part, _end
///     }
///   }
LogicalResult GPULowering::lowerCheck(CheckCopyGmemToSmemOp op) {
  Location loc = op.getLoc();
  Value from = op.getSource(), to = op.getTarget(),
        barrier = getMemory(op.getBarrier());
  bool isMulticast = concurrency.synchronizes && op.getCollectiveAxes();
  auto end = [&] {
    checker.checkCopyEnd(loc, barrier, /*sourceSemaphore=*/Value(),
                         b.createInteger(loc, 1, 64));
  };
  if (getGather(from)) {
    checker.checkFill(op, AccessKind::CopyWrite);
    if (failed(checkRows(op, from, to)))
      return failure();
    end();
  } else {
    if (isMulticast)
      checker.checkCopyBegin(op);
    auto fill = [&] {
      checker.checkFill(op, isMulticast ? AccessKind::MulticastWrite
                                        : AccessKind::CopyWrite);
    };
    copyBox(loc, from, to, fill, [&](Value global, Value shared) {
      std::tie(global, shared) = b.getCommonPart(loc, global, shared);
      if (!isMulticast)
        checker.checkCopyBegin(op);
      checker.checkCopyPart(op, global, shared, /*adds=*/false);
      if (!isMulticast)
        end();
    });
    if (isMulticast)
      end();
  }
  if (isMulticast)
    checker.checkMulticast(
        op, async.createGroupWords(loc, op.getCollectiveAxesAttr()));
  return success();
}

LogicalResult GPULowering::lowerCheck(CheckCopySmemToGmemOp op) {
  Location loc = op.getLoc();
  Value from = op.getSource(), to = op.getTarget();
  auto end = [&] { checker.checkCopyEnd(loc, Value(), Value(), Value()); };
  if (getGather(to)) {
    checker.checkCommitted(op, op.getSourceName(), getMemory(from));
    if (failed(checkRows(op, from, to)))
      return failure();
    end();
    return success();
  }
  copyBox(
      loc, to, from, [] {},
      [&](Value global, Value shared) {
        std::tie(shared, global) = b.getCommonPart(loc, shared, global);
        checker.checkCommitted(op, op.getSourceName(), shared);
        checker.checkCopyBegin(op);
        checker.checkCopyPart(op, shared, global, op.getAdd());
        end();
      });
  return success();
}
