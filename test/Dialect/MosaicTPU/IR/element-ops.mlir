// RUN: pallas-opt %s | pallas-opt | FileCheck %s
// RUN: pallas-opt %s --mlir-print-op-generic | pallas-opt | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt | FileCheck %s

// Casts and packing of elements.

// CHECK-LABEL: @bitcast
func.func @bitcast(%v: vector<16x128xf32>) {
  // CHECK: tpu.bitcast %{{.*}} : vector<16x128xf32> -> vector<16x128xi32>
  %0 = tpu.bitcast %v : vector<16x128xf32> -> vector<16x128xi32>
  // CHECK: tpu.bitcast %{{.*}} : vector<16x128xf32> -> vector<32x128xbf16>
  %1 = tpu.bitcast %v : vector<16x128xf32> -> vector<32x128xbf16>
  return
}

// CHECK-LABEL: @elementwise
func.func @elementwise(%v: vector<16x128xf32>, %f: f32, %r: vector<16x128xi32>) {
  // CHECK: tpu.reciprocal %{{.*}} : vector<16x128xf32> -> vector<16x128xf32>
  %0 = tpu.reciprocal %v : vector<16x128xf32> -> vector<16x128xf32>
  // CHECK: tpu.reciprocal %{{.*}} {approx = true, full_range = false} : vector<16x128xf32> -> vector<16x128xf32>
  %1 = tpu.reciprocal %v {approx = true, full_range = false} : vector<16x128xf32> -> vector<16x128xf32>
  // CHECK: tpu.weird %{{.*}} : vector<16x128xf32> -> vector<16x128xi1>
  %2 = tpu.weird %v : vector<16x128xf32> -> vector<16x128xi1>
  // CHECK: tpu.weird %{{.*}} : f32 -> i1
  %3 = tpu.weird %f : f32 -> i1
  // CHECK: tpu.stochastic_convert %{{.*}}, %{{.*}} : vector<16x128xf32>, vector<16x128xi32> -> vector<16x128xbf16>
  %4 = tpu.stochastic_convert %v, %r : vector<16x128xf32>, vector<16x128xi32> -> vector<16x128xbf16>
  return
}

// CHECK-LABEL: @pack
func.func @pack(%v: vector<16x128xf32>, %w: vector<16x128xi32>) {
  // CHECK: tpu.pack_elementwise %{{.*}}, %{{.*}} {target_type = bf16} : vector<16x128xf32>, vector<16x128xf32> -> vector<16x128xi32>
  %0 = tpu.pack_elementwise %v, %v {target_type = bf16} : vector<16x128xf32>, vector<16x128xf32> -> vector<16x128xi32>
  // CHECK: tpu.unpack_elementwise %{{.*}}, 1 {source_type = bf16} : vector<16x128xi32> -> vector<16x128xf32>
  %1 = tpu.unpack_elementwise %0, 1 {source_type = bf16} : vector<16x128xi32> -> vector<16x128xf32>
  // CHECK: tpu.unpack_elementwise %{{.*}}, 3 {source_type = i8} : vector<16x128xi32> -> vector<16x128xi32>
  %2 = tpu.unpack_elementwise %w, 3 {source_type = i8} : vector<16x128xi32> -> vector<16x128xi32>
  // CHECK: tpu.pack_subelements %{{.*}}, %{{.*}} {pack_format = #tpu.pack_format<compressed>, positions = array<i32: 0, 1>} : vector<16x128xf32>, vector<16x128xf32> -> vector<16x256xbf16>
  %3 = tpu.pack_subelements %v, %v {pack_format = #tpu.pack_format<compressed>, positions = array<i32: 0, 1>} : vector<16x128xf32>, vector<16x128xf32> -> vector<16x256xbf16>
  // CHECK: tpu.unpack_subelements %{{.*}}, 0 {pack_format = #tpu.pack_format<interleaved>} : vector<16x256xbf16> -> vector<16x128xf32>
  %4 = tpu.unpack_subelements %3, 0 {pack_format = #tpu.pack_format<interleaved>} : vector<16x256xbf16> -> vector<16x128xf32>
  // CHECK: tpu.unpack_subelements %{{.*}}, 1 {integer_extended = false, pack_format = #tpu.pack_format<interleaved>} : vector<16x256xbf16> -> vector<16x128xf32>
  %5 = tpu.unpack_subelements %3, 1 {integer_extended = false, pack_format = #tpu.pack_format<interleaved>} : vector<16x256xbf16> -> vector<16x128xf32>
  return
}
