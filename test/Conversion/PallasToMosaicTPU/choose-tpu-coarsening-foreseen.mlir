// RUN: pallas-opt %s --choose-tpu-coarsening=chip=v5e --split-input-file --verify-diagnostics | FileCheck %s
// RUN: pallas-opt %s --choose-tpu-coarsening=chip=v6e --split-input-file 2>/dev/null | FileCheck %s --check-prefix=V6E

// V6E-LABEL: func.func @columns
// V6E: coarsened = "d0=
// V6E-LABEL: func.func @rows
// V6E: coarsened = "d0=
// V6E-LABEL: func.func @batch
// V6E: coarsened = "d0=
// V6E-LABEL: func.func @sum
// V6E: coarsened = "d0=
// V6E-LABEL: func.func @loop
// V6E-NOT: coarsened

// The figures come from the call as it is. Columns take weights of their own, and the chain of the matmul stays.
// CHECK-LABEL: func.func @columns
// CHECK: pallas.pallas_call grid(2)
// CHECK: pallas.dot_general {{.*}} : tensor<256x512xbf16>, tensor<512x512xbf16> -> tensor<256x512xf32>
func.func @columns(%x: tensor<256x512xbf16>, %y: tensor<512x1024xbf16>) -> tensor<256x1024xf32> {
  // expected-remark @below {{joins steps by d0=4: about 6003 cycles on v5e instead of 8832, with 2359296 bytes of VMEM}}
  %o = pallas.pallas_call grid(8)
    in(%x : tensor<256x512xbf16>) block<[256, 512], default> map(%i) -> (0, 0)
    in(%y : tensor<512x1024xbf16>) block<[512, 128], default> map(%i) -> (0, %i)
    out(tensor<256x1024xf32>) block<[256, 128], default> map(%i) -> (0, %i)
    kernel(%xr: !pallas.ref<256x512xbf16, default>, %yr: !pallas.ref<512x128xbf16, default>, %or: !pallas.ref<256x128xf32, default>) {
    %a = pallas.get %xr[...] : !pallas.ref<256x512xbf16, default>
    %b = pallas.get %yr[...] : !pallas.ref<512x128xbf16, default>
    %p = pallas.dot_general %a, %b contract [1] x [0] : tensor<256x512xbf16>, tensor<512x128xbf16> -> tensor<256x128xf32>
    pallas.swap %or[...], %p : !pallas.ref<256x128xf32, default>, tensor<256x128xf32>
  }
  return %o : tensor<256x1024xf32>
}

// -----

// More rows take the same weights.
// CHECK-LABEL: func.func @rows
// CHECK: pallas.dot_general
func.func @rows(%x: tensor<1024x512xbf16>, %y: tensor<512x256xbf16>) -> tensor<1024x256xf32> {
  // expected-remark @below {{joins steps by d0=8: about 6001 cycles on v5e instead of 14489, with 2359296 bytes of VMEM}}
  %o = pallas.pallas_call grid(16)
    in(%x : tensor<1024x512xbf16>) block<[64, 512], default> map(%i) -> (%i, 0)
    in(%y : tensor<512x256xbf16>) block<[512, 256], default> map(%i) -> (0, 0)
    out(tensor<1024x256xf32>) block<[64, 256], default> map(%i) -> (%i, 0)
    kernel(%xr: !pallas.ref<64x512xbf16, default>, %yr: !pallas.ref<512x256xbf16, default>, %or: !pallas.ref<64x256xf32, default>) {
    %a = pallas.get %xr[...] : !pallas.ref<64x512xbf16, default>
    %b = pallas.get %yr[...] : !pallas.ref<512x256xbf16, default>
    %p = pallas.dot_general %a, %b contract [1] x [0] : tensor<64x512xbf16>, tensor<512x256xbf16> -> tensor<64x256xf32>
    pallas.swap %or[...], %p : !pallas.ref<64x256xf32, default>, tensor<64x256xf32>
  }
  return %o : tensor<1024x256xf32>
}

// -----

// A batch of matmuls becomes a larger one.
// CHECK-LABEL: func.func @batch
// CHECK: pallas.dot_general
func.func @batch(%x: tensor<16x64x128xf32>, %y: tensor<16x128x128xf32>) -> tensor<16x64x128xf32> {
  // expected-remark @below {{joins steps by d0=8: about 3912 cycles on v5e instead of 14088, with 2097152 bytes of VMEM}}
  %o = pallas.pallas_call grid(16)
    in(%x : tensor<16x64x128xf32>) block<[1, 64, 128], default> map(%i) -> (%i, 0, 0)
    in(%y : tensor<16x128x128xf32>) block<[1, 128, 128], default> map(%i) -> (%i, 0, 0)
    out(tensor<16x64x128xf32>) block<[1, 64, 128], default> map(%i) -> (%i, 0, 0)
    kernel(%xr: !pallas.ref<1x64x128xf32, default>, %yr: !pallas.ref<1x128x128xf32, default>, %or: !pallas.ref<1x64x128xf32, default>) {
    %a = pallas.get %xr[...] : !pallas.ref<1x64x128xf32, default>
    %b = pallas.get %yr[...] : !pallas.ref<1x128x128xf32, default>
    %p = pallas.dot_general %a, %b contract [2] x [1] batch [0] x [0] : tensor<1x64x128xf32>, tensor<1x128x128xf32> -> tensor<1x64x128xf32>
    pallas.swap %or[...], %p : !pallas.ref<1x64x128xf32, default>, tensor<1x64x128xf32>
  }
  return %o : tensor<16x64x128xf32>
}

// -----

// Scratch memory that holds parts counts with all of them: five buffers of
// 128 rows.
// CHECK-LABEL: func.func @scratch
// CHECK: !pallas.ref<{{[0-9]+}}x1024xf32, vmem>
func.func @scratch(%x: tensor<256x1024xf32>) -> tensor<256x1024xf32> {
  // expected-remark @below {{joins steps by d0=16: about 4401 cycles on v5e instead of 21731, with 2621440 bytes of VMEM}}
  %o = pallas.pallas_call grid(32)
    in(%x : tensor<256x1024xf32>) block<[8, 1024], default> map(%i) -> (%i, 0)
    out(tensor<256x1024xf32>) block<[8, 1024], default> map(%i) -> (%i, 0)
    kernel(%xr: !pallas.ref<8x1024xf32, default>, %or: !pallas.ref<8x1024xf32, default>, %s: !pallas.ref<8x1024xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x1024xf32, default>
    %w = arith.addf %v, %v : tensor<8x1024xf32>
    pallas.swap %s[...], %w : !pallas.ref<8x1024xf32, vmem>, tensor<8x1024xf32>
    %u = pallas.get %s[...] : !pallas.ref<8x1024xf32, vmem>
    %t = arith.mulf %u, %v : tensor<8x1024xf32>
    pallas.swap %or[...], %t : !pallas.ref<8x1024xf32, default>, tensor<8x1024xf32>
  }
  return %o : tensor<256x1024xf32>
}

// -----

// Memory of scopes is measured on a copy with joined steps.
// CHECK-LABEL: func.func @scope
// CHECK: pallas.run_scoped
func.func @scope(%x: tensor<256x1024xf32>) -> tensor<256x1024xf32> {
  // expected-remark @below {{joins steps by d0=16: about 4402 cycles on v5e instead of 21737, with 2621440 bytes of VMEM}}
  %o = pallas.pallas_call grid(32)
    in(%x : tensor<256x1024xf32>) block<[8, 1024], default> map(%i) -> (%i, 0)
    out(tensor<256x1024xf32>) block<[8, 1024], default> map(%i) -> (%i, 0)
    kernel(%xr: !pallas.ref<8x1024xf32, default>, %or: !pallas.ref<8x1024xf32, default>) {
    pallas.run_scoped(%s: !pallas.ref<8x1024xf32, vmem>) {
      %v = pallas.get %xr[...] : !pallas.ref<8x1024xf32, default>
      pallas.swap %s[...], %v : !pallas.ref<8x1024xf32, vmem>, tensor<8x1024xf32>
      %u = pallas.get %s[...] : !pallas.ref<8x1024xf32, vmem>
      pallas.swap %or[...], %u : !pallas.ref<8x1024xf32, default>, tensor<8x1024xf32>
    }
  }
  return %o : tensor<256x1024xf32>
}

// -----

// A reduction along lanes waits for the unit, in 8 rows as long as in 64.
// CHECK-LABEL: func.func @chain
// CHECK: pallas.reduce <add> {{.*}} : tensor<{{[0-9]+}}x512xf32>
func.func @chain(%x: tensor<512x512xf32>) -> tensor<512x512xf32> {
  // expected-remark @below {{joins steps by d0=32: about 4530 cycles on v5e instead of 51001, with 2097152 bytes of VMEM}}
  %o = pallas.pallas_call grid(64)
    in(%x : tensor<512x512xf32>) block<[8, 512], default> map(%i) -> (%i, 0)
    out(tensor<512x512xf32>) block<[8, 512], default> map(%i) -> (%i, 0)
    kernel(%xr: !pallas.ref<8x512xf32, default>, %or: !pallas.ref<8x512xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x512xf32, default>
    %s = pallas.reduce <add> %v dims [1] : tensor<8x512xf32>
    %b = pallas.broadcast %s dims [0] : tensor<8xf32> -> tensor<8x512xf32>
    %d = arith.subf %v, %b : tensor<8x512xf32>
    %q = arith.mulf %d, %d : tensor<8x512xf32>
    %r = pallas.reduce <add> %q dims [1] : tensor<8x512xf32>
    %c = pallas.broadcast %r dims [0] : tensor<8xf32> -> tensor<8x512xf32>
    %e = arith.divf %d, %c : tensor<8x512xf32>
    pallas.swap %or[...], %e : !pallas.ref<8x512xf32, default>, tensor<8x512xf32>
  }
  return %o : tensor<512x512xf32>
}

// -----

// Rows and columns grow, the parts of the sum run in a loop of two, which are
// scheduled together, and the branch of the first part leaves it. Each operand
// is read once for all parts that share it.
// CHECK-LABEL: func.func @sum
// CHECK: pallas.pallas_call grid(2, 2, 1)
// CHECK: scf.for
func.func @sum(%x: tensor<1024x1024xbf16>, %y: tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16> {
  // expected-remark @below {{joins steps by d0=2,d1=2,d2=2: about 24508 cycles on v5e instead of 39780, with 6291456 bytes of VMEM}}
  %o = pallas.pallas_call grid(4, 4, 2)
    in(%x : tensor<1024x1024xbf16>) block<[256, 512], default> map(%i, %j, %k) -> (%i, %k)
    in(%y : tensor<1024x1024xbf16>) block<[512, 256], default> map(%i, %j, %k) -> (%k, %j)
    out(tensor<1024x1024xbf16>) block<[256, 256], default> map(%i, %j, %k) -> (%i, %j)
    kernel(%xr: !pallas.ref<256x512xbf16, default>, %yr: !pallas.ref<512x256xbf16, default>,
           %or: !pallas.ref<256x256xbf16, default>, %acc: !pallas.ref<256x256xf32, vmem>) {
    %k = pallas.program_id 2
    %c0 = arith.constant 0 : i32
    %isFirst = arith.cmpi eq, %k, %c0 : i32
    // expected-remark @below {{steps of grid dimension 2 become a loop over parts: 'scf.if' depends on which of the steps it is}}
    scf.if %isFirst {
      %zero = arith.constant dense<0.0> : tensor<256x256xf32>
      pallas.swap %acc[...], %zero : !pallas.ref<256x256xf32, vmem>, tensor<256x256xf32>
    }
    %s = pallas.get %acc[...] : !pallas.ref<256x256xf32, vmem>
    %a = pallas.get %xr[...] : !pallas.ref<256x512xbf16, default>
    %b = pallas.get %yr[...] : !pallas.ref<512x256xbf16, default>
    %p = pallas.dot_general %a, %b contract [1] x [0] : tensor<256x512xbf16>, tensor<512x256xbf16> -> tensor<256x256xf32>
    %n = arith.addf %s, %p : tensor<256x256xf32>
    pallas.swap %acc[...], %n : !pallas.ref<256x256xf32, vmem>, tensor<256x256xf32>
    %t = arith.truncf %n : tensor<256x256xf32> to tensor<256x256xbf16>
    pallas.swap %or[...], %t : !pallas.ref<256x256xbf16, default>, tensor<256x256xbf16>
  }
  return %o : tensor<1024x1024xbf16>
}

// -----

// Layouts follow from the blocks: the host splits rows in threes, but a block as
// long as its array needs no split.
// CHECK-LABEL: func.func @split_rows
// CHECK: pallas.pallas_call grid(1)
func.func @split_rows(%x: tensor<12x128xf32>) -> tensor<12x128xf32> {
  // expected-remark @below {{joins steps by d0=4: about 1620 cycles on v5e instead of 3310, with 32768 bytes of VMEM}}
  %o = pallas.pallas_call grid(4)
    in(%x : tensor<12x128xf32>) block<[3, 128], default> map(%i) -> (%i, 0)
    out(tensor<12x128xf32>) block<[3, 128], default> map(%i) -> (%i, 0)
    kernel(%xr: !pallas.ref<3x128xf32, default>, %or: !pallas.ref<3x128xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<3x128xf32, default>
    %w = math.exp %v : tensor<3x128xf32>
    pallas.swap %or[...], %w : !pallas.ref<3x128xf32, default>, tensor<3x128xf32>
  }
  return %o : tensor<12x128xf32>
}

// -----

// Sines take nearly all of the time, so a loop over parts is not even tried: it
// would have to save 12 % of the cycles.
// CHECK-LABEL: func.func @loop
// CHECK: pallas.pallas_call grid(8)
func.func @loop(%x: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %o = pallas.pallas_call grid(8)
    in(%x : tensor<1024x1024xf32>) block<[128, 1024], default> map(%i) -> (%i, 0)
    out(tensor<1024x1024xf32>) block<[128, 1024], default> map(%i) -> (%i, 0)
    kernel(%xr: !pallas.ref<128x1024xf32, default>, %or: !pallas.ref<128x1024xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<128x1024xf32, default>
    %s = math.sin %v : tensor<128x1024xf32>
    %c = pallas.cumulative <sum> %s dim 0 : tensor<128x1024xf32>
    pallas.swap %or[...], %c : !pallas.ref<128x1024xf32, default>, tensor<128x1024xf32>
  }
  return %o : tensor<1024x1024xf32>
}
