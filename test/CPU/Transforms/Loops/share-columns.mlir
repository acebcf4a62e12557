// RUN: pallas-opt %s --pass-pipeline="builtin.module(func.func(pallas-cpu-share-columns{cpu=x86-64-v3}))" --split-input-file | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>

// Operations that reduce columns share strips of them. Temporaries shrink to a
// strip, and indices begin at its first column.

// CHECK-LABEL: func.func @columns
// CHECK: scf.for %[[J:.*]] = %c0{{.*}} to %c128{{.*}} step %c64
// CHECK-DAG: memref.subview %{{.*}}[0, %[[J]]] [1024, 64] [1, 1]
// CHECK-DAG: memref.alloc() : memref<64xf32>
// CHECK-DAG: memref.alloc() : memref<1024x64xf32>
// CHECK: linalg.index 1
// CHECK-NEXT: arith.addi %{{.*}}, %[[J]]
// CHECK: math.exp
// CHECK: iterator_types = ["reduction", "parallel"]
// CHECK: arith.divf
// CHECK-NOT: memref<1024x128xf32>, memref
// CHECK: return
func.func @columns(%x: memref<1024x128xf32>, %y: memref<1024x128xf32>) {
  %zero = arith.constant 0.0 : f32
  %sums = memref.alloc() : memref<128xf32>
  %t = memref.alloc() : memref<1024x128xf32>
  linalg.fill ins(%zero : f32) outs(%sums : memref<128xf32>)
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : memref<1024x128xf32>) outs(%t : memref<1024x128xf32>) {
    ^bb0(%a: f32, %o: f32):
      %j = linalg.index 1 : index
      %i = arith.index_cast %j : index to i32
      %f = arith.sitofp %i : i32 to f32
      %d = arith.subf %a, %f : f32
      %e = math.exp %d : f32
      linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%t : memref<1024x128xf32>) outs(%sums : memref<128xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %a, %o : f32
      linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%t, %sums : memref<1024x128xf32>, memref<128xf32>) outs(%y : memref<1024x128xf32>) {
    ^bb0(%a: f32, %s: f32, %o: f32):
      %q = arith.divf %a, %s : f32
      linalg.yield %q : f32
  }
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>

// What fits in the second cache stays as it is.

// CHECK-LABEL: func.func @few_rows
// CHECK-NOT: scf.for
func.func @few_rows(%x: memref<16x128xf32>, %sums: memref<128xf32>, %y: memref<16x128xf32>) {
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%x : memref<16x128xf32>) outs(%sums : memref<128xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %a, %o : f32
      linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %sums : memref<16x128xf32>, memref<128xf32>) outs(%y : memref<16x128xf32>) {
    ^bb0(%a: f32, %s: f32, %o: f32):
      %q = arith.divf %a, %s : f32
      linalg.yield %q : f32
  }
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>

// Rows that are a page apart evict each other, so no strip of them stays in the
// second cache.

// CHECK-LABEL: func.func @pages_apart
// CHECK-NOT: scf.for
// CHECK-LABEL: func.func @other_distance
// CHECK: scf.for
func.func @pages_apart(%x: memref<2048x1024xf32>, %most: memref<1024xf32>, %sums: memref<1024xf32>, %y: memref<2048x1024xf32>) {
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%x : memref<2048x1024xf32>) outs(%most : memref<1024xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.maximumf %a, %o : f32
      linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%x : memref<2048x1024xf32>) outs(%sums : memref<1024xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %a, %o : f32
      linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #column, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %most, %sums : memref<2048x1024xf32>, memref<1024xf32>, memref<1024xf32>) outs(%y : memref<2048x1024xf32>) {
    ^bb0(%a: f32, %m: f32, %s: f32, %o: f32):
      %d = arith.subf %a, %m : f32
      %q = arith.divf %d, %s : f32
      linalg.yield %q : f32
  }
  return
}
func.func @other_distance(%x: memref<2048x1056xf32>, %most: memref<1056xf32>, %sums: memref<1056xf32>, %y: memref<2048x1056xf32>) {
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%x : memref<2048x1056xf32>) outs(%most : memref<1056xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.maximumf %a, %o : f32
      linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%x : memref<2048x1056xf32>) outs(%sums : memref<1056xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %a, %o : f32
      linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #column, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %most, %sums : memref<2048x1056xf32>, memref<1056xf32>, memref<1056xf32>) outs(%y : memref<2048x1056xf32>) {
    ^bb0(%a: f32, %m: f32, %s: f32, %o: f32):
      %d = arith.subf %a, %m : f32
      %q = arith.divf %d, %s : f32
      linalg.yield %q : f32
  }
  return
}
