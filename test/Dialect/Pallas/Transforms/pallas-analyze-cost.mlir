// RUN: pallas-opt %s --pallas-analyze-cost --verify-diagnostics -o /dev/null
// RUN: pallas-opt %s --pallas-analyze-cost="json=-" -o /dev/null 2>/dev/null | FileCheck %s --check-prefix=JSON

!block = !pallas.ref<128x128xf32, vmem>

// The first of each two programs clears, the last one adds the bias: 16 blocks
// of 128 x 128. The index of the last program is computed 32 times.
// JSON:      "computed": {
// JSON-NEXT:   "bytes_accessed": 2099200,
// JSON-NEXT:   "bytes_moved": 5251072,
// JSON-NEXT:   "exact": true,
// JSON-NEXT:   "flops": 134479904,
// JSON-NEXT:   "remote_bytes_transferred": 0,
// JSON-NEXT:   "transcendentals": 262144
// JSON-NEXT: },
// JSON-NEXT: "declared": false,
// JSON-NEXT: "estimate": {
// JSON-NEXT:   "bytes_accessed": 2099200,
// JSON-NEXT:   "flops": 134479904,
func.func @matmul(%x: tensor<512x256xf32>, %y: tensor<256x512xf32>, %z: tensor<1x512xf32>) -> tensor<512x512xf32> {
  // expected-remark @below {{costs 134479904 flops, 262144 transcendentals and 2099200 bytes; 5251072 bytes move}}
  %o = pallas.pallas_call @matmul grid(4, 4, 2)
      in(%x : tensor<512x256xf32>) block<[128, 128], vmem> map(%i, %j, %k) -> (%i, %k)
      in(%y : tensor<256x512xf32>) block<[128, 128], vmem> map(%i, %j, %k) -> (%k, %j)
      in(%z : tensor<1x512xf32>) block<[1, 128], vmem> map(%i, %j, %k) -> (0, %j)
      out(tensor<512x512xf32>) block<[128, 128], vmem> map(%i, %j, %k) -> (%i, %j)
      kernel(%xr: !block, %yr: !block, %zr: !pallas.ref<1x128xf32, vmem>, %or: !block, %acc: !block) {
    %k = pallas.program_id 2
    %n = pallas.num_programs 2
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %first = arith.cmpi eq, %k, %c0 : i32
    scf.if %first {
      %zero = arith.constant dense<0.0> : tensor<128x128xf32>
      pallas.swap %acc[...], %zero : !block, tensor<128x128xf32>
    }
    %a = pallas.get %xr[...] : !block
    %b = pallas.get %yr[...] : !block
    %old = pallas.get %acc[...] : !block
    %new = pallas.dot_general %a, %b acc %old contract [1] x [0]
      : tensor<128x128xf32>, tensor<128x128xf32>, tensor<128x128xf32> -> tensor<128x128xf32>
    pallas.swap %acc[...], %new : !block, tensor<128x128xf32>
    %end = arith.subi %n, %c1 : i32
    %is_last = arith.cmpi eq, %k, %end : i32
    scf.if %is_last {
      %v = pallas.get %acc[...] : !block
      %row = pallas.get %zr[...] : !pallas.ref<1x128xf32, vmem>
      %bias = pallas.broadcast %row dims [0, 1] : tensor<1x128xf32> -> tensor<128x128xf32>
      %s = arith.addf %v, %bias : tensor<128x128xf32>
      %e = math.exp %s : tensor<128x128xf32>
      pallas.swap %or[...], %e : !block, tensor<128x128xf32>
    }
  }
  return %o : tensor<512x512xf32>
}

// What the author says is the estimate.
// JSON:      "computed": {
// JSON:        "flops": 8192,
// JSON:      "declared": true,
// JSON-NEXT: "estimate": {
// JSON-NEXT:   "bytes_accessed": 30,
// JSON-NEXT:   "flops": 10,
// JSON-NEXT:   "remote_bytes_transferred": 0,
// JSON-NEXT:   "transcendentals": 20
func.func @loops(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  // expected-remark @below {{costs 8192 flops, 0 transcendentals and 8192 bytes; 8192 bytes move; its estimate is 10 flops, 20 transcendentals and 30 bytes}}
  %o = pallas.pallas_call grid()
      in(%x : tensor<8x128xf32>) block<[8, 128], vmem>
      out(tensor<8x128xf32>) block<[8, 128], vmem>
      attributes {costEstimate = #pallas.cost<flops = 10, transcendentals = 20, bytesAccessed = 30>}
      kernel(%xr: !pallas.ref<8x128xf32, vmem>, %or: !pallas.ref<8x128xf32, vmem>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %v = pallas.get %xr[...] : !pallas.ref<8x128xf32, vmem>
    scf.for %i = %c0 to %c8 step %c1 {
      pallas.addupdate %or[...], %v : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
    }
  }
  return %o : tensor<8x128xf32>
}

// Trip counts and branches that depend on data count once, copies by their size.
func.func @unknown(%n: tensor<1xi32>, %x: tensor<64x128xf32>) -> tensor<8x128xf32> {
  // expected-remark @below {{costs about 4096 flops, 0 transcendentals and 36868 bytes; 12292 bytes move}}
  %o = pallas.pallas_call grid(2)
      prefetch(%n : tensor<1xi32>)
      in(%x : tensor<64x128xf32>) block<[64, 128], any>
      out(tensor<8x128xf32>) block<[8, 128], vmem>
      kernel(%nr: !pallas.ref<1xi32, smem>, %xr: !pallas.ref<64x128xf32, any>, %or: !pallas.ref<8x128xf32, vmem>,
             %s: !pallas.ref<8x128xf32, vmem>, %sem: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %count = pallas.get %nr[0] : !pallas.ref<1xi32, smem>
    scf.for %i = %c0 to %count step %c1 : i32 {
      %rows = pallas.slice_ref %xr[ds(%i, 8), :] : !pallas.ref<64x128xf32, any>
      pallas.dma_start %rows to %s signals %sem
        : !pallas.ref<8x128xf32, any>, !pallas.ref<8x128xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
      pallas.dma_wait %rows to %s signals %sem
        : !pallas.ref<8x128xf32, any>, !pallas.ref<8x128xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
      %v = pallas.get %s[...] : !pallas.ref<8x128xf32, vmem>
      %some = arith.cmpi sgt, %i, %count : i32
      scf.if %some {
        %d = arith.addf %v, %v : tensor<8x128xf32>
        pallas.swap %or[...], %d : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
      } else {
        %d = arith.mulf %v, %v : tensor<8x128xf32>
        %e = arith.mulf %d, %v : tensor<8x128xf32>
        pallas.swap %or[...], %e : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
      }
    }
  }
  return %o : tensor<8x128xf32>
}

// Every point of a mesh runs its kernel; powers count their products.
func.func @mesh(%x: tensor<128xf32>) {
  // expected-remark @below {{costs 20482 flops, 0 transcendentals and 512 bytes; 0 bytes move}}
  pallas.mpmd_map
      in(%x : tensor<128xf32>)
      kernel @s on <sc_scalar, [<core "c" = 2>]> (%xr: !pallas.ref<128xf32, hbm>) {
    %c7 = arith.constant 7 : i32
    %s = arith.muli %c7, %c7 : i32
  }
      kernel @v on <sc_vector, [<core "c" = 2>, <subcore "s" = 16>]> (%xr: !pallas.ref<128xf32, hbm>) {
    %c7 = arith.constant dense<7> : tensor<128xi32>
    %v = arith.constant dense<2.0> : tensor<128xf32>
    %p = math.fpowi %v, %c7 : tensor<128xf32>, tensor<128xi32>
  }
  return
}
