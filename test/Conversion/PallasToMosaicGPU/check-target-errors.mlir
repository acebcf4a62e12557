// RUN: pallas-opt %s --pallas-check-target=gpu:sm_90a --split-input-file --verify-diagnostics
// RUN: pallas-opt %s --convert-pallas-to-mosaic-gpu --split-input-file --verify-diagnostics

// The lowering refuses what the check does, and both name everything at once.

func.func @all_at_once(%x: tensor<512x6xf32>, %y: tensor<4096x4xf32>) {
  pallas.mpmd_map
      in(%x : tensor<512x6xf32>)
      in(%y : tensor<4096x4xf32>)
      kernel @first on <gpu, [<grid "i" = 1>]> (%g: !pallas.ref<512x6xf32, gmem>, %tall: !pallas.ref<4096x4xf32, gmem>) {
    // expected-error @below {{takes 33 barriers at once; the word of their phases has 32 bits}}
    pallas.run_scoped (%many: !pallas.ref<33x!pallas.barrier<numArrivals = 1>, smem>, %b: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>) {
      %one = pallas.slice_ref %many[0] : !pallas.ref<33x!pallas.barrier<numArrivals = 1>, smem>
      pallas.barrier_wait %one : !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
      pallas.run_scoped (%t: !pallas.ref<4096x4xf32, smem, [#pallas.tile<8, 4>]>) {
        // expected-error @below {{copies 512 elements of a dimension at once; the hardware copies 256, so copy parts}}
        pallas.copy_gmem_to_smem %tall to %t signals %b : !pallas.ref<4096x4xf32, gmem>, !pallas.ref<4096x4xf32, smem, [#pallas.tile<8, 4>]>, !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
      }
      %half = pallas.slice_ref %g[ds(0, 256), :] : !pallas.ref<512x6xf32, gmem>
      pallas.run_scoped (%t: !pallas.ref<256x6xf32, smem>) {
        // expected-error @below {{copies rows of 6 elements of type 'f32'; the hardware copies multiples of 16 bytes, and sizes near it are 4, 8 and 256}}
        pallas.copy_gmem_to_smem %half to %t signals %b : !pallas.ref<256x6xf32, gmem>, !pallas.ref<256x6xf32, smem>, !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
      }
      pallas.run_scoped (%t: !pallas.ref<8x4xf32, smem>) {
        %few = pallas.slice_ref %g[ds(0, 8), ds(0, 4)] : !pallas.ref<512x6xf32, gmem>
        // expected-error @below {{copies a part of an array with rows of 6 elements of type 'f32'; rows start at multiples of 16 bytes, so pad them to 8}}
        pallas.copy_gmem_to_smem %few to %t signals %b : !pallas.ref<8x4xf32, gmem>, !pallas.ref<8x4xf32, smem>, !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
      }
    }
  }
  // expected-error @below {{has 17 warpgroups per block, 2176 threads; 8 of 1024 threads fit, so make the others blocks of the grid or of a cluster}}
  // expected-error @below {{has clusters of 32 blocks; 16 fit}}
  pallas.mpmd_map
      kernel @second on <gpu, [<grid "i" = 1>, <cluster "c" = 32>, <thread "t" = 17>]> () {
    %ns = arith.constant 100 : i32
    pallas.delay %ns
  }
  return
}

// -----

func.func @products() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 1>]> () {
    pallas.run_scoped (%a: !pallas.ref<96x64xf16, smem>, %b: !pallas.ref<64x128xf16, smem>, %acc: !pallas.accumulator<96x128xf32>) {
      // expected-error @below {{adds to an accumulator of 96 rows; rows are a multiple of 64, near it 64 and 128}}
      pallas.wgmma_ref %acc, %a, %b : !pallas.accumulator<96x128xf32>, !pallas.ref<96x64xf16, smem>, !pallas.ref<64x128xf16, smem>
    }
    pallas.run_scoped (%a: !pallas.ref<64x64xf16, smem>, %b: !pallas.ref<64x100xf16, smem>, %acc: !pallas.accumulator<64x100xf32>) {
      // expected-error @below {{adds to an accumulator of 100 columns; columns are a multiple of 8, near it 96, 104 and 256}}
      pallas.wgmma_ref %acc, %a, %b : !pallas.accumulator<64x100xf32>, !pallas.ref<64x64xf16, smem>, !pallas.ref<64x100xf16, smem>
    }
    pallas.run_scoped (%a: !pallas.ref<64x64xbf16, smem>, %b: !pallas.ref<64x64xbf16, smem>, %acc: !pallas.accumulator<64x64xf16>) {
      // expected-error @below {{multiplies 'bf16' by 'bf16' into 'f16'; warpgroups multiply equal floats}}
      pallas.wgmma_ref %acc, %a, %b : !pallas.accumulator<64x64xf16>, !pallas.ref<64x64xbf16, smem>, !pallas.ref<64x64xbf16, smem>
    }
  }
  return
}

// -----

func.func @memory() {
  // expected-error @below {{the kernel takes 294912 bytes of shared memory; a block of sm_90a has 232448, so use smaller blocks or fewer at a time}}
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 1>]> () {
    // expected-note @below {{scoped 0: 262144 bytes of smem}}
    pallas.run_scoped (%s: !pallas.ref<65536xf32, smem>) {
      %ns = arith.constant 100 : i32
      // expected-note @below {{scoped 0: 32768 bytes of smem}}
      pallas.run_scoped (%t: !pallas.ref<8192xf32, smem>) {
        pallas.delay %ns
      }
    }
    // expected-note @below {{scoped 0: 32768 bytes of smem}}
    pallas.run_scoped (%s: !pallas.ref<8192xf32, smem>) {
      %ns = arith.constant 100 : i32
      pallas.delay %ns
    }
  }
  return
}

// -----

func.func @combination(%x: tensor<64xf32>) {
  %o = pallas.mpmd_map
      in(%x : tensor<64xf32>)
      out(tensor<64xf32>)
      kernel @kernel on <gpu, [<grid "i" = 1>]> (%g: !pallas.ref<64xf32, gmem>, %o: !pallas.ref<64xf32, gmem>) {
    pallas.run_scoped (%s: !pallas.ref<64xf32, smem>) {
      // expected-error @below {{combines elements of type 'f32' by max; a copy to global memory adds floats of 16 and 32 bits}}
      pallas.copy_smem_to_gmem %s to %o {reduction = #pallas.atomic<max>} : !pallas.ref<64xf32, smem>, !pallas.ref<64xf32, gmem>
    }
  }
  return
}
