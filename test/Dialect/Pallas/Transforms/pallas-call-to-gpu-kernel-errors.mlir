// RUN: pallas-opt %s --pallas-call-to-gpu-kernel --split-input-file --verify-diagnostics

func.func @space(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  // expected-error @below {{has blocks in vmem; on GPUs blocks lie in smem, arrays in gmem}}
  %0 = pallas.pallas_call grid(4)
    in(%x : tensor<64x128xf32>) block<[16, 128], vmem> map(%i) -> (%i, 0)
    out(tensor<64x128xf32>) block<[16, 128], vmem> map(%i) -> (%i, 0)
    kernel(%xr: !pallas.ref<16x128xf32, vmem>, %or: !pallas.ref<16x128xf32, vmem>) {
  }
  return %0 : tensor<64x128xf32>
}

// -----

func.func @revisited(%x: tensor<64x128xf32>) -> tensor<32x128xf32> {
  // expected-error @below {{writes a block of result 0 in several steps, but not in all; on GPUs a result has one block for all sequential steps or one for each}}
  %0 = pallas.pallas_call grid(2, 2)
    in(%x : tensor<64x128xf32>) block<[16, 128], default> map(%i, %j) -> (%j, 0)
    out(tensor<32x128xf32>) block<[16, 128], default> map(%i, %j) -> (%i, 0)
    semantics [sequential, sequential]
    kernel(%xr: !pallas.ref<16x128xf32, default>, %or: !pallas.ref<16x128xf32, default>) {
  }
  return %0 : tensor<32x128xf32>
}

// -----

func.func @dynamic(%x: tensor<64x128xf32>, %n: i32) -> tensor<64x128xf32> {
  // expected-error @below {{has a grid that is known at run time only; a launch on a GPU has static sizes}}
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
