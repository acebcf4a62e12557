// RUN: pallas-opt %s --pallas-cpu-generalize --pallas-cpu-generalize-concats --pallas-cpu-drop-unit-dims --pallas-cpu-fuse-reshapes --pallas-cpu-fuse --pallas-cpu-split-parts | FileCheck %s

// What reads a concatenated tensor element by element reads its parts: here all
// but the last row from one place, and the last one from another. The second
// operation reads the results of the first one in the same parts.
// CHECK-LABEL: func.func @rotated
// CHECK-SAME: %[[X:.*]]: tensor<64x128xf32>, %[[Y:.*]]: tensor<64x128xf32>
// CHECK-DAG: %[[FROM:.*]] = tensor.extract_slice %[[X]][1, 0] [63, 128] [1, 1]
// CHECK-DAG: %[[LAST:.*]] = tensor.extract_slice %[[X]][0, 0] [1, 128] [1, 1]
// CHECK-NOT: tensor.concat
// CHECK: %[[A:.*]] = linalg.generic {{.*}} ins(%[[LAST]], %{{.*}} : tensor<1x128xf32>, tensor<1x128xf32>)
// CHECK: linalg.index 0
// CHECK: arith.constant 63 : index
// CHECK: arith.addi
// CHECK: %[[B:.*]] = linalg.generic {{.*}} ins(%[[FROM]], %{{.*}} : tensor<63x128xf32>, tensor<63x128xf32>)
// CHECK: linalg.index 0
// CHECK: %[[C:.*]] = linalg.generic {{.*}} ins(%[[A]] : tensor<1x128xf32>)
// CHECK: tensor.insert_slice %[[C]] into %{{.*}}[63, 0] [1, 128] [1, 1]
// CHECK: %[[D:.*]] = linalg.generic {{.*}} ins(%[[B]] : tensor<63x128xf32>)
// CHECK: tensor.insert_slice %[[D]] into %{{.*}}[0, 0] [63, 128] [1, 1]
// CHECK: return
func.func @rotated(%x: tensor<64x128xf32>, %y: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %from = tensor.extract_slice %x[1, 0] [63, 128] [1, 1] : tensor<64x128xf32> to tensor<63x128xf32>
  %last = tensor.extract_slice %x[0, 0] [1, 128] [1, 1] : tensor<64x128xf32> to tensor<1x128xf32>
  %r = tensor.concat dim(0) %from, %last : (tensor<63x128xf32>, tensor<1x128xf32>) -> tensor<64x128xf32>
  %empty = tensor.empty() : tensor<64x128xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%r, %y : tensor<64x128xf32>, tensor<64x128xf32>) outs(%empty : tensor<64x128xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %row = linalg.index 0 : index
    %i = arith.index_cast %row : index to i32
    %f = arith.sitofp %i : i32 to f32
    %p = arith.mulf %b, %f : f32
    %s = arith.addf %a, %p : f32
    linalg.yield %s : f32
  } -> tensor<64x128xf32>
  %e = math.exp %sum : tensor<64x128xf32>
  return %e : tensor<64x128xf32>
}

// Narrow parts would take vectors apart, and the memory of few elements is in
// the cache.
// CHECK-LABEL: func.func @narrow_parts
// CHECK: tensor.concat dim(1) %arg0, %arg1
// CHECK: math.exp
// CHECK-NOT: math.exp
// CHECK-LABEL: func.func @few_elements
// CHECK: tensor.concat dim(1) %arg0, %arg1
// CHECK: math.exp
// CHECK-NOT: math.exp
func.func @narrow_parts(%x: tensor<4096x2xf32>, %y: tensor<4096x2xf32>) -> tensor<4096x4xf32> {
  %c = tensor.concat dim(1) %x, %y : (tensor<4096x2xf32>, tensor<4096x2xf32>) -> tensor<4096x4xf32>
  %e = math.exp %c : tensor<4096x4xf32>
  return %e : tensor<4096x4xf32>
}
func.func @few_elements(%x: tensor<8x64xf32>, %y: tensor<8x64xf32>) -> tensor<8x128xf32> {
  %c = tensor.concat dim(1) %x, %y : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<8x128xf32>
  %e = math.exp %c : tensor<8x128xf32>
  return %e : tensor<8x128xf32>
}

// `jnp.pad` with what lies on both sides: slices of a concatenation are read
// from its operands, and there is one array to fill, not one per side.
// CHECK-LABEL: func.func @two_sides
// CHECK-SAME: %[[X:.*]]: tensor<64x128xf32>
// CHECK: %[[LAST:.*]] = tensor.extract_slice %[[X]][62, 0] [2, 128] [1, 1]
// CHECK-NEXT: tensor.concat dim(0) %{{.*}}, %[[X]], %[[LAST]]
// CHECK-NOT: tensor.concat
// CHECK-LABEL: func.func @across_operands
// CHECK: %[[C:.*]] = tensor.concat
// CHECK: tensor.extract_slice %[[C]][1, 0] [2, 128] [1, 1]
// CHECK: tensor.extract_slice %{{.*}}[0, %arg1] [64, 8] [1, 1]
func.func @two_sides(%x: tensor<64x128xf32>) -> tensor<68x128xf32> {
  %first = tensor.extract_slice %x[0, 0] [2, 128] [1, 1] : tensor<64x128xf32> to tensor<2x128xf32>
  %c = tensor.concat dim(0) %first, %x : (tensor<2x128xf32>, tensor<64x128xf32>) -> tensor<66x128xf32>
  %last = tensor.extract_slice %c[64, 0] [2, 128] [1, 1] : tensor<66x128xf32> to tensor<2x128xf32>
  %padded = tensor.concat dim(0) %c, %last : (tensor<66x128xf32>, tensor<2x128xf32>) -> tensor<68x128xf32>
  return %padded : tensor<68x128xf32>
}
func.func @across_operands(%x: tensor<64x128xf32>, %j: index) -> (tensor<2x128xf32>, tensor<64x8xf32>) {
  %first = tensor.extract_slice %x[0, 0] [2, 128] [1, 1] : tensor<64x128xf32> to tensor<2x128xf32>
  %e = math.exp %x : tensor<64x128xf32>
  %c = tensor.concat dim(0) %first, %e : (tensor<2x128xf32>, tensor<64x128xf32>) -> tensor<66x128xf32>
  %s = tensor.extract_slice %c[1, 0] [2, 128] [1, 1] : tensor<66x128xf32> to tensor<2x128xf32>
  %t = tensor.extract_slice %c[2, %j] [64, 8] [1, 1] : tensor<66x128xf32> to tensor<64x8xf32>
  return %s, %t : tensor<2x128xf32>, tensor<64x8xf32>
}

// A slice of no elements stays, wherever it is.
// CHECK-LABEL: func.func @no_elements
// CHECK: tensor.extract_slice %arg1[0, 0] [0, 8] [1, 1]
func.func @no_elements(%x: tensor<2x8xf32>, %y: tensor<8x8xf32>) -> tensor<0x8xf32> {
  %c = tensor.concat dim(0) %x, %y : (tensor<2x8xf32>, tensor<8x8xf32>) -> tensor<10x8xf32>
  %e = tensor.extract_slice %c[2, 0] [0, 8] [1, 1] : tensor<10x8xf32> to tensor<0x8xf32>
  return %e : tensor<0x8xf32>
}
