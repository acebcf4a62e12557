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

// -----

// Along a dimension of size 1 there is one program.
// CHECK-LABEL: func.func @only_program
// CHECK: in(%{{.*}} : tensor<1x32xf32>) block<[1, 8], vmem> map(%[[I:.*]], %[[J:.*]]) -> (0, %[[J]])
// CHECK: %[[J:.*]] = pallas.program_id 1
// CHECK: pallas.debug_print "{} {} {}" %c0{{.*}}, %[[J]], %c0{{.*}}
func.func @only_program(%x: tensor<1x32xf32>) {
  pallas.pallas_call grid(1, 4)
      in(%x : tensor<1x32xf32>) block<[1, 8], vmem> map(%i, %j) -> (%i, %j)
      names ["i", "j"]
      kernel(%a: !pallas.ref<1x8xf32, vmem>) {
    %0 = pallas.program_id 0
    %1 = pallas.program_id 1
    %2 = pallas.axis_index "i"
    pallas.debug_print "{} {} {}" %0, %1, %2 : i32, i32, i32
    %v = pallas.get %a[0, 0] : !pallas.ref<1x8xf32, vmem>
    pallas.debug_print "{}" %v : f32
  }
  return
}
