// RUN: pallas-opt %s --pass-pipeline="builtin.module(func.func(pallas-cpu-share-rows{cpu=x86-64-v3 cache-bytes=16384}))" --split-input-file | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// The sum of a row follows its elements while they are in the cache, and what
// lies between the two shrinks to a row.

// CHECK-LABEL: func.func @rows
// CHECK: scf.for
// CHECK: %[[T:.*]] = memref.alloc() : memref<1024xf32>
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel"]{{.*}} outs(%[[T]]
// CHECK: arith.mulf
// CHECK: linalg.generic {{.*}}iterator_types = ["reduction"]} ins(%[[T]]
// CHECK: arith.addf
// CHECK: }
func.func @rows(%x: memref<64x1024xf32>, %sums: memref<64xf32>) {
  %t = memref.alloc() : memref<64x1024xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x1024xf32>) outs(%t : memref<64x1024xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.mulf %a, %a : f32
      linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%t : memref<64x1024xf32>) outs(%sums : memref<64xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.addf %o, %a : f32
      linalg.yield %r : f32
  }
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// A product starts from the constant that is filled in right before it, so the
// two stay together.

// CHECK-LABEL: func.func @start
// CHECK: linalg.generic
// CHECK: linalg.fill
// CHECK-NEXT: linalg.matmul
func.func @start(%x: memref<128x128xf32>, %y: memref<128x128xf32>, %z: memref<128x128xf32>) {
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<128x128xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : memref<128x128xf32>) outs(%t : memref<128x128xf32>) {
    ^bb0(%a: f32, %o: f32):
      %e = math.exp %a : f32
      linalg.yield %e : f32
  }
  linalg.fill ins(%zero : f32) outs(%z : memref<128x128xf32>)
  linalg.matmul ins(%t, %y : memref<128x128xf32>, memref<128x128xf32>) outs(%z : memref<128x128xf32>)
  return
}
