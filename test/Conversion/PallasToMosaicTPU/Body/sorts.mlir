// RUN: pallas-opt %s --convert-pallas-to-mosaic-tpu | FileCheck %s

// Sorting networks. Each step exchanges elements at one distance: within registers by gathers, of whole registers without
// work, and where there are many registers by rotations.

module attributes {tpu.target = "v5e"} {

// CHECK-LABEL: func.func @one_register(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<8x4xi32>
// CHECK: %[[AT:.*]] = tpu.iota {dimensions = array<i32: 1>} : vector<8x4xi32>
// CHECK: %[[PARTNER:.*]] = arith.xori %[[AT]], %{{.*}} : vector<8x4xi32>
// CHECK: %[[KEY:.*]] = tpu.dynamic_gather %[[ARG0]][%[[PARTNER]]] in [1]
// CHECK: %[[PLACE:.*]] = tpu.dynamic_gather %[[AT]][%[[PARTNER]]] in [1]
// CHECK: %[[EARLIER:.*]] = arith.cmpi slt, %[[PLACE]], %[[AT]]
// CHECK: arith.cmpi slt, %[[KEY]], %[[ARG0]]
// CHECK: arith.select %{{.*}}, %[[KEY]], %[[ARG0]]
// CHECK-NOT: tpu.dynamic_rotate
func.func @one_register(%x: vector<8x4xi32>) -> vector<8x4xi32> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<8x4xi32> to tensor<8x4xi32>
  %0 = pallas.sort %x_t dim 1 : tensor<8x4xi32> -> tensor<8x4xi32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8x4xi32> to vector<8x4xi32>
  return %r : vector<8x4xi32>
}

// The last merge begins at distance 128, which is a register.
// CHECK-LABEL: func.func @two_registers(
// CHECK: tpu.dynamic_gather {{.*}} : vector<8x128xi32>, vector<8x128xi32> -> vector<8x128xi32>
// CHECK: %[[BACK:[0-9]+]] = vector.extract_strided_slice %[[V:[0-9]+]] {offsets = [0, 128], sizes = [8, 128], strides = [1, 1]} : vector<8x256xi32> to vector<8x128xi32>{{[[:space:]]+}}%[[FRONT:[0-9]+]] = vector.extract_strided_slice %[[V]] {offsets = [0, 0]
// CHECK-NEXT: tpu.concatenate %[[BACK]], %[[FRONT]] in 1
// CHECK-NOT: tpu.dynamic_rotate
func.func @two_registers(%x: vector<8x256xi32>) -> vector<8x256xi32> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<8x256xi32> to tensor<8x256xi32>
  %0 = pallas.sort %x_t dim 1 : tensor<8x256xi32> -> tensor<8x256xi32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<8x256xi32> to vector<8x256xi32>
  return %r : vector<8x256xi32>
}

// CHECK-LABEL: func.func @many_registers(
// CHECK-SAME: %[[ARG0:[^:]*]]: vector<128x128xi32>
// CHECK: %[[UPPER:.*]] = arith.cmpi ne
// CHECK: %[[DOWN:.*]] = tpu.dynamic_rotate %[[ARG0]] by %{{.*}} dim 0
// CHECK: %[[UP:.*]] = tpu.dynamic_rotate %[[ARG0]] by %{{.*}} dim 0
// CHECK-NEXT: arith.select %[[UPPER]], %[[DOWN]], %[[UP]]
// CHECK-NOT: tpu.dynamic_gather
func.func @many_registers(%x: vector<128x128xi32>) -> vector<128x128xi32> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<128x128xi32> to tensor<128x128xi32>
  %0 = pallas.sort %x_t dim 0 : tensor<128x128xi32> -> tensor<128x128xi32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<128x128xi32> to vector<128x128xi32>
  return %r : vector<128x128xi32>
}

// A row is the only one of a matrix.
// CHECK-LABEL: func.func @row(
// CHECK: vector.shape_cast %{{.*}} : vector<4xi32> to vector<1x4xi32>
// CHECK: tpu.dynamic_gather {{.*}} in [1] : vector<1x4xi32>
// CHECK: vector.shape_cast %{{.*}} : vector<1x4xi32> to vector<4xi32>
func.func @row(%x: vector<4xi32>) -> vector<4xi32> {
  %x_t = builtin.unrealized_conversion_cast %x : vector<4xi32> to tensor<4xi32>
  %0 = pallas.sort %x_t dim 0 : tensor<4xi32> -> tensor<4xi32>
  %r = builtin.unrealized_conversion_cast %0 : tensor<4xi32> to vector<4xi32>
  return %r : vector<4xi32>
}
}
