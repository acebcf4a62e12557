// RUN: pallas-opt %s --pallas-check-target=tpu:v5e --split-input-file --verify-diagnostics
// RUN: not pallas-opt %s --pallas-check-target=tpu:v99 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: pallas-opt --print-target-info=v6e | FileCheck %s --check-prefix=INFO
// RUN: not pallas-opt --print-target-info=v99 2>&1 | FileCheck %s --check-prefix=NOINFO

// UNKNOWN: target 'tpu:v99' is unknown; use tpu or gpu, or one of tpu:v4 tpu:v5e
// INFO: # v6e
// INFO: | v6e | 128 | 8 | 8 8 32 64 | 256 | 131072 | 1024 | 2 x 16 x 8 |
// INFO: | i8 |
// INFO: | arith.addi | i16 i32 | i4 i8 | i1 |
// NOINFO: pallas-opt: chip 'v99' is unknown; use v4 v5e v5p v6e tpu7x sm_90a sm_100a, or tpu or gpu for all of a kind

func.func @small(%x: tensor<64x512xf32>) -> tensor<64x512xf32> {
  // expected-warning @below {{block 0 has size 4 in dimension 0 of size 64, which is not a multiple of 8: the array is relaid out around each call; sizes near it that need no copy are 8 and 64}}
  // expected-warning @below {{block 0 has size 200 in dimension 1 of size 512, which is not a multiple of 128: the array is relaid out around each call; sizes near it that need no copy are 128, 256 and 512}}
  // expected-remark @below {{windows and scratch memory take 16384 of 134217728 bytes of VMEM}}
  // expected-note @below {{input 0: 2 x 4096 bytes of vmem}}
  // expected-note @below {{output 0: 2 x 4096 bytes of vmem}}
  %o = pallas.pallas_call @small grid(16, 3)
      in(%x : tensor<64x512xf32>) block<[4, 200], vmem> map(%i, %j) -> (%i, %j)
      out(tensor<64x512xf32>) block<[8, 128], vmem> map(%i, %j) -> (0, 0)
      kernel(%xr: !pallas.ref<4x200xf32, vmem>, %or: !pallas.ref<8x128xf32, vmem>) {
  }
  return %o : tensor<64x512xf32>
}

// -----

func.func @large(%x: tensor<8192x8192xf32>) -> tensor<8192x8192xf32> {
  // expected-error @below {{needs 536870912 bytes of VMEM for its windows and scratch memory, but v5e has 134217728; use smaller blocks or fewer buffers}}
  // expected-note @below {{input 0: 268435456 bytes of vmem}}
  // expected-note @below {{output 0: 268435456 bytes of vmem}}
  %o = pallas.pallas_call @large grid()
      in(%x : tensor<8192x8192xf32>) block<[8192, 8192], vmem>
      out(tensor<8192x8192xf32>) block<[8192, 8192], vmem>
      kernel(%xr: !pallas.ref<8192x8192xf32, vmem>, %or: !pallas.ref<8192x8192xf32, vmem>) {
    // expected-error @below {{computes 'f64', which no TPU has; use 32 bits or less}}
    %c = arith.constant 1.0 : f64
  }
  return %o : tensor<8192x8192xf32>
}
