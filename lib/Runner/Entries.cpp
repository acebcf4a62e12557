//===- Entries.cpp - Functions of a module that can be called -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file describes the functions of a module that can be called, and ring
// mode at their border.
//
//===----------------------------------------------------------------------===//

#include "Entries.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/TypeUtilities.h"
#include "pallas/CPU/Transforms/Passes.h"
#include "pallas/Dialect/Pallas/IR/PallasTypes.h"
#include "pallas/Dialect/Pallas/Transforms/Ring.h"
#include <cstring>

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Signatures
//===----------------------------------------------------------------------===//

/// For example, `tensor<8x?xf32>`.
std::string pallas::describe(DType dtype, ArrayRef<int64_t> shape) {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += (ShapedType::isDynamic(size) ? "?" : std::to_string(size)) + "x";
  return text + stringifyDType(dtype).str() + ">";
}

/// Fails instead of ending the process if there is not enough memory.
llvm::Expected<std::unique_ptr<llvm::WritableMemoryBuffer>>
pallas::allocateArrays(const BufferType &type, size_t count) {
  std::string name = describe(type.dtype, type.shape);
  if (ShapedType::isDynamicShape(type.shape))
    return llvm::createStringError(
        "a result of type %s has a dynamic shape, which can't be allocated",
        name.c_str());
  SmallVector<int64_t> bytes(type.shape);
  bytes.push_back(getByteSize(type.dtype));
  bytes.push_back(count);
  if (std::optional<int64_t> size = countElements(bytes))
    if (auto memory = llvm::WritableMemoryBuffer::getNewMemBuffer(*size))
      return memory;
  return llvm::createStringError(
      "there is not enough memory for a result of type %s", name.c_str());
}

/// A scalar is an array of rank zero.
static llvm::Expected<BufferType> getBufferType(Type type, StringRef function) {
  auto shaped = dyn_cast<ShapedType>(type);
  std::optional<DType> dtype =
      getDType(shaped ? shaped.getElementType() : type);
  if (!dtype || (shaped && !shaped.hasRank())) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return llvm::createStringError(
        "function '%s' has the type %s in its signature, which no buffer can "
        "hold; entries take and yield ranked tensors and scalars",
        function.str().c_str(), text.c_str());
  }
  return BufferType{*dtype, shaped ? SmallVector<int64_t>(shaped.getShape())
                                   : SmallVector<int64_t>()};
}

/// Functions of the LLVM dialect without a C interface are internal.
bool pallas::isEntry(FunctionOpInterface func, ModuleOp module) {
  if (!func.isPublic() || func.isExternal())
    return false;
  return !isa<LLVM::LLVMFuncOp>(func) ||
         (func->hasAttr(getEntryTypeAttrName()) &&
          module.lookupSymbol(("_mlir_ciface_" + func.getName()).str()));
}

/// A lowered function keeps its old type in an attribute.
llvm::Expected<EntrySignature>
pallas::getSignatureOf(FunctionOpInterface func) {
  auto lowered = func->getAttrOfType<TypeAttr>(getEntryTypeAttrName());
  auto type = dyn_cast<FunctionType>(lowered ? lowered.getValue()
                                             : func.getFunctionType());
  if (!type)
    return llvm::createStringError(
        "the attribute %s of function '%s' is not a function type",
        getEntryTypeAttrName().str().c_str(), func.getName().str().c_str());
  EntrySignature signature;
  for (Type type : type.getInputs()) {
    auto buffer = getBufferType(type, func.getName());
    if (!buffer)
      return buffer.takeError();
    signature.inputs.push_back(*buffer);
  }
  for (Type type : type.getResults()) {
    auto buffer = getBufferType(type, func.getName());
    if (!buffer)
      return buffer.takeError();
    signature.outputs.push_back(*buffer);
  }
  return signature;
}

//===----------------------------------------------------------------------===//
// Ring mode
//===----------------------------------------------------------------------===//

/// The signature of the lowered code has integers for floats.
llvm::Error
pallas::enterRing(FunctionOpInterface func, EntrySignature &signature,
                  SmallVectorImpl<const llvm::fltSemantics *> &inputs) {
  auto type = dyn_cast<FunctionType>(func.getFunctionType());
  if (!type || func->hasAttr(getEntryTypeAttrName()))
    return llvm::createStringError(
        "the module is lowered already; ring mode starts from a module that "
        "still has floats");
  for (Type input : type.getInputs()) {
    auto floatType = dyn_cast<FloatType>(getElementTypeOrSelf(input));
    inputs.push_back(floatType ? &floatType.getFloatSemantics() : nullptr);
  }
  for (auto [output, buffer] :
       llvm::zip_equal(type.getResults(), signature.outputs))
    if (auto floatType = dyn_cast<FloatType>(getElementTypeOrSelf(output)))
      if (auto dtype = getDType(
              IntegerType::get(func.getContext(), floatType.getWidth())))
        buffer.dtype = *dtype;
  return llvm::Error::success();
}

/// Converts each float to the element of the ring that it is; see `Ring` in the
/// glossary.
SmallVector<BufferView>
pallas::takeIntoRing(ArrayRef<BufferView> inputs,
                     ArrayRef<const llvm::fltSemantics *> semantics,
                     SmallVectorImpl<std::vector<char>> &elements) {
  SmallVector<BufferView> views(inputs);
  // Outside of ring mode there are no semantics, and all inputs stay.
  for (auto [view, meaning] : llvm::zip(views, semantics)) {
    if (!meaning)
      continue;
    unsigned bytes = getByteSize(view.dtype);
    int64_t count = ShapedType::getNumElements(view.shape);
    auto &memory = elements.emplace_back(bytes * count);
    for (int64_t i = 0; i < count; ++i) {
      uint64_t bits = 0;
      std::memcpy(&bits, static_cast<char *>(view.data) + i * bytes, bytes);
      APInt element = getRingElement(APFloat(*meaning, APInt(bytes * 8, bits)));
      std::memcpy(memory.data() + i * bytes, element.getRawData(), bytes);
    }
    view.data = memory.data();
  }
  return views;
}
