// RUN: pallas-opt %s --pallas-check-target=gpu:sm_90a --verify-diagnostics
// RUN: pallas-opt %s --pallas-check-target=gpu | FileCheck %s
// RUN: pallas-opt %s --pallas-check-target='target=gpu:sm_90a json=-' -o /dev/null 2>/dev/null | FileCheck %s --check-prefix=JSON
// RUN: not pallas-opt %s --pallas-check-target=gpu:sm_80 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not pallas-opt %s --pallas-check-target=gpu:sm_100a 2>&1 | FileCheck %s --check-prefix=BLACKWELL
// RUN: pallas-opt --print-target-info=sm_90a | FileCheck %s --check-prefix=INFO
// RUN: pallas-opt --print-target-info=gpu | FileCheck %s --check-prefix=ALL

// UNKNOWN: target 'gpu:sm_80' is unknown; use tpu or gpu, or one of tpu:v4 {{.*}} gpu:sm_90a gpu:sm_100a
// BLACKWELL: multiplies by wgmma, which sm_100a lacks; use tcgen05_mma
// INFO: # sm_90a
// INFO: | sm_90a | 232448 | 8 | 16 | 32 | 255 | 65536 |  | wgmma |
// INFO: | bf16 | f32 |
// ALL: # GPU targets
// ALL: | sm_90a |
// ALL: | sm_100a | {{.*}} | 512 | tcgen05_mma |

// The check changes nothing.
// CHECK-LABEL: func.func @product
// CHECK: pallas.mpmd_map
// CHECK: pallas.pallas_call

// JSON: "accumulator_registers": 64
// JSON: "arch": "sm_90a"
// JSON: "barriers": 4
// JSON: "buffers": [
// JSON: "bytes": 32768
// JSON: "index": 0
// JSON: "offset": 0
// JSON: "role": "scoped"
// JSON: "bytes": 32768
// JSON: "index": 1
// JSON: "offset": 32768
// JSON: "registers": 255
// JSON: "smem": 65568
// JSON: "smem_capacity": 232448
// JSON: "value_registers": 64

func.func @product() {
  // expected-remark @below {{takes 65568 of 232448 bytes of shared memory, 4 barriers among them, and 64 of 255 registers of a thread for accumulators, up to 64 with other arrays}}
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 1>]> () {
    // expected-note @below {{scoped 0: 32768 bytes of smem}}
    // expected-note @below {{scoped 1: 32768 bytes of smem}}
    pallas.run_scoped (%a: !pallas.ref<64x256xbf16, smem>, %b: !pallas.ref<128x128xbf16, smem>, %acc: !pallas.accumulator<64x128xf32>, %bars: !pallas.ref<4x!pallas.barrier<numArrivals = 1>, smem>) {
      %part = pallas.slice_ref %a[:, ds(0, 128)] : !pallas.ref<64x256xbf16, smem>
      pallas.wgmma_ref %acc, %part, %b : !pallas.accumulator<64x128xf32>, !pallas.ref<64x128xbf16, smem>, !pallas.ref<128x128xbf16, smem>
    }
  }
  return
}

func.func @blocks(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  // expected-remark @below {{takes 65552 of 232448 bytes of shared memory, 2 barriers among them, and 0 of 255 registers of a thread for accumulators, up to 32 with other arrays}}
  // expected-note @below {{scoped 0: 32768 bytes of smem}}
  // expected-note @below {{scoped 1: 32768 bytes of smem}}
  %0 = pallas.pallas_call grid(2)
    in(%x : tensor<64x128xf32>) block<[32, 128], smem> map(%i) -> (%i, 0)
    out(tensor<64x128xf32>) block<[32, 128], smem> map(%i) -> (%i, 0)
    semantics [sequential]
    attributes {compilerParams = [#pallas.gpu_params<maxConcurrentSteps = 2>]}
    kernel(%xr: !pallas.ref<32x128xf32, smem>, %or: !pallas.ref<32x128xf32, smem>) {
    %v = pallas.get %xr[...] : !pallas.ref<32x128xf32, smem>
    pallas.swap %or[...], %v : !pallas.ref<32x128xf32, smem>, tensor<32x128xf32>
  }
  return %0 : tensor<64x128xf32>
}

func.func @many_registers() {
  // expected-remark @below {{0 barriers among them, and 512 of 255 registers of a thread for accumulators}}
  // expected-warning @below {{keeps accumulators of 512 registers in threads of 255, so the compiler spills the rest to memory; use accumulators of fewer elements, or share them among more warpgroups}}
  pallas.mpmd_map
      kernel @kernel on <gpu, [<grid "i" = 1>]> () {
    pallas.run_scoped (%acc: !pallas.accumulator<256x256xf32>) {
      %v = pallas.accumulator_deref %acc wait 0 : !pallas.accumulator<256x256xf32> -> tensor<256x256xf32>
    }
  }
  return
}
