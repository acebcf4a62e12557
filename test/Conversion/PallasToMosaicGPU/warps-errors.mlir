// RUN: pallas-opt %s --convert-pallas-to-mosaic-gpu --split-input-file --verify-diagnostics

func.func @two_warps() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 1>]> () {
    // expected-error @below {{in a kernel of a GPU it runs on the four warps of a warpgroup}}
    pallas.core_map <tensorcore, [<core "w" = 2>]> () {
    }
  }
  return
}

// -----

func.func @memory_of_warps() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 1>]> () {
    // expected-error @below {{makes memory for each warp; make it by run_scoped around the warps}}
    pallas.core_map <warp, [<warp "w" = 4>]> (%s: !pallas.ref<8xf32, smem>) {
    }
  }
  return
}

// -----

func.func @tensor_of_warps() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 1>]> () {
    pallas.run_scoped (%s: !pallas.ref<64x64xf32, smem>) {
      %v = pallas.get %s[...] : !pallas.ref<64x64xf32, smem>
      pallas.core_map <warp, [<warp "w" = 4>]> () {
        // expected-error @below {{'pallas.swap' op takes all warps of a warpgroup, but is code of one warp; warps copy, arrive and wait at barriers, and access scalars, so move it out of the core_map}}
        pallas.swap %s[...], %v : !pallas.ref<64x64xf32, smem>, tensor<64x64xf32>
      }
    }
  }
  return
}

// -----

func.func @elements_of_warp() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 1>]> () {
    pallas.run_scoped (%s: !pallas.ref<64xf32, smem>) {
      pallas.core_map <warp, [<warp "w" = 4>]> () {
        // expected-error @below {{'pallas.get' op takes all warps of a warpgroup, but is code of one warp}}
        %v = pallas.get %s[ds(0, 32, 2)] : !pallas.ref<64xf32, smem>
      }
    }
  }
  return
}

// -----

func.func @cluster_of_warp() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 2>, <cluster "c" = 2>]> () {
    pallas.run_scoped (%b: !pallas.ref<!pallas.cluster_barrier<collectiveAxes = ["c"], numArrivals = 1>, smem>) {
      pallas.core_map <warp, [<warp "w" = 4>]> () {
        // expected-error @below {{'pallas.barrier_arrive' op takes all warps of a warpgroup, but is code of one warp}}
        pallas.barrier_arrive %b : !pallas.ref<!pallas.cluster_barrier<collectiveAxes = ["c"], numArrivals = 1>, smem>
      }
    }
  }
  return
}

// -----

func.func @scope_of_warps() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 1>]> () {
    pallas.core_map <warp, [<warp "w" = 4>]> () {
      // expected-error @below {{makes memory or barriers for each of the 4 warps of a warpgroup, which share one allocation; make them by run_scoped around the warps}}
      pallas.run_scoped (%s: !pallas.ref<8xf32, smem>) {
      }
    }
  }
  return
}

// -----

func.func @scope_of_warpgroups() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<thread "wg" = 2>]> () {
    // expected-error @below {{makes memory or barriers for each of 2 warpgroups, which share one allocation; add collective ["wg"], and index it by warpgroup where they differ}}
    pallas.run_scoped (%b: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>) {
    }
    // An accumulator lies in the registers of a warpgroup.
    pallas.run_scoped (%acc: !pallas.accumulator<64x64xf32>) {
    }
  }
  return
}

// -----

func.func @warps_of_a_warp() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 1>]> () {
    pallas.core_map <warp, [<warp "w" = 4>]> () {
      // expected-error @below {{runs on warps in the code of a warp; the warps of a warpgroup are divided once}}
      pallas.core_map <warp, [<warp "v" = 4>]> () {
      }
    }
  }
  return
}
