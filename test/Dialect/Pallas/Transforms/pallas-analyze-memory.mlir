// RUN: pallas-opt %s --pallas-analyze-memory --mlir-print-op-on-diagnostic=false -o /dev/null 2>&1 | FileCheck %s
// RUN: pallas-opt %s --pallas-analyze-memory="json=%t.json" -o /dev/null 2>/dev/null
// RUN: FileCheck %s --check-prefix=JSON --input-file=%t.json

// Windows that move have two buffers, or as many as they ask for.
// CHECK: remark: takes 16 bytes of smem, 155648 bytes of vmem, 262144 bytes of hbm
// CHECK: note: prefetch 0: 16 bytes of smem
// CHECK: note: input 0 (lhs): 2 x 16384 bytes of vmem
// CHECK: note: input 1: 3 x 8192 bytes of vmem
// CHECK: note: input 2: 65536 bytes of vmem
// CHECK: note: input 3: 262144 bytes of hbm
// CHECK: note: output 0: 2 x 4096 bytes of vmem
// CHECK: note: scratch 0: 4096 bytes of vmem

// JSON:      "buffers": [
// JSON-NEXT:   {
// JSON-NEXT:     "buffers": 1,
// JSON-NEXT:     "bytes": 16,
// JSON-NEXT:     "index": 0,
// JSON-NEXT:     "role": "prefetch",
// JSON-NEXT:     "space": "smem",
// JSON-NEXT:     "type": "!pallas.ref<4xi32, smem>"
// JSON-NEXT:   },
// JSON-NEXT:   {
// JSON-NEXT:     "buffers": 2,
// JSON-NEXT:     "bytes": 32768,
// JSON-NEXT:     "index": 0,
// JSON-NEXT:     "origin": "lhs",
// JSON:        "role": "scratch",
// JSON:          "bytes": null,
// JSON:          "space": "semaphore",
// JSON:      "bytes": {
// JSON-NEXT:   "hbm": 262144,
// JSON-NEXT:   "smem": 16,
// JSON-NEXT:   "vmem": 155648
// JSON-NEXT: },
// JSON-NEXT: "complete": true,
// JSON-NEXT: "function": "windows",
func.func @windows(%t: tensor<4xi32>, %x: tensor<64x512xf32>, %y: tensor<64x512xbf16>, %z: tensor<128x128xf32>,
                   %w: tensor<512x128xf32>) -> tensor<32x256xf32> {
  %o = pallas.pallas_call grid(4, 2)
      prefetch(%t : tensor<4xi32>)
      in(%x : tensor<64x512xf32>) block<[16, 256], vmem, origin = "lhs"> map(%i, %j) -> (%i, %j)
      in(%y : tensor<64x512xbf16>) block<[16, 256], vmem, pipeline = <3>> map(%i, %j) -> (%i, %j)
      in(%z : tensor<128x128xf32>) block<[128, 128], vmem>
      in(%w : tensor<512x128xf32>) block<[512, 128], hbm>
      out(tensor<32x256xf32>) block<[8, 128], vmem> map(%i, %j) -> (%i, %j)
      kernel(%tr: !pallas.ref<4xi32, smem>, %xr: !pallas.ref<16x256xf32, vmem>, %yr: !pallas.ref<16x256xbf16, vmem>,
             %zr: !pallas.ref<128x128xf32, vmem>, %wr: !pallas.ref<512x128xf32, hbm>,
             %or: !pallas.ref<8x128xf32, vmem>, %s: !pallas.ref<8x128xf32, vmem>,
             %sem: !pallas.ref<2x!pallas.dma_semaphore, semaphore>) {
    // Scopes that follow each other share their memory.
    // CHECK: note: scoped 0: 8192 bytes of vmem
    // CHECK: note: scoped 0: 16384 bytes of vmem
    // CHECK: note: scoped 0: 4096 bytes of vmem
    pallas.run_scoped (%a: !pallas.ref<16x128xf32, vmem>) {
    }
    pallas.run_scoped (%b: !pallas.ref<32x128xf32, vmem>) {
      pallas.run_scoped (%c: !pallas.ref<32x128xi8, vmem>) {
      }
    }
  }
  return %o : tensor<32x256xf32>
}

// Pipelines in kernels have windows of their own; accumulators are registers.
// CHECK: remark: takes 327680 bytes of gmem, 32768 bytes of acc, 98304 bytes of smem
// CHECK: note: input 0: 65536 bytes of gmem
// CHECK: note: input 1: 131072 bytes of gmem
// CHECK: note: output 0: 131072 bytes of gmem
// CHECK: note: scoped 0: 32768 bytes of acc
// CHECK: note: scoped 1: 32768 bytes of smem
// CHECK: note: input 0: 4 x 8192 bytes of smem
// CHECK: note: input 1: 2 x 16384 bytes of smem
func.func @pipeline(%a: tensor<128x256xf16>, %b: tensor<256x256xf16>) -> tensor<128x256xf32> {
  %o = pallas.mpmd_map
      in(%a : tensor<128x256xf16>)
      in(%b : tensor<256x256xf16>)
      out(tensor<128x256xf32>)
      kernel @matmul on <gpu, [<grid "m" = 2>, <grid "n" = 2>]>
          (%ag: !pallas.ref<128x256xf16, gmem>, %bg: !pallas.ref<256x256xf16, gmem>,
           %og: !pallas.ref<128x256xf32, gmem>) {
    pallas.run_scoped (%acc: !pallas.accumulator<64x128xf32>, %out: !pallas.ref<64x128xf32, smem>) {
      pallas.emit_pipeline grid(4)
          in(%ag : !pallas.ref<128x256xf16, gmem>) block<[64, 64], smem, pipeline = <4>> map(%k) -> (0, %k)
          in(%bg : !pallas.ref<256x256xf16, gmem>) block<[64, 128], smem> map(%k) -> (%k, 0)
          attributes {maxConcurrentSteps = 2 : i64}
          kernel(%k: i32, %as: !pallas.ref<64x64xf16, smem>, %bs: !pallas.ref<64x128xf16, smem>) {
      }
    }
  }
  return %o : tensor<128x256xf32>
}

// Kernels of several meshes share their arrays.
// CHECK: remark: takes 4096 bytes of hbm, 64 bytes of smem, 512 bytes of vmem
func.func @meshes(%x: tensor<8x128xf32>) {
  pallas.mpmd_map
      in(%x : tensor<8x128xf32>)
      kernel @s on <sc_scalar, [<core "c" = 2>]> (%xr: !pallas.ref<8x128xf32, hbm>) {
    pallas.run_scoped (%a: !pallas.ref<16xi32, smem>) {
    }
  }
      kernel @v on <sc_vector, [<core "c" = 2>, <subcore "s" = 16>]> (%xr: !pallas.ref<8x128xf32, hbm>) {
    pallas.run_scoped (%a: !pallas.ref<128xf32, vmem>) {
    }
  }
  return
}
