// RUN: pallas-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @sizes
// CHECK-DAG: %[[A:.*]] = arith.constant 4 : i32
// CHECK-DAG: %[[B:.*]] = arith.constant 3 : i32
// CHECK: pallas.debug_print "{} {}" %[[A]], %[[B]]
func.func @sizes() {
  pallas.pallas_call grid(2, 4, 3) names [unit, "i", "j"] vmapped [0] kernel() {
    %0 = pallas.num_programs 0
    %1 = pallas.axis_size "j"
    pallas.debug_print "{} {}" %0, %1 : i32, i32
  }
  return
}

// -----

// CHECK-LABEL: func.func @mesh_size
// CHECK: %[[A:.*]] = arith.constant 16 : i32
// CHECK: pallas.debug_print "{}" %[[A]]
func.func @mesh_size() {
  pallas.mpmd_map
    kernel on <sc_scalar, [<core "c" = 2>]> () {}
    kernel on <sc_vector, [<core "c" = 2>, <subcore "s" = 16>]> () {
      %0 = pallas.axis_size "s"
      pallas.debug_print "{}" %0 : i32
    }
  return
}

// -----

// CHECK-LABEL: func.func @check_true
// CHECK-NEXT: return
func.func @check_true() {
  %c = arith.constant true
  pallas.check %c, "holds"
  return
}
