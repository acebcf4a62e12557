// RUN: pallas-opt %s --pallas-cpu-widen-memory | FileCheck %s

// Constants get the bytes that other memory of narrow integers has.
// CHECK: memref.global "private" constant @mask : memref<4xi8> = dense<[1, 0, 0, 1]>
memref.global "private" constant @mask : memref<4xi1> = dense<[true, false, false, true]>
// CHECK: memref.global "private" constant @all : memref<8xi8> = dense<1>
memref.global "private" constant @all : memref<8xi1> = dense<true>
// CHECK: memref.global "private" constant @nibbles : memref<3xi8> = dense<[7, -8, -1]>
memref.global "private" constant @nibbles : memref<3xi4> = dense<[7, -8, -1]>
// CHECK: memref.global "private" @later : memref<3xi8> = uninitialized
memref.global "private" @later : memref<3xi1> = uninitialized
// CHECK: memref.global "private" constant @wide : memref<2xi16> = dense<[1, 2]>
memref.global "private" constant @wide : memref<2xi16> = dense<[1, 2]>

// CHECK-LABEL: func.func @read
func.func @read(%i: index) -> i1 {
  // CHECK: %[[G:.*]] = memref.get_global @mask : memref<4xi8>
  // CHECK: %[[B:.*]] = memref.load %[[G]]
  // CHECK: arith.trunci %[[B]] : i8 to i1
  %g = memref.get_global @mask : memref<4xi1>
  %v = memref.load %g[%i] : memref<4xi1>
  return %v : i1
}

// CHECK: memref.global "private" constant @quarters : memref<3xi8> = dense<[2, 15, 1]>
memref.global "private" constant @quarters : memref<3xf4E2M1FN> = dense<[1.0, -6.0, 0.5]>

// Floats are their bits.
// CHECK-LABEL: func.func @floats
// CHECK-SAME: (%[[M:.*]]: memref<8x3xi8>, %[[I:.*]]: index)
func.func @floats(%m: memref<8x3xf4E2M1FN>, %i: index) {
  // CHECK: %[[B:.*]] = memref.load %[[M]]{{.*}} : memref<8x3xi8>
  // CHECK: %[[N:.*]] = arith.trunci %[[B]] : i8 to i4
  // CHECK: %[[F:.*]] = arith.bitcast %[[N]] : i4 to f4E2M1FN
  %v = memref.load %m[%i, %i] : memref<8x3xf4E2M1FN>
  // CHECK: %[[V:.*]] = vector.broadcast %[[F]] : f4E2M1FN to vector<3xf4E2M1FN>
  %b = vector.broadcast %v : f4E2M1FN to vector<3xf4E2M1FN>
  // CHECK: %[[C:.*]] = arith.bitcast %[[V]] : vector<3xf4E2M1FN> to vector<3xi4>
  // CHECK: %[[W:.*]] = arith.extui %[[C]] : vector<3xi4> to vector<3xi8>
  // CHECK: vector.store %[[W]], %[[M]]
  %c0 = arith.constant 0 : index
  vector.store %b, %m[%i, %c0] : memref<8x3xf4E2M1FN>, vector<3xf4E2M1FN>
  return
}
