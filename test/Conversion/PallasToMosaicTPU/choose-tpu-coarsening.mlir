// RUN: pallas-opt %s --choose-tpu-coarsening=chip=v5e --split-input-file --verify-diagnostics | FileCheck %s
// RUN: pallas-opt %s --choose-tpu-coarsening=chip=v4 --split-input-file 2>/dev/null | FileCheck %s --check-prefix=NONE
// RUN: not pallas-opt %s --choose-tpu-coarsening=chip=v9 --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: pallas-opt %s "--pallas-to-mosaic-tpu=chip=v6e coarsen=auto" --split-input-file 2>&1 | FileCheck %s --check-prefix=PIPELINE
// RUN: pallas-opt %s --pallas-to-mosaic-tpu=chip=v6e --split-input-file 2>&1 | FileCheck %s --check-prefix=PIPELINE
// RUN: pallas-opt %s "--pallas-to-mosaic-tpu=chip=v6e coarsen=off" --split-input-file 2>&1 | FileCheck %s --check-prefix=OFF

// NONE-NOT: coarsened
// CHIP: error: chip 'v9' is unknown; use v4, v5e, v5p, v6e, tpu7x
// PIPELINE: remark: joins steps by d0={{[0-9]+}}: about
// PIPELINE: coarsened
// OFF-NOT: remark
// OFF-NOT: coarsened
// OFF: iteration_bounds = array<i64: 128>

// CHECK-LABEL: func.func @small
// CHECK: metadata = {coarsened = "d0={{16|32|64}}: {{[0-9]+}} cycles for {{[0-9]+}}"}
func.func @small(%x: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  // expected-remark @below {{joins steps by d0=64: about 11031 cycles on v5e instead of 83303, with 8388608 bytes of VMEM}}
  %o = pallas.pallas_call grid(128)
    in(%x : tensor<1024x1024xf32>) block<[8, 1024], default> map(%i) -> (%i, 0)
    out(tensor<1024x1024xf32>) block<[8, 1024], default> map(%i) -> (%i, 0)
    kernel(%xr: !pallas.ref<8x1024xf32, default>, %or: !pallas.ref<8x1024xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x1024xf32, default>
    %w = arith.addf %v, %v : tensor<8x1024xf32>
    pallas.swap %or[...], %w : !pallas.ref<8x1024xf32, default>, tensor<8x1024xf32>
  }
  return %o : tensor<1024x1024xf32>
}

// -----

// Steps of one block after the other: larger ones would save less than 5 %.
// CHECK-LABEL: func.func @large
// CHECK-NOT: coarsen
func.func @large(%x: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %o = pallas.pallas_call grid(2)
    in(%x : tensor<1024x1024xf32>) block<[512, 1024], default> map(%i) -> (%i, 0)
    out(tensor<1024x1024xf32>) block<[512, 1024], default> map(%i) -> (%i, 0)
    kernel(%xr: !pallas.ref<512x1024xf32, default>, %or: !pallas.ref<512x1024xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<512x1024xf32, default>
    %w = arith.addf %v, %v : tensor<512x1024xf32>
    pallas.swap %or[...], %w : !pallas.ref<512x1024xf32, default>, tensor<512x1024xf32>
  }
  return %o : tensor<1024x1024xf32>
}

// -----

// Steps that can't be joined, and a call with factors of its own.
// CHECK-LABEL: func.func @apart
// CHECK-NOT: metadata
// CHECK: pallas.coarsen = array<i64: 2>
func.func @apart(%x: tensor<1024x1024xf32>) -> (tensor<1024x1024xf32>, tensor<1024x1024xf32>) {
  %o = pallas.pallas_call grid(128)
    in(%x : tensor<1024x1024xf32>) block<[8, 1024], default> map(%i) {
      %c0 = arith.constant 0 : i32
      %c127 = arith.constant 127 : i32
      %b = arith.subi %c127, %i : i32
      pallas.yield %b, %c0 : i32, i32
    }
    out(tensor<1024x1024xf32>) block<[8, 1024], default> map(%i) -> (%i, 0)
    kernel(%xr: !pallas.ref<8x1024xf32, default>, %or: !pallas.ref<8x1024xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x1024xf32, default>
    pallas.swap %or[...], %v : !pallas.ref<8x1024xf32, default>, tensor<8x1024xf32>
  }
  %p = pallas.pallas_call grid(128)
    in(%x : tensor<1024x1024xf32>) block<[8, 1024], default> map(%i) -> (%i, 0)
    out(tensor<1024x1024xf32>) block<[8, 1024], default> map(%i) -> (%i, 0)
    attributes {pallas.coarsen = array<i64: 2>}
    kernel(%xr: !pallas.ref<8x1024xf32, default>, %or: !pallas.ref<8x1024xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x1024xf32, default>
    pallas.swap %or[...], %v : !pallas.ref<8x1024xf32, default>, tensor<8x1024xf32>
  }
  return %o, %p : tensor<1024x1024xf32>, tensor<1024x1024xf32>
}

// -----

// The host lays out arrays whose blocks are no whole tiles; larger blocks take
// them as they are.
// CHECK-LABEL: func.func @relaid_out
// CHECK: coarsened = "d0={{8|16}}: 
func.func @relaid_out(%x: tensor<64x1024xf32>) -> tensor<64x1024xf32> {
  // expected-remark @below {{joins steps by d0=}}
  %o = pallas.pallas_call grid(16)
    in(%x : tensor<64x1024xf32>) block<[4, 1024], default> map(%i) -> (%i, 0)
    out(tensor<64x1024xf32>) block<[4, 1024], default> map(%i) -> (%i, 0)
    kernel(%xr: !pallas.ref<4x1024xf32, default>, %or: !pallas.ref<4x1024xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<4x1024xf32, default>
    %w = arith.addf %v, %v : tensor<4x1024xf32>
    pallas.swap %or[...], %w : !pallas.ref<4x1024xf32, default>, tensor<4x1024xf32>
  }
  return %o : tensor<64x1024xf32>
}

// -----

// Where the host makes the only array, that may have been in VMEM.
// CHECK-LABEL: func.func @results_only
// CHECK-NOT: coarsen
func.func @results_only() -> tensor<20x128xf32> {
  %o = pallas.pallas_call grid(5)
    out(tensor<20x128xf32>) block<[4, 128], default> map(%i) -> (%i, 0)
    kernel(%or: !pallas.ref<4x128xf32, default>) {
    %v = arith.constant dense<1.0> : tensor<4x128xf32>
    pallas.swap %or[...], %v : !pallas.ref<4x128xf32, default>, tensor<4x128xf32>
  }
  return %o : tensor<20x128xf32>
}

// -----

// One dimension transposes arrays for the host, and keeps doing so: joined are
// the steps of the other one.
// CHECK-LABEL: func.func @transposed
// CHECK: coarsened = "d0=3: 
func.func @transposed(%x: tensor<24x24xi32>) -> tensor<24x24xi32> {
  // expected-remark @below {{joins steps by d0=3}}
  %o = pallas.pallas_call grid(3, 3)
    in(%x : tensor<24x24xi32>) block<[8, 8], default> map(%i, %j) -> (%i, %j)
    out(tensor<24x24xi32>) block<[8, 8], default> map(%i, %j) -> (%i, %j)
    kernel(%xr: !pallas.ref<8x8xi32, default>, %or: !pallas.ref<8x8xi32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x8xi32, default>
    pallas.swap %or[...], %v : !pallas.ref<8x8xi32, default>, tensor<8x8xi32>
  }
  return %o : tensor<24x24xi32>
}

// -----

// There is no rule for loads of single elements.
// CHECK-LABEL: func.func @by_index
// CHECK-NOT: coarsen
func.func @by_index(%x: tensor<512x128xf32>) -> tensor<512x128xf32> {
  %o = pallas.pallas_call grid(64)
    in(%x : tensor<512x128xf32>) block<[8, 128], default> map(%i) -> (%i, 0)
    out(tensor<512x128xf32>) block<[8, 128], default> map(%i) -> (%i, 0)
    kernel(%xr: !pallas.ref<8x128xf32, default>, %or: !pallas.ref<8x128xf32, default>) {
    %rows = pallas.iota 0 : tensor<8xi32>
    %v = pallas.get %xr[gather(%rows : tensor<8xi32>), :] : !pallas.ref<8x128xf32, default>
    pallas.swap %or[...], %v : !pallas.ref<8x128xf32, default>, tensor<8x128xf32>
  }
  return %o : tensor<512x128xf32>
}

// -----

// Each step takes one of two branches.
// CHECK-LABEL: func.func @branches
// CHECK: coarsened = "d0={{[0-9]+}}: 
func.func @branches(%x: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  // expected-remark @below {{joins steps by}}
  %o = pallas.pallas_call grid(128)
    in(%x : tensor<1024x1024xf32>) block<[8, 1024], default> map(%i) -> (%i, 0)
    out(tensor<1024x1024xf32>) block<[8, 1024], default> map(%i) -> (%i, 0)
    kernel(%xr: !pallas.ref<8x1024xf32, default>, %or: !pallas.ref<8x1024xf32, default>) {
    %i = pallas.program_id 0
    %index = arith.index_cast %i : i32 to index
    %v = pallas.get %xr[...] : !pallas.ref<8x1024xf32, default>
    // expected-remark @below {{steps of grid dimension 0 become a loop over parts: 'scf.index_switch' would run once for all steps}}
    %w = scf.index_switch %index -> tensor<8x1024xf32>
    case 0 {
      %sum = arith.addf %v, %v : tensor<8x1024xf32>
      scf.yield %sum : tensor<8x1024xf32>
    }
    default {
      scf.yield %v : tensor<8x1024xf32>
    }
    pallas.swap %or[...], %w : !pallas.ref<8x1024xf32, default>, tensor<8x1024xf32>
  }
  return %o : tensor<1024x1024xf32>
}

// -----

// Blocks grow to no more than 16 MiB together.
// CHECK-LABEL: func.func @wide
// CHECK: coarsened = "d0=32: 
func.func @wide(%x: tensor<8192x8192xf32>) -> tensor<8192x8192xf32> {
  // expected-remark @below {{with 8388608 bytes of VMEM}}
  %o = pallas.pallas_call grid(64, 64)
    in(%x : tensor<8192x8192xf32>) block<[128, 128], default> map(%i, %j) -> (%i, %j)
    out(tensor<8192x8192xf32>) block<[128, 128], default> map(%i, %j) -> (%i, %j)
    kernel(%xr: !pallas.ref<128x128xf32, default>, %or: !pallas.ref<128x128xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<128x128xf32, default>
    %w = arith.addf %v, %v : tensor<128x128xf32>
    pallas.swap %or[...], %w : !pallas.ref<128x128xf32, default>, tensor<128x128xf32>
  }
  return %o : tensor<8192x8192xf32>
}

// -----

// A sum in order is a loop over parts.
// CHECK-LABEL: func.func @sums
// CHECK: coarsened = "d1={{[0-9]+}}: 
func.func @sums(%x: tensor<256x1024xf32>) -> tensor<8x1024xf32> {
  // expected-remark @below {{joins steps by d1=}}
  %o = pallas.pallas_call grid(1, 32)
    in(%x : tensor<256x1024xf32>) block<[8, 1024], default> map(%i, %j) -> (%j, 0)
    out(tensor<8x1024xf32>) block<[8, 1024], default> map(%i, %j) -> (0, 0)
    kernel(%xr: !pallas.ref<8x1024xf32, default>, %or: !pallas.ref<8x1024xf32, default>) {
    %j = pallas.program_id 1
    %c0 = arith.constant 0 : i32
    %isFirst = arith.cmpi eq, %j, %c0 : i32
    // expected-remark @below {{steps of grid dimension 1 become a loop over parts: 'scf.if' depends on which of the steps it is}}
    scf.if %isFirst {
      %zero = arith.constant dense<0.0> : tensor<8x1024xf32>
      pallas.swap %or[...], %zero : !pallas.ref<8x1024xf32, default>, tensor<8x1024xf32>
    }
    %v = pallas.get %xr[...] : !pallas.ref<8x1024xf32, default>
    pallas.addupdate %or[...], %v : !pallas.ref<8x1024xf32, default>, tensor<8x1024xf32>
  }
  return %o : tensor<8x1024xf32>
}

// -----

// Parts that are single rows of a tile stay apart; single matrices don't.
// CHECK-LABEL: func.func @rows
// CHECK-NOT: coarsen
// CHECK: pallas_call
// CHECK: coarsened = "d0=4: 
func.func @rows(%x: tensor<8x256xf32>, %y: tensor<8x16x256xf32>) -> (tensor<8x256xf32>, tensor<8x16x256xf32>) {
  %o = pallas.pallas_call grid(8)
    in(%x : tensor<8x256xf32>) block<[squeezed, 256], default> map(%i) -> (%i, 0)
    out(tensor<8x256xf32>) block<[squeezed, 256], default> map(%i) -> (%i, 0)
    kernel(%xr: !pallas.ref<256xf32, default>, %or: !pallas.ref<256xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<256xf32, default>
    pallas.swap %or[...], %v : !pallas.ref<256xf32, default>, tensor<256xf32>
  }
  // expected-remark @+2 {{joins steps by d0=4}}
  // expected-remark @below {{steps of grid dimension 0 become a loop over parts: a block holds a single index}}
  %p = pallas.pallas_call grid(8)
    in(%y : tensor<8x16x256xf32>) block<[squeezed, 16, 256], default> map(%i) -> (%i, 0, 0)
    out(tensor<8x16x256xf32>) block<[squeezed, 16, 256], default> map(%i) -> (%i, 0, 0)
    kernel(%xr: !pallas.ref<16x256xf32, default>, %or: !pallas.ref<16x256xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<16x256xf32, default>
    pallas.swap %or[...], %v : !pallas.ref<16x256xf32, default>, tensor<16x256xf32>
  }
  return %o, %p : tensor<8x256xf32>, tensor<8x16x256xf32>
}

// -----

// Parts of a contraction in a loop: one of eight fills the accumulator
// and one leaves it, so that the step takes little more than the matmul.
// CHECK-LABEL: func.func @contraction
// CHECK: coarsened = "d0=8: 
func.func @contraction(%x: tensor<128x1024xbf16>, %y: tensor<1024x128xbf16>) -> tensor<128x128xf32> {
  // expected-remark @+2 {{joins steps by d0=8: about 2677 cycles}}
  // expected-remark @below {{the parts of steps of grid dimension 0 would become one longer sum}}
  %o = pallas.pallas_call grid(8)
    in(%x : tensor<128x1024xbf16>) block<[128, 128], default> map(%k) -> (0, %k)
    in(%y : tensor<1024x128xbf16>) block<[128, 128], default> map(%k) -> (%k, 0)
    out(tensor<128x128xf32>) block<[128, 128], default> map(%k) -> (0, 0)
    kernel(%xr: !pallas.ref<128x128xbf16, default>, %yr: !pallas.ref<128x128xbf16, default>,
           %or: !pallas.ref<128x128xf32, default>, %acc: !pallas.ref<128x128xf32, vmem>) {
    %k = pallas.program_id 0
    %c0 = arith.constant 0 : i32
    %c7 = arith.constant 7 : i32
    %isFirst = arith.cmpi eq, %k, %c0 : i32
    // expected-remark @below {{steps of grid dimension 0 become a loop over parts: 'scf.if' depends on which of the steps it is}}
    scf.if %isFirst {
      %zero = arith.constant dense<0.0> : tensor<128x128xf32>
      pallas.swap %acc[...], %zero : !pallas.ref<128x128xf32, vmem>, tensor<128x128xf32>
    }
    %a = pallas.get %xr[...] : !pallas.ref<128x128xbf16, default>
    %b = pallas.get %yr[...] : !pallas.ref<128x128xbf16, default>
    %d = pallas.dot_general %a, %b contract [1] x [0] : tensor<128x128xbf16>, tensor<128x128xbf16> -> tensor<128x128xf32>
    pallas.addupdate %acc[...], %d : !pallas.ref<128x128xf32, vmem>, tensor<128x128xf32>
    %isLast = arith.cmpi eq, %k, %c7 : i32
    scf.if %isLast {
      %sum = pallas.get %acc[...] : !pallas.ref<128x128xf32, vmem>
      pallas.swap %or[...], %sum : !pallas.ref<128x128xf32, default>, tensor<128x128xf32>
    }
  }
  return %o : tensor<128x128xf32>
}

// -----

// The compiler has a form for reshapes of 8 lanes, but not for those of 16.
// CHECK-LABEL: func.func @reshaped_lanes
// CHECK: coarsened = "d0=5,d2=3: 
func.func @reshaped_lanes(%x: tensor<5x3x16xi32>) -> tensor<5x3x16xi32> {
  // expected-remark @+2 {{joins steps by d0=5,d2=3: about}}
  // expected-remark @below {{steps of grid dimension 0 become a loop over parts: a block holds a single index}}
  %o = pallas.pallas_call grid(5, 2, 3)
    in(%x : tensor<5x3x16xi32>) block<[squeezed, 1, 8], default> map(%i, %j, %k) -> (%i, %k, %j)
    out(tensor<5x3x16xi32>) block<[squeezed, 1, 8], default> map(%i, %j, %k) -> (%i, %k, %j)
    kernel(%xr: !pallas.ref<1x8xi32, default>, %or: !pallas.ref<1x8xi32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<1x8xi32, default>
    %r = pallas.reshape %v : tensor<1x8xi32> -> tensor<1x2x4xi32>
    %m = pallas.reduce <max> %r dims [1] : tensor<1x2x4xi32>
    %b = pallas.broadcast %m dims [0, 1] : tensor<1x4xi32> -> tensor<1x4x2xi32>
    %w = pallas.reshape %b : tensor<1x4x2xi32> -> tensor<1x8xi32>
    pallas.swap %or[...], %w : !pallas.ref<1x8xi32, default>, tensor<1x8xi32>
  }
  return %o : tensor<5x3x16xi32>
}

// -----

// Four steps rather than two: copies of the first windows overlap with nothing.
// Steps along the contraction are all joined.
// CHECK-LABEL: func.func @keeps_steps
// CHECK: coarsened = "d0=4,d1=4,d2=8: 
func.func @keeps_steps(%x: tensor<1024x1024xbf16>, %y: tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16> {
  // expected-remark @+2 {{joins steps by d0=4,d1=4,d2=8: about}}
  // expected-remark @below {{the parts of steps of grid dimension 2 would become one longer sum}}
  %o = pallas.pallas_call grid(8, 8, 8)
    in(%x : tensor<1024x1024xbf16>) block<[128, 128], default> map(%i, %j, %k) -> (%i, %k)
    in(%y : tensor<1024x1024xbf16>) block<[128, 128], default> map(%i, %j, %k) -> (%k, %j)
    out(tensor<1024x1024xbf16>) block<[128, 128], default> map(%i, %j, %k) -> (%i, %j)
    kernel(%xr: !pallas.ref<128x128xbf16, default>, %yr: !pallas.ref<128x128xbf16, default>, %or: !pallas.ref<128x128xbf16, default>, %acc: !pallas.ref<128x128xf32, vmem>) {
    %k = pallas.program_id 2
    %c0 = arith.constant 0 : i32
    %c7 = arith.constant 7 : i32
    %isFirst = arith.cmpi eq, %k, %c0 : i32
    // expected-remark @below {{steps of grid dimension 2 become a loop over parts: 'scf.if' depends on which of the steps it is}}
    scf.if %isFirst {
      %zero = arith.constant dense<0.0> : tensor<128x128xf32>
      pallas.swap %acc[...], %zero : !pallas.ref<128x128xf32, vmem>, tensor<128x128xf32>
    }
    %a = pallas.get %acc[...] : !pallas.ref<128x128xf32, vmem>
    %v = pallas.get %xr[...] : !pallas.ref<128x128xbf16, default>
    %w = pallas.get %yr[...] : !pallas.ref<128x128xbf16, default>
    %d = pallas.dot_general %v, %w contract [1] x [0] : tensor<128x128xbf16>, tensor<128x128xbf16> -> tensor<128x128xf32>
    %s = arith.addf %a, %d : tensor<128x128xf32>
    pallas.swap %acc[...], %s : !pallas.ref<128x128xf32, vmem>, tensor<128x128xf32>
    %isLast = arith.cmpi eq, %k, %c7 : i32
    scf.if %isLast {
      %sum = pallas.get %acc[...] : !pallas.ref<128x128xf32, vmem>
      %t = arith.truncf %sum : tensor<128x128xf32> to tensor<128x128xbf16>
      pallas.swap %or[...], %t : !pallas.ref<128x128xbf16, default>, tensor<128x128xbf16>
    }
  }
  return %o : tensor<1024x1024xbf16>
}

// -----

// How often the other steps run is known at run time only; each of them
// saves as much as in a grid of known size.
// CHECK-LABEL: func.func @dynamic
// CHECK: coarsened = "d1=16: 
func.func @dynamic(%count: tensor<1xi32>, %x: tensor<512x2048xf32>) -> tensor<512x2048xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.extract %count[%c0] : tensor<1xi32>
  // expected-remark @below {{joins steps by d1=16}}
  %o = pallas.pallas_call grid(%n, 16)
    in(%x : tensor<512x2048xf32>) block<[8, 128], default> map(%i, %j) -> (%i, %j)
    out(tensor<512x2048xf32>) block<[8, 128], default> map(%i, %j) -> (%i, %j)
    kernel(%xr: !pallas.ref<8x128xf32, default>, %or: !pallas.ref<8x128xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x128xf32, default>
    %w = arith.addf %v, %v : tensor<8x128xf32>
    pallas.swap %or[...], %w : !pallas.ref<8x128xf32, default>, tensor<8x128xf32>
  }
  return %o : tensor<512x2048xf32>
}

// -----

// The host pads these arrays in any case. Larger blocks are worth it where
// they would be even if what it makes were in VMEM already.
// CHECK-LABEL: func.func @padded
// CHECK: coarsened = "d0=64,d1=4: 
// CHECK: pallas.pallas_call grid(2, 8)
// CHECK-NOT: coarsen
func.func @padded(%x: tensor<512x300xf32>, %y: tensor<12x300xf32>) -> (tensor<512x300xf32>, tensor<12x300xf32>) {
  // expected-remark @below {{joins steps by d0=}}
  %o = pallas.pallas_call grid(64, 8)
    in(%x : tensor<512x300xf32>) block<[8, 40], default> map(%i, %j) -> (%i, %j)
    out(tensor<512x300xf32>) block<[8, 40], default> map(%i, %j) -> (%i, %j)
    kernel(%xr: !pallas.ref<8x40xf32, default>, %or: !pallas.ref<8x40xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x40xf32, default>
    pallas.swap %or[...], %v : !pallas.ref<8x40xf32, default>, tensor<8x40xf32>
  }
  %p = pallas.pallas_call grid(2, 8)
    in(%y : tensor<12x300xf32>) block<[8, 40], default> map(%i, %j) -> (%i, %j)
    out(tensor<12x300xf32>) block<[8, 40], default> map(%i, %j) -> (%i, %j)
    kernel(%xr: !pallas.ref<8x40xf32, default>, %or: !pallas.ref<8x40xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x40xf32, default>
    pallas.swap %or[...], %v : !pallas.ref<8x40xf32, default>, tensor<8x40xf32>
  }
  return %o, %p : tensor<512x300xf32>, tensor<12x300xf32>
}

// -----

// A loop that runs once, as over the parts of a block in attention, keeps
// nothing apart: the parts take as long as without it.
// CHECK-LABEL: func.func @inner_loop
// CHECK: coarsened = "d0=8: 
func.func @inner_loop(%x: tensor<128x1024xbf16>, %y: tensor<1024x128xbf16>) -> tensor<128x128xf32> {
  // expected-remark @+2 {{joins steps by d0=8: about 2677 cycles}}
  // expected-remark @below {{the parts of steps of grid dimension 0 would become one longer sum}}
  %o = pallas.pallas_call grid(8)
    in(%x : tensor<128x1024xbf16>) block<[128, 128], default> map(%k) -> (0, %k)
    in(%y : tensor<1024x128xbf16>) block<[128, 128], default> map(%k) -> (%k, 0)
    out(tensor<128x128xf32>) block<[128, 128], default> map(%k) -> (0, 0)
    kernel(%xr: !pallas.ref<128x128xbf16, default>, %yr: !pallas.ref<128x128xbf16, default>,
           %or: !pallas.ref<128x128xf32, default>, %acc: !pallas.ref<128x128xf32, vmem>) {
    %k = pallas.program_id 0
    %c0 = arith.constant 0 : i32
    %c7 = arith.constant 7 : i32
    %isFirst = arith.cmpi eq, %k, %c0 : i32
    // expected-remark @below {{steps of grid dimension 0 become a loop over parts: 'scf.if' depends on which of the steps it is}}
    scf.if %isFirst {
      %zero = arith.constant dense<0.0> : tensor<128x128xf32>
      pallas.swap %acc[...], %zero : !pallas.ref<128x128xf32, vmem>, tensor<128x128xf32>
    }
    %c1 = arith.constant 1 : i32
    scf.for %once = %c0 to %c1 step %c1 : i32 {
      %a = pallas.get %xr[...] : !pallas.ref<128x128xbf16, default>
      %b = pallas.get %yr[...] : !pallas.ref<128x128xbf16, default>
      %d = pallas.dot_general %a, %b contract [1] x [0] : tensor<128x128xbf16>, tensor<128x128xbf16> -> tensor<128x128xf32>
      pallas.addupdate %acc[...], %d : !pallas.ref<128x128xf32, vmem>, tensor<128x128xf32>
    }
    %isLast = arith.cmpi eq, %k, %c7 : i32
    scf.if %isLast {
      %sum = pallas.get %acc[...] : !pallas.ref<128x128xf32, vmem>
      pallas.swap %or[...], %sum : !pallas.ref<128x128xf32, default>, tensor<128x128xf32>
    }
  }
  return %o : tensor<128x128xf32>
}
