// RUN: pallas-opt %s --pallas-distribute-pipelines --split-input-file --verify-diagnostics

func.func @f(%x: tensor<32x128xf32>) {
  pallas.mpmd_map
      in(%x : tensor<32x128xf32>)
      kernel on <tensorcore, [<core "core" = 2>]> (%xr: !pallas.ref<32x128xf32, hbm>) {
    // expected-error @below {{shares its grid along the axis 'core', but all dimensions of the grid run in order; call one of them parallel}}
    pallas.emit_pipeline grid(4)
        in(%xr : !pallas.ref<32x128xf32, hbm>) block<[8, 128], vmem> map(%i) -> (%i, 0)
        attributes {coreAxis = "core"}
        kernel(%i: i32, %a: !pallas.ref<8x128xf32, vmem>) {
    }
  }
  return
}

// -----

func.func @f(%x: tensor<32x128xf32>) {
  pallas.pallas_call grid()
      in(%x : tensor<32x128xf32>) block<[32, 128], any>
      kernel(%xr: !pallas.ref<32x128xf32, any>) {
    // expected-error @below {{shares its grid along the axis 'core', which no mesh around it has with a known size; name an axis of the mesh that runs it}}
    pallas.emit_pipeline grid(4)
        in(%xr : !pallas.ref<32x128xf32, any>) block<[8, 128], vmem> map(%i) -> (%i, 0)
        semantics [parallel]
        attributes {coreAxis = "core"}
        kernel(%i: i32, %a: !pallas.ref<8x128xf32, vmem>) {
    }
  }
  return
}
