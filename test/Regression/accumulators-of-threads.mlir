// RUN: pallas-opt %s --pallas-meshes-to-loops | FileCheck %s
// RUN: pallas-opt %s --pallas-meshes-to-loops --convert-pallas-to-cpu | FileCheck %s --check-prefix=CPU

// An accumulator is registers of a thread. On CPUs threads that run in order had one together, so
// the second went on with the sum of the first; blocks of a cluster made the lowering crash.

// CHECK-LABEL: func.func @in_order(
// CHECK: pallas.run_scoped (%{{.*}}: !pallas.ref<8xf32, smem>) {
// CHECK: scf.for
// CHECK: pallas.on_core
// CHECK-NEXT: pallas.run_scoped (%{{.*}}: !pallas.accumulator<64x64xf32>) {
func.func @in_order() {
  pallas.core_map <gpu, [<thread "t" = 2>]> (%a: !pallas.accumulator<64x64xf32>, %s: !pallas.ref<8xf32, smem>) {
  }
  return
}

// CPU-LABEL: func.func @tasks(
// CPU-DAG: memref.alloc() {alignment = 64 : i64} : memref<8x64x64xf32>
// CPU-DAG: memref.alloc() {alignment = 64 : i64} : memref<4xi32>
// CPU: scf.forall
func.func @tasks() {
  pallas.core_map <gpu, [<cluster "c" = 4>, <thread "t" = 2>]> (%a: !pallas.accumulator<64x64xf32>, %b: !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>) {
    pallas.barrier_arrive %b : !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>
    pallas.barrier_wait %b : !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>
  }
  return
}
