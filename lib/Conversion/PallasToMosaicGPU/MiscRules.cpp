//===- MiscRules.cpp - Registers, promises, printing ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rules.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::pallas;

///   pallas.set_max_registers 232 increase
/// -->
///   nvvm.setmaxregister increase 232
static LogicalResult convertRegisters(SetMaxRegistersOp op,
                                      KernelEmitter &emit) {
  NVVM::SetMaxRegisterOp::create(emit.b, emit.loc, op.getCount(),
                                 op.getIncrease()
                                     ? NVVM::SetMaxRegisterAction::increase
                                     : NVVM::SetMaxRegisterAction::decrease);
  return success();
}

/// The promise helps to prove alignments of scalars; that of a vector has no
/// operation, and is dropped.
///   %1 = pallas.multiple_of %0, [64] : i32
/// -->
///   %1 = mosaic_gpu.assume_multiple %0, 64 : i32
static LogicalResult convertMultiple(MultipleOfOp op, KernelEmitter &emit) {
  FailureOr<Value> value = emit.getValue(op.getValue());
  if (failed(value))
    return failure();
  ArrayRef<int64_t> multiples = op.getMultiples();
  bool isScalar = !isa<VectorType>((*value).getType());
  emit.values[op.getResult()] =
      isScalar && multiples.size() == 1 && multiples[0] > 0
          ? Value(mosaic_gpu::AssumeMultipleOp::create(
                emit.b, emit.loc, *value,
                emit.b.getI32IntegerAttr(multiples[0])))
          : *value;
  return success();
}

/// The compiler finds out by itself which lanes read consecutive elements.
static LogicalResult convertContiguous(MaxContiguousOp op,
                                       KernelEmitter &emit) {
  FailureOr<Value> value = emit.getValue(op.getValue());
  if (failed(value))
    return failure();
  emit.values[op.getResult()] = *value;
  return success();
}

/// Both operations have as many results as operands.
static LogicalResult convertBarrier(pallas::OptimizationBarrierOp op,
                                    KernelEmitter &emit) {
  FailureOr<SmallVector<Value>> values = emit.getValues(op.getInputs());
  if (failed(values))
    return failure();
  auto barrier =
      mosaic_gpu::OptimizationBarrierOp::create(emit.b, emit.loc, *values);
  for (auto [from, to] : llvm::zip_equal(op.getResults(), barrier.getResults()))
    emit.values[from] = to;
  return success();
}

///   pallas.grid_dependency launch
/// -->
///   nvvm.griddepcontrol launch_dependents
static LogicalResult convertDependency(GridDependencyOp op,
                                       KernelEmitter &emit) {
  NVVM::GriddepcontrolOp::create(
      emit.b, emit.loc,
      op.getLaunch() ? NVVM::GridDepActionKind::launch_dependents
                     : NVVM::GridDepActionKind::wait);
  // The launch has to ask for it, too.
  emit.prologueEnd->getParentOfType<ModuleOp>()->setAttr("mosaic_gpu.uses_pdl",
                                                         emit.b.getUnitAttr());
  return success();
}

/// NVVM has no operation for it.
///   pallas.delay %ns
/// -->
///   llvm.inline_asm "nanosleep.u32 $0;", "r" %ns
static LogicalResult convertDelay(DelayOp op, KernelEmitter &emit) {
  FailureOr<Value> nanoseconds = emit.getValue(op.getNanoseconds());
  if (failed(nanoseconds))
    return failure();
  emit.emitAssembly(Type(), *nanoseconds, "nanosleep.u32 $0;", "r");
  return success();
}

void mlir::pallas::addMiscRules(RuleTable &rules) {
  rules.add<DelayOp>(convertDelay);
  rules.add<GridDependencyOp>(convertDependency);
  rules.add<MaxContiguousOp>(convertContiguous);
  rules.add<MultipleOfOp>(convertMultiple);
  rules.add<pallas::OptimizationBarrierOp>(convertBarrier);
  rules.add<SetMaxRegistersOp>(convertRegisters);
}
