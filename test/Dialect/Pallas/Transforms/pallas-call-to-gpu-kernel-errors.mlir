// RUN: pallas-opt %s --pallas-call-to-gpu-kernel --split-input-file --verify-diagnostics

func.func @space(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  // expected-error @below {{has blocks in hbm; on GPUs blocks lie in smem, arrays in gmem}}
  %0 = pallas.pallas_call grid(4)
    in(%x : tensor<64x128xf32>) block<[16, 128], hbm> map(%i) -> (%i, 0)
    out(tensor<64x128xf32>) block<[16, 128], hbm> map(%i) -> (%i, 0)
    kernel(%xr: !pallas.ref<16x128xf32, hbm>, %or: !pallas.ref<16x128xf32, hbm>) {
  }
  return %0 : tensor<64x128xf32>
}

// -----

func.func @revisited(%x: tensor<64x128xf32>) -> tensor<32x128xf32> {
  // expected-error @below {{comes back to a block of result 0 after other blocks; on GPUs put the grid dimensions that its index map leaves out last}}
  %0 = pallas.pallas_call grid(2, 2)
    in(%x : tensor<64x128xf32>) block<[16, 128], default> map(%i, %j) -> (%i, 0)
    out(tensor<32x128xf32>) block<[16, 128], default> map(%i, %j) -> (%j, 0)
    semantics [sequential, sequential]
    kernel(%xr: !pallas.ref<16x128xf32, default>, %or: !pallas.ref<16x128xf32, default>) {
  }
  return %0 : tensor<32x128xf32>
}

// -----

func.func @dynamic(%x: tensor<64x128xf32>, %n: i32) -> tensor<64x128xf32> {
  // expected-error @below {{has a grid that is known at run time only; a launch on a GPU has static sizes, so launch a fixed number of blocks, and loop over what is known at run time in a kernel, by pallas.emit_pipeline or scf.for}}
  %0 = pallas.pallas_call grid(%n)
    in(%x : tensor<64x128xf32>) block<[16, 128], default> map(%i) -> (%i, 0)
    out(tensor<64x128xf32>) block<[16, 128], default> map(%i) -> (%i, 0)
    kernel(%xr: !pallas.ref<16x128xf32, default>, %or: !pallas.ref<16x128xf32, default>) {
  }
  return %0 : tensor<64x128xf32>
}

// -----

func.func @delay(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  // expected-error @below {{keeps blocks for 2 steps more, but a ring holds 2; raise maxConcurrentSteps}}
  %0 = pallas.pallas_call grid(4)
    in(%x : tensor<64x128xf32>) block<[16, 128], default, pipeline = <2, delay_release 2>> map(%i) -> (%i, 0)
    out(tensor<64x128xf32>) block<[16, 128], default> map(%i) -> (%i, 0)
    semantics [sequential]
    attributes {compilerParams = [#pallas.gpu_params<maxConcurrentSteps = 2>]}
    kernel(%xr: !pallas.ref<16x128xf32, default>, %or: !pallas.ref<16x128xf32, default>) {
  }
  return %0 : tensor<64x128xf32>
}

// -----

func.func @computed(%x: tensor<128x128xf32>) -> tensor<64x128xf32> {
  // expected-error @below {{computes the block of result 0 from grid indices; on GPUs each step of a sequential dimension that the map of a result uses has a block of its own}}
  %0 = pallas.pallas_call grid(8)
    in(%x : tensor<128x128xf32>) block<[16, 128], default> map(%i) -> (%i, 0)
    out(tensor<64x128xf32>) block<[16, 128], default> map(%i) {
      %c3 = arith.constant 3 : i32
      %j = arith.andi %c3, %i : i32
      pallas.yield %j, %c3 : i32, i32
    }
    kernel(%xr: !pallas.ref<16x128xf32, default>, %or: !pallas.ref<16x128xf32, default>) {
  }
  return %0 : tensor<64x128xf32>
}

// -----

func.func @aliases(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  // expected-error @below {{lets result 0 share the memory of input 0, but their blocks differ; on GPUs blocks are fetched ahead, so give both the same block shape and index map}}
  %0 = pallas.pallas_call grid(4)
    in(%x : tensor<64x128xf32>) block<[64, 128], default>
    out(tensor<64x128xf32>) block<[16, 128], default> map(%i) -> (%i, 0)
    aliases [0 -> 0]
    kernel(%xr: !pallas.ref<64x128xf32, default>, %or: !pallas.ref<16x128xf32, default>) {
  }
  return %0 : tensor<64x128xf32>
}

// -----

func.func @edges(%x: tensor<37x70xf32>) -> tensor<37x70xf32> {
  // expected-error @below {{has partial blocks at the end of an array of type 'tensor<37x70xf32>', of which rows are no multiple of 16 bytes, so the hardware can't copy them; pad the array}}
  %0 = pallas.pallas_call grid(3)
    in(%x : tensor<37x70xf32>) block<[16, 70], default> map(%i) -> (%i, 0)
    out(tensor<37x70xf32>) block<[16, 70], default> map(%i) -> (%i, 0)
    kernel(%xr: !pallas.ref<16x70xf32, default>, %or: !pallas.ref<16x70xf32, default>) {
  }
  return %0 : tensor<37x70xf32>
}

// -----

func.func @input(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @below {{writes to the block of input 0, whose rows are no multiple of 16 bytes, so the hardware can't copy them; write to a scratch ref}}
  %0 = pallas.pallas_call grid(1)
    in(%x : tensor<3xf32>) block<[3], default>
    out(tensor<3xf32>) block<[3], default>
    kernel(%xr: !pallas.ref<3xf32, default>, %or: !pallas.ref<3xf32, default>) {
    %v = pallas.get %or[...] : !pallas.ref<3xf32, default>
    pallas.swap %xr[...], %v : !pallas.ref<3xf32, default>, tensor<3xf32>
  }
  return %0 : tensor<3xf32>
}

// -----

func.func @alias_of_odd_rows(%x: tensor<4x3xi32>) -> tensor<4x3xi32> {
  // expected-error @below {{lets result 0 share the memory of input 0, whose rows are no multiple of 16 bytes, so the hardware can't copy its blocks; give the result another array}}
  %0 = pallas.pallas_call grid(2)
    in(%x : tensor<4x3xi32>) block<[2, 3], default> map(%i) -> (%i, 0)
    out(tensor<4x3xi32>) block<[2, 3], default> map(%i) -> (%i, 0)
    aliases [0 -> 0]
    kernel(%xr: !pallas.ref<2x3xi32, default>, %or: !pallas.ref<2x3xi32, default>) {
  }
  return %0 : tensor<4x3xi32>
}

// -----

func.func @partial_blocks_in_global_memory(%x: tensor<60x128xf32>) -> tensor<64x128xf32> {
  // expected-error @below {{has partial blocks at the end of an array of type 'tensor<60x128xf32>' in global memory, where a block is a part of the array; give it whole blocks}}
  %0 = pallas.pallas_call grid(4)
    in(%x : tensor<60x128xf32>) block<[16, 128], gmem> map(%i) -> (%i, 0)
    out(tensor<64x128xf32>) block<[16, 128], default> map(%i) -> (%i, 0)
    semantics [parallel]
    kernel(%xr: !pallas.ref<16x128xf32, gmem>, %or: !pallas.ref<16x128xf32, default>) {
    %i = pallas.program_id 0
    %v = pallas.get %xr[ds(%i, 4), :] : !pallas.ref<16x128xf32, gmem>
  }
  return %0 : tensor<64x128xf32>
}

// -----

func.func @written_partial_input(%x: tensor<10x7xf32>) -> tensor<16xf32> {
  // expected-error @below {{has partial blocks at the end of an array of type 'tensor<10x7xf32>', of which rows are no multiple of 16 bytes, so the hardware can't copy them; pad the array}}
  %0 = pallas.pallas_call grid(4)
    in(%x : tensor<10x7xf32>) block<[4, 8], default> map(%i) -> (%i, 0)
    out(tensor<16xf32>) block<[4], default> map(%i) -> (%i)
    attributes {compilerParams = [#pallas.triton_params<>]}
    kernel(%xr: !pallas.ref<4x8xf32, default>, %or: !pallas.ref<4xf32, default>) {
    %v = arith.constant dense<1.0> : tensor<4x8xf32>
    %old = pallas.swap %xr[...], %v : !pallas.ref<4x8xf32, default>, tensor<4x8xf32>
  }
  return %0 : tensor<16xf32>
}

// -----

func.func @partial_block_of_several_programs(%x: tensor<4xi32>) -> tensor<60x128xf32> {
  // expected-error @below {{lets several programs write to a partial block at the end of an array of type 'tensor<60x128xf32>'; give it whole blocks, or pad the array}}
  %0 = pallas.pallas_call grid(4, 4)
    in(%x : tensor<4xi32>) block<[4], default>
    out(tensor<60x128xf32>) block<[16, 128], default> map(%i, %j) -> (%i, 0)
    attributes {compilerParams = [#pallas.triton_params<>]}
    kernel(%xr: !pallas.ref<4xi32, default>, %or: !pallas.ref<16x128xf32, default>) {
    %j = pallas.program_id 1
    %v = arith.constant dense<1.0> : tensor<4x128xf32>
    %old = pallas.swap %or[ds(%j, 4), :], %v : !pallas.ref<16x128xf32, default>, tensor<4x128xf32>
  }
  return %0 : tensor<60x128xf32>
}

// -----

func.func @rows_of_elements(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  // expected-error @below {{has a block dimension #pallas.dim<element<16>>; on GPUs dimensions are blocked or squeezed}}
  %0 = pallas.pallas_call grid(4)
    in(%x : tensor<64x128xf32>) block<[element<16>, 128], default> map(%i) -> (%i, 0)
    out(tensor<64x128xf32>) block<[16, 128], default> map(%i) -> (%i, 0)
    semantics [parallel]
    kernel(%xr: !pallas.ref<16x128xf32, default>, %or: !pallas.ref<16x128xf32, default>) {
  }
  return %0 : tensor<64x128xf32>
}

// -----

func.func @cores(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  // expected-error @below {{has a grid dimension of kind core_parallel; on GPUs dimensions are parallel or sequential}}
  %0 = pallas.pallas_call grid(4)
    in(%x : tensor<64x128xf32>) block<[16, 128], default> map(%i) -> (%i, 0)
    out(tensor<64x128xf32>) block<[16, 128], default> map(%i) -> (%i, 0)
    semantics [core_parallel]
    kernel(%xr: !pallas.ref<16x128xf32, default>, %or: !pallas.ref<16x128xf32, default>) {
  }
  return %0 : tensor<64x128xf32>
}

// -----

func.func @no_steps(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  // expected-error @below {{has a grid dimension of size 0}}
  %0 = pallas.pallas_call grid(0)
    in(%x : tensor<64x128xf32>) block<[16, 128], default> map(%i) -> (%i, 0)
    out(tensor<64x128xf32>) block<[16, 128], default> map(%i) -> (%i, 0)
    semantics [parallel]
    kernel(%xr: !pallas.ref<16x128xf32, default>, %or: !pallas.ref<16x128xf32, default>) {
  }
  return %0 : tensor<64x128xf32>
}

// -----

func.func @prefetched(%t: tensor<4xi32>, %x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  // expected-error @below {{prefetches or captures values; kernels for GPUs read them from global memory}}
  %0 = pallas.pallas_call grid(4)
    prefetch(%t : tensor<4xi32>)
    in(%x : tensor<64x128xf32>) block<[16, 128], default> map(%i) -> (%i, 0)
    out(tensor<64x128xf32>) block<[16, 128], default> map(%i) -> (%i, 0)
    kernel(%tr: !pallas.ref<4xi32, smem>, %xr: !pallas.ref<16x128xf32, default>, %or: !pallas.ref<16x128xf32, default>) {
  }
  return %0 : tensor<64x128xf32>
}
