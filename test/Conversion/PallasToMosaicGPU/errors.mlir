// RUN: pallas-opt %s --convert-pallas-to-mosaic-gpu --split-input-file --verify-diagnostics
// RUN: not pallas-opt %S/copies.mlir --convert-pallas-to-mosaic-gpu=arch=sm_80 2>&1 | FileCheck %s --check-prefix=ARCH

// ARCH: architecture 'sm_80' is unknown; use sm_90a, sm_100a

func.func @sort(%x: tensor<256x128xf32>) -> tensor<256x128xf32> {
  %0 = pallas.mpmd_map
    in(%x : tensor<256x128xf32>)
    out(tensor<256x128xf32>)
    kernel @kernel on <gpu, [<grid "i" = 1>]>(%xr: !pallas.ref<256x128xf32, gmem>, %or: !pallas.ref<256x128xf32, gmem>) {
    pallas.run_scoped (%s: !pallas.ref<256xf32, smem>) {
      %v = pallas.get %s[...] : !pallas.ref<256xf32, smem>
      // expected-error @below {{has no form for GPUs; kernels for GPUs copy by copy_gmem_to_smem and copy_smem_to_gmem}}
      %w = pallas.rev %v dims [0] : tensor<256xf32>
    }
  }
  return %0 : tensor<256x128xf32>
}

// -----

func.func @constant(%x: tensor<256x128xf32>) -> tensor<256x128xf32> {
  %0 = pallas.mpmd_map
    in(%x : tensor<256x128xf32>)
    out(tensor<256x128xf32>)
    kernel @kernel on <gpu, [<grid "i" = 1>]>(%xr: !pallas.ref<256x128xf32, gmem>, %or: !pallas.ref<256x128xf32, gmem>) {
    // expected-error @below {{has elements that differ; on GPUs the elements of a constant are equal, others come from memory or iota}}
    %v = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  }
  return %0 : tensor<256x128xf32>
}

// -----

func.func @stride(%x: tensor<256x128xf32>) -> tensor<256x128xf32> {
  %0 = pallas.mpmd_map
    in(%x : tensor<256x128xf32>)
    out(tensor<256x128xf32>)
    kernel @kernel on <gpu, [<grid "i" = 1>]>(%xr: !pallas.ref<256x128xf32, gmem>, %or: !pallas.ref<256x128xf32, gmem>) {
    pallas.run_scoped (%s: !pallas.ref<256xf32, smem>) {
      // expected-error @below {{has a slice with a stride of 2; on GPUs slices are dense}}
      %v = pallas.slice_ref %s[ds(0, 64, 2)] : !pallas.ref<256xf32, smem>
    }
  }
  return %0 : tensor<256x128xf32>
}

// -----

func.func @semaphore(%x: tensor<256x128xf32>) -> tensor<256x128xf32> {
  %0 = pallas.mpmd_map
    in(%x : tensor<256x128xf32>)
    out(tensor<256x128xf32>)
    kernel @kernel on <gpu, [<grid "i" = 1>]>(%xr: !pallas.ref<256x128xf32, gmem>, %or: !pallas.ref<256x128xf32, gmem>) {
    // expected-error @below {{makes a value of type '!pallas.ref<!pallas.dma_semaphore, semaphore>'; on GPUs scopes make refs in shared and tensor memory, barriers, semaphores in gmem and accumulators}}
    pallas.run_scoped (%s: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    }
  }
  return %0 : tensor<256x128xf32>
}

// -----

func.func @many(%x: tensor<256x128xf32>) -> tensor<256x128xf32> {
  %0 = pallas.mpmd_map
    in(%x : tensor<256x128xf32>)
    out(tensor<256x128xf32>)
    kernel @kernel on <gpu, [<grid "i" = 1>]>(%xr: !pallas.ref<256x128xf32, gmem>, %or: !pallas.ref<256x128xf32, gmem>) {
    // expected-error @below {{takes 33 barriers at once; the word of their phases has 32 bits}}
    pallas.run_scoped (%b: !pallas.ref<33x!pallas.barrier<numArrivals = 1>, smem>) {
    }
  }
  return %0 : tensor<256x128xf32>
}

// -----

func.func @layout(%x: tensor<256x128xf32>) -> tensor<256x128xf32> {
  %0 = pallas.mpmd_map
    in(%x : tensor<256x128xf32>)
    out(tensor<256x128xf32>)
    kernel @kernel on <gpu, [<grid "i" = 1>]>(%xr: !pallas.ref<256x128xf32, gmem>, %or: !pallas.ref<256x128xf32, gmem>) {
    pallas.run_scoped (%s: !pallas.ref<256xf32, smem>) {
      %v = pallas.get %s[...] : !pallas.ref<256xf32, smem>
      // expected-error @below {{asks for the layout "odd"; give WGMMA, WGMMA_ROW, WGMMA_COL or an attribute of mosaic_gpu}}
      %w = pallas.layout_cast %v : tensor<256xf32> layout "odd"
    }
  }
  return %0 : tensor<256x128xf32>
}

// -----

func.func @box(%x: tensor<4x300xf32>) -> tensor<4x300xf32> {
  %0 = pallas.mpmd_map
    in(%x : tensor<4x300xf32>)
    out(tensor<4x300xf32>)
    kernel @kernel on <gpu, [<grid "i" = 1>]>(%xr: !pallas.ref<4x300xf32, gmem>, %or: !pallas.ref<4x300xf32, gmem>) {
    pallas.run_scoped (%s: !pallas.ref<4x300xf32, smem>) {
      // expected-error @below {{copies 300 elements of a dimension in parts of at most 256; parts start at multiples of 128 bytes of shared memory, so pad them to 320}}
      pallas.copy_smem_to_gmem %s to %or : !pallas.ref<4x300xf32, smem>, !pallas.ref<4x300xf32, gmem>
    }
  }
  return %0 : tensor<4x300xf32>
}

// -----

func.func @too_much(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{the kernel takes 262144 bytes of shared memory; a block of sm_90a has 232448}}
  %0 = pallas.mpmd_map
    in(%x : tensor<8xf32>)
    out(tensor<8xf32>)
    kernel @kernel on <gpu, [<grid "i" = 1>]>(%xr: !pallas.ref<8xf32, gmem>, %or: !pallas.ref<8xf32, gmem>) {
    // expected-note @below {{scoped 0: 262144 bytes of smem}}
    pallas.run_scoped (%s: !pallas.ref<65536xf32, smem>) {
    }
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @core(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{kernels for GPUs run on a mesh of kind gpu}}
  %0 = pallas.mpmd_map
    in(%x : tensor<8xf32>)
    out(tensor<8xf32>)
    kernel @kernel on <tensorcore, [<core "core" = 1>]>(%xr: !pallas.ref<8xf32, hbm>, %or: !pallas.ref<8xf32, hbm>) {
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @blocks(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  // expected-error @below {{has blocks; pallas-call-to-gpu-kernel makes copies of them before this pass}}
  %0 = pallas.pallas_call grid(1)
    in(%x : tensor<64x128xf32>)
    out(tensor<64x128xf32>)
    kernel(%xr: !pallas.ref<64x128xf32, default>, %or: !pallas.ref<64x128xf32, default>) {
  }
  return %0 : tensor<64x128xf32>
}

// -----

func.func @two_swizzles() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 2>]> () {
    pallas.run_scoped (%a: !pallas.ref<64x64xf16, smem, [#pallas.tile<8, 64>, #pallas.swizzle<128>]>, %b: !pallas.ref<64x64xf16, smem, [#pallas.tile<8, 32>, #pallas.swizzle<64>]>, %acc: !pallas.accumulator<64x64xf32>) {
      %t = pallas.transpose_ref %b, [1, 0] : !pallas.ref<64x64xf16, smem, [#pallas.tile<8, 32>, #pallas.swizzle<64>]> -> !pallas.ref<64x64xf16, smem>
      // expected-error @below {{multiplies memory that is swizzled by 128 and 64 bytes; swizzle both operands by 64}}
      pallas.wgmma_ref %acc, %a, %t : !pallas.accumulator<64x64xf32>, !pallas.ref<64x64xf16, smem, [#pallas.tile<8, 64>, #pallas.swizzle<128>]>, !pallas.ref<64x64xf16, smem>
    }
  }
  return
}
