//===- PallasHoistScalarPrefetch.cpp - Scalars into scalar memory ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Index maps see scalar memory only, and kernels on TPUs capture nothing.
// Values that a call captures become prefetched operands, constants, or inputs.
//
//===----------------------------------------------------------------------===//

#include "CallEditor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "pallas/Dialect/Pallas/Analysis/MemoryFootprint.h"
#include "pallas/Dialect/Pallas/Transforms/Passes.h"
#include "pallas/Dialect/Pallas/Utils/Aliases.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASHOISTSCALARPREFETCH
#include "pallas/Dialect/Pallas/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

namespace {
/// Hoists what one call holds.
///
///   pallas.pallas_call @k grid(4) captures(%n : i32) ...
///
/// becomes
///
///   %0 = tensor.from_elements %n : tensor<1xi32>
///   pallas.pallas_call @k grid(4) prefetch(%0 : tensor<1xi32>) ...
///
/// with a load from the prefetched ref in place of each use.
class Hoisting {
public:
  Hoisting(PallasCallOp call, int64_t maxBytes)
      : editor(call), maxBytes(maxBytes) {}

  void hoistCaptures();
  void hoistInputs();

private:
  bool hoistCapture(unsigned index);
  bool replaceByConstant(unsigned index);
  bool replaceByNumPrograms(unsigned index);
  bool prefetchScalar(unsigned index);
  bool prefetchTensor(unsigned index);
  bool passAsInput(unsigned index);
  bool hoistInput(unsigned index);

  /// Explains why something stays.
  InFlightDiagnostic explain(StringRef what, unsigned index) {
    return editor.getCall().emitRemark()
           << what << " " << index + numHoisted << " stays: ";
  }
  Value getCapture(unsigned index) {
    return editor.getCall().getCaptures()[index];
  }
  /// Replaces a captured value by what `create` makes of its new ref, or of
  /// nothing, in each region that uses it.
  void replaceCapture(unsigned index,
                      function_ref<Value(OpBuilder &, unsigned)> create);

  CallEditor editor;
  int64_t maxBytes;
  /// Number of operands already hoisted, to report original positions.
  unsigned numHoisted = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Captured values
//===----------------------------------------------------------------------===//

void Hoisting::replaceCapture(
    unsigned index, function_ref<Value(OpBuilder &, unsigned)> create) {
  for (auto [region, argument] :
       llvm::enumerate(editor.getCaptureArguments(index))) {
    if (argument.use_empty())
      continue;
    // Each region reads its own ref, at its start.
    OpBuilder builder = OpBuilder::atBlockBegin(argument.getOwner());
    argument.replaceAllUsesWith(create(builder, region));
  }
  editor.dropCapture(index);
}

/// A constant needs no memory: each region gets its own.
bool Hoisting::replaceByConstant(unsigned index) {
  Operation *constant = getCapture(index).getDefiningOp();
  if (!constant || !constant->hasTrait<OpTrait::ConstantLike>())
    return false;
  replaceCapture(index, [&](OpBuilder &builder, unsigned) {
    return builder.clone(*constant)->getResult(0);
  });
  return true;
}

/// The size of a dynamic grid dimension is known to all programs.
bool Hoisting::replaceByNumPrograms(unsigned index) {
  GridMappingOpInterface grid = editor.getGrid();
  Value value = getCapture(index);
  SmallVector<int64_t> shape = grid.getGridShape();
  auto operand = grid.getDynamicGridOperands().begin();
  for (unsigned axis = 0, dim = 0; dim < shape.size(); ++dim) {
    bool isVmapped =
        llvm::is_contained(grid.getVmappedDimensions(), int64_t(dim));
    // Positions of dynamic sizes advance also for dimensions that are skipped.
    bool isSame = ShapedType::isDynamic(shape[dim]) && *operand++ == value;
    if (isSame && !isVmapped) {
      replaceCapture(index, [&](OpBuilder &builder, unsigned) -> Value {
        Value number = NumProgramsOp::create(
            builder, value.getLoc(), builder.getI32Type(), uint64_t(axis));
        if (value.getType().isIndex())
          number = arith::IndexCastOp::create(builder, value.getLoc(),
                                              value.getType(), number);
        return number;
      });
      return true;
    }
    axis += !isVmapped;
  }
  return false;
}

/// A scalar becomes a table of one element.
bool Hoisting::prefetchScalar(unsigned index) {
  Value value = getCapture(index);
  Location loc = value.getLoc();
  OpBuilder &outside = editor.getBuilder();
  // Without dimensions, a tensor is a scalar.
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  Type type = value.getType(), element = getElementTypeOrSelf(type);
  if (tensor)
    value = tensor::ExtractOp::create(outside, loc, value, ValueRange());
  // Scalar memory has words; an index that was widened from one fits.
  if (type.isIndex()) {
    auto widened = value.getDefiningOp<arith::IndexCastOp>();
    if (!widened || widened.getIn().getType().getIntOrFloatBitWidth() > 32) {
      explain("captured value", index)
          << "it is an index, which may not fit into 32 bits of scalar "
             "memory; capture an i32";
      return false;
    }
    value = widened.getIn();
    element = value.getType();
  }
  Value table = tensor::FromElementsOp::create(
      outside, loc, RankedTensorType::get({1}, element), value);
  editor.appendPrefetch(table);
  SmallVector<BlockArgument> refs = editor.getPrefetchArguments(
      editor.getCall().getIndexOperands().size() - 1);
  replaceCapture(index, [&](OpBuilder &builder, unsigned region) -> Value {
    auto indexer = IndexerAttr::get(builder.getContext(), DimIndex::scalar(0));
    Value read =
        GetOp::create(builder, loc, refs[region], indexer, ValueRange());
    if (type.isIndex())
      return arith::IndexCastOp::create(builder, loc, type, read);
    if (tensor)
      return tensor::FromElementsOp::create(builder, loc, tensor, read);
    return read;
  });
  return true;
}

/// A table of which only elements are read becomes one in scalar memory; what
/// does not fit there is an input if no index map needs it.
bool Hoisting::prefetchTensor(unsigned index) {
  Value value = getCapture(index);
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<BlockArgument> arguments = editor.getCaptureArguments(index);
  bool readsElements = llvm::all_of(arguments, [](BlockArgument argument) {
    return llvm::all_of(argument.getUsers(), llvm::IsaPred<tensor::ExtractOp>);
  });
  int64_t bytes = *getElementBytes(type);
  if (!readsElements || bytes > maxBytes) {
    // Only the kernel reads it, so it can be an input.
    if (llvm::all_of(ArrayRef(arguments).drop_front(),
                     [](BlockArgument inMap) { return inMap.use_empty(); }))
      return passAsInput(index);
    InFlightDiagnostic diag = explain("captured value", index);
    diag << "an index map reads it, which sees nothing but scalar memory, and ";
    if (readsElements)
      diag << "it has " << bytes << " bytes, more than the " << maxBytes
           << " of it that max-bytes allows";
    else
      diag << "not all of its uses read single elements";
    return false;
  }
  editor.appendPrefetch(value);
  SmallVector<BlockArgument> refs = editor.getPrefetchArguments(
      editor.getCall().getIndexOperands().size() - 1);
  for (auto [argument, ref] :
       llvm::zip_equal(editor.getCaptureArguments(index), refs))
    for (Operation *user : llvm::make_early_inc_range(argument.getUsers())) {
      auto extract = cast<tensor::ExtractOp>(user);
      OpBuilder builder(extract);
      SmallVector<DimIndex> entries(type.getRank(),
                                    DimIndex::scalar(ShapedType::kDynamic));
      Value read =
          GetOp::create(builder, extract.getLoc(), ref,
                        IndexerAttr::get(builder.getContext(), entries),
                        extract.getIndices());
      extract.replaceAllUsesWith(read);
      extract.erase();
    }
  editor.dropCapture(index);
  return true;
}

/// An array that only the kernel reads is an input like others.
bool Hoisting::passAsInput(unsigned index) {
  Value value = getCapture(index);
  auto space = MemorySpaceAttr::get(value.getContext(), MemorySpace::Default);
  BlockArgument ref = editor.appendInput(value, space);
  replaceCapture(index, [&](OpBuilder &builder, unsigned) -> Value {
    return GetOp::create(builder, value.getLoc(), ref);
  });
  return true;
}

/// The cheapest form first: nothing to store, then scalar memory, then an
/// input.
bool Hoisting::hoistCapture(unsigned index) {
  Type type = getCapture(index).getType();
  if (isa<RefType, AccumulatorType>(type)) {
    explain("captured value", index)
        << "it is a ref, which pallas-discharge-state makes an operand";
    return false;
  }
  if (replaceByConstant(index) || replaceByNumPrograms(index))
    return true;
  auto tensor = dyn_cast<RankedTensorType>(type);
  Type element = getElementTypeOrSelf(type);
  if ((!tensor && !type.isIntOrIndexOrFloat()) ||
      !(element.isIndex() || RefType::isValidElementType(element)) ||
      (tensor && (!getElementBytes(tensor) || element.isIndex() ||
                  llvm::is_contained(tensor.getShape(), 0)))) {
    explain("captured value", index)
        << "its type " << type << " is none that memory can hold";
    return false;
  }
  if (!tensor || tensor.getRank() == 0)
    return prefetchScalar(index);
  return prefetchTensor(index);
}

/// A hoisted capture leaves its position to the next one.
void Hoisting::hoistCaptures() {
  numHoisted = 0;
  for (unsigned index = 0; index < editor.getCall().getCaptures().size();)
    ++(hoistCapture(index) ? numHoisted : index);
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// A read of one element, which scalar memory can serve.
static bool readsScalar(Operation *user) {
  auto get = dyn_cast<GetOp>(user);
  return get && !isa<ShapedType>(get.getResult().getType());
}

/// An input of which the kernel reads single elements only is prefetched.
/// Everything that speaks against it is a remark.
bool Hoisting::hoistInput(unsigned index) {
  PallasCallOp call = editor.getCall();
  GridMappingOpInterface grid = editor.getGrid();
  BlockArgument ref = grid.sliceBlockOps()[index];
  if (!llvm::any_of(ref.getUsers(), readsScalar))
    return false;
  auto refuse = [&]() { return explain("input", index); };
  auto type = dyn_cast<RankedTensorType>(call.getInputs()[index].getType());
  if (!type || !getElementBytes(type)) {
    refuse() << "its type is " << call.getInputs()[index].getType();
    return false;
  }
  if (!grid.hasTrivialWindow(index)) {
    refuse() << "its window is not the whole array";
    return false;
  }
  for (Operation *user : ref.getUsers())
    if (!readsScalar(user)) {
      InFlightDiagnostic diag = refuse();
      diag << "not all of its uses read single elements";
      diag.attachNote(user->getLoc()) << "as this one does not";
      return false;
    }
  // Squeezed dimensions are in the array, but not in the ref.
  if (cast<RefType>(ref.getType()).getShape() != type.getShape()) {
    refuse() << "its block has squeezed dimensions";
    return false;
  }
  if (std::optional<unsigned> output = findAliasedOutput(grid, index)) {
    refuse() << "it is aliased to output " << *output;
    return false;
  }
  int64_t bytes = *getElementBytes(type);
  if (bytes > maxBytes) {
    refuse() << "it has " << bytes << " bytes, more than the " << maxBytes
             << " of scalar memory that max-bytes allows";
    return false;
  }
  editor.appendPrefetch(call.getInputs()[index]);
  ref.replaceAllUsesWith(
      editor.getPrefetchArguments(call.getIndexOperands().size() - 1).front());
  editor.dropInput(index);
  return true;
}

void Hoisting::hoistInputs() {
  numHoisted = 0;
  for (unsigned index = 0; index < editor.getCall().getInputs().size();)
    ++(hoistInput(index) ? numHoisted : index);
}

namespace {
struct HoistScalarPrefetchPass
    : public pallas::impl::PallasHoistScalarPrefetchBase<
          HoistScalarPrefetchPass> {
  using PallasHoistScalarPrefetchBase::PallasHoistScalarPrefetchBase;

  void runOnOperation() override {
    SmallVector<PallasCallOp> calls;
    getOperation()->walk([&](PallasCallOp call) { calls.push_back(call); });
    for (PallasCallOp call : calls) {
      Hoisting hoisting(call, maxBytes);
      hoisting.hoistCaptures();
      if (inputs)
        hoisting.hoistInputs();
    }
  }
};
} // namespace
