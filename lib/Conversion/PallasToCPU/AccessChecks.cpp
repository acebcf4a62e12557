//===- AccessChecks.cpp - Checks of accesses ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file lowers the operations that pallas-insert-checks puts in front of
// accesses. Each becomes calls of the checker with the memory that the same
// indexer selects, and with the indices that the kernel computed, before they
// are moved inside of the ref.
//
//===----------------------------------------------------------------------===//

#include "RefLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "pallas/Dialect/Pallas/Utils/TensorParts.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::pallas;

StringRef mlir::pallas::getCheckedName(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case([](CheckAccessOp check) { return check.getAccessor(); })
      .Case([](CheckBoundsOp) { return SliceRefOp::getOperationName(); })
      .Case([](CheckSemaphoreSignalOp) {
        return SemaphoreSignalOp::getOperationName();
      })
      .Case([](CheckDMAStartOp) { return DMAStartOp::getOperationName(); })
      .Case([](CheckCopyGmemToSmemOp) {
        return CopyGmemToSmemOp::getOperationName();
      })
      .Case([](CheckCopySmemToGmemOp) {
        return CopySmemToGmemOp::getOperationName();
      })
      .Case<CheckProductOp, CheckLeftOutOp, CheckUnwrittenOp>(
          [](auto check) { return check.getAccessor(); })
      .Case([](CheckAccumulatorOp) {
        return AccumulatorDerefOp::getOperationName();
      })
      .Default([](Operation *op) { return op->getName().getStringRef(); });
}

InFlightDiagnostic mlir::pallas::emitErrorOf(Operation *op) {
  return emitError(op->getLoc()) << "'" << getCheckedName(op) << "' op ";
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

void CheckEmitter::checkAccess(CheckAccessOp op, Value view) {
  callAccess(op.getLoc(), createSite(op), static_cast<AccessKind>(op.getKind()),
             view);
}

void CheckEmitter::lower(CheckContentsOp op) {
  callAccess(op.getLoc(), createSite(op, op.getAccessor(), op.getName()),
             static_cast<AccessKind>(op.getKind()), getMemory(op.getRef()),
             op.getAsync() ? "pallas_check_tensor_memory"
                           : "pallas_check_access");
}

/// The promise that a number is a multiple, if there is one. With integers of
/// 64 bits the number is narrowed behind the promise.
static MultipleOfOp getPromise(Value number) {
  while (auto narrowed = number.getDefiningOp<arith::TruncIOp>())
    number = narrowed.getIn();
  return number.getDefiningOp<MultipleOfOp>();
}

/// The length of a slice without the padding of its last tile. A length that is
/// promised to be a multiple counts tiles, of which arrays of TPUs have whole
/// ones: the last 16 of 45 rows in tiles of 8, from row 32 on, are 13.
///
///   %fits = arith.cmpi sle, %start + %length, ceil(%size, 8) : index
///   %rest = arith.minsi %length, %size - %start : index
///   %1 = arith.select %fits, %rest, %length : index
static Value withoutPaddingOfTile(OpBuilder &b, Location loc,
                                  const AccessDim &dim, Value size) {
  MultipleOfOp promise = getPromise(dim.size);
  Value length = toIndex(b, loc, dim.size);
  if (!promise)
    return length;
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  Value start =
      dim.start ? toIndex(b, loc, dim.start) : number(dim.entry.start);
  Value tile = number(promise.getMultiples().front());
  Value tiles = arith::CeilDivUIOp::create(b, loc, size, tile);
  Value padded = arith::MulIOp::create(b, loc, tiles, tile);
  Value end = arith::AddIOp::create(b, loc, start, length);
  Value fits =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, end, padded);
  Value rest = arith::MinSIOp::create(
      b, loc, length, arith::SubIOp::create(b, loc, size, start));
  return arith::SelectOp::create(b, loc, fits, rest, length);
}

/// The dynamic starts of an access lie in the ref, and its last elements too.
/// Four words per dimension that may be out of bounds (start, length, stride
/// and size) behind its number. Static entries were checked by the verifier.
void CheckEmitter::checkBounds(RefAccessOpInterface op) {
  Location loc = op.getLoc();
  Value source = getMemory(op.getRef());
  SmallVector<Value> words;
  for (auto [d, dim] : llvm::enumerate(op.getAccessDims())) {
    if (isFullEntry(dim) ||
        (!dim.start && !dim.size && !op.getRef().getType().isDynamicDim(d)))
      continue;
    bool isScalar = dim.entry.kind == IndexKind::Scalar;
    Value start =
        dim.start ? toWord(b.toIndex(dim.start)) : word(loc, dim.entry.start);
    Value size = memref::DimOp::create(b, loc, source, d);
    Value length = dim.size ? toWord(withoutPaddingOfTile(b, loc, dim, size))
                            : word(loc, isScalar ? 1 : dim.entry.size);
    llvm::append_values(words, word(loc, d), start, length,
                        word(loc, dim.entry.stride), toWord(size));
  }
  if (words.empty())
    return;
  words.insert(words.begin(), word(loc, words.size() / 5));
  callChecker(loc, "pallas_check_bounds", createSite(op), words);
}

/// Checks one element of an access that goes element by element: `named` is the
/// index that the kernel computed, `accessed` the one that is used after it was
/// wrapped and clamped. `mask` is null if the element is always accessed.
void CheckEmitter::checkElement(RefAccessOpInterface op,
                                const ElementPlace &accessed,
                                const ElementPlace &named, Value mask) {
  Location loc = op.getLoc();
  Value source = getMemory(op.getRef());
  auto type = cast<MemRefType>(source.getType());
  auto access = dyn_cast<CheckAccessOp>(op.getOperation());
  bool mayExceed = access && access.getOutside() == OutsideElements::Allowed;
  b.when(loc, mask, [&] {
    if (named.inside && !mayExceed) {
      Value one = arith::ConstantIntOp::create(b, loc, b.getI1Type(), 1);
      b.when(loc, arith::XOrIOp::create(b, loc, named.inside, one), [&] {
        SmallVector<Value> words{word(loc, type.getRank())};
        for (auto [d, place] : llvm::enumerate(named.at)) {
          Value size = memref::DimOp::create(b, loc, source, d);
          llvm::append_values(words, word(loc, d), toWord(place), word(loc, 1),
                              word(loc, 1), toWord(size));
        }
        callChecker(loc, "pallas_check_bounds", createSite(op), words);
      });
    }
    if (access)
      b.when(loc, accessed.inside, [&] {
        checkAccess(access, b.createElement(loc, source, accessed.at));
      });
  });
}

void CheckEmitter::lower(CheckTensorBoundsOp op) {
  Location loc = op.getLoc();
  Value one = arith::ConstantIntOp::create(b, loc, b.getI1Type(), 1);
  b.when(loc, arith::XOrIOp::create(b, loc, op.getInside(), one), [&] {
    callChecker(loc, "pallas_check_tensor_bounds",
                createSite(op, op.getAccessor(), "its tensor"), {});
  });
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

/// For example, for the elements of a gather:
///
///   scf.for %k = %c0 to %c3 step %c1 {
///     scf.if %outside {
///       llvm.call @pallas_check_bounds(%site, ..., %index, ...)
///     }
///     scf.if %inside {
///       llvm.call @pallas_check_access(%site, %read, %element, ...)
///     }
///   }
LogicalResult RefLowering::checkElements(RefAccessOpInterface op, Value mask) {
  return forEachPosition(op, [&](ValueRange position) {
    Location loc = op.getLoc();
    ElementPlace accessed = createPlace(op, position, /*asNamed=*/false),
                 named = createPlace(op, position, /*asNamed=*/true);
    checker.checkElement(op, accessed, named,
                         mask ? createElementAt(b, loc, mask, position)
                              : Value());
  });
}

/// A slice is checked as a whole. Elements that indices or a mask select, or
/// that are updated one after the other, are checked one by one, so that a
/// message names the one at fault.
LogicalResult RefLowering::lowerCheckAccess(CheckAccessOp op) {
  auto access = cast<RefAccessOpInterface>(op.getOperation());
  if (op.getIndexer().hasGather() || op.getMask() ||
      op.getOutside() != OutsideElements::Moved ||
      op.getKind() == CheckedAccess::Atomic) {
    if (failed(checkElements(access, op.getMask())))
      return failure();
  } else {
    checker.checkBounds(access);
    FailureOr<Value> view = createView(access);
    if (failed(view))
      return failure();
    checker.checkAccess(op, *view);
  }
  b.eraseOp(op);
  return success();
}

LogicalResult RefLowering::lowerCheckBounds(CheckBoundsOp op) {
  auto access = cast<RefAccessOpInterface>(op.getOperation());
  if (!op.getIndexer().hasGather())
    checker.checkBounds(access);
  else if (failed(checkElements(access, /*mask=*/Value())))
    return failure();
  b.eraseOp(op);
  return success();
}

/// Elements that the load finds count as written:
///
///   llvm.call @pallas_check_region(%name, %unwritten, ...)
///   scf.for %k = %c0 to %c4 step %c1 {
///     scf.if %selected {
///       llvm.call @pallas_check_access(%site, %write, ...)
///     }
///   }
///   llvm.call @pallas_check_access(%site, %read, ...)
LogicalResult RefLowering::lowerCheckLeftOut(CheckLeftOutOp op) {
  auto access = cast<RefAccessOpInterface>(op.getOperation());
  Location loc = op.getLoc();
  Type type = op.getValue().getType();
  Value target = b.allocateValue(loc, type);
  checker.beginUnwritten(target, op.getName());
  LogicalResult result = forEachElement(
      access, [&](ValueRange, ValueRange position, Value inside) {
        Value mask = op.getMask();
        Value selected =
            mask ? createElementAt(b, loc, mask, position) : Value();
        b.when(loc, inside, [&] {
          b.when(loc, selected, [&] {
            Rectangle part(access.getAccessShape(), op.getContext());
            for (auto [d, index] : llvm::enumerate(position))
              part.select(d, index);
            checker.checkAccessTo(op, AccessKind::Write, op.getName(),
                                  b.createPart(loc, target, part));
          });
        });
      });
  b.replaceOp(op, checker.readUnwritten(op, op.getName(), target, type));
  return result;
}
