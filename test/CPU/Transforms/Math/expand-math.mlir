// RUN: pallas-opt %s --pass-pipeline="builtin.module(func.func(pallas-cpu-expand-math{cpu=x86-64-v3}))" --split-input-file | FileCheck %s
// RUN: pallas-opt %s --pass-pipeline="builtin.module(func.func(pallas-cpu-expand-math{cpu=knl}))" --split-input-file | FileCheck %s --check-prefix=SCALE
// RUN: pallas-opt %s --pass-pipeline="builtin.module(func.func(pallas-cpu-expand-math{cpu=x86-64-v4}))" --split-input-file | FileCheck %s --check-prefix=REDUCE

// Conversions to integers saturate, and exponentials are polynomials.

// CHECK-LABEL: func.func @convert
// CHECK: %[[LOW:.*]] = arith.cmpf ogt, %[[X:.*]], %{{.*}} : vector<16xf32>
// CHECK: arith.select %[[LOW]], %[[X]]
// CHECK: arith.cmpf olt
// CHECK: llvm.fptosi %{{.*}} : vector<16xf32> to vector<16xi32>
// CHECK: %[[HIGH:.*]] = arith.cmpf ogt, %[[X]]
// CHECK: arith.select %[[HIGH]]
// CHECK: %[[NAN:.*]] = arith.cmpf uno, %[[X]], %[[X]]
// CHECK: arith.select %[[NAN]]
// CHECK-NOT: math.exp
// CHECK: math.fma
func.func @convert(%x: vector<16xf32>) -> (vector<16xi32>, vector<16xf32>) {
  %i = arith.fptosi %x : vector<16xf32> to vector<16xi32>
  %e = math.exp %x : vector<16xf32>
  return %i, %e : vector<16xi32>, vector<16xf32>
}

// -----

// The complement of the error function, on which the exact gelu rests, is a
// polynomial of one quotient, times an exponential that can't overflow.

// CHECK-LABEL: func.func @complement
// CHECK-NOT: math.erfc
// CHECK: arith.divf
// CHECK-NOT: arith.divf
// CHECK: math.fma
// CHECK: dense<-8.800000e+01>
// CHECK-NOT: arith.divf
// CHECK: return
// SCALE-LABEL: func.func @complement
// SCALE-NOT: math.erfc
// SCALE: llvm.x86.avx512.mask.scalef.ps.512
func.func @complement(%x: vector<16xf32>) -> vector<16xf32> {
  %e = math.erfc %x : vector<16xf32>
  return %e : vector<16xf32>
}

// -----

// The error function is a quotient of polynomials, between -1 and 1.

// CHECK-LABEL: func.func @error
// CHECK-NOT: math.erf
// CHECK-COUNT-10: math.fma
// CHECK-NOT: math.fma
// CHECK: %[[RESULT:.*]] = arith.divf
// CHECK: arith.cmpf olt, %[[RESULT]]
// CHECK: return
func.func @error(%x: vector<8xf32>) -> vector<8xf32> {
  %e = math.erf %x : vector<8xf32>
  return %e : vector<8xf32>
}

// -----

// Bounds of bytes are floats, so nothing is left to correct.

// CHECK-LABEL: func.func @bytes
// CHECK: llvm.fptosi %{{.*}} : vector<16xf32> to vector<16xi32>
// CHECK-NOT: arith.cmpf ogt
// CHECK: arith.trunci
// CHECK: arith.cmpf uno
func.func @bytes(%x: vector<16xf32>) -> vector<16xi8> {
  %i = arith.fptosi %x : vector<16xf32> to vector<16xi8>
  return %i : vector<16xi8>
}

// -----

// AVX-512 looks powers of two up and multiplies with them, a register at a time.

// CHECK-LABEL: func.func @exponential
// CHECK-NOT: llvm.call_intrinsic
// CHECK: arith.shli
// SCALE-LABEL: func.func @exponential
// SCALE: arith.cmpf ogt
// SCALE: arith.cmpf olt
// SCALE-NOT: arith.shli
// SCALE-COUNT-2: llvm.call_intrinsic "llvm.x86.avx512.permvar.sf.512"
// SCALE-COUNT-2: llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"
// SCALE-NOT: arith.cmpf
// SCALE: return
func.func @exponential(%x: vector<32xf32>) -> vector<32xf32> {
  %e = math.exp %x : vector<32xf32>
  return %e : vector<32xf32>
}

// -----

// 1 + tanh becomes 2 / (1 + exp), unless something else needs tanh. Without
// instructions for it, the integer part of the exponent becomes a power of two by
// a shift, and the sum with 1 is that of a product.

// CHECK-LABEL: func.func @one_plus_tanh
// CHECK-NOT: math.tanh
// CHECK: %[[BITS:.*]] = arith.shli
// CHECK: %[[POWER:.*]] = arith.bitcast %[[BITS]]
// CHECK: %[[SUM:.*]] = math.fma %{{.*}}, %[[POWER]]
// CHECK: %[[TWO:.*]] = arith.constant dense<2.000000e+00> : vector<16xf32>
// CHECK: arith.divf %[[TWO]], %[[SUM]]
// CHECK-LABEL: func.func @tanh_too
// CHECK-NOT: arith.shli
// CHECK: return
// REDUCE-LABEL: func.func @one_plus_tanh
// REDUCE: llvm.call_intrinsic "llvm.x86.avx512.mask.reduce.ps.512"
// REDUCE: llvm.call_intrinsic "llvm.x86.avx512.mask.rndscale.ps.512"
// REDUCE: llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"
// REDUCE: %[[TWO:.*]] = arith.constant dense<2.000000e+00> : vector<16xf32>
// REDUCE: arith.divf %[[TWO]]
// REDUCE-LABEL: func.func @tanh_too
// REDUCE-NOT: llvm.call_intrinsic
// REDUCE: return
func.func @one_plus_tanh(%x: vector<16xf32>) -> vector<16xf32> {
  %one = arith.constant 1.0 : f32
  %ones = vector.broadcast %one : f32 to vector<16xf32>
  %t = math.tanh %x : vector<16xf32>
  %r = arith.addf %t, %ones : vector<16xf32>
  return %r : vector<16xf32>
}
func.func @tanh_too(%x: vector<16xf32>) -> (vector<16xf32>, vector<16xf32>) {
  %ones = arith.constant dense<1.0> : vector<16xf32>
  %t = math.tanh %x : vector<16xf32>
  %r = arith.addf %t, %ones : vector<16xf32>
  return %t, %r : vector<16xf32>, vector<16xf32>
}

// -----

// Sines and powers are computed in vectors; lanes whose argument is special are
// computed again, each by itself.

// CHECK-LABEL: func.func @functions
// CHECK: %[[SMALL:.*]] = arith.cmpf ult, %{{.*}}, %{{.*}} : vector<16xf32>
// CHECK: %[[FAST:.*]] = vector.reduction <and>, %[[SMALL]] : vector<16xi1> into i1
// CHECK-NOT: math.sin
// CHECK: math.fma
// CHECK: %[[VALUE:.*]] = arith.xori
// CHECK: %[[SINE:.*]] = arith.bitcast %[[VALUE]] : vector<16xi32> to vector<16xf32>
// CHECK: scf.if %[[FAST]]
// CHECK: scf.yield %[[SINE]]
// CHECK: } else {
// CHECK: scf.for %[[LANE:.*]] = {{.*}} iter_args(%[[LANES:.*]] = %[[SINE]])
// CHECK: %[[HERE:.*]] = vector.extract %[[SMALL]][%[[LANE]]] : i1 from vector<16xi1>
// CHECK: scf.if %[[HERE]]
// CHECK: scf.yield %[[LANES]]
// CHECK: } else {
// CHECK: %[[ONE:.*]] = math.sin %{{.*}} : f32
// CHECK: vector.insert %[[ONE]], %[[LANES]] [%[[LANE]]]
// CHECK: math.fma %{{.*}} : vector<16xf64>
// CHECK: arith.truncf %{{.*}} : vector<16xf64> to vector<16xf32>
// CHECK: scf.if
// CHECK: math.powf %{{.*}} : f32
// CHECK: math.cos %{{.*}} : f32
// CHECK-NEXT: return
func.func @functions(%x: vector<16xf32>, %y: vector<16xf32>, %s: f32) -> (vector<16xf32>, vector<16xf32>, f32) {
  %a = math.sin %x : vector<16xf32>
  %b = math.powf %x, %y : vector<16xf32>
  %c = math.cos %s : f32
  return %a, %b, %c : vector<16xf32>, vector<16xf32>, f32
}

// CHECK-LABEL: func.func @functions_of_bytes
func.func @functions_of_bytes(%a: f8E4M3FN, %b: vector<4xf8E5M2>) -> (f8E4M3FN, vector<4xf8E5M2>) {
  // CHECK: %[[WIDE:.*]] = arith.extf %{{.*}} : f8E4M3FN to f32
  // CHECK: %[[FLOOR:.*]] = math.floor %[[WIDE]] : f32
  // CHECK: arith.truncf %[[FLOOR]] : f32 to f8E4M3FN
  %0 = math.floor %a : f8E4M3FN
  // CHECK: math.absf %{{.*}} : vector<4xf32>
  %1 = math.absf %b : vector<4xf8E5M2>
  return %0, %1 : f8E4M3FN, vector<4xf8E5M2>
}

// -----

// Hyperbolic functions, their inverse ones, angles and roots of vectors are
// arithmetic on exponentials, logarithms and polynomials; those of scalars stay
// calls of the C library.

// CHECK-LABEL: func.func @hyperbolic
// CHECK-NOT: math.{{a?sinh|a?cosh|atanh|a?tan|asin|acos|cbrt}}
// CHECK: return
// CHECK-LABEL: func.func @hyperbolic_scalars
// CHECK: math.sinh %{{.*}} : f32
// CHECK: math.tan %{{.*}} : f32
// CHECK: math.cbrt %{{.*}} : f32
func.func @hyperbolic(%x: vector<8xf32>, %y: vector<8xbf16>) -> (vector<8xf32>, vector<8xbf16>) {
  %0 = math.sinh %x : vector<8xf32>
  %1 = math.cosh %0 : vector<8xf32>
  %2 = math.tan %1 : vector<8xf32>
  %3 = math.asinh %2 : vector<8xf32>
  %4 = math.acosh %3 : vector<8xf32>
  %5 = math.atanh %4 : vector<8xf32>
  %6 = math.asin %5 : vector<8xf32>
  %7 = math.acos %6 : vector<8xf32>
  %8 = math.atan %7 : vector<8xf32>
  %9 = math.cbrt %8 : vector<8xf32>
  %10 = math.cbrt %y : vector<8xbf16>
  return %9, %10 : vector<8xf32>, vector<8xbf16>
}
func.func @hyperbolic_scalars(%x: f32) -> f32 {
  %0 = math.sinh %x : f32
  %1 = math.tan %0 : f32
  %2 = math.cbrt %1 : f32
  return %2 : f32
}
