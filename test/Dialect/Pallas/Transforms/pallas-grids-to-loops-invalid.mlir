// RUN: pallas-opt %s --pallas-grids-to-loops --split-input-file --verify-diagnostics

func.func @bounded(%r: !pallas.ref<8xf32, vmem>) {
  // expected-error @+1 {{block 0 has a bounded dimension, of which loops have no windows; use a blocked or an element dimension}}
  pallas.emit_pipeline grid(2) in(%r : !pallas.ref<8xf32, vmem>) block<[bounded<4>], vmem> map(%i) {
      pallas.yield %i, %i : i32, i32
    } kernel(%i: i32, %a: !pallas.ref<4xf32, vmem>) {}
  return
}

// -----

func.func @shared(%x: tensor<32x128xf32>) {
  pallas.mpmd_map
      in(%x : tensor<32x128xf32>)
      kernel on <tensorcore, [<core "core" = 2>]> (%xr: !pallas.ref<32x128xf32, hbm>) {
    // expected-error @+1 {{shares its grid among cores; run pallas-distribute-pipelines before}}
    pallas.emit_pipeline grid(4)
        in(%xr : !pallas.ref<32x128xf32, hbm>) block<[8, 128], vmem> map(%i) -> (%i, 0)
        semantics [parallel]
        attributes {coreAxis = "core"}
        kernel(%i: i32, %a: !pallas.ref<8x128xf32, vmem>) {
    }
  }
  return
}
