// RUN: pallas-opt %s --convert-pallas-to-cpu --split-input-file --verify-diagnostics

func.func @product() {
  pallas.run_scoped (%acc: !pallas.ref<64x128xf32, tmem>, %a: !pallas.ref<64x64xf16, smem>, %b: !pallas.ref<64x64xf16, smem>) {
    %false = arith.constant false
    // expected-error @+1 {{is done by two blocks together; run pallas-expand-cta-pairs before}}
    pallas.tcgen05_mma %acc, %a, %b accumulate %false collective "c"
        : !pallas.ref<64x128xf32, tmem>, !pallas.ref<64x64xf16, smem>, !pallas.ref<64x64xf16, smem>
  }
  return
}

// -----

func.func @pipeline(%xr: !pallas.ref<32x128xf32, hbm>) {
  // expected-error @+1 {{is a grid; run pallas-grids-to-loops before}}
  pallas.emit_pipeline grid(4)
      in(%xr : !pallas.ref<32x128xf32, hbm>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      kernel(%i: i32, %a: !pallas.ref<8x128xf32, vmem>) {
  }
  return
}

// -----

func.func @cores() {
  // expected-error @+1 {{is a mesh; run pallas-meshes-to-loops before}}
  pallas.core_map <tensorcore, [<core "core" = 2>]> () {
  }
  return
}

// -----

func.func @kernels(%x: tensor<32x128xf32>) {
  // expected-error @+1 {{is a mesh; run pallas-meshes-to-loops before}}
  pallas.mpmd_map
      in(%x : tensor<32x128xf32>)
      kernel on <tensorcore, [<core "core" = 2>]> (%xr: !pallas.ref<32x128xf32, hbm>) {
  }
  return
}

// -----

func.func @call(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{is a grid; run pallas-grids-to-loops before}}
  %o = pallas.pallas_call grid(2)
      in(%x : tensor<8xf32>) block<[4], vmem> map(%i) -> (%i)
      out(tensor<8xf32>) block<[4], vmem> map(%i) -> (%i)
      kernel(%xr: !pallas.ref<4xf32, vmem>, %or: !pallas.ref<4xf32, vmem>) {
  }
  return %o : tensor<8xf32>
}
