// RUN: pallas-opt %s --pallas-expand-pipelines="tile-rows=8 tile-columns=128" --split-input-file --verify-diagnostics

func.func @f(%x: tensor<30x128xf32>) {
  pallas.pallas_call grid()
      in(%x : tensor<30x128xf32>) block<[30, 128], any>
      kernel(%xr: !pallas.ref<30x128xf32, any>) {
    // expected-error @below {{has blocks of 12 along dimension 0, which has 30; where memory has tiles they must divide it or be a multiple of 8}}
    pallas.emit_pipeline grid(3)
        in(%xr : !pallas.ref<30x128xf32, any>) block<[12, 128], vmem> map(%i) -> (%i, 0)
        kernel(%i: i32, %a: !pallas.ref<12x128xf32, vmem>) {
    }
  }
  return
}

// -----

func.func @f(%x: tensor<32x128xf32>) {
  pallas.mpmd_map
      in(%x : tensor<32x128xf32>)
      kernel on <tensorcore, [<core "core" = 2>]> (%xr: !pallas.ref<32x128xf32, hbm>) {
    // expected-error @below {{shares its grid among cores; run pallas-distribute-pipelines before}}
    pallas.emit_pipeline grid(4)
        in(%xr : !pallas.ref<32x128xf32, hbm>) block<[8, 128], vmem> map(%i) -> (%i, 0)
        semantics [parallel]
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
    // expected-error @below {{has the block dimension #pallas.dim<element<8, 1, 0>>, but windows of expanded pipelines are blocks or elements without padding; copy these parts in the kernel}}
    pallas.emit_pipeline grid(3)
        in(%xr : !pallas.ref<32x128xf32, any>) block<[element<8, 1, 0>, 128], vmem> map(%i) -> (%i, 0)
        kernel(%i: i32, %a: !pallas.ref<8x128xf32, vmem>) {
    }
  }
  return
}
