// Blocks of a cluster may start a copy for all of them from different places:
// what they signal is the barrier of the same allocation.

// RUN: rm -rf %t && mkdir %t
// RUN: %python %root/examples/make-input.py %t/x.npy 64
// RUN: pallas-run %s --no-cache --check --entry different_places --in %t/x.npy --out %t/y.npy
// RUN: %python -c "import numpy as np; x, y = np.load('%t/x.npy'), np.load('%t/y.npy'); np.testing.assert_array_equal(y, np.stack([x * 2, x * 2]))"
// RUN: not pallas-run %s --no-cache --check --entry different_barriers --in %t/x.npy 2>&1 | FileCheck %s --check-prefix=BARRIERS
// RUN: not pallas-run %s --no-cache --check --entry phase_unseen --in %t/x.npy 2>&1 | FileCheck %s --check-prefix=UNSEEN

!g = !pallas.ref<64xf32, gmem>
!out = !pallas.ref<2x64xf32, gmem>
!s = !pallas.ref<64xf32, smem>
!bar = !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>

// The order of the copies differs, too.
func.func @different_places(%x: tensor<64xf32>) -> tensor<2x64xf32> {
  %o = pallas.mpmd_map in(%x : tensor<64xf32>) out(tensor<2x64xf32>)
      kernel @copy on <gpu, [<cluster "c" = 2>]> (%xr: !g, %or: !out, %s: !s, %t: !s, %b: !bar, %d: !bar) {
    %me = pallas.axis_index "c"
    %c0 = arith.constant 0 : i32
    %first = arith.cmpi eq, %me, %c0 : i32
    scf.if %first {
      pallas.copy_gmem_to_smem %xr to %s signals %b collective ["c"] : !g, !s, !bar
      pallas.copy_gmem_to_smem %xr to %t signals %d collective ["c"] : !g, !s, !bar
    } else {
      pallas.copy_gmem_to_smem %xr to %t signals %d collective ["c"] : !g, !s, !bar
      pallas.copy_gmem_to_smem %xr to %s signals %b collective ["c"] : !g, !s, !bar
    }
    pallas.barrier_wait %b : !bar
    pallas.barrier_wait %d : !bar
    %v = pallas.get %s[...] : !s
    %w = pallas.get %t[...] : !s
    %sum = arith.addf %v, %w : tensor<64xf32>
    %old = pallas.swap %or[%me, :], %sum : !out, tensor<64xf32>
  }
  return %o : tensor<2x64xf32>
}

// Each block waits for bytes that the other one announces elsewhere.
func.func @different_barriers(%x: tensor<64xf32>) -> tensor<2x64xf32> {
  %o = pallas.mpmd_map in(%x : tensor<64xf32>) out(tensor<2x64xf32>)
      kernel @copy on <gpu, [<cluster "c" = 2>]> (%xr: !g, %or: !out, %s: !s, %b: !bar, %d: !bar) {
    %me = pallas.axis_index "c"
    %c0 = arith.constant 0 : i32
    %first = arith.cmpi eq, %me, %c0 : i32
    scf.if %first {
      pallas.copy_gmem_to_smem %xr to %s signals %b collective ["c"] : !g, !s, !bar
      // BARRIERS: multicast.mlir":[[@LINE+1]]:7): deadlock: nothing is left to signal what is waited for
      pallas.barrier_wait %b : !bar
    } else {
      pallas.copy_gmem_to_smem %xr to %s signals %d collective ["c"] : !g, !s, !bar
      pallas.barrier_wait %d : !bar
    }
    %v = pallas.get %s[...] : !s
    %old = pallas.swap %or[%me, :], %v : !out, tensor<64xf32>
  }
  return %o : tensor<2x64xf32>
}

func.func @phase_unseen(%x: tensor<64xf32>) -> tensor<2x64xf32> {
  %o = pallas.mpmd_map in(%x : tensor<64xf32>) out(tensor<2x64xf32>)
      kernel @copy on <gpu, [<cluster "c" = 2>]> (%xr: !g, %or: !out, %s: !s, %t: !s, %b: !bar) {
    pallas.copy_gmem_to_smem %xr to %s signals %b collective ["c"] : !g, !s, !bar
    // UNSEEN: multicast.mlir:[[@LINE+1]]:5: error: phase never waited for: 'pallas.copy_gmem_to_smem' completes phase 2 of {{.*}}, but nothing has waited for phase 1
    pallas.copy_gmem_to_smem %xr to %t signals %b collective ["c"] : !g, !s, !bar
    %odd = arith.constant true
    pallas.barrier_wait_parity %b, %odd : !bar
    %v = pallas.get %s[...] : !s
    %me = pallas.axis_index "c"
    %old = pallas.swap %or[%me, :], %v : !out, tensor<64xf32>
  }
  return %o : tensor<2x64xf32>
}
