//===- ArrayPlacement.cpp - Arrays that XLA keeps in VMEM -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments and results of a program are in HBM. What XLA itself computes on
// the way to a kernel or from it stays in VMEM, and blocks of such arrays are
// not copied:
//
//   func.func @main(%x: tensor<17x259xf32>, %y: tensor<24x128xf32>)
//     %p = tensor.pad %x ...
//     %r = call @kernel_call(%p, %y)     %p in VMEM, %y too: see isPrefetched
//     return %r                          %r in HBM
//
// XLA also computes where the program does not: it chooses layouts of arguments
// and results that waste little of a tile, and kernels want rows in order.
//
//===----------------------------------------------------------------------===//

#include "ArrayPlacement.h"
#include "pallas/Dialect/MosaicTPU/IR/KernelAttributes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tpu;

static constexpr int64_t kLanes = 128, kRows = 8;
/// Arrays beyond this share VMEM with nothing else.
static constexpr int64_t kMostBytes = int64_t(32) << 20;

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

/// Booleans take a byte.
static int64_t getBits(RankedTensorType type) {
  Type element = type.getElementType();
  return element.isIntOrFloat()
             ? std::max<int64_t>(8, element.getIntOrFloatBitWidth())
             : 32;
}

/// Tiles have 8 rows, or as few as the array has; narrow elements share words.
static int64_t getTileRows(int64_t rows, int64_t bits) {
  int64_t packed = std::max<int64_t>(1, 32 / bits);
  return std::min(kRows, std::max(packed, int64_t(llvm::PowerOf2Ceil(
                                              std::max<int64_t>(1, rows)))));
}

/// Bytes of an array whose elements follow each other along `lane` and then
/// along `row`, tiles filled up.
static int64_t getBytes(RankedTensorType type, int64_t row, int64_t lane) {
  int64_t bits = getBits(type), elements = 1;
  for (auto [dim, size] : llvm::enumerate(type.getShape())) {
    if (int64_t(dim) == lane)
      elements *= llvm::alignTo(size, kLanes);
    else if (int64_t(dim) == row)
      elements *= llvm::alignTo(size, getTileRows(size, bits));
    else
      elements *= size;
  }
  return elements * bits / 8;
}

static int64_t getBytes(RankedTensorType type) {
  return getBytes(type, type.getRank() - 2, type.getRank() - 1);
}

/// Whether XLA gives an argument or a result the layout that kernels want:
/// where another order of the dimensions fills tiles better, it does not.
/// Example: f32[24,16] takes 3 tiles with rows in order, but 2 the other way.
static bool hasKernelLayout(RankedTensorType type) {
  int64_t rank = type.getRank(), bytes = getBytes(type);
  for (int64_t lane = 0; lane < rank; ++lane)
    for (int64_t row = 0; row < rank; ++row)
      if (row != lane && getBytes(type, row, lane) < bytes)
        return false;
  return true;
}

/// Whether an operation only renames the tiles of its operand, as a reshape
/// that leaves the last two dimensions alone does.
static bool keepsTiles(Operation *op) {
  if (op->getNumOperands() != 1 || op->getNumResults() != 1)
    return false;
  auto from = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  auto to = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!from || !to || from == to || !from.hasStaticShape() ||
      !to.hasStaticShape() || from.getRank() == 0 || to.getRank() == 0 ||
      from.getElementType() != to.getElementType() ||
      from.getNumElements() != to.getNumElements() ||
      from.getShape().back() != to.getShape().back())
    return false;
  auto dropOnes = [](RankedTensorType type) {
    return llvm::filter_to_vector(type.getShape(),
                                  [](int64_t size) { return size != 1; });
  };
  // A transpose of equal sizes has the type of a reshape.
  if (op->hasAttr("permutation") && dropOnes(from) != dropOnes(to))
    return false;
  auto getRows = [](RankedTensorType type) {
    return type.getRank() > 1 ? type.getShape()[type.getRank() - 2] : 1;
  };
  int64_t bits = getBits(from);
  int64_t rows = getRows(from), newRows = getRows(to);
  int64_t tile = getTileRows(rows, bits), newTile = getTileRows(newRows, bits);
  if (rows % tile || newRows % newTile)
    return rows == newRows;
  // A single column of tiles has its rows one after the other.
  return tile == newTile || from.getShape().back() <= kLanes;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static bool isSmall(Value array) {
  auto type = dyn_cast<RankedTensorType>(array.getType());
  return type && type.hasStaticShape() && getBytes(type) <= kMostBytes;
}

/// Whether XLA moves an argument into another layout before the kernel.
static bool isRelaidOut(Value array) {
  return isa<BlockArgument>(array) &&
         !hasKernelLayout(cast<RankedTensorType>(array.getType()));
}

static Value skipReshapes(Value array) {
  while (Operation *op = array.getDefiningOp()) {
    if (!keepsTiles(op))
      break;
    array = op->getOperand(0);
  }
  return array;
}

static bool isArgument(Value array) {
  Operation *op = array.getDefiningOp();
  return !op || op->hasTrait<OpTrait::ConstantLike>();
}

static bool hasOneElement(Value array) {
  auto type = dyn_cast<RankedTensorType>(array.getType());
  return type && type.hasStaticShape() && type.getNumElements() == 1;
}

/// An argument of one element is moved to scalar memory, from where the kernel
/// fetches it, even if XLA converts it first.
static bool isScalar(Value operand) {
  Value source = operand;
  while (hasOneElement(source) && !isArgument(source) &&
         source.getDefiningOp()->getNumOperands() == 1)
    source = source.getDefiningOp()->getOperand(0);
  return hasOneElement(source) && isArgument(source);
}

/// The bytes that XLA's own operations before the call read and write.
static int64_t getBytesMoved(func::CallOp call) {
  int64_t moved = 0;
  auto add = [&](Value value, int64_t times) {
    if (isSmall(value))
      moved += times * getBytes(cast<RankedTensorType>(value.getType()));
  };
  for (BlockArgument argument : call->getBlock()->getArguments())
    if (isSmall(argument) && isRelaidOut(argument))
      add(argument, 2);
  // A scalar of any type takes a bit longer than two rows of words.
  constexpr int64_t kScalarBytes = 2 * kLanes * 4 + 1;
  for (Value operand : call.getOperands())
    if (isScalar(operand))
      moved += kScalarBytes;
  for (Operation &op : *call->getBlock()) {
    if (&op == call)
      break;
    if (keepsTiles(&op) || op.hasTrait<OpTrait::ConstantLike>())
      continue;
    for (Value operand : op.getOperands())
      add(operand, 1);
    for (Value result : op.getResults())
      add(result, 1);
  }
  return moved;
}

/// An argument is copied to VMEM ahead of the kernel if XLA has something to do
/// meanwhile that takes longer.
static bool isPrefetched(Value argument, int64_t moved) {
  return getBytes(cast<RankedTensorType>(argument.getType())) < moved;
}

static bool isOperandInVmem(Value operand, int64_t moved) {
  if (!isSmall(operand))
    return false;
  if (isScalar(operand))
    return false;
  Value source = skipReshapes(operand);
  return !isArgument(source) || isRelaidOut(source) ||
         isPrefetched(operand, moved);
}

/// Results that the program returns are in HBM; those that it goes on with, and
/// unused ones, are not.
static bool isResultInVmem(Value result) {
  // One element goes by way of scalar memory.
  if (!isSmall(result) || (hasOneElement(result) && !result.use_empty()))
    return false;
  while (result.hasOneUse() && keepsTiles(*result.user_begin()))
    result = result.user_begin()->getResult(0);
  bool isReturned = llvm::any_of(result.getUsers(), [](Operation *user) {
    return user->hasTrait<OpTrait::ReturnLike>();
  });
  return !isReturned ||
         !hasKernelLayout(cast<RankedTensorType>(result.getType()));
}

static func::CallOp findCall(func::FuncOp kernel) {
  auto module = kernel->getParentOfType<ModuleOp>();
  auto host = module ? module->getParentOfType<ModuleOp>() : ModuleOp();
  if (!host || !module.getSymName())
    return {};
  for (auto declaration : host.getOps<func::FuncOp>()) {
    auto symbol =
        declaration->getAttrOfType<FlatSymbolRefAttr>(kKernelAttrName);
    if (!symbol || symbol.getValue() != *module.getSymName())
      continue;
    auto uses = SymbolTable::getSymbolUses(declaration, host);
    if (uses)
      for (SymbolTable::SymbolUse use : *uses)
        if (auto call = dyn_cast<func::CallOp>(use.getUser()))
          return call;
  }
  return {};
}

ArrayPlacement mlir::tpu::placeArrays(func::FuncOp kernel) {
  ArrayPlacement found;
  func::CallOp call = findCall(kernel);
  if (!call)
    return found;
  int64_t moved = getBytesMoved(call);
  for (Value operand : call.getOperands()) {
    found.inVmem.push_back(isOperandInVmem(operand, moved));
    found.inSmem.push_back(isScalar(operand));
  }
  for (Value result : call.getResults()) {
    found.inVmem.push_back(isResultInVmem(result));
    found.inSmem.push_back(false);
  }
  return found;
}
