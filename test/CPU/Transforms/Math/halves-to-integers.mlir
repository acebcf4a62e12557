// RUN: pallas-opt %s --pallas-cpu-halves-to-integers --split-input-file --verify-diagnostics | FileCheck %s

// CHECK: memref.global "private" constant @table : memref<2xi16> = dense<[16256, 16384]>
memref.global "private" constant @table : memref<2xbf16> = dense<[1.0, 2.0]>

// CHECK-LABEL: func.func @moves(
// CHECK-SAME: %[[M:.*]]: memref<64xi16>, %[[C:.*]]: i1, %[[I:.*]]: index) -> i16
func.func @moves(%m: memref<64xbf16>, %c: i1, %i: index) -> bf16 {
  // CHECK-NOT: bf16
  // CHECK: memref.get_global @table : memref<2xi16>
  // CHECK: arith.constant dense<16256> : vector<8xi16>
  // CHECK: vector.load %[[M]][%[[I]]] : memref<64xi16>, vector<8xi16>
  // CHECK: scf.if %[[C]] -> (vector<8xi16>)
  // CHECK: vector.store
  // CHECK: return %{{.*}} : i16
  %t = memref.get_global @table : memref<2xbf16>
  %one = arith.constant dense<1.0> : vector<8xbf16>
  %v = vector.load %m[%i] : memref<64xbf16>, vector<8xbf16>
  %w = scf.if %c -> (vector<8xbf16>) {
    scf.yield %v : vector<8xbf16>
  } else {
    scf.yield %one : vector<8xbf16>
  }
  vector.store %w, %m[%i] : memref<64xbf16>, vector<8xbf16>
  %r = memref.load %t[%i] : memref<2xbf16>
  return %r : bf16
}

// -----

// An instruction of the CPU takes a half as such.
// CHECK-LABEL: func.func @instruction(
func.func @instruction(%v: vector<8xf16>) -> vector<8xf16> {
  // CHECK: %[[A:.*]] = llvm.bitcast %{{.*}} : vector<8xi16> to vector<8xf16>
  // CHECK-NEXT: %[[B:.*]] = llvm.fpext %[[A]] : vector<8xf16> to vector<8xf32>
  // CHECK-NEXT: %[[C:.*]] = llvm.fptrunc %[[B]] : vector<8xf32> to vector<8xf16>
  // CHECK-NEXT: %[[D:.*]] = llvm.bitcast %[[C]] : vector<8xf16> to vector<8xi16>
  // CHECK-NEXT: return %[[D]]
  %0 = arith.extf %v : vector<8xf16> to vector<8xf32>
  %1 = arith.truncf %0 : vector<8xf32> to vector<8xf16>
  return %1 : vector<8xf16>
}

// -----

// Casts to the bits and back cost nothing.
// CHECK-LABEL: func.func @bits(
func.func @bits(%v: bf16, %w: vector<16xbf16>) -> (i16, vector<8xi32>) {
  // CHECK-NOT: arith.bitcast
  // CHECK: vector.bitcast %{{.*}} : vector<16xi16> to vector<8xi32>
  %0 = arith.bitcast %v : bf16 to i16
  %1 = vector.bitcast %w : vector<16xbf16> to vector<8xi32>
  return %0, %1 : i16, vector<8xi32>
}

// -----

func.func @computes(%v: bf16) -> bf16 {
  // expected-error@+1 {{computes with floats of 16 bits, which pallas-cpu-widen-narrow-floats widens}}
  %0 = arith.addf %v, %v : bf16
  return %0 : bf16
}

// -----

func.func @converts(%v: bf16) -> f32 {
  // expected-error@+1 {{converts in a way that no instruction does; pallas-cpu-expand-narrow-floats expands it}}
  %0 = arith.extf %v : bf16 to f32
  return %0 : f32
}
