// RUN: pallas-opt %s --choose-tpu-coarsening=chip=v6e --verify-diagnostics | FileCheck %s
// RUN: pallas-opt %s --pallas-to-mosaic-tpu=chip=v6e 2>/dev/null | FileCheck %s --check-prefix=LOWERED
// RUN: not pallas-opt %s "--pallas-to-mosaic-tpu=chip=v6e coarsen=off" 2>&1 | FileCheck %s --check-prefix=OFF

// OFF: error: 'pallas.pallas_call' op needs {{[0-9]+}} bytes of VMEM for its windows and scratch memory, but v6e has 134217728

// CHECK-LABEL: func.func @softmax
// CHECK: grid(128)
// CHECK: block<[64, 8192], default>
// CHECK: split = "d0=128"
// LOWERED: iteration_bounds = array<i64: 128>
func.func @softmax(%x: tensor<8192x8192xf32>) -> tensor<8192x8192xf32> {
  // expected-remark @below {{splits the blocks of the first result by d0=128, and others with them: the call needs 8388608 bytes of VMEM then, and 536870912 without, but v6e has 134217728}}
  %o = pallas.pallas_call grid()
    in(%x : tensor<8192x8192xf32>) block<[8192, 8192], default>
    out(tensor<8192x8192xf32>) block<[8192, 8192], default>
    kernel(%xr: !pallas.ref<8192x8192xf32, default>, %or: !pallas.ref<8192x8192xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<8192x8192xf32, default>
    %m = pallas.reduce <max> %v dims [1] : tensor<8192x8192xf32>
    %b = pallas.broadcast %m dims [0] : tensor<8192xf32> -> tensor<8192x8192xf32>
    %d = arith.subf %v, %b : tensor<8192x8192xf32>
    %e = math.exp %d : tensor<8192x8192xf32>
    %s = pallas.reduce <add> %e dims [1] : tensor<8192x8192xf32>
    %c = pallas.broadcast %s dims [0] : tensor<8192xf32> -> tensor<8192x8192xf32>
    %q = arith.divf %e, %c : tensor<8192x8192xf32>
    pallas.swap %or[...], %q : !pallas.ref<8192x8192xf32, default>, tensor<8192x8192xf32>
  }
  return %o : tensor<8192x8192xf32>
}

// Scratch memory falls into parts, too; sums along columns go by columns.
// CHECK-LABEL: func.func @columns
// CHECK: grid(32, 2)
// CHECK: block<[8192, 128], default>
// CHECK: split = "d1=32"
// LOWERED: iteration_bounds = array<i64: 32, 2>
func.func @columns(%x: tensor<16384x4096xbf16>) -> tensor<1x4096xf32> {
  // expected-remark @below {{splits the blocks of the first result by d1=32}}
  %o = pallas.pallas_call grid(2)
    in(%x : tensor<16384x4096xbf16>) block<[8192, 4096], default> map(%i) -> (%i, 0)
    out(tensor<1x4096xf32>) block<[1, 4096], default> map(%i) -> (0, 0)
    kernel(%xr: !pallas.ref<8192x4096xbf16, default>, %or: !pallas.ref<1x4096xf32, default>, %acc: !pallas.ref<1x4096xf32, vmem>) {
    %i = pallas.program_id 0
    %c0 = arith.constant 0 : i32
    %isFirst = arith.cmpi eq, %i, %c0 : i32
    scf.if %isFirst {
      %zero = arith.constant dense<0.0> : tensor<1x4096xf32>
      pallas.swap %acc[...], %zero : !pallas.ref<1x4096xf32, vmem>, tensor<1x4096xf32>
    }
    %v = pallas.get %xr[...] : !pallas.ref<8192x4096xbf16, default>
    %w = arith.extf %v : tensor<8192x4096xbf16> to tensor<8192x4096xf32>
    %s = pallas.reduce <add> %w dims [0] : tensor<8192x4096xf32>
    %r = pallas.reshape %s : tensor<4096xf32> -> tensor<1x4096xf32>
    pallas.addupdate %acc[...], %r : !pallas.ref<1x4096xf32, vmem>, tensor<1x4096xf32>
    %all = pallas.get %acc[...] : !pallas.ref<1x4096xf32, vmem>
    pallas.swap %or[...], %all : !pallas.ref<1x4096xf32, default>, tensor<1x4096xf32>
  }
  return %o : tensor<1x4096xf32>
}

// One buffer for each of these windows, which never move: they fit.
// CHECK-LABEL: func.func @fits
// CHECK: grid()
// CHECK-NOT: split
func.func @fits(%x: tensor<4096x2048xf32>) -> tensor<4096x2048xf32> {
  %o = pallas.pallas_call grid()
    in(%x : tensor<4096x2048xf32>) block<[4096, 2048], default>
    out(tensor<4096x2048xf32>) block<[4096, 2048], default>
    kernel(%xr: !pallas.ref<4096x2048xf32, default>, %or: !pallas.ref<4096x2048xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<4096x2048xf32, default>
    %w = arith.addf %v, %v : tensor<4096x2048xf32>
    pallas.swap %or[...], %w : !pallas.ref<4096x2048xf32, default>, tensor<4096x2048xf32>
  }
  return %o : tensor<4096x2048xf32>
}
