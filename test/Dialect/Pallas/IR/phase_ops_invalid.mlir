// RUN: pallas-opt %s --split-input-file --verify-diagnostics

func.func @several(%b: !pallas.ref<2x!pallas.barrier<numArrivals = 1>, smem>, %parity: i1) {
  // expected-error@+1 {{barrier must be a single one, but has type '!pallas.ref<2x!pallas.barrier<numArrivals = 1>, smem>'; select one with pallas.slice_ref}}
  pallas.barrier_wait_parity %b, %parity : !pallas.ref<2x!pallas.barrier<numArrivals = 1>, smem>
  return
}
