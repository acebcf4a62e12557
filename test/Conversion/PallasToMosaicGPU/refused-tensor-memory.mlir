// RUN: pallas-opt %s --convert-pallas-to-mosaic-gpu=arch=sm_100a --split-input-file --verify-diagnostics

// Refs that tensor memory does not hold, and what its instructions do not take.

func.func @three_dimensions() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 1>]> () {
    // expected-error @below {{in tensor memory; it has two dimensions of known size}}
    pallas.run_scoped (%t: !pallas.ref<2x128x64xf32, tmem>) {
    }
  }
  return
}

// -----

func.func @columns_of_half_the_lanes() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 1>]> () {
    // expected-error @below {{in tensor memory; with 64 rows it has a multiple of 16 columns}}
    pallas.run_scoped (%t: !pallas.ref<64x24xf32, tmem>) {
    }
  }
  return
}

// -----

func.func @packed_by_three() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 1>]> () {
    // expected-error @below {{in tensor memory; columns pack as many elements as 32 bits have, and rows a multiple of that, or one}}
    pallas.run_scoped (%t: !pallas.ref<128x63xf16, tmem, [#pallas.tensor_memory<packing = 2>]>) {
    }
  }
  return
}

// -----

func.func @rows_of_a_pair() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<cluster "c" = 2>]> () {
    // expected-error @below {{in tensor memory; with this layout it has 64 rows and a multiple of 16 columns}}
    pallas.run_scoped (%t: !pallas.ref<128x64xf32, tmem, [#pallas.tensor_memory<layout = m64_collective, collective = true>]>) {
    }
  }
  return
}

// -----

func.func @scales_of_a_pair() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<cluster "c" = 2>]> () {
    // expected-error @below {{in tensor memory; scales for 64 rows of two blocks have 8 bits, a multiple of 256 rows and of 4 columns}}
    pallas.run_scoped (%t: !pallas.ref<128x4xf8E8M0FNU, tmem, [#pallas.tensor_memory<layout = scales_m64_collective, collective = true>]>) {
    }
  }
  return
}

// -----

func.func @metadata_of_bytes() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 1>]> () {
    // expected-error @below {{in tensor memory; metadata has 2 bits, a multiple of 128 rows and of 16 columns}}
    pallas.run_scoped (%t: !pallas.ref<128x64xi8, tmem, [#pallas.tensor_memory<layout = sparse_metadata>]>) {
    }
  }
  return
}

// -----

func.func @rows_of_an_accumulator() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 1>]> () {
    pallas.run_scoped (%a: !pallas.ref<256x64xf16, smem>, %b: !pallas.ref<64x8xf16, smem>, %acc: !pallas.ref<256x8xf8E8M0FNU, tmem, [#pallas.tensor_memory<layout = scales>]>) {
      %false = arith.constant false
      // expected-error @below {{adds to an accumulator of 256 rows; it has 64 or 128}}
      pallas.tcgen05_mma %acc, %a, %b accumulate %false : !pallas.ref<256x8xf8E8M0FNU, tmem, [#pallas.tensor_memory<layout = scales>]>, !pallas.ref<256x64xf16, smem>, !pallas.ref<64x8xf16, smem>
    }
  }
  return
}

// -----

func.func @one_column() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 1>]> () {
    pallas.run_scoped (%t: !pallas.ref<128x1xf32, tmem>) {
      // expected-error @below {{moves a value of type 'tensor<128x1xf32>'; values of tensor memory have two dimensions of more than one element}}
      %v = pallas.async_load_tmem %t : !pallas.ref<128x1xf32, tmem> -> tensor<128x1xf32>
    }
  }
  return
}

// -----

func.func @stores_one_column() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 1>]> () {
    pallas.run_scoped (%t: !pallas.ref<128x1xf32, tmem>) {
      %v = arith.constant dense<0.0> : tensor<128x1xf32>
      // expected-error @below {{moves a value of type 'tensor<128x1xf32>'; values of tensor memory have two dimensions of more than one element}}
      pallas.async_store_tmem %v to %t : tensor<128x1xf32>, !pallas.ref<128x1xf32, tmem>
    }
  }
  return
}

// -----

func.func @two_barriers() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 1>]> () {
    pallas.run_scoped (%b: !pallas.ref<2x!pallas.barrier<numArrivals = 1, ordersTensorCore = true>, smem>) {
      // expected-error @below {{uses 2 barriers at once; index one of them}}
      pallas.tcgen05_commit %b : !pallas.ref<2x!pallas.barrier<numArrivals = 1, ordersTensorCore = true>, smem>
    }
  }
  return
}
