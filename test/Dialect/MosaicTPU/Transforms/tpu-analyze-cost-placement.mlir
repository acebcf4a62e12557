// RUN: pallas-opt %s --pallas-to-mosaic-tpu="chip=v5e coarsen=off" --tpu-analyze-cost="chip=v5e json=- counts" --split-input-file -o /dev/null 2>/dev/null | FileCheck %s

// Arguments and results are in HBM: two blocks come and go.
// CHECK: "bytes_copied": 16384,
func.func @plain(%x: tensor<16x128xf32>) -> tensor<16x128xf32> {
  %0 = pallas.pallas_call grid(2)
    in(%x : tensor<16x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
    out(tensor<16x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
    kernel(%a: !pallas.ref<8x128xf32, vmem>, %o: !pallas.ref<8x128xf32, vmem>) {
    %v = pallas.get %a[...] : !pallas.ref<8x128xf32, vmem>
    %w = pallas.swap %o[...], %v : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return %0 : tensor<16x128xf32>
}

// -----

// XLA gives 24 x 16 elements the layout of 16 x 24, which fills tiles better. What
// it makes of an argument, and what it has yet to change, is in VMEM.
// CHECK: "bytes_copied": 0,
func.func @relaid_out(%x: tensor<24x16xf32>) -> tensor<24x16xf32> {
  %0 = pallas.pallas_call grid(3)
    in(%x : tensor<24x16xf32>) block<[8, 16], vmem> map(%i) -> (%i, 0)
    out(tensor<24x16xf32>) block<[8, 16], vmem> map(%i) -> (%i, 0)
    kernel(%a: !pallas.ref<8x16xf32, vmem>, %o: !pallas.ref<8x16xf32, vmem>) {
    %v = pallas.get %a[...] : !pallas.ref<8x16xf32, vmem>
    %w = pallas.swap %o[...], %v : !pallas.ref<8x16xf32, vmem>, tensor<8x16xf32>
  }
  return %0 : tensor<24x16xf32>
}

// -----

// While the host pads an array, it fetches another one that is no larger: only the
// result leaves, in blocks of 4096 bytes.
// CHECK: "bytes_copied": 8192,
func.func @padded(%x: tensor<13x128xf32>, %y: tensor<16x128xf32>) -> tensor<16x128xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0] high[3, 0] {
  ^bb0(%r: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<13x128xf32> to tensor<16x128xf32>
  %0 = pallas.pallas_call grid(2)
    in(%p : tensor<16x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
    in(%y : tensor<16x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
    out(tensor<16x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
    kernel(%a: !pallas.ref<8x128xf32, vmem>, %b: !pallas.ref<8x128xf32, vmem>, %o: !pallas.ref<8x128xf32, vmem>) {
    %v = pallas.get %a[...] : !pallas.ref<8x128xf32, vmem>
    %u = pallas.get %b[...] : !pallas.ref<8x128xf32, vmem>
    %s = arith.addf %v, %u : tensor<8x128xf32>
    %w = pallas.swap %o[...], %s : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return %0 : tensor<16x128xf32>
}

// -----

// A result that the host goes on with stays, here for a sum.
// CHECK: "bytes_copied": 8192,
func.func @used(%x: tensor<16x128xf32>) -> tensor<16x128xf32> {
  %0 = pallas.pallas_call grid(2)
    in(%x : tensor<16x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
    out(tensor<16x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
    kernel(%a: !pallas.ref<8x128xf32, vmem>, %o: !pallas.ref<8x128xf32, vmem>) {
    %v = pallas.get %a[...] : !pallas.ref<8x128xf32, vmem>
    %w = pallas.swap %o[...], %v : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  %1 = arith.addf %0, %0 : tensor<16x128xf32>
  return %1 : tensor<16x128xf32>
}

// -----

// While the host pads an array, it moves an argument of one element to scalar
// memory, from where the kernel fetches it: 4 bytes come, and 8192 go.
// CHECK: "bytes_copied": 8196,
func.func @one_element(%x: tensor<13x128xf32>, %y: tensor<1x1xf32>) -> tensor<16x128xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0] high[3, 0] {
  ^bb0(%r: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<13x128xf32> to tensor<16x128xf32>
  %0 = pallas.pallas_call grid(2)
    in(%p : tensor<16x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
    in(%y : tensor<1x1xf32>) block<[1, 1], vmem> map(%i) -> (0, 0)
    out(tensor<16x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
    kernel(%a: !pallas.ref<8x128xf32, vmem>, %b: !pallas.ref<1x1xf32, vmem>, %o: !pallas.ref<8x128xf32, vmem>) {
    %v = pallas.get %a[...] : !pallas.ref<8x128xf32, vmem>
    %u = pallas.get %b[...] : !pallas.ref<1x1xf32, vmem>
    %t = pallas.broadcast %u dims [0, 1] : tensor<1x1xf32> -> tensor<8x128xf32>
    %s = arith.addf %v, %t : tensor<8x128xf32>
    %w = pallas.swap %o[...], %s : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return %0 : tensor<16x128xf32>
}

// -----

// Each argument of one element is fetched by itself, before the array.
// CHECK: "FetchLatency": 3,
func.func @two_elements(%x: tensor<8x128xf32>, %y: tensor<1x1xf32>, %z: tensor<1x1xf32>) -> tensor<8x128xf32> {
  %0 = pallas.pallas_call grid(1)
    in(%x : tensor<8x128xf32>) block<[8, 128], vmem> map(%i) -> (0, 0)
    in(%y : tensor<1x1xf32>) block<[1, 1], vmem> map(%i) -> (0, 0)
    in(%z : tensor<1x1xf32>) block<[1, 1], vmem> map(%i) -> (0, 0)
    out(tensor<8x128xf32>) block<[8, 128], vmem> map(%i) -> (0, 0)
    kernel(%a: !pallas.ref<8x128xf32, vmem>, %b: !pallas.ref<1x1xf32, vmem>, %c: !pallas.ref<1x1xf32, vmem>, %o: !pallas.ref<8x128xf32, vmem>) {
    %v = pallas.get %a[...] : !pallas.ref<8x128xf32, vmem>
    %u = pallas.get %b[...] : !pallas.ref<1x1xf32, vmem>
    %t = pallas.get %c[...] : !pallas.ref<1x1xf32, vmem>
    %q = arith.addf %u, %t : tensor<1x1xf32>
    %r = pallas.broadcast %q dims [0, 1] : tensor<1x1xf32> -> tensor<8x128xf32>
    %s = arith.addf %v, %r : tensor<8x128xf32>
    %w = pallas.swap %o[...], %s : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return %0 : tensor<8x128xf32>
}

// -----

// Each argument of one element is fetched from scalar memory by itself, whether
// it was prefetched or is a window, before the table of nine and the block, which
// arrive at the same time.
// CHECK: "FetchLatency": 3,
// CHECK: "PrefetchLatency": 1,
func.func @one_by_one(%t: tensor<9xi32>, %s: tensor<1xi32>, %u: tensor<1xi32>, %x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %0 = pallas.pallas_call grid(1)
    prefetch(%t, %s : tensor<9xi32>, tensor<1xi32>)
    in(%u : tensor<1xi32>) block<[1], smem>
    in(%x : tensor<8x128xf32>) block<[8, 128], vmem>
    out(tensor<8x128xf32>) block<[8, 128], vmem>
    kernel(%tr: !pallas.ref<9xi32, smem>, %sr: !pallas.ref<1xi32, smem>, %ur: !pallas.ref<1xi32, smem>,
           %a: !pallas.ref<8x128xf32, vmem>, %o: !pallas.ref<8x128xf32, vmem>) {
    %v = pallas.get %a[...] : !pallas.ref<8x128xf32, vmem>
    %w = pallas.swap %o[...], %v : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return %0 : tensor<8x128xf32>
}

// -----

// While a scalar moves to its memory, XLA fetches an array of 1024 bytes, but
// none of 2048.
// CHECK: "FetchLatency": 1,
// CHECK: "FetchLatency": 2,
func.func @beside_a_scalar(%s: tensor<1xi32>, %x: tensor<8x128xi8>) -> tensor<8x128xi8> {
  %0 = pallas.pallas_call grid()
    in(%s : tensor<1xi32>) block<[1], vmem>
    in(%x : tensor<8x128xi8>) block<[8, 128], vmem>
    out(tensor<8x128xi8>) block<[8, 128], vmem>
    kernel(%sr: !pallas.ref<1xi32, vmem>, %a: !pallas.ref<8x128xi8, vmem>, %o: !pallas.ref<8x128xi8, vmem>) {
    %v = pallas.get %a[...] : !pallas.ref<8x128xi8, vmem>
    %w = pallas.swap %o[...], %v : !pallas.ref<8x128xi8, vmem>, tensor<8x128xi8>
  }
  return %0 : tensor<8x128xi8>
}

// -----

func.func @beside_a_scalar(%s: tensor<1xi32>, %x: tensor<16x128xi8>) -> tensor<16x128xi8> {
  %0 = pallas.pallas_call grid()
    in(%s : tensor<1xi32>) block<[1], vmem>
    in(%x : tensor<16x128xi8>) block<[16, 128], vmem>
    out(tensor<16x128xi8>) block<[16, 128], vmem>
    kernel(%sr: !pallas.ref<1xi32, vmem>, %a: !pallas.ref<16x128xi8, vmem>, %o: !pallas.ref<16x128xi8, vmem>) {
    %v = pallas.get %a[...] : !pallas.ref<16x128xi8, vmem>
    %w = pallas.swap %o[...], %v : !pallas.ref<16x128xi8, vmem>, tensor<16x128xi8>
  }
  return %0 : tensor<16x128xi8>
}

// -----

// Nor does one element stay in VMEM that the host converts before and after.
// CHECK: "FetchLatency": 1,
// CHECK: "FlushLatency": 1,
func.func @converted(%x: tensor<1xi1>) -> tensor<1xi1> {
  %0 = pallas.pallas_call grid()
    in(%x : tensor<1xi1>) block<[1], vmem>
    out(tensor<1xi1>) block<[1], vmem>
    kernel(%a: !pallas.ref<1xi1, vmem>, %o: !pallas.ref<1xi1, vmem>) {
    %v = pallas.get %a[...] : !pallas.ref<1xi1, vmem>
    %w = pallas.swap %o[...], %v : !pallas.ref<1xi1, vmem>, tensor<1xi1>
  }
  return %0 : tensor<1xi1>
}
