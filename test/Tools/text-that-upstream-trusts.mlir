// RUN: not pallas-opt %s 2>&1 | FileCheck %s

// linalg's parser takes what stands in this list for names, and does not survive
// a number. It is read in a process of its own first.

// CHECK: error: the text cannot be read: {{.*}} an entry of 'iterator_types' is beyond what any module has

func.func @sum(%t: memref<8x64xf32>, %sums: memref<8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
                  iterator_types = [131, "reduction"]}
      ins(%t : memref<8x64xf32>) outs(%sums : memref<8xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.addf %o, %a : f32
      linalg.yield %r : f32
  }
  return
}
