//===- embedding.cpp - A compiler that builds Pallas kernels --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands for a compiler that holds tensors and wants one of its operations to
// run as a Pallas kernel: it builds y = x + x over blocks of rows, for an x of
// its own, verifies the module and prints it.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "pallas/Dialect/Pallas/IR/PallasDialect.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"

using namespace mlir;

/// A window of `rows` whole rows of a matrix, in vector memory.
static pallas::BlockMappingAttr getRows(RankedTensorType matrix, int64_t rows) {
  MLIRContext *context = matrix.getContext();
  SmallVector<pallas::BlockDimAttr> dims;
  for (int64_t size : {rows, matrix.getDimSize(1)})
    dims.push_back(pallas::BlockDimAttr::get(
        context, pallas::BlockDimKind::Blocked, size, 0, 0));
  return pallas::BlockMappingAttr::get(
      context, dims,
      pallas::MemorySpaceAttr::get(context, pallas::MemorySpace::Vmem),
      /*pipelineMode=*/{}, /*transforms=*/{}, /*origin=*/{});
}

/// Doubles a matrix, `rows` rows at a time.
static Value buildDouble(OpBuilder &builder, Location loc,
                         TypedValue<RankedTensorType> x, int64_t rows) {
  RankedTensorType type = x.getType();
  pallas::BlockMappingAttr block = getRows(type, rows);
  auto call = pallas::PallasCallOp::create(
      builder, loc, TypeRange(type), /*grid=*/{type.getDimSize(0) / rows},
      /*dynamicGrid=*/ValueRange(), /*indexOperands=*/ValueRange(),
      /*inputs=*/ValueRange(x), {block, block});
  call.setKernelName("double");

  // Program i works on block (i, 0) of the input and of the output.
  auto indexMap = [&](OpBuilder &builder, ValueRange args) {
    Value zero = arith::ConstantIntOp::create(builder, loc, 0, 32);
    return SmallVector<Value>{args[0], zero};
  };
  for (unsigned index : {0, 1})
    call.createIndexMap(builder, index, indexMap);

  Block *kernel = call.createKernel(builder);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(kernel);
  Value read = pallas::GetOp::create(builder, loc, kernel->getArgument(0));
  Value sum = arith::AddFOp::create(builder, loc, read, read);
  pallas::SwapOp::create(builder, loc, kernel->getArgument(1), sum);
  return call.getResult(0);
}

int main() {
  DialectRegistry registry;
  registry
      .insert<pallas::PallasDialect, arith::ArithDialect, func::FuncDialect>();
  MLIRContext context(registry);
  context.loadAllAvailableDialects();

  // The tensors of the embedding compiler.
  OpBuilder builder(&context);
  Location loc = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder, loc);
  builder.setInsertionPointToEnd(module->getBody());
  auto type = RankedTensorType::get({256, 128}, builder.getF32Type());
  auto function = func::FuncOp::create(builder, loc, "main",
                                       builder.getFunctionType(type, type));
  builder.setInsertionPointToEnd(function.addEntryBlock());
  auto x = cast<TypedValue<RankedTensorType>>(function.getArgument(0));
  func::ReturnOp::create(builder, loc, buildDouble(builder, loc, x, 64));

  if (failed(verify(*module)))
    return 1;
  module->print(llvm::outs());
  return 0;
}
