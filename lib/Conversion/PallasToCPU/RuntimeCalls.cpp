//===- RuntimeCalls.cpp - Addresses, and calls of the runtime -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file creates addresses, descriptors and constants of the LLVM dialect,
// and calls of the runtime. Upstream's lowering turns the rest into LLVM later;
// the casts between memrefs and descriptors that remain here then fold away.
//
//===----------------------------------------------------------------------===//

#include "MemoryBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Dialect/Pallas/Utils/CompilerParams.h"
#include "pallas/Support/Widths.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

///   %base = memref.extract_aligned_pointer_as_index %view : memref<8xf32>
///   %word = arith.index_cast %base : index to i64
///   %address = llvm.inttoptr %word : i64 to !llvm.ptr
Value MemoryBuilder::getAddress(Location loc, Value view) {
  auto type = cast<MemRefType>(view.getType());
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(*this, loc, view);
  if (!type.getLayout().isIdentity()) {
    Value offset =
        memref::ExtractStridedMetadataOp::create(*this, loc, view).getOffset();
    Value bytes = createIndex(loc, getByteWidth(type.getElementType()));
    offset = arith::MulIOp::create(*this, loc, offset, bytes);
    base = arith::AddIOp::create(*this, loc, base, offset);
  }
  Value address = arith::IndexCastOp::create(*this, loc, getI64Type(), base);
  return LLVM::IntToPtrOp::create(
      *this, loc, LLVM::LLVMPointerType::get(getContext()), address);
}

/// The struct that a memref is lowered to.
static LLVM::LLVMStructType getDescriptorType(MemRefType type) {
  MLIRContext *context = type.getContext();
  Type pointer = LLVM::LLVMPointerType::get(context);
  Type word = IntegerType::get(context, 64);
  SmallVector<Type> parts{pointer, pointer, word};
  if (type.getRank()) {
    parts.append(2, LLVM::LLVMArrayType::get(word, type.getRank()));
  }
  return LLVM::LLVMStructType::getLiteral(context, parts);
}

/// Builds the descriptor of memory that the runtime allocated: both pointers
/// are the address, the offset is zero and the strides are those of a dense
/// array.
Value MemoryBuilder::wrapAddress(Location loc, Value address, MemRefType type) {
  Value descriptor = LLVM::UndefOp::create(*this, loc, getDescriptorType(type));
  auto insert = [&](Value value, ArrayRef<int64_t> position) {
    descriptor =
        LLVM::InsertValueOp::create(*this, loc, descriptor, value, position);
  };
  insert(address, 0);
  insert(address, 1);
  insert(createInteger(loc, 0, 64), 2);
  int64_t stride = 1;
  for (int64_t d = type.getRank(); d > 0; --d) {
    insert(createInteger(loc, type.getDimSize(d - 1), 64), {3, d - 1});
    insert(createInteger(loc, stride, 64), {4, d - 1});
    stride *= type.getDimSize(d - 1);
  }
  return UnrealizedConversionCastOp::create(*this, loc, type, descriptor)
      .getResult(0);
}

/// Only the aligned pointer (field 1) moves; the view is never deallocated
/// through this descriptor.
Value MemoryBuilder::moveView(Location loc, Value view, Value offset) {
  auto type = cast<MemRefType>(view.getType());
  Value descriptor = UnrealizedConversionCastOp::create(
                         *this, loc, getDescriptorType(type), view)
                         .getResult(0);
  Value base = LLVM::ExtractValueOp::create(*this, loc, descriptor, 1);
  Type pointer = base.getType();
  base = LLVM::PtrToIntOp::create(*this, loc, getI64Type(), base);
  base = arith::AddIOp::create(*this, loc, base, offset);
  base = LLVM::IntToPtrOp::create(*this, loc, pointer, base);
  descriptor = LLVM::InsertValueOp::create(*this, loc, descriptor, base, 1);
  return UnrealizedConversionCastOp::create(*this, loc, type, descriptor)
      .getResult(0);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Equal texts of a function share one global.
Value MemoryBuilder::createString(Location loc, StringRef text) {
  auto module = func->getParentOfType<ModuleOp>();
  std::string bytes = (text + Twine('\0')).str();
  auto type = LLVM::LLVMArrayType::get(getI8Type(), bytes.size());
  std::string &name = texts[text];
  if (name.empty()) {
    name = ("_pallas_text_" + func.getName() + "_" + Twine(texts.size())).str();
    OpBuilder::InsertionGuard guard(*this);
    setInsertionPointToStart(module.getBody());
    LLVM::GlobalOp::create(*this, loc, type, /*isConstant=*/true,
                           LLVM::Linkage::Internal, name, getStringAttr(bytes));
  }
  return LLVM::AddressOfOp::create(
      *this, loc, LLVM::LLVMPointerType::get(getContext()), name);
}

Value MemoryBuilder::getPlace(Location loc) {
  std::string text;
  llvm::raw_string_ostream(text) << loc;
  return createString(loc, text);
}

/// Declares the function where this is its first call.
Value MemoryBuilder::callRuntime(Location loc, StringRef name,
                                 ValueRange arguments, Type result) {
  auto module = func->getParentOfType<ModuleOp>();
  if (!module.lookupSymbol(name)) {
    OpBuilder::InsertionGuard guard(*this);
    setInsertionPointToStart(module.getBody());
    auto type = LLVM::LLVMFunctionType::get(
        result ? result : LLVM::LLVMVoidType::get(getContext()),
        llvm::to_vector(arguments.getTypes()));
    LLVM::LLVMFuncOp::create(*this, loc, name, type);
  }
  auto call = LLVM::CallOp::create(
      *this, loc, result ? TypeRange(result) : TypeRange(), name, arguments);
  return result ? call.getResult() : Value();
}

/// The call goes on afterwards, so the code behind it has to stay in bounds.
/// The engine reports the first error when the call returns.
void MemoryBuilder::failIf(Operation *op, Value condition, const Twine &message,
                           StringRef function, ValueRange values) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << op->getLoc() << ": " << message;
  auto branch = scf::IfOp::create(*this, op->getLoc(), condition);
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPoint(branch.thenBlock()->getTerminator());
  SmallVector<Value> arguments{createString(op->getLoc(), text)};
  llvm::append_range(arguments, values);
  callRuntime(op->getLoc(), function, arguments);
}

/// Devices run the same code, so the number of a site is the same on all.
Value MemoryBuilder::createSiteNumber(Location loc) {
  return createInteger(loc, numSites++, 64);
}

/// The device owns this semaphore and outlives the call, so the runtime keeps
/// it. It has an address but no allocation here.
Value MemoryBuilder::getBarrierSemaphore(Location loc, int64_t collectiveId) {
  Value address = callRuntime(loc, "pallas_rt_barrier_semaphore",
                              {createInteger(loc, collectiveId, 32)},
                              LLVM::LLVMPointerType::get(getContext()));
  return wrapAddress(loc, address, MemRefType::get({}, getI32Type()));
}
