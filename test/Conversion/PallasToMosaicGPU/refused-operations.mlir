// RUN: pallas-opt %s --convert-pallas-to-mosaic-gpu --split-input-file --verify-diagnostics

// Operations of other targets, and those of GPUs that are still missing, are an error where they stand.

func.func @compare_and_swap_of_a_neighbour() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 2>, <cluster "c" = 2>]> () {
    pallas.run_scoped (%s: !pallas.ref<8xf32, smem>) {
      %c1 = arith.constant 1.0 : f32
      %i1 = arith.constant 1 : i32
      %q = pallas.cluster_ref %s, "c" = %i1 : !pallas.ref<8xf32, smem>
      // expected-error @below {{'pallas.atomic_cas' op takes memory of another block of the cluster; kernels load vectors from there, store them by swap or atomic_rmw, and arrive at barriers}}
      %o = pallas.atomic_cas %q[0], %c1, %c1 : !pallas.ref<8xf32, smem>, f32
      pallas.swap %s[1], %o : !pallas.ref<8xf32, smem>, f32
    }
  }
  return
}

// -----

func.func @test_of_a_barrier() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 2>]> () {
    pallas.run_scoped (%b: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>, %s: !pallas.ref<8xi32, smem>) {
      // expected-error @below {{tests a barrier in the code of a warpgroup, whose warps may see different answers; test it in the code of one warp, in a core_map}}
      %o = pallas.barrier_test %b : !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
      %e = arith.extui %o : i1 to i32
      pallas.swap %s[1], %e : !pallas.ref<8xi32, smem>, i32
    }
  }
  return
}

// -----

func.func @bits_of_a_ref() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 2>]> () {
    pallas.run_scoped (%s: !pallas.ref<8x128xf32, smem>) {
      // expected-error @below {{'pallas.bitcast_ref' op has no form for GPUs; kernels for GPUs copy by copy_gmem_to_smem}}
      %q = pallas.bitcast_ref %s : !pallas.ref<8x128xf32, smem> -> !pallas.ref<8x128xi32, smem>
    }
  }
  return
}

// -----

func.func @product_of_a_neighbour() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 2>, <cluster "c" = 2>]> () {
    pallas.run_scoped (%a: !pallas.ref<64x64xf16, smem>, %acc: !pallas.accumulator<64x64xf32>) {
      %c1 = arith.constant 1 : i32
      %q = pallas.cluster_ref %a, "c" = %c1 : !pallas.ref<64x64xf16, smem>
      // expected-error @below {{'pallas.wgmma_ref' op takes memory of another block of the cluster; kernels load vectors from there, store them by swap or atomic_rmw, and arrive at barriers}}
      pallas.wgmma_ref %acc, %a, %q : !pallas.accumulator<64x64xf32>, !pallas.ref<64x64xf16, smem>, !pallas.ref<64x64xf16, smem>
    }
  }
  return
}

// -----

func.func @part_of_a_neighbour() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 2>, <cluster "c" = 2>]> () {
    pallas.run_scoped (%a: !pallas.ref<64x64xf16, smem>) {
      %c1 = arith.constant 1 : i32
      %q = pallas.cluster_ref %a, "c" = %c1 : !pallas.ref<64x64xf16, smem>
      // expected-error @below {{loads a view of memory of another block; the compiler takes all of a ref in its own shape, so make a ref of what is loaded}}
      %v = pallas.get %q[ds(0, 32), :] : !pallas.ref<64x64xf16, smem>
      pallas.swap %a[ds(0, 32), :], %v : !pallas.ref<64x64xf16, smem>, tensor<32x64xf16>
    }
  }
  return
}

// -----

func.func @element_of_a_neighbour() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 2>, <cluster "c" = 2>]> () {
    pallas.run_scoped (%a: !pallas.ref<8xi32, smem>) {
      %c1 = arith.constant 1 : i32
      %q = pallas.cluster_ref %a, "c" = %c1 : !pallas.ref<8xi32, smem>
      // expected-error @below {{loads single elements of another block; load all of a ref, and take them from it}}
      %v = pallas.get %q[3] : !pallas.ref<8xi32, smem>
      pallas.swap %a[0], %v : !pallas.ref<8xi32, smem>, i32
    }
  }
  return
}

// -----

func.func @store_that_nobody_waits_for() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 2>, <cluster "c" = 2>]> () {
    pallas.run_scoped (%a: !pallas.ref<64x64xf16, smem>, %b: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>) {
      %c1 = arith.constant 1 : i32
      %v = pallas.get %a[...] : !pallas.ref<64x64xf16, smem>
      %q = pallas.cluster_ref %a, "c" = %c1 : !pallas.ref<64x64xf16, smem>
      // expected-error @below {{stores to another block without an arrival at a barrier of that block as the next operation; the hardware stores and arrives at once}}
      pallas.swap %q[...], %v : !pallas.ref<64x64xf16, smem>, tensor<64x64xf16>
      pallas.barrier_arrive %b : !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
    }
  }
  return
}

// -----

func.func @exchange_with_a_neighbour() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 2>, <cluster "c" = 2>]> () {
    pallas.run_scoped (%a: !pallas.ref<64x64xf16, smem>, %b: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>) {
      %c1 = arith.constant 1 : i32
      %v = pallas.get %a[...] : !pallas.ref<64x64xf16, smem>
      %q = pallas.cluster_ref %a, "c" = %c1 : !pallas.ref<64x64xf16, smem>
      // expected-error @below {{updates scalars or single elements of another block, by an exchange, or uses what was there; kernels store a vector, as it is or by add, min, max, and, or or xor}}
      %old = pallas.swap %q[...], %v : !pallas.ref<64x64xf16, smem>, tensor<64x64xf16>
      pallas.swap %a[...], %old : !pallas.ref<64x64xf16, smem>, tensor<64x64xf16>
    }
  }
  return
}

// -----

func.func @two_axes() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<cluster "c" = 2>, <cluster "d" = 2>]> () {
    pallas.run_scoped (%b: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>) {
      %c1 = arith.constant 1 : i32
      %q = pallas.cluster_ref %b, "c" = %c1 : !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
      // expected-error @below {{names a block along a second axis; the compiler takes one, so make one axis of both}}
      %r = pallas.cluster_ref %q, "d" = %c1 : !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
      pallas.barrier_arrive %r : !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
    }
  }
  return
}

// -----

func.func @arrival_of_one_warp() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<cluster "c" = 2>]> () {
    pallas.run_scoped (%b: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>) {
      pallas.core_map <warp, [<warp "w" = 4>]> () {
        %c1 = arith.constant 1 : i32
        %q = pallas.cluster_ref %b, "c" = %c1 : !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
        // expected-error @below {{arrives at a barrier of another block in the code of one warp; all lanes of a warpgroup arrive there, so move it outside of the core_map}}
        pallas.barrier_arrive %q : !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
      }
    }
  }
  return
}

// -----

func.func @cores_of_a_tpu() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 2>]> () {
    // expected-error @below {{'pallas.core_barrier' op has no form for GPUs; kernels for GPUs copy by copy_gmem_to_smem}}
    pallas.core_barrier "i"
  }
  return
}

// -----

func.func @number_of_the_core() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 2>]> () {
    pallas.run_scoped (%s: !pallas.ref<8xi32, smem>) {
      // expected-error @below {{'pallas.core_id' op has no form for GPUs; kernels for GPUs copy by copy_gmem_to_smem}}
      %o = pallas.core_id
      pallas.swap %s[1], %o : !pallas.ref<8xi32, smem>, i32
    }
  }
  return
}

// -----

func.func @memory_without_a_scope() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 2>]> () {
    // expected-error @below {{'pallas.empty_ref' op has no form for GPUs; kernels for GPUs copy by copy_gmem_to_smem}}
    %q = pallas.empty_ref : !pallas.ref<8xi32, smem>
    %c1 = arith.constant 1 : i32
    pallas.swap %q[1], %c1 : !pallas.ref<8xi32, smem>, i32
    pallas.free_ref %q : !pallas.ref<8xi32, smem>
  }
  return
}

// -----

func.func @memory_of_a_value() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 2>]> () {
    pallas.run_scoped (%s: !pallas.ref<8xi32, smem>) {
      %v = pallas.get %s[...] : !pallas.ref<8xi32, smem>
      // expected-error @below {{'pallas.new_ref' op has no form for GPUs; kernels for GPUs copy by copy_gmem_to_smem}}
      %q = pallas.new_ref %v : tensor<8xi32> -> !pallas.ref<8xi32, smem>
      %r = pallas.freeze %q : !pallas.ref<8xi32, smem>
      pallas.swap %s[...], %r : !pallas.ref<8xi32, smem>, tensor<8xi32>
    }
  }
  return
}

// -----

func.func @pairs_in_a_word() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 2>]> () {
    pallas.run_scoped (%s: !pallas.ref<8x128xf32, smem>, %t: !pallas.ref<8x128xi32, smem>) {
      %v = pallas.get %s[...] : !pallas.ref<8x128xf32, smem>
      // expected-error @below {{'pallas.pack_elementwise' op has no form for GPUs; kernels for GPUs copy by copy_gmem_to_smem}}
      %p = pallas.pack_elementwise %v, %v as bf16 : tensor<8x128xf32>, tensor<8x128xf32> -> tensor<8x128xi32>
      %w = pallas.get %t[...] : !pallas.ref<8x128xi32, smem>
      // expected-error @below {{'pallas.unpack_elementwise' op has no form for GPUs; kernels for GPUs copy by copy_gmem_to_smem}}
      %h = pallas.unpack_elementwise %w[1] as bf16 : tensor<8x128xi32> -> tensor<8x128xf32>
    }
  }
  return
}

// -----

func.func @random_bits() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 2>]> () {
    %c1 = arith.constant 1 : i32
    // expected-error @below {{'pallas.prng_seed' op has no form for GPUs; kernels for GPUs copy by copy_gmem_to_smem}}
    pallas.prng_seed %c1
    // expected-error @below {{'pallas.prng_random_bits' op has no form for GPUs; kernels for GPUs copy by copy_gmem_to_smem}}
    %r = pallas.prng_random_bits : tensor<8x128xi32>
  }
  return
}

// -----

func.func @random_rounding() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 2>]> () {
    pallas.run_scoped (%s: !pallas.ref<8x128xf32, smem>, %t: !pallas.ref<8x128xi32, smem>) {
      %v = pallas.get %s[...] : !pallas.ref<8x128xf32, smem>
      %w = pallas.get %t[...] : !pallas.ref<8x128xi32, smem>
      // expected-error @below {{'pallas.stochastic_round' op has no form for GPUs; kernels for GPUs copy by copy_gmem_to_smem}}
      %h = pallas.stochastic_round %v bits %w : tensor<8x128xf32>, tensor<8x128xi32> -> tensor<8x128xbf16>
    }
  }
  return
}

// -----

func.func @lanes_of_a_sparse_core() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 2>]> () {
    %m = arith.constant dense<true> : tensor<16xi1>
    %i = pallas.iota 0 : tensor<16xi32>
    // expected-error @below {{'pallas.mask_reduce' op has no form for GPUs; kernels for GPUs copy by copy_gmem_to_smem}}
    %n = pallas.mask_reduce <first> %m : tensor<16xi1>
    // expected-error @below {{'pallas.scan_count' op has no form for GPUs; kernels for GPUs copy by copy_gmem_to_smem}}
    %c:2 = pallas.scan_count %i mask %m : tensor<16xi32>, tensor<16xi1> -> tensor<16xi32>, tensor<16xi1>
  }
  return
}

// -----

func.func @copies_of_a_tpu(%g: tensor<8x128xf32>) {
  pallas.mpmd_map
      in(%g : tensor<8x128xf32>)
      kernel @kernel on <gpu, [<grid "i" = 1>]> (%x: !pallas.ref<8x128xf32, gmem>) {
    // expected-error @below {{'pallas.get_barrier_semaphore' op has no form for GPUs; kernels for GPUs copy by copy_gmem_to_smem}}
    %s = pallas.get_barrier_semaphore : !pallas.ref<!pallas.barrier_semaphore, semaphore>
    // expected-error @below {{makes a value of type '!pallas.ref<!pallas.dma_semaphore, semaphore>'; on GPUs scopes make refs in shared and tensor memory, barriers, semaphores in gmem and accumulators}}
    pallas.run_scoped (%v: !pallas.ref<8x128xf32, smem>, %d: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
      pallas.dma_start %x to %v signals %d : !pallas.ref<8x128xf32, gmem>, !pallas.ref<8x128xf32, smem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
      pallas.dma_wait %x to %v signals %d : !pallas.ref<8x128xf32, gmem>, !pallas.ref<8x128xf32, smem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    }
  }
  return
}

// -----

func.func @values_without_elements_of_a_loop() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 2>]> () {
    pallas.run_scoped (%s: !pallas.ref<8x128xf32, smem>) {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %v = pallas.get %s[ds(0, 0), :] : !pallas.ref<8x128xf32, smem>
      // expected-error @below {{'scf.for' op has a result without elements, which has no form for GPUs; leave out what is computed with it}}
      %w = scf.for %i = %c0 to %c1 step %c1 iter_args(%x = %v) -> (tensor<0x128xf32>) : i32 {
        scf.yield %x : tensor<0x128xf32>
      }
      pallas.swap %s[ds(0, 0), :], %w : !pallas.ref<8x128xf32, smem>, tensor<0x128xf32>
    }
  }
  return
}

// -----

func.func @rows_on_hopper(%x: tensor<32x128xf32>) {
  pallas.mpmd_map
      in(%x : tensor<32x128xf32>)
      kernel @kernel on <gpu, [<grid "i" = 2>]> (%g: !pallas.ref<32x128xf32, gmem>) {
    pallas.run_scoped (%s: !pallas.ref<8x128xf32, smem>, %i: !pallas.ref<8xi32, smem>, %b: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>) {
      %rows = pallas.get %i[...] : !pallas.ref<8xi32, smem>
      // expected-error @below {{copies rows that an array names, which sm_90a lacks; copy rows one by one}}
      %q = pallas.slice_ref %g[gather(%rows : tensor<8xi32>), :] : !pallas.ref<32x128xf32, gmem>
      pallas.copy_gmem_to_smem %q to %s signals %b : !pallas.ref<8x128xf32, gmem>, !pallas.ref<8x128xf32, smem>, !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
    }
  }
  return
}

// -----

func.func @two_kernels(%x: tensor<8xi32>) {
  // expected-error @below {{has 2 kernels; a launch on a GPU is one}}
  pallas.mpmd_map
      in(%x : tensor<8xi32>)
      kernel @first on <sc_scalar, [<core "core" = 2>]> (%xr: !pallas.ref<8xi32, hbm>) {
      }
      kernel @second on <sc_vector, [<core "core" = 2>, <subcore "subcore" = 16>]> (%xr: !pallas.ref<8xi32, hbm>) {
      }
  return
}

// -----

func.func @prints_of_elements(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = pallas.mpmd_map
      in(%x : tensor<64x64xf32>)
      out(tensor<64x64xf32>)
      kernel @kernel on <gpu, [<grid "i" = 1>]> (%xr: !pallas.ref<64x64xf32, gmem>, %or: !pallas.ref<64x64xf32, gmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<64x64xf32, gmem>
    %e = tensor.empty() : tensor<64x64xf32>
    %w = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>], iterator_types = ["parallel", "parallel"]}
        ins(%v : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) {
    ^bb0(%a: f32, %b: f32):
      // expected-error @below {{has no form in loops over elements; on GPUs they compute by arith and math}}
      %c = scf.execute_region -> f32 {
        scf.yield %a : f32
      }
      linalg.yield %c : f32
    } -> tensor<64x64xf32>
    pallas.swap %or[...], %w : !pallas.ref<64x64xf32, gmem>, tensor<64x64xf32>
  }
  return %0 : tensor<64x64xf32>
}

// -----

func.func @work_of_others_on_hopper() {
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 2>]> () {
    pallas.run_scoped (%answer: !pallas.ref<16xi8, smem>, %b: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>) {
      // expected-error @below {{takes over work of blocks that have not started, which sm_90a lacks and sm_100a has; launch as many blocks as run at once, and loop over the work in each}}
      pallas.try_cluster_cancel %answer signals %b : !pallas.ref<16xi8, smem>, !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
    }
  }
  return
}
