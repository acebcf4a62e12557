// RUN: pallas-opt %s --pallas-call-to-gpu-kernel --pallas-expand-gpu-pipelines --convert-pallas-to-linalg=ops=pallas.gather --convert-pallas-to-mosaic-gpu | FileCheck %s
// RUN: pallas-run %s --no-cache --entry=gather | FileCheck %s --check-prefix=OUT
// printed.py runs what it becomes.

// A row after the other is read where its index says, and written to the
// result, which begins with zeros. Indices move inside.

// CHECK-LABEL: module @gather
// CHECK: %[[ZEROS:.*]] = arith.constant dense<0> : vector<3x4xi32>
// CHECK: scf.for %[[I:.*]] = %{{.*}} iter_args(%[[OLD:.*]] = %[[ZEROS]]) -> (vector<3x4xi32>)
// CHECK: %[[ROW:.*]] = memref.load
// CHECK: %[[INDEX:.*]] = arith.index_cast %[[ROW]] : i32 to index
// CHECK: %[[MIN:.*]] = arith.minsi %[[INDEX]],
// CHECK: %[[AT:.*]] = arith.maxsi %[[MIN]],
// CHECK: %[[FROM:.*]] = memref.subview %{{.*}}[%[[AT]], 0] [1, 4] [1, 1]
// CHECK: %[[PART:.*]] = "mosaic_gpu.vector_load"(%[[FROM]])
// CHECK: "mosaic_gpu.vector_store"(%[[OLD]], %[[WHOLE:.*]]) <
// CHECK: %[[TO:.*]] = memref.subview %[[WHOLE]][%[[I]], 0] [1, 4] [1, 1]
// CHECK: "mosaic_gpu.vector_store"(%[[PART]], %[[TO]])
// CHECK: %[[NEW:.*]] = "mosaic_gpu.vector_load"(%[[WHOLE]])
// CHECK: scf.yield %[[NEW]]
// OUT: g = {{\[\[}}0 7 14 21] [3 10 17 24] [7 14 21 28]]
func.func @gather() {
  pallas.mpmd_map
      kernel @gather on <gpu, [<grid "i" = 1>]> () {
    %seven = arith.constant dense<7> : tensor<8x4xi32>
    %rows = pallas.iota 0 : tensor<8x4xi32>
    %columns = pallas.iota 1 : tensor<8x4xi32>
    %scaled = arith.muli %columns, %seven : tensor<8x4xi32>
    %v = arith.addi %rows, %scaled : tensor<8x4xi32>
    %step = arith.constant dense<5> : tensor<3x1xi32>
    %two = arith.constant dense<-2> : tensor<3x1xi32>
    %n = pallas.iota 0 : tensor<3x1xi32>
    %m = arith.muli %n, %step : tensor<3x1xi32>
    %at = arith.addi %m, %two : tensor<3x1xi32>
    %g = pallas.gather %v at %at offset [1] collapsed [0] batching [] x [] map [0] sizes [1, 4] : tensor<8x4xi32>, tensor<3x1xi32> -> tensor<3x4xi32>
    pallas.debug_print "g = {}" %g : tensor<3x4xi32>
  }
  return
}
