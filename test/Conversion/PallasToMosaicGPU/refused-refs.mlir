// RUN: pallas-opt %s --convert-pallas-to-mosaic-gpu --split-input-file --verify-diagnostics

// Refs that an operation does not take, where it stands.

func.func @two_barriers(%x0: tensor<64x128xf32>) {
  pallas.mpmd_map
      in(%x0 : tensor<64x128xf32>)
      kernel @kernel on <gpu, [<grid "i" = 2>]> (%g: !pallas.ref<64x128xf32, gmem>) {
    pallas.run_scoped (%s: !pallas.ref<64x128xf32, smem>, %b: !pallas.ref<2x!pallas.barrier<numArrivals = 1>, smem>) {
      // expected-error @below {{uses 2 barriers at once; index one of them}}
      pallas.copy_gmem_to_smem %g to %s signals %b : !pallas.ref<64x128xf32, gmem>, !pallas.ref<64x128xf32, smem>, !pallas.ref<2x!pallas.barrier<numArrivals = 1>, smem>
    }
  }
  return
}

// -----

func.func @reshaped_global_memory(%x0: tensor<64x128xf32>) {
  pallas.mpmd_map
      in(%x0 : tensor<64x128xf32>)
      kernel @kernel on <gpu, [<grid "i" = 2>]> (%g: !pallas.ref<64x128xf32, gmem>) {
    pallas.run_scoped (%s: !pallas.ref<8192xf32, smem>, %b: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>) {
      %t = pallas.reshape_ref %g : !pallas.ref<64x128xf32, gmem> -> !pallas.ref<8192xf32, gmem>
      // expected-error @below {{copies a ref of type '!pallas.ref<8192xf32, gmem>' as global memory; give an operand or result of the kernel, or a slice of one}}
      pallas.copy_gmem_to_smem %t to %s signals %b : !pallas.ref<8192xf32, gmem>, !pallas.ref<8192xf32, smem>, !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
    }
  }
  return
}

// -----

func.func @box_of_six_dimensions(%x0: tensor<2x2x2x2x2x128xf32>) {
  pallas.mpmd_map
      in(%x0 : tensor<2x2x2x2x2x128xf32>)
      kernel @kernel on <gpu, [<grid "i" = 2>]> (%g: !pallas.ref<2x2x2x2x2x128xf32, gmem>) {
    pallas.run_scoped (%s: !pallas.ref<2x2x2x2x2x128xf32, smem>) {
      // expected-error @below {{copies a box of 6 dimensions, those in a tile counted apart; the hardware copies 5, so copy parts}}
      pallas.copy_smem_to_gmem %s to %g : !pallas.ref<2x2x2x2x2x128xf32, smem>, !pallas.ref<2x2x2x2x2x128xf32, gmem>
    }
  }
  return
}

// -----

func.func @leader_along_two_axes() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<cluster "c" = 2>, <cluster "d" = 2>]> () {
    pallas.run_scoped (%b: !pallas.ref<!pallas.cluster_barrier<collectiveAxes = ["c", "d"], numArrivals = 1, leaderTracked = true>, smem>) {
      // expected-error-re @below {{arrives at {{.*}}leaderTracked = true{{.*}}; the first block is one along one axis, so name one}}
      pallas.barrier_arrive %b : !pallas.ref<!pallas.cluster_barrier<collectiveAxes = ["c", "d"], numArrivals = 1, leaderTracked = true>, smem>
    }
  }
  return
}

// -----

func.func @arrival_at_the_barrier_of_another_cluster() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 1>, <cluster "c" = 2>]> () {
    pallas.run_scoped (%b: !pallas.ref<!pallas.cluster_barrier<collectiveAxes = [["c"]], numArrivals = 1>, smem>) {
      %c1 = arith.constant 1 : i32
      %q = pallas.cluster_ref %b, "c" = %c1 : !pallas.ref<!pallas.cluster_barrier<collectiveAxes = [["c"]], numArrivals = 1>, smem>
      // expected-error-re @below {{arrives at {{.*}} of another block; arrivals reach all blocks of its axes, so give the barrier of this block}}
      pallas.barrier_arrive %q : !pallas.ref<!pallas.cluster_barrier<collectiveAxes = [["c"]], numArrivals = 1>, smem>
    }
  }
  return
}

// -----

func.func @block_along_the_grid() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 1>, <cluster "c" = 2>]> () {
    pallas.run_scoped (%b: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>) {
      %c1 = arith.constant 1 : i32
      // expected-error @below {{names a block along "i", which is no cluster axis of}}
      %q = pallas.cluster_ref %b, "i" = %c1 : !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
      pallas.barrier_arrive %q : !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
    }
  }
  return
}

// -----

func.func @bits_of_another_width() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 2>]> () {
    pallas.run_scoped (%s: !pallas.ref<4x32xf32, smem>, %t: !pallas.ref<8x32xi16, smem>) {
      %v = pallas.get %s[...] : !pallas.ref<4x32xf32, smem>
      // expected-error @below {{reads elements of type 'f32' as 'i16'; on GPUs both have the same width, since lanes keep their elements}}
      %w = pallas.bitcast %v dim 0 : tensor<4x32xf32> -> tensor<8x32xi16>
      pallas.swap %t[...], %w : !pallas.ref<8x32xi16, smem>, tensor<8x32xi16>
    }
  }
  return
}

// -----

func.func @rows_of_shared_memory(%x0: tensor<64x128xf32>) {
  pallas.mpmd_map
      in(%x0 : tensor<64x128xf32>)
      kernel @kernel on <gpu, [<grid "i" = 2>]> (%g: !pallas.ref<64x128xf32, gmem>) {
    pallas.run_scoped (%s: !pallas.ref<64x128xf32, smem>, %n: !pallas.ref<64xi32, smem>) {
      %rows = pallas.get %n[...] : !pallas.ref<64xi32, smem>
      // expected-error @below {{indexes by an array; on GPUs a ref is indexed by scalars and slices}}
      %p = pallas.slice_ref %s[gather(%rows : tensor<64xi32>), :] : !pallas.ref<64x128xf32, smem>
      pallas.copy_smem_to_gmem %p to %g : !pallas.ref<64x128xf32, smem>, !pallas.ref<64x128xf32, gmem>
    }
  }
  return
}

// -----

func.func @sum_of_bytes() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 2>]> () {
    pallas.run_scoped (%s: !pallas.ref<256xi8, smem>, %t: !pallas.ref<128xi8, smem>) {
      %v = pallas.get %t[...] : !pallas.ref<128xi8, smem>
      // expected-error @below {{updates single elements of type 'i8'; on GPUs they are integers of 32 or 64 bits, or floats of 16 bits or more}}
      pallas.addupdate %s[ds(0, 128, 2)], %v : !pallas.ref<256xi8, smem>, tensor<128xi8>
    }
  }
  return
}

// -----

func.func @stored_transposed() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 2>]> () {
    // expected-error @below {{allocates memory with the layout #pallas.transpose<1, 0>; on GPUs memory is tiled and swizzled}}
    pallas.run_scoped (%s: !pallas.ref<64x128xf32, smem, [#pallas.transpose<1, 0>]>) {
    }
  }
  return
}

// -----

func.func @printed_wide() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 2>]> () {
    %c = arith.constant 1 : i128
    // expected-error @below {{prints a scalar of type 'i128'; on GPUs integers of up to 64 bits and floats are printed}}
    pallas.debug_print "x {}" %c : i128
  }
  return
}

// -----

func.func @global_vector(%x0: tensor<64x128xf32>) {
  pallas.mpmd_map
      in(%x0 : tensor<64x128xf32>)
      kernel @kernel on <gpu, [<grid "i" = 2>]> (%g: !pallas.ref<64x128xf32, gmem>) {
    pallas.run_scoped (%b: !pallas.ref<128x64xf32, smem>, %acc: !pallas.accumulator<64x64xf32>) {
      // expected-error @below {{uses a value of type '!pallas.ref<64x128xf32, gmem>' where a vector, a scalar or a ref to shared memory is needed; it lies in global memory, from where copy_gmem_to_smem brings it}}
      pallas.wgmma_ref %acc, %g, %b : !pallas.accumulator<64x64xf32>, !pallas.ref<64x128xf32, gmem>, !pallas.ref<128x64xf32, smem>
    }
  }
  return
}

// -----

func.func @part_of_packed_row() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 2>]> () {
    pallas.run_scoped (%s: !pallas.ref<64x256xi4, smem>) {
      %a = pallas.get %s[3, ds(0, 256)] : !pallas.ref<64x256xi4, smem>
      pallas.swap %s[4, ds(0, 256)], %a : !pallas.ref<64x256xi4, smem>, tensor<256xi4>
      %v = pallas.get %s[3, ds(1, 128)] : !pallas.ref<64x256xi4, smem>
      // expected-error @below {{selects a part of rows of 256 elements of type 'i4'; 2 of them share a byte, so select whole rows or bytes, or load and store the elements}}
      pallas.addupdate %s[5, ds(1, 128)], %v : !pallas.ref<64x256xi4, smem>, tensor<128xi4>
    }
  }
  return
}
