//===- Checks.cpp - What checked execution is told ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file emits the calls of checked mode that concern grids;
// MemoryChecks.cpp has those about memory, and SynchronizationChecks.cpp those
// that order accesses. Every event is one call of the runtime. Its arguments
// are the source location and the memory: an address, then the size and the
// stride of each dimension. The runtime finds shadow memory by address, so the
// memory itself stays as it is in plain code.
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "Buffers.h"
#include "Hazards.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "pallas/Dialect/Pallas/Utils/GridWindows.h"
#include "pallas/Dialect/Pallas/Utils/KernelNames.h"
#include "pallas/Dialect/Pallas/Utils/Locations.h"
#include "pallas/Dialect/Pallas/Utils/ProgramOrder.h"
#include "pallas/Dialect/Pallas/Utils/RootRefs.h"
#include "pallas/Dialect/Pallas/Utils/TensorParts.h"
#include "pallas/Support/Widths.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

/// A place in the source as the runtime reads it: location, operation, ref, and
/// the ref that a copy writes to. The runtime splits the text at line ends only
/// when it reports something, so that a check costs the address of a constant.
Value CheckEmitter::createSite(Operation *op, StringRef name,
                               const Twine &subject) {
  return b.createString(
      op->getLoc(),
      (spellLocation(op) + Twine("\n") + name + "\n" + subject).str());
}

/// Of the access that a check is about.
Value CheckEmitter::createSite(RefAccessOpInterface check) {
  auto access = dyn_cast<CheckAccessOp>(check.getOperation());
  return createSite(check, getCheckedName(check),
                    access
                        ? access.getName()
                        : cast<CheckBoundsOp>(check.getOperation()).getName());
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// Calls a function of the checker: the leading arguments have the same types
/// in every call, the others are integers of 64 bits. For example:
///
///   llvm.call @pallas_check_access(%site, %kind, %address, %bytes, %rank,
///       %size, %stride) vararg(!llvm.func<void (ptr, ...)>) : ...
///
/// The functions are variadic since the number of sizes depends on the rank.
void CheckEmitter::callChecker(Location loc, StringRef name, ValueRange leading,
                               ValueRange rest) {
  auto module = func->getParentOfType<ModuleOp>();
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(b.getContext()),
      llvm::to_vector(leading.getTypes()), /*isVarArg=*/true);
  if (!module.lookupSymbol(name)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    LLVM::LLVMFuncOp::create(b, loc, name, type);
  }
  SmallVector<Value> arguments(leading);
  llvm::append_range(arguments, rest);
  LLVM::CallOp::create(b, loc, type, name, arguments);
}

/// Sign-extends to 64 bits: starts may be negative, and the runtime has to see
/// that.
Value CheckEmitter::toWord(Value value) {
  Type word = b.getI64Type();
  Location loc = value.getLoc();
  if (value.getType().isIndex())
    return arith::IndexCastOp::create(b, loc, word, value);
  if (value.getType().getIntOrFloatBitWidth() < 64)
    return arith::ExtSIOp::create(b, loc, word, value);
  return value;
}

SmallVector<Value> CheckEmitter::toWords(ValueRange values) {
  return llvm::map_to_vector(values,
                             [&](Value value) { return toWord(value); });
}

Value CheckEmitter::word(Location loc, int64_t value) {
  return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
}

/// Appends address, element size, rank, sizes and strides of a memory. For
/// example, for a row of a 4x8 array of f32: its address, 4, 1, 8, 1.
void CheckEmitter::appendView(SmallVectorImpl<Value> &words, Value view) {
  Location loc = view.getLoc();
  auto type = cast<MemRefType>(view.getType());
  int64_t bytes = getByteWidth(type.getElementType());
  auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, view);
  Value start = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, view);
  Value offset = arith::MulIOp::create(b, loc, metadata.getOffset(),
                                       b.createIndex(loc, bytes));
  words.push_back(toWord(arith::AddIOp::create(b, loc, start, offset)));
  words.push_back(word(loc, bytes));
  words.push_back(word(loc, type.getRank()));
  for (ValueRange values : {metadata.getSizes(), metadata.getStrides()})
    for (Value value : values)
      words.push_back(toWord(value));
}

void CheckEmitter::callAccess(Location loc, Value site, AccessKind kind,
                              Value view, StringRef callee) {
  SmallVector<Value> words{word(loc, static_cast<int64_t>(kind))};
  appendView(words, view);
  callChecker(loc, callee, site, words);
}

//===----------------------------------------------------------------------===//
// Grids
//===----------------------------------------------------------------------===//

/// Grids nest, as pipelines run inside of calls.
void CheckEmitter::lower(CheckGridBeginOp op) {
  beginBuffers(b, op.getLoc(), op.getWindows());
  callChecker(op.getLoc(), "pallas_check_grid_begin",
              createSite(op, op.getAccessor(), op.getKernel()), {});
  SmallVector<Value> words;
  for (Value array : op.getShared())
    appendView(words, getMemory(array));
  if (!words.empty())
    callChecker(op.getLoc(), "pallas_check_shared_arrays",
                word(op.getLoc(), op.getShared().size()), words);
}

void CheckEmitter::lower(CheckGridEndOp op) {
  Location loc = op.getLoc();
  callChecker(loc, "pallas_check_grid_end", word(loc, 0), {});
  endBuffers(b, loc, countBuffers(op.getWindows()));
}

/// The runtime links both regions.
void CheckEmitter::lower(CheckAliasOp op) {
  SmallVector<Value> words;
  appendView(words, getMemory(op.getInput()));
  appendView(words, getMemory(op.getOutput()));
  words.push_back(word(op.getLoc(), op.getBuffered()));
  Value leading = words.front();
  callChecker(op.getLoc(), "pallas_check_alias", leading,
              ArrayRef(words).drop_front());
}

///   pallas.check_program(%i, %j) parallel(%i)
///       scratch(%s : !pallas.ref<8xf32, vmem>)
///
/// becomes
///
///   llvm.call @pallas_check_program(%c2, %i, %j)
///   llvm.call @pallas_check_parallel(%c1, %i, %c1, %address, ...)
void CheckEmitter::lower(CheckProgramOp op) {
  Location loc = op.getLoc();
  callChecker(loc, "pallas_check_program", word(loc, op.getIds().size()),
              toWords(op.getIds()));
  SmallVector<Value> words = toWords(op.getParallelIds());
  if (words.empty())
    return;
  Value count = word(loc, words.size());
  words.push_back(word(loc, op.getScratch().size()));
  for (Value ref : op.getScratch())
    appendView(words, getMemory(ref));
  callChecker(loc, "pallas_check_parallel", count, words);
}

/// Outputs are unwritten when a program comes to a new window, except where
/// they are the array itself. The start is that of the indices, and not the one
/// of the window, which lies inside of the array for sure:
///
///   %start = arith.muli %i, %c8 : index
void CheckEmitter::lower(CheckWindowOp op) {
  Location loc = op.getLoc();
  int64_t flags = (op.getOutput() ? kOutputWindow : 0) |
                  (op.getReturning() ? kReturningWindow : 0) |
                  (op.getBuffered() ? kBufferedWindow : 0);
  BlockMappingAttr mapping = op.getMapping();
  PipelineModeAttr mode = mapping.getPipelineMode();
  int64_t delay = mode && !op.getOutput() ? mode.getDelayRelease() : 0;
  SmallVector<Value> words{word(loc, op.getIndex()), word(loc, flags),
                           word(loc, delay)};
  appendView(words, getMemory(op.getWindow()));
  words.push_back(word(loc, op.getIndices().size()));
  for (auto [index, dim, size] :
       llvm::zip_equal(op.getIndices(), mapping.getDims(),
                       op.getArray().getType().getShape()))
    llvm::append_values(
        words, toWord(b.createWindowStart(loc, dim, index)),
        word(loc, dim.getKind() == BlockDimKind::Squeezed ? 1 : dim.getSize()),
        word(loc, dim.getPadLow()), word(loc, size));
  callChecker(loc, "pallas_check_window",
              createSite(op, op.getAccessor(), op.getName()), words);
}

/// Reports elements of an output that no program wrote. The block is empty if
/// the output is not blocked; otherwise messages name the block.
void CheckEmitter::lower(CheckOutputOp op) {
  Location loc = op.getLoc();
  SmallVector<Value> words;
  appendView(words, getMemory(op.getOutput()));
  words.push_back(word(loc, op.getBlock().size()));
  for (int64_t size : op.getBlock())
    words.push_back(word(loc, size));
  callChecker(loc, "pallas_check_output",
              createSite(op, op.getAccessor(), op.getName()), words);
}
