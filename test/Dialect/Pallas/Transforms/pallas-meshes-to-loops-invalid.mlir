// RUN: pallas-opt %s --pallas-meshes-to-loops --split-input-file --verify-diagnostics

func.func @pipeline(%x: tensor<32x128xf32>) {
  pallas.mpmd_map
      in(%x : tensor<32x128xf32>)
      kernel on <tensorcore, [<core "core" = 2>]> (%xr: !pallas.ref<32x128xf32, hbm>) {
    // expected-error @+1 {{is a grid in or around a mesh; run pallas-grids-to-loops before}}
    pallas.emit_pipeline grid(4)
        in(%xr : !pallas.ref<32x128xf32, hbm>) block<[8, 128], vmem> map(%i) -> (%i, 0)
        kernel(%i: i32, %a: !pallas.ref<8x128xf32, vmem>) {
    }
  }
  return
}

// -----

func.func @call() {
  // expected-error @+1 {{is a grid in or around a mesh; run pallas-grids-to-loops before}}
  pallas.pallas_call grid(2) kernel() {
    pallas.core_map <gpu, [<grid "b" = 4>]> () {
    }
  }
  return
}

// -----

func.func @elsewhere(%x: !pallas.ref<8xf32, vmem>) {
  pallas.pallas_call grid(2) captures(%x : !pallas.ref<8xf32, vmem>) kernel(%a: !pallas.ref<8xf32, vmem>) {
  }
  pallas.core_map <gpu, [<grid "b" = 4>]> () {
  }
  return
}

// -----

func.func @many_points() {
  // expected-error @+1 {{runs 8192 tasks that wait for each other; on CPUs at most 4096 can run at the same time}}
  pallas.mpmd_map kernel on <sc_vector, [<core "c" = 512>, <subcore "s" = 16>]> (%sem: !pallas.ref<!pallas.semaphore, semaphore>) {
    %one = arith.constant 1 : i32
    pallas.semaphore_wait %sem, %one : !pallas.ref<!pallas.semaphore, semaphore>
  }
  return
}
