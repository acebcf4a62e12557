// RUN: pallas-opt %s --pallas-expand-gpu-pipelines --split-input-file --verify-diagnostics

func.func @warpgroups(%x: tensor<64x64xf32>) {
  pallas.mpmd_map in(%x : tensor<64x64xf32>)
      kernel @kernel on <gpu, [<grid "i" = 2>, <thread "wg" = 2>]> (%g: !pallas.ref<64x64xf32, gmem>) {
    // expected-error @below {{takes 1 warpgroups, but its kernel has 2; the thread axis of the mesh has one for each that computes, and one that copies where numComputeWarpgroups is given}}
    pallas.emit_pipeline grid(8) in(%g : !pallas.ref<64x64xf32, gmem>) block<[8, 64], smem> map(%i) -> (%i, 0)
        kernel(%i: i32, %r: !pallas.ref<8x64xf32, smem>) {
    }
  }
  return
}

// -----

func.func @shared_output(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = pallas.mpmd_map in(%x : tensor<64x64xf32>) out(tensor<64x64xf32>)
      kernel @kernel on <gpu, [<grid "i" = 2>, <thread "wg" = 3>]> (%g: !pallas.ref<64x64xf32, gmem>, %o: !pallas.ref<64x64xf32, gmem>) {
    // expected-error @below {{has an output in shared memory, which 2 warpgroups would write; on GPUs keep outputs in gmem, or let one warpgroup compute}}
    pallas.emit_pipeline grid(8) in(%g : !pallas.ref<64x64xf32, gmem>) block<[8, 64], smem> map(%i) -> (%i, 0)
        out(%o : !pallas.ref<64x64xf32, gmem>) block<[8, 64], smem> map(%i) -> (%i, 0)
        attributes {numComputeWarpgroups = 2 : i64}
        kernel(%i: i32, %r: !pallas.ref<8x64xf32, smem>, %w: !pallas.ref<8x64xf32, smem>) {
    }
  }
  return %0 : tensor<64x64xf32>
}

// -----

func.func @same_block(%x: tensor<64x64xf32>) {
  pallas.mpmd_map in(%x : tensor<64x64xf32>)
      kernel @kernel on <gpu, [<grid "i" = 2>, <thread "wg" = 2>]> (%g: !pallas.ref<64x64xf32, gmem>) {
    // expected-error @below {{copies input 0 again for each of 8 steps, though its block stays; copy it before the pipeline}}
    pallas.emit_pipeline grid(8) in(%g : !pallas.ref<64x64xf32, gmem>) block<[8, 64], smem> map(%i) -> (0, 0)
        attributes {numComputeWarpgroups = 1 : i64}
        kernel(%i: i32, %r: !pallas.ref<8x64xf32, smem>) {
    }
  }
  return
}

// -----

func.func @same_block_of_many(%x: tensor<64x64xf32>) {
  pallas.mpmd_map in(%x : tensor<64x64xf32>)
      kernel @kernel on <gpu, [<grid "i" = 2>, <thread "wg" = 2>]> (%g: !pallas.ref<64x64xf32, gmem>) {
    %n = pallas.axis_index "i"
    // expected-error @below {{copies input 0 again for each of many steps, though its block stays; copy it before the pipeline}}
    pallas.emit_pipeline grid(%n) in(%g : !pallas.ref<64x64xf32, gmem>) block<[8, 64], smem> map(%i) -> (0, 0)
        attributes {numComputeWarpgroups = 1 : i64}
        kernel(%i: i32, %r: !pallas.ref<8x64xf32, smem>) {
    }
  }
  return
}

// -----

func.func @delays(%x: tensor<64x64xf32>) {
  pallas.mpmd_map in(%x : tensor<64x64xf32>)
      kernel @kernel on <gpu, [<grid "i" = 2>, <thread "wg" = 2>]> (%g: !pallas.ref<64x64xf32, gmem>) {
    // expected-error @below {{keeps blocks of input 1 for 0 steps more, those of others for 1; where a warpgroup copies, give all the same delay_release}}
    pallas.emit_pipeline grid(8)
        in(%g : !pallas.ref<64x64xf32, gmem>) block<[8, 64], smem, pipeline = <2, delay_release 1>> map(%i) -> (%i, 0)
        in(%g : !pallas.ref<64x64xf32, gmem>) block<[8, 64], smem> map(%i) -> (%i, 0)
        attributes {maxConcurrentSteps = 2 : i64, numComputeWarpgroups = 1 : i64}
        kernel(%i: i32, %r: !pallas.ref<8x64xf32, smem>, %s: !pallas.ref<8x64xf32, smem>) {
    }
  }
  return
}
