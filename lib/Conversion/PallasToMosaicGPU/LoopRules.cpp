//===- LoopRules.cpp - Loops over elements --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves of elements come as linalg.generic, whose loops lanes share:
//
//   %y = linalg.generic {maps = [(i, j) -> (j, i), (i, j) -> (i, j)]} ins(%x)
// becomes
//   "mosaic_gpu.vector_store"(%x, %in)
//   scf.for %p = %lane to 4096 step 128 {
//     %e = memref.load %in[%j, %i];  memref.store %e, %out[%i, %j]
//   }
//   %y = "mosaic_gpu.vector_load"(%out)
//
//===----------------------------------------------------------------------===//

#include "ElementLoops.h"
#include "Rules.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "pallas/Dialect/Pallas/Utils/Elements.h"

using namespace mlir;
using namespace mlir::pallas;

namespace {
/// Writes the loops of one operation.
class GenericEmitter {
public:
  GenericEmitter(linalg::GenericOp op, KernelEmitter &emit)
      : op(op), emit(emit), ranges(op.getStaticLoopRanges()) {}
  LogicalResult run();

private:
  LogicalResult spillOperands();
  LogicalResult checkBody();
  void emitPosition(ValueRange position);
  SmallVector<Value> emitReduction(unsigned number, ValueRange carried);
  SmallVector<Value> emitBody(ValueRange carried);
  SmallVector<Value> applyMap(OpOperand &operand);

  linalg::GenericOp op;
  KernelEmitter &emit;
  SmallVector<int64_t> ranges;
  SmallVector<unsigned> reduced;
  /// The index of each loop, where the body is written.
  SmallVector<Value> indices;
  /// Inputs, and tensors that the body reads by itself.
  DenseMap<Value, ElementArray> arrays;
  SmallVector<ElementArray> results;
};
} // namespace

/// Before anything is written, so that an error leaves no half of a loop.
LogicalResult GenericEmitter::checkBody() {
  for (Operation &nested : op.getBody()->without_terminator()) {
    if (!isa<linalg::IndexOp, tensor::ExtractOp>(nested) &&
        !isa_and_present<arith::ArithDialect, math::MathDialect>(
            nested.getDialect()))
      return nested.emitOpError("has no form in loops over elements; on GPUs "
                                "they compute by arith and math");
    for (Value operand : nested.getOperands())
      if (operand.getParentBlock() != op.getBody() &&
          !isa<ShapedType>(operand.getType()) && failed(emit.getValue(operand)))
        return failure();
  }
  return success();
}

/// Lanes read elements that other lanes hold, so all tensors go to shared
/// memory.
LogicalResult GenericEmitter::spillOperands() {
  auto spill = [&](Value tensor) -> LogicalResult {
    if (arrays.count(tensor))
      return success();
    FailureOr<ElementArray> array = spillElements(emit, tensor);
    if (failed(array))
      return failure();
    arrays[tensor] = *array;
    return success();
  };
  for (Value input : op.getInputs())
    if (failed(spill(input)))
      return failure();
  for (auto extract : op.getBody()->getOps<tensor::ExtractOp>())
    if (failed(spill(extract.getTensor())))
      return failure();
  for (OpOperand &init : op.getDpsInitsMutable())
    if (op.payloadUsesValueFromOperand(&init) && failed(spill(init.get())))
      return failure();
  for (Type type : op.getResultTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    results.push_back(
        allocateElements(emit, tensor.getShape(), tensor.getElementType()));
  }
  return success();
}

/// Where the element of an operand is, in terms of the loops.
SmallVector<Value> GenericEmitter::applyMap(OpOperand &operand) {
  std::optional<SmallVector<Value, 8>> position = affine::expandAffineMap(
      emit.b, emit.loc, op.getMatchingIndexingMap(&operand), indices);
  return llvm::to_vector_of<Value>(*position);
}

/// The elements that the body yields, from those that it has combined so far.
SmallVector<Value> GenericEmitter::emitBody(ValueRange carried) {
  Block &body = *op.getBody();
  IRMapping mapping;
  for (OpOperand *input : op.getDpsInputOperands())
    mapping.map(op.getMatchingBlockArgument(input),
                loadElement(emit, arrays[input->get()], applyMap(*input)));
  mapping.map(op.getRegionOutputArgs(), carried);
  auto map = [&](Value value) {
    if (!mapping.contains(value) && value.getParentBlock() != &body)
      return emit.values.lookup(value);
    return mapping.lookup(value);
  };
  for (Operation &nested : body.without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(nested)) {
      mapping.map(index.getResult(), indices[index.getDim()]);
    } else if (auto extract = dyn_cast<tensor::ExtractOp>(nested)) {
      SmallVector<Value> at = llvm::map_to_vector(extract.getIndices(), map);
      mapping.map(extract.getResult(),
                  loadElement(emit, arrays[extract.getTensor()], at));
    } else {
      for (Value operand : nested.getOperands())
        mapping.map(operand, map(operand));
      emit.b.clone(nested, mapping);
    }
  }
  return llvm::map_to_vector(body.getTerminator()->getOperands(), map);
}

/// A loop per reduced dimension, from `number` on.
SmallVector<Value> GenericEmitter::emitReduction(unsigned number,
                                                 ValueRange carried) {
  if (number == reduced.size())
    return emitBody(carried);
  return forEachStep(emit, ranges[reduced[number]], carried,
                     [&](Value index, ValueRange values) {
                       indices[reduced[number]] = index;
                       return emitReduction(number + 1, values);
                     });
}

/// A lane computes whole elements of the result: reduced dimensions are loops
/// within it, so no sum crosses lanes.
void GenericEmitter::emitPosition(ValueRange position) {
  indices.assign(ranges.size(), Value());
  unsigned taken = 0;
  for (auto [dim, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::parallel)
      indices[dim] = position[taken++];
  SmallVector<Value> carried;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    if (op.payloadUsesValueFromOperand(&init)) {
      carried.push_back(loadElement(emit, arrays[init.get()], applyMap(init)));
      continue;
    }
    Type element = getElementTypeOrSelf(init.get().getType());
    carried.push_back(arith::ConstantOp::create(emit.b, emit.loc,
                                                emit.b.getZeroAttr(element)));
  }
  SmallVector<Value> values = emitReduction(0, carried);
  for (auto [init, array, value] :
       llvm::zip_equal(op.getDpsInitsMutable(), results, values))
    storeElement(emit, array, applyMap(init), value);
}

/// Parallel loops are shared among lanes, reductions are not.
LogicalResult GenericEmitter::run() {
  if (failed(checkBody()))
    return failure();
  ScratchScope scratch(emit);
  if (failed(spillOperands()))
    return failure();
  SmallVector<int64_t> shape;
  for (auto [dim, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::parallel)
      shape.push_back(ranges[dim]);
    else
      reduced.push_back(dim);
  forEachPosition(emit, shape,
                  [&](ValueRange position) { emitPosition(position); });
  for (auto [result, array] : llvm::zip_equal(op.getResults(), results))
    emit.values[result] = loadVector(emit, array);
  return success();
}

/// Whether all elements of the result are one scalar.
static Value getFilling(linalg::GenericOp op) {
  if (op.getNumResults() != 1)
    return {};
  Value yielded = op.getBody()->getTerminator()->getOperand(0);
  if (yielded.getParentBlock() != op.getBody())
    return yielded;
  auto argument = dyn_cast<BlockArgument>(yielded);
  if (!argument || argument.getArgNumber() >= op.getNumDpsInputs())
    return {};
  Value input = op.getDpsInputOperand(argument.getArgNumber())->get();
  return isa<ShapedType>(input.getType()) ? Value() : input;
}

/// A result that is one scalar everywhere needs no memory.
static LogicalResult convertGeneric(linalg::GenericOp op, KernelEmitter &emit) {
  Value filling = getFilling(op);
  if (!filling)
    return GenericEmitter(op, emit).run();
  FailureOr<Value> scalar = emit.getValue(filling);
  if (failed(scalar))
    return failure();
  emit.values[op.getResult(0)] = broadcastScalar(
      emit, *scalar, KernelEmitter::convertType(op.getResult(0).getType()));
  return success();
}

/// Memory for a result is taken where it is written. A loop that carries the
/// result from nothing on begins with zeros, which are dead otherwise.
static LogicalResult convertEmpty(tensor::EmptyOp op, KernelEmitter &emit) {
  Type type = KernelEmitter::convertType(op.getType());
  if (llvm::any_of(op->getUsers(), llvm::IsaPred<LoopLikeOpInterface>))
    emit.values[op] = createZero(emit.b, emit.loc, type);
  return success();
}

/// All lanes load the same element, after the one that holds it has stored it.
static LogicalResult convertElement(tensor::ExtractOp op, KernelEmitter &emit) {
  FailureOr<SmallVector<Value>> indices = emit.getValues(op.getIndices());
  FailureOr<Value> value = emit.getValue(op.getTensor());
  if (failed(indices) || failed(value))
    return failure();
  ScratchScope scratch(emit);
  ElementArray array =
      spillElements(emit, *value, op.getTensor().getType().getShape());
  if (!array.scalar)
    emit.syncWarpgroup();
  emit.values[op] = loadElement(emit, array, *indices);
  return success();
}

void mlir::pallas::addLoopRules(RuleTable &rules) {
  rules.add<linalg::GenericOp>(convertGeneric);
  rules.add<tensor::EmptyOp>(convertEmpty);
  rules.add<tensor::ExtractOp>(convertElement);
}
