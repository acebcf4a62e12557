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
