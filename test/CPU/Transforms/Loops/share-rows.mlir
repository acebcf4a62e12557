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
#column = affine_map<(d0, d1) -> (d1)>

// Every row needs all sums of columns.

// CHECK-LABEL: func.func @columns_first
// CHECK-NOT: scf.for
// CHECK-COUNT-2: linalg.generic
func.func @columns_first(%x: memref<64x1024xf32>, %sums: memref<1024xf32>, %out: memref<64x1024xf32>) {
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<64x1024xf32>) outs(%sums : memref<1024xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.addf %o, %a : f32
      linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sums : memref<64x1024xf32>, memref<1024xf32>) outs(%out : memref<64x1024xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %r = arith.divf %a, %b : f32
      linalg.yield %r : f32
  }
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// What fits into the cache as a whole needs no cutting.

// CHECK-LABEL: func.func @small
// CHECK-NOT: scf.for
func.func @small(%x: memref<8x64xf32>, %t: memref<8x64xf32>, %sums: memref<8xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<8x64xf32>) outs(%t : memref<8x64xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.mulf %a, %a : f32
      linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%t : memref<8x64xf32>) outs(%sums : memref<8xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.addf %o, %a : f32
      linalg.yield %r : f32
  }
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// Memory of the surroundings keeps its contents from one turn of the loop to
// the next, even if only these operations use it; other memory becomes a row.
// CHECK-LABEL: func.func @accumulate
func.func @accumulate(%x: memref<64x1024xf32>, %o: memref<64x1024xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // CHECK: %[[ACC:.*]] = memref.alloc() : memref<64x1024xf32>
  %acc = memref.alloc() : memref<64x1024xf32>
  // CHECK: scf.for
  scf.for %k = %c0 to %c4 step %c1 {
    // CHECK: scf.for
    // CHECK-NOT: alloc() {{.*}}memref<64x1024
    // CHECK: memref.subview %[[ACC]]
    %tmp = memref.alloc() : memref<64x1024xf32>
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%x : memref<64x1024xf32>) outs(%tmp : memref<64x1024xf32>) {
    ^bb0(%a: f32, %b: f32):
      %d = arith.addf %a, %a : f32
      linalg.yield %d : f32
    }
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%tmp : memref<64x1024xf32>) outs(%acc : memref<64x1024xf32>) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
    }
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%acc : memref<64x1024xf32>) outs(%o : memref<64x1024xf32>) {
    ^bb0(%a: f32, %b: f32):
      linalg.yield %a : f32
    }
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
