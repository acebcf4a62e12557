// RUN: pallas-opt %s | pallas-opt | FileCheck %s

!bar = !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>

// CHECK-LABEL: func.func @wait
// CHECK: pallas.barrier_wait_parity %{{.*}}, %{{.*}} : !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>
func.func @wait(%b: !bar, %parity: i1) {
  pallas.barrier_wait_parity %b, %parity : !bar
  return
}
