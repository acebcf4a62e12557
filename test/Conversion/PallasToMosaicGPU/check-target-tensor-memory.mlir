// RUN: pallas-opt %s --pallas-check-target=gpu:sm_100a --verify-diagnostics
// RUN: pallas-opt %s --pallas-check-target='target=gpu:sm_100a json=-' -o /dev/null 2>/dev/null | FileCheck %s

// CHECK: "columns": 96
// CHECK: "index": 1
// CHECK: "offset": 0
// CHECK: "role": "scoped"
// CHECK: "space": "tmem"
// CHECK: "tmem_capacity": 512
// CHECK: "tmem_columns": 128

func.func @memory(%x: tensor<128x96xf32>) -> tensor<128x96xf32> {
  // expected-remark-re @below {{registers of a thread for accumulators, up to {{[0-9]+}} with other arrays, and 128 of 512 columns of tensor memory}}
  %0 = pallas.mpmd_map
    in(%x : tensor<128x96xf32>)
    out(tensor<128x96xf32>)
    kernel @memory on <gpu, [<grid "i" = 1>]>(%xr: !pallas.ref<128x96xf32, gmem>, %or: !pallas.ref<128x96xf32, gmem>) {
    // expected-note @below {{scoped 0: 49152 bytes of smem}}
    // expected-note @below {{scoped 1: 96 columns of tmem}}
    pallas.run_scoped (%s: !pallas.ref<128x96xf32, smem>, %t: !pallas.ref<128x96xf32, tmem>) {
      %v = pallas.get %s[...] : !pallas.ref<128x96xf32, smem>
      pallas.async_store_tmem %v to %t : tensor<128x96xf32>, !pallas.ref<128x96xf32, tmem>
    }
  }
  return %0 : tensor<128x96xf32>
}
