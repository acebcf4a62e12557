// RUN: pallas-opt %s --convert-pallas-to-mosaic-gpu=arch=sm_100a --split-input-file --verify-diagnostics

func.func @columns(%x: tensor<32x128xf32>) {
  pallas.mpmd_map
      in(%x : tensor<32x128xf32>)
      kernel @kernel on <gpu, [<grid "i" = 2>]> (%g: !pallas.ref<32x128xf32, gmem>) {
    pallas.run_scoped (%s: !pallas.ref<32x8xf32, smem>, %i: !pallas.ref<8xi32, smem>, %b: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>) {
      %rows = pallas.get %i[...] : !pallas.ref<8xi32, smem>
      // expected-error @below {{selects elements by an array; copies take rows of a whole array of two dimensions that a vector names, and a slice of its columns}}
      %q = pallas.slice_ref %g[:, gather(%rows : tensor<8xi32>)] : !pallas.ref<32x128xf32, gmem>
      pallas.copy_gmem_to_smem %q to %s signals %b : !pallas.ref<32x8xf32, gmem>, !pallas.ref<32x8xf32, smem>, !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
    }
  }
  return
}

// -----

func.func @six_rows(%x: tensor<32x128xf32>) {
  pallas.mpmd_map
      in(%x : tensor<32x128xf32>)
      kernel @kernel on <gpu, [<grid "i" = 2>]> (%g: !pallas.ref<32x128xf32, gmem>) {
    pallas.run_scoped (%s: !pallas.ref<6x128xf32, smem>, %i: !pallas.ref<6xi32, smem>, %b: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>) {
      %rows = pallas.get %i[...] : !pallas.ref<6xi32, smem>
      // expected-error @below {{takes rows by a 'tensor<6xi32>'; the hardware takes a multiple of 4 rows, by a vector of i32}}
      %q = pallas.slice_ref %g[gather(%rows : tensor<6xi32>), :] : !pallas.ref<32x128xf32, gmem>
      pallas.copy_gmem_to_smem %q to %s signals %b : !pallas.ref<6x128xf32, gmem>, !pallas.ref<6x128xf32, smem>, !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
    }
  }
  return
}

// -----

func.func @narrow_rows(%x: tensor<32x128xf32>) {
  pallas.mpmd_map
      in(%x : tensor<32x128xf32>)
      kernel @kernel on <gpu, [<grid "i" = 2>]> (%g: !pallas.ref<32x128xf32, gmem>) {
    pallas.run_scoped (%s: !pallas.ref<8x4xf32, smem>, %i: !pallas.ref<8xi32, smem>, %b: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>) {
      %rows = pallas.get %i[...] : !pallas.ref<8xi32, smem>
      %q = pallas.slice_ref %g[gather(%rows : tensor<8xi32>), ds(0, 4)] : !pallas.ref<32x128xf32, gmem>
      // expected-error @below {{copies 4 rows of 4 elements of type 'f32' at once, 64 bytes; the hardware copies multiples of 128}}
      pallas.copy_gmem_to_smem %q to %s signals %b : !pallas.ref<8x4xf32, gmem>, !pallas.ref<8x4xf32, smem>, !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
    }
  }
  return
}

// -----

func.func @wide_rows(%x: tensor<32x512xf32>) {
  pallas.mpmd_map
      in(%x : tensor<32x512xf32>)
      kernel @kernel on <gpu, [<grid "i" = 2>]> (%g: !pallas.ref<32x512xf32, gmem>) {
    pallas.run_scoped (%s: !pallas.ref<8x512xf32, smem>, %i: !pallas.ref<8xi32, smem>, %b: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>) {
      %rows = pallas.get %i[...] : !pallas.ref<8xi32, smem>
      %q = pallas.slice_ref %g[gather(%rows : tensor<8xi32>), :] : !pallas.ref<32x512xf32, gmem>
      // expected-error @below {{copies rows that an array names, [8, 512] by boxes of [1, 256]; copy at most 256 elements of a dimension at once}}
      pallas.copy_gmem_to_smem %q to %s signals %b : !pallas.ref<8x512xf32, gmem>, !pallas.ref<8x512xf32, smem>, !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
    }
  }
  return
}

// -----

func.func @sum_of_rows(%x: tensor<32x128xf32>) {
  pallas.mpmd_map
      in(%x : tensor<32x128xf32>)
      kernel @kernel on <gpu, [<grid "i" = 2>]> (%g: !pallas.ref<32x128xf32, gmem>) {
    pallas.run_scoped (%s: !pallas.ref<8x128xf32, smem>, %i: !pallas.ref<8xi32, smem>) {
      %rows = pallas.get %i[...] : !pallas.ref<8xi32, smem>
      %q = pallas.slice_ref %g[gather(%rows : tensor<8xi32>), :] : !pallas.ref<32x128xf32, gmem>
      // expected-error @below {{copies rows that an array names with other blocks, by a reduction or under a predicate; such copies are plain}}
      pallas.copy_smem_to_gmem %s to %q {reduction = #pallas.atomic<add>} : !pallas.ref<8x128xf32, smem>, !pallas.ref<8x128xf32, gmem>
    }
  }
  return
}
