// RUN: pallas-opt %s --convert-pallas-to-mosaic-gpu --split-input-file --verify-diagnostics

// What kernels for GPUs cannot hold yet is an error where it stands.

func.func @semaphores_of_some_blocks() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 2>, <grid "j" = 4>]> () {
    // expected-error @below {{makes semaphores '!pallas.ref<!pallas.semaphore, gmem>' that some blocks or warpgroups share; on GPUs all warpgroups of a block share them, or all of all blocks, so name these axes as collective}}
    pallas.run_scoped (%s: !pallas.ref<!pallas.semaphore, gmem>) collective ["i"] {
    }
  }
  return
}

// -----

func.func @semaphores_of_a_warpgroup() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 2>, <thread "t" = 2>]> () {
    // expected-error @below {{that some blocks or warpgroups share; on GPUs all warpgroups of a block share them}}
    pallas.run_scoped (%s: !pallas.ref<!pallas.semaphore, gmem>) {
    }
  }
  return
}

// -----

func.func @global_array() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 2>]> () {
    // expected-error @below {{asks for memory of type '!pallas.ref<8xi32, gmem>'; on GPUs all blocks share semaphores in gmem, and arrays that are operands and results of the kernel}}
    %s = pallas.get_global "s" : !pallas.ref<8xi32, gmem>
  }
  return
}

// -----

func.func @axis_of_no_cluster(%x: tensor<64x128xf32>) {
  pallas.mpmd_map
      in(%x : tensor<64x128xf32>)
      kernel @kernel on <gpu, [<grid "i" = 1>]> (%g: !pallas.ref<64x128xf32, gmem>) {
    pallas.run_scoped (%s: !pallas.ref<64x128xf32, smem>, %b: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>) {
      // expected-error @below {{copies for the axis "c", which is none of the cluster}}
      pallas.copy_gmem_to_smem %g to %s signals %b collective ["c"] : !pallas.ref<64x128xf32, gmem>, !pallas.ref<64x128xf32, smem>, !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
    }
  }
  return
}

// -----

// The share of the second block would begin at byte 64, where copies can't write.
func.func @small_shares(%x: tensor<128xf16>) {
  pallas.mpmd_map
      in(%x : tensor<128xf16>)
      kernel @kernel on <gpu, [<cluster "c" = 4>]> (%g: !pallas.ref<128xf16, gmem>) {
    pallas.run_scoped (%s: !pallas.ref<128xf16, smem>, %b: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>) {
      // expected-error @below {{copies 256 bytes together with 3 other blocks; the share of each is a multiple of 128 bytes, so copy a multiple of 512 bytes, or in each block by itself}}
      pallas.copy_gmem_to_smem %g to %s signals %b collective ["c"] : !pallas.ref<128xf16, gmem>, !pallas.ref<128xf16, smem>, !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
      pallas.barrier_wait %b : !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
    }
  }
  return
}

// -----

func.func @leader_tracked(%x: tensor<64x128xf32>) {
  pallas.mpmd_map
      in(%x : tensor<64x128xf32>)
      kernel @kernel on <gpu, [<grid "i" = 1>, <cluster "c" = 2>]> (%g: !pallas.ref<64x128xf32, gmem>) {
    pallas.run_scoped (%s: !pallas.ref<64x128xf32, smem>, %b: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>) {
      // expected-error @below {{lets the first block of a cluster track it; on sm_90a each block tracks its own copies}}
      pallas.copy_gmem_to_smem %g to %s signals %b collective ["c"] leader_tracked : !pallas.ref<64x128xf32, gmem>, !pallas.ref<64x128xf32, smem>, !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
    }
  }
  return
}

// -----

func.func @unknown_axis() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 1>]> () {
    // expected-error @below {{asks for axis 'j', which the mesh of the kernel lacks}}
    %j = pallas.axis_index "j"
    pallas.run_scoped (%s: !pallas.ref<4xi32, smem>) {
      pallas.swap %s[0], %j : !pallas.ref<4xi32, smem>, i32
    }
  }
  return
}

// -----

func.func @size_of_unknown_axis() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 1>]> () {
    // expected-error @below {{asks for axis 'j', which the mesh of the kernel lacks}}
    %j = pallas.axis_size "j"
    pallas.run_scoped (%s: !pallas.ref<4xi32, smem>) {
      pallas.swap %s[0], %j : !pallas.ref<4xi32, smem>, i32
    }
  }
  return
}

// -----

func.func @many_warpgroups() {
  // expected-error @below {{has 32 warpgroups per block, 4096 threads; 8 of 1024 threads fit, so make the others blocks of the grid or of a cluster}}
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 1>, <thread "t" = 32>]> () {
  }
  return
}

// -----

func.func @scratch_argument() {
  // expected-error @below {{gives its kernel an argument of type '!pallas.ref<64x128xf32, smem>'; arguments are arrays in global memory, scratch is made by run_scoped}}
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 1>]> (%s: !pallas.ref<64x128xf32, smem>) {
  }
  return
}

// -----

func.func @narrow_accumulator() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 1>]> () {
    pallas.run_scoped (%a: !pallas.ref<32x64xf16, smem>, %b: !pallas.ref<64x128xf16, smem>, %acc: !pallas.accumulator<32x128xf32>) {
      // expected-error @below {{adds to an accumulator of 32 rows; rows are a multiple of 64, near it 64}}
      pallas.wgmma_ref %acc, %a, %b : !pallas.accumulator<32x128xf32>, !pallas.ref<32x64xf16, smem>, !pallas.ref<64x128xf16, smem>
    }
  }
  return
}

// -----

func.func @exchange_in_a_warp() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 1>]> () {
    pallas.run_scoped (%s: !pallas.ref<256xi32, smem>) {
      pallas.core_map <warp, [<warp "w" = 4>]> () {
        %c1 = arith.constant 1 : i32
        // expected-error @below {{updates memory atomically in the code of one warp; lanes of a warpgroup share the elements, so move it outside of the core_map}}
        %old = pallas.atomic_rmw <xchg> %s[0], %c1 : !pallas.ref<256xi32, smem>, i32
      }
    }
  }
  return
}

// -----

func.func @dynamic_slice() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 1>]> () {
    %n = pallas.axis_index "i"
    pallas.run_scoped (%s: !pallas.ref<64x128xf32, smem>) {
      // expected-error @below {{has a slice whose size is known at run time only; on GPUs sizes are static}}
      %v = pallas.slice_ref %s[ds(0, %n), :] : !pallas.ref<64x128xf32, smem>
    }
  }
  return
}

// -----

func.func @reshaped_twice() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 1>]> () {
    pallas.run_scoped (%s: !pallas.ref<8x6xf32, smem>) {
      // expected-error @below {{changes the shape of memory in more than one step; merge or split dimensions}}
      %r = pallas.reshape_ref %s : !pallas.ref<8x6xf32, smem> -> !pallas.ref<4x12xf32, smem>
    }
  }
  return
}

// -----

func.func @part_in_pieces() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 1>]> () {
    pallas.run_scoped (%s: !pallas.ref<2x16x128xf32, smem>) {
      %p = pallas.slice_ref %s[:, ds(0, 8), :] : !pallas.ref<2x16x128xf32, smem>
      // expected-error @below {{merges dimensions of memory whose elements do not lie in one piece; reshape the whole ref, and take the part of that}}
      %r = pallas.reshape_ref %p : !pallas.ref<2x8x128xf32, smem> -> !pallas.ref<16x128xf32, smem>
    }
  }
  return
}

// -----

func.func @part_of_registers() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 1>]> () {
    %z = arith.constant dense<0.0> : tensor<64x128xf32>
    %r = pallas.run_state (%s: !pallas.ref<64x128xf32, default> = %z : tensor<64x128xf32>) {
      // expected-error @below {{accesses a part of a ref in registers; access all of it, or take a ref in shared memory}}
      %v = pallas.get %s[0, :] : !pallas.ref<64x128xf32, default>
    }
  }
  return
}

// -----

func.func @state_in_shared_memory() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 1>]> () {
    %z = arith.constant dense<0.0> : tensor<64x128xf32>
    // expected-error @below {{starts a ref of type '!pallas.ref<64x128xf32, smem>' with a value; on GPUs accumulators and refs in the default space start with values, memory is written by swap}}
    %r = pallas.run_state (%s: !pallas.ref<64x128xf32, smem> = %z : tensor<64x128xf32>) {
    }
  }
  return
}

// -----

func.func @size_of_registers() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 1>]> () {
    %n = pallas.axis_index "i"
    %size = arith.index_cast %n : i32 to index
    pallas.run_scoped (%s: !pallas.ref<64x128xf32, smem>) {
      %v = pallas.get %s[...] : !pallas.ref<64x128xf32, smem>
      // expected-error @below {{takes a slice whose size or stride is known at run time only; on GPUs both are static}}
      %w = tensor.extract_slice %v[0, 0] [%size, 128] [1, 1] : tensor<64x128xf32> to tensor<?x128xf32>
    }
  }
  return
}

// -----

func.func @inserted_somewhere() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 1>]> () {
    pallas.run_scoped (%s: !pallas.ref<64x128xf32, smem>) {
      %step = pallas.program_id 0
      %stride = arith.index_cast %step : i32 to index
      %v = pallas.get %s[...] : !pallas.ref<64x128xf32, smem>
      %w = pallas.get %s[ds(0, 32), :] : !pallas.ref<64x128xf32, smem>
      // expected-error @below {{changes a slice whose size or stride is known at run time only; on GPUs both are static}}
      %x = tensor.insert_slice %w into %v[0, 0] [32, 128] [%stride, 1] : tensor<32x128xf32> into tensor<64x128xf32>
    }
  }
  return
}

// -----

func.func @products_in_a_while_loop() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 1>]> () {
    pallas.run_scoped (%a: !pallas.ref<64x64xf16, smem>, %b: !pallas.ref<64x128xf16, smem>, %acc: !pallas.accumulator<64x128xf32>) {
      %c0 = arith.constant 0 : i32
      %c4 = arith.constant 4 : i32
      // expected-error @below {{changes an accumulator of its surroundings; on GPUs that is done in an scf.for}}
      %n = scf.while (%i = %c0) : (i32) -> i32 {
        %c = arith.cmpi slt, %i, %c4 : i32
        scf.condition(%c) %i : i32
      } do {
      ^bb0(%i: i32):
        pallas.wgmma_ref %acc, %a, %b : !pallas.accumulator<64x128xf32>, !pallas.ref<64x64xf16, smem>, !pallas.ref<64x128xf16, smem>
        scf.yield %c4 : i32
      }
    }
  }
  return
}

// -----

func.func @unknown_axis() {
  pallas.mpmd_map
    kernel @k on <gpu, [<cluster "x" = 2>, <cluster "y" = 2>]>() {
    pallas.run_scoped (%b: !pallas.ref<!pallas.cluster_barrier<collectiveAxes = [["x", "q"]], numArrivals = 1>, smem>) {
      // expected-error @below {{arrives along "q", which is no cluster axis of}}
      pallas.barrier_arrive %b : !pallas.ref<!pallas.cluster_barrier<collectiveAxes = [["x", "q"]], numArrivals = 1>, smem>
    }
  }
  return
}
