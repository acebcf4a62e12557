//===- pallas-capi-test.c - Exercises the C API ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"
#include "mlir-c/Support.h"
#include "pallas-c/Attributes.h"
#include "pallas-c/Dialects.h"
#include "pallas-c/Passes.h"
#include "pallas-c/Types.h"
#include <stdio.h>

static MlirStringRef str(const char *text) {
  return mlirStringRefCreateFromCString(text);
}

static void testRefs(MlirContext ctx) {
  MlirLocation loc = mlirLocationUnknownGet(ctx);
  MlirType f32 = mlirF32TypeGet(ctx);
  MlirAttribute vmem = pallasMemorySpaceAttrGet(ctx, str("vmem"));
  MlirAttribute none = mlirAttributeGetNull();
  const int64_t shape[] = {8, 128};
  MlirType ref = pallasRefTypeGetChecked(loc, 2, shape, f32, vmem, none);
  mlirTypeDump(ref);
  fprintf(stderr, "rank %d, dim %d, value ", (int)pallasRefTypeGetRank(ref),
          (int)pallasRefTypeGetDimSize(ref, 1));
  mlirTypeDump(pallasRefTypeGetValueType(ref));
  fprintf(stderr, "%d %d\n", pallasTypeIsARef(ref), pallasTypeIsARef(f32));
  mlirTypeDump(pallasRefTypeGetElementType(ref));
  MlirAttribute space = pallasRefTypeGetMemorySpace(ref);
  MlirStringRef name = pallasMemorySpaceAttrGetName(space);
  fprintf(stderr, "space %.*s %d, transforms %d\n", (int)name.length, name.data,
          pallasAttrIsAMemorySpace(space),
          !mlirAttributeIsNull(pallasRefTypeGetTransforms(ref)));
  MlirType bad =
      pallasRefTypeGetChecked(loc, 2, shape, mlirNoneTypeGet(ctx), vmem, none);
  fprintf(stderr, "bad element: %d\n", mlirTypeIsNull(bad));
  bad = pallasRefTypeGetChecked(loc, 2, shape, f32, none, none);
  fprintf(stderr, "no space: %d\n", mlirTypeIsNull(bad));
  fprintf(stderr, "bad space: %d\n",
          mlirAttributeIsNull(pallasMemorySpaceAttrGet(ctx, str("moon"))));
}

static void testSynchronization(MlirContext ctx) {
  MlirLocation loc = mlirLocationUnknownGet(ctx);
  const int64_t shape[] = {64, 128};
  MlirType accumulator =
      pallasAccumulatorTypeGetChecked(loc, 2, shape, mlirF32TypeGet(ctx));
  MlirType semaphore = pallasSemaphoreTypeGet(ctx);
  MlirType dma = pallasDMASemaphoreTypeGet(ctx);
  MlirType barrier = pallasBarrierTypeGetChecked(loc, 2, false);
  MlirType types[] = {accumulator, semaphore, dma, barrier};
  for (int i = 0; i < 4; ++i) {
    mlirTypeDump(types[i]);
    fprintf(stderr, "%d%d%d%d\n", pallasTypeIsAAccumulator(types[i]),
            pallasTypeIsASemaphore(types[i]),
            pallasTypeIsADMASemaphore(types[i]),
            pallasTypeIsABarrier(types[i]));
  }
  fprintf(stderr, "no arrivals: %d\n",
          mlirTypeIsNull(pallasBarrierTypeGetChecked(loc, 0, false)));
}

static void testAttributes(MlirContext ctx) {
  MlirLocation loc = mlirLocationUnknownGet(ctx);
  MlirAttribute none = mlirAttributeGetNull();
  MlirAttribute dims[] = {
      pallasBlockDimAttrGetChecked(loc, str("blocked"), 64, 0, 0),
      pallasBlockDimAttrGetChecked(loc, str("squeezed"), 1, 0, 0)};
  MlirAttribute vmem = pallasMemorySpaceAttrGet(ctx, str("vmem"));
  MlirAttribute block =
      pallasBlockMappingAttrGet(2, dims, vmem, none, none, none);
  mlirAttributeDump(block);
  mlirTypeDump(pallasBlockMappingAttrGetRefType(block, mlirF32TypeGet(ctx)));
  fprintf(
      stderr, "%d dims, the first of size %d\n",
      (int)pallasBlockMappingAttrGetNumDims(block),
      (int)pallasBlockDimAttrGetSize(pallasBlockMappingAttrGetDim(block, 0)));
  fprintf(
      stderr, "%d%d %d\n", pallasAttrIsABlockMapping(block),
      pallasAttrIsABlockDim(dims[0]),
      mlirAttributeEqual(pallasBlockMappingAttrGetMemorySpace(block), vmem));
  fprintf(stderr, "bad kind: %d\n",
          mlirAttributeIsNull(
              pallasBlockDimAttrGetChecked(loc, str("round"), 64, 0, 0)));
  fprintf(stderr, "padded block: %d\n",
          mlirAttributeIsNull(
              pallasBlockDimAttrGetChecked(loc, str("blocked"), 64, 1, 0)));
  fprintf(stderr, "long squeezed: %d\n",
          mlirAttributeIsNull(
              pallasBlockDimAttrGetChecked(loc, str("squeezed"), 2, 0, 0)));
  MlirAttribute whole = pallasIndexerAttrGetWhole(ctx);
  mlirAttributeDump(whole);
  fprintf(stderr, "%d%d\n", pallasAttrIsAIndexer(whole),
          pallasAttrIsAIndexer(block));
}

static int testModule(MlirContext ctx) {
  MlirModule module = mlirModuleCreateParse(
      ctx, str("func.func @f(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {\n"
               "  %o = pallas.pallas_call @copy grid(1)\n"
               "    in(%x : tensor<8x128xf32>) block<[8, 128], vmem>\n"
               "    out(tensor<8x128xf32>) block<[8, 128], vmem>\n"
               "    kernel(%xr: !pallas.ref<8x128xf32, vmem>,\n"
               "           %or: !pallas.ref<8x128xf32, vmem>) {\n"
               "      %v = pallas.get %xr[...] : !pallas.ref<8x128xf32, vmem>\n"
               "      pallas.swap %or[...], %v\n"
               "        : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>\n"
               "    }\n"
               "  return %o : tensor<8x128xf32>\n"
               "}\n"));
  if (mlirModuleIsNull(module))
    return 1;
  MlirPassManager pm = mlirPassManagerCreate(ctx);
  MlirLogicalResult parsed =
      mlirParsePassPipeline(mlirPassManagerGetAsOpPassManager(pm),
                            str("builtin.module(func.func(canonicalize))"),
                            (MlirStringCallback)NULL, NULL);
  int bad = mlirLogicalResultIsFailure(parsed) ||
            mlirLogicalResultIsFailure(
                mlirPassManagerRunOnOp(pm, mlirModuleGetOperation(module)));
  mlirOperationDump(mlirModuleGetOperation(module));
  mlirPassManagerDestroy(pm);
  mlirModuleDestroy(module);
  return bad;
}

int main(void) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  pallasRegisterAllDialects(registry);
  mlirDialectHandleInsertDialect(mlirGetDialectHandle__pallas__(), registry);
  MlirContext ctx = mlirContextCreateWithRegistry(registry, false);
  mlirContextLoadAllAvailableDialects(ctx);
  pallasRegisterAllPasses();
  testRefs(ctx);
  testSynchronization(ctx);
  testAttributes(ctx);
  int status = testModule(ctx);
  mlirContextDestroy(ctx);
  mlirDialectRegistryDestroy(registry);
  return status;
}
