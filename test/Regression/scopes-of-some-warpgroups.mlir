// RUN: pallas-opt %s --pallas-to-mosaic-gpu --split-input-file --verify-diagnostics

// The bug: the barrier of a scope that warpgroups share stood in a branch that only some of them
// take, and the error of a scope that they don't share advised to make it one.

!x = !pallas.ref<2x128xf32, gmem>
func.func @shared(%x: tensor<2x128xf32>) -> tensor<2x128xf32> {
  %0 = pallas.mpmd_map
    in(%x : tensor<2x128xf32>)
    out(tensor<2x128xf32>)
    kernel @shared on <gpu, [<thread "wg" = 2>]>(%xr: !x, %or: !x) {
    %wg = pallas.axis_index "wg"
    %c0 = arith.constant 0 : i32
    %first = arith.cmpi eq, %wg, %c0 : i32
    // expected-note @below {{which warpgroups come here depends on their place}}
    scf.if %first {
      %v = pallas.get %xr[%wg, :] : !x
      // expected-error @below {{makes memory or barriers where not all warpgroups come, but all wait for each other at its start; make them in front of the branch}}
      pallas.run_scoped (%s: !pallas.ref<2x128xf32, smem>) collective ["wg"] {
        pallas.swap %s[%wg, :], %v : !pallas.ref<2x128xf32, smem>, tensor<128xf32>
        %w = pallas.get %s[%wg, :] : !pallas.ref<2x128xf32, smem>
        pallas.swap %or[%wg, :], %w : !x, tensor<128xf32>
      }
    }
  }
  return %0 : tensor<2x128xf32>
}

// -----

!x = !pallas.ref<2x128xf32, gmem>
func.func @own_memory(%x: tensor<2x128xf32>) -> tensor<2x128xf32> {
  %0 = pallas.mpmd_map
    in(%x : tensor<2x128xf32>)
    out(tensor<2x128xf32>)
    kernel @own_memory on <gpu, [<thread "wg" = 2>]>(%xr: !x, %or: !x) {
    %wg = pallas.axis_index "wg"
    %c0 = arith.constant 0 : i32
    %first = arith.cmpi eq, %wg, %c0 : i32
    // expected-note @below {{which warpgroups come here depends on their place}}
    scf.if %first {
      %v = pallas.get %xr[%wg, :] : !x
      // expected-error @below {{makes memory or barriers where not all warpgroups come, but all wait for each other at its start; make them in front of the branch}}
      pallas.run_scoped (%s: !pallas.ref<2x128xf32, smem>) {
        pallas.swap %s[%wg, :], %v : !pallas.ref<2x128xf32, smem>, tensor<128xf32>
        %w = pallas.get %s[%wg, :] : !pallas.ref<2x128xf32, smem>
        pallas.swap %or[%wg, :], %w : !x, tensor<128xf32>
      }
    }
  }
  return %0 : tensor<2x128xf32>
}
