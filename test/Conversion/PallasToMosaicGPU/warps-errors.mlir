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
      // expected-error @below {{uses a tensor of type 'vector<64x64xf32>', which all warps share; give warps scalars and refs}}
      pallas.core_map <warp, [<warp "w" = 4>]> () {
        pallas.swap %s[...], %v : !pallas.ref<64x64xf32, smem>, tensor<64x64xf32>
      }
    }
  }
  return
}
