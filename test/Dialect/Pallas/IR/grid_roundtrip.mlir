// RUN: pallas-opt %s -o %t.mlir && pallas-opt %t.mlir | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt --mlir-print-op-generic | pallas-opt | diff %t.mlir -

// CHECK-LABEL: func.func @queries
func.func @queries(%x: i32, %c: i1) {
  // CHECK: pallas.program_id 1
  %0 = pallas.program_id 1
  // CHECK: pallas.num_programs 0
  %1 = pallas.num_programs 0
  // CHECK: pallas.axis_index "core"
  %2 = pallas.axis_index "core"
  // CHECK: pallas.axis_size "core"
  %3 = pallas.axis_size "core"
  // CHECK: pallas.device_id
  %4 = pallas.device_id
  // CHECK: pallas.core_id
  %5 = pallas.core_id
  // CHECK: pallas.delay %{{.*}}
  pallas.delay %x
  // CHECK: pallas.prng_seed %{{.*}}, %{{.*}}
  pallas.prng_seed %x, %x
  // CHECK: pallas.prng_random_bits : tensor<8x128xi32>
  %6 = pallas.prng_random_bits : tensor<8x128xi32>
  // CHECK: pallas.debug_print "x = {}" %{{.*}} : i32
  pallas.debug_print "x = {}" %x : i32
  // CHECK: pallas.check %{{.*}}, "must hold"
  pallas.check %c, "must hold"
  // CHECK: pallas.trace_start "span"
  pallas.trace_start "span"
  // CHECK: pallas.trace_value "x", %{{.*}} : i32
  pallas.trace_value "x", %x : i32
  // CHECK: pallas.trace_stop
  pallas.trace_stop
  return
}
