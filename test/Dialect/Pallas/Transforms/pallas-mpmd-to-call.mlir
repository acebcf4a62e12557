// RUN: pallas-opt %root/examples/mesh.mlir --pallas-mpmd-to-call | FileCheck %s
// RUN: pallas-opt %root/examples/mesh.mlir --pallas-mpmd-to-call --pallas-call-to-mpmd | FileCheck %s --check-prefix=BACK

// CHECK-LABEL: func.func @mesh
// CHECK-NOT: pallas.mpmd_map
// CHECK: pallas.pallas_call @double grid(2, 16)
// CHECK: semantics [core_parallel, subcore_parallel]
// CHECK: names ["core", "subcore"]
// CHECK: pallas.run_scoped

// BACK-LABEL: func.func @mesh
// BACK-NOT: pallas.pallas_call
// BACK: pallas.mpmd_map
// BACK: on <sc_vector, [<core "core" = 2>, <subcore "subcore" = 16>]>
