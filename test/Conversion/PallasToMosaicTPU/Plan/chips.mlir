// RUN: pallas-opt %s --pallas-check-target="target=tpu:v5e json=%t.json" -o /dev/null 2>&1 | FileCheck %s --check-prefix=V5E
// RUN: FileCheck %s --check-prefix=JSON --input-file=%t.json
// RUN: pallas-opt %s --pallas-check-target=tpu:tpu7x -o /dev/null 2>&1 | FileCheck %s --check-prefix=TPU7X
// RUN: not pallas-opt %s --pallas-check-target=tpu:v4 -o /dev/null 2>&1 | FileCheck %s --check-prefix=V4
// RUN: pallas-opt %s --pallas-to-mosaic-tpu="chip=v5e coarsen=off" | FileCheck %s --check-prefix=TO-V5E
// RUN: pallas-opt %s --pallas-to-mosaic-tpu="chip=tpu7x coarsen=off" | FileCheck %s --check-prefix=TO-TPU7X
// RUN: not pallas-opt %s --pallas-to-mosaic-tpu=chip=v4 2>&1 | FileCheck %s --check-prefix=V4

// Chips differ in what they multiply, in what they compute with and in how much
// memory they have. Windows of bytes have 32 rows on all of them.

// V5E: remark: windows and scratch memory take 20971520 of 134217728 bytes of VMEM
// V5E: note: input 0: 2 x 10485760 bytes of vmem
// TPU7X: remark: windows and scratch memory take 20971520 of 67108864 bytes of VMEM
// TPU7X: warning: block 0 has size 8 in dimension 0 of size 64, which is not a multiple of 32: the array is relaid out around each call; sizes near it that need no copy are 32 and 64
// V4: error: 'pallas.pallas_call' op needs 20971520 bytes of VMEM for its windows and scratch memory, but v4 has 16777216; use smaller blocks or fewer buffers
// V4: note: input 0: 2 x 10485760 bytes of vmem
// JSON: "buffers": 2,
// JSON-NEXT: "bytes": 20971520,
// JSON-NEXT: "index": 0,
// JSON-NEXT: "role": "input",
// JSON-NEXT: "space": "vmem"
// JSON: "chip": "v5e",
// JSON: "vmem": 20971520,
// JSON-NEXT: "vmem_capacity": 134217728

// A kernel that is large asks for memory.
// TO-V5E: module @large
// TO-V5E-SAME: vmem_limit_bytes = 134217728
// TO-V5E: func.func @rows(%{{.*}}: i32, %{{.*}}: memref<8x128xbf16
// TO-V5E: arith.extf
// TO-V5E: math.trunc %{{.*}} : vector<8x128xf32>
// TO-V5E: func.func @narrow
// TO-V5E: tpu.matmul {{.*}}: vector<128x128xf8E4M3B11FNUZ>, vector<128x128xf8E4M3B11FNUZ>
// TO-TPU7X: func.func @rows(%{{.*}}: i32, %{{.*}}: memref<8x128xbf16
// TO-TPU7X: math.trunc %{{.*}} : vector<8x128xbf16>
// TO-TPU7X: func.func @narrow
// TO-TPU7X: tpu.matmul {{.*}}: vector<128x128xbf16>, vector<128x128xbf16>

func.func @f(%x: tensor<20480x256xf32>) -> tensor<8x128xf32> {
  %o = pallas.pallas_call @large grid(2)
      in(%x : tensor<20480x256xf32>) block<[20480, 128], vmem> map(%i) -> (0, %i)
      out(tensor<8x128xf32>) block<[8, 128], any>
      kernel(%xr: !pallas.ref<20480x128xf32, vmem>, %or: !pallas.ref<8x128xf32, any>) {
  }
  return %o : tensor<8x128xf32>
}

func.func @g(%x: tensor<64x128xbf16>) -> tensor<64x128xbf16> {
  %o = pallas.pallas_call @rows grid(8)
      in(%x : tensor<64x128xbf16>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      out(tensor<64x128xbf16>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      kernel(%xr: !pallas.ref<8x128xbf16, vmem>, %or: !pallas.ref<8x128xbf16, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x128xbf16, vmem>
    %t = math.trunc %v : tensor<8x128xbf16>
    pallas.swap %or[...], %t : !pallas.ref<8x128xbf16, vmem>, tensor<8x128xbf16>
  }
  return %o : tensor<64x128xbf16>
}

func.func @h(%x: tensor<128x128xf8E4M3B11FNUZ>) -> tensor<128x128xf32> {
  %o = pallas.pallas_call @narrow grid()
      in(%x : tensor<128x128xf8E4M3B11FNUZ>) block<[128, 128], vmem>
      out(tensor<128x128xf32>) block<[128, 128], vmem>
      kernel(%xr: !pallas.ref<128x128xf8E4M3B11FNUZ, vmem>, %or: !pallas.ref<128x128xf32, vmem>) {
    %a = pallas.get %xr[...] : !pallas.ref<128x128xf8E4M3B11FNUZ, vmem>
    %p = pallas.dot_general %a, %a contract [1] x [0]
      : tensor<128x128xf8E4M3B11FNUZ>, tensor<128x128xf8E4M3B11FNUZ> -> tensor<128x128xf32>
    pallas.swap %or[...], %p : !pallas.ref<128x128xf32, vmem>, tensor<128x128xf32>
  }
  return %o : tensor<128x128xf32>
}

func.func @k(%x: tensor<64x128xi8>) -> tensor<64x128xi8> {
  %o = pallas.pallas_call @bytes grid(8)
      in(%x : tensor<64x128xi8>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      out(tensor<64x128xi8>) block<[64, 128], vmem>
      kernel(%xr: !pallas.ref<8x128xi8, vmem>, %or: !pallas.ref<64x128xi8, vmem>) {
  }
  return %o : tensor<64x128xi8>
}
