// RUN: pallas-opt %s --pallas-coarsen-grid --split-input-file --verify-diagnostics -o /dev/null

func.func @table(%t: tensor<8xi32>, %x: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %o = pallas.pallas_call grid(8)
    prefetch(%t : tensor<8xi32>)
    in(%x : tensor<64x16xf32>) block<[8, 16], default> map(%i, %tr) {
      // expected-remark @below {{steps of grid dimension 0 stay apart: the index map of input 0 is not affine in its id along dimension 0}}
      %row = pallas.get %tr[%i] : !pallas.ref<8xi32, smem>
      %c0 = arith.constant 0 : i32
      pallas.yield %row, %c0 : i32, i32
    }
    out(tensor<64x16xf32>) block<[8, 16], default> map(%i) -> (%i, 0)
    attributes {pallas.coarsen = array<i64: 2>}
    kernel(%tr: !pallas.ref<8xi32, smem>, %xr: !pallas.ref<8x16xf32, default>, %or: !pallas.ref<8x16xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x16xf32, default>
    pallas.swap %or[...], %v : !pallas.ref<8x16xf32, default>, tensor<8x16xf32>
  }
  return %o : tensor<64x16xf32>
}

// -----

func.func @alias(%x: tensor<64x16xf32>) -> tensor<64x16xf32> {
  // expected-remark @below {{steps of grid dimension 0 stay apart: output 0 is an alias of an operand whose windows are not those of the output}}
  %o = pallas.pallas_call grid(8)
    in(%x : tensor<64x16xf32>) block<[64, 16], default> map(%i) -> (0, 0)
    out(tensor<64x16xf32>) block<[8, 16], default> map(%i) -> (%i, 0)
    aliases [0 -> 0]
    attributes {pallas.coarsen = array<i64: 2>}
    kernel(%xr: !pallas.ref<64x16xf32, default>, %or: !pallas.ref<8x16xf32, default>) {
    %v = pallas.get %xr[ds(8, 8), :] : !pallas.ref<64x16xf32, default>
    pallas.swap %or[...], %v : !pallas.ref<8x16xf32, default>, tensor<8x16xf32>
  }
  return %o : tensor<64x16xf32>
}

// -----

func.func @dynamic(%n: i32, %x: tensor<64x16xf32>) -> tensor<64x16xf32> {
  // expected-remark @below {{steps of grid dimension 0 stay apart: its size is known at run time only}}
  %o = pallas.pallas_call grid(%n)
    in(%x : tensor<64x16xf32>) block<[8, 16], default> map(%i) -> (%i, 0)
    out(tensor<64x16xf32>) block<[8, 16], default> map(%i) -> (%i, 0)
    attributes {pallas.coarsen = array<i64: 2>}
    kernel(%xr: !pallas.ref<8x16xf32, default>, %or: !pallas.ref<8x16xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x16xf32, default>
    pallas.swap %or[...], %v : !pallas.ref<8x16xf32, default>, tensor<8x16xf32>
  }
  return %o : tensor<64x16xf32>
}

// -----

func.func @cores(%x: tensor<64x16xf32>) -> tensor<64x16xf32> {
  // expected-remark @below {{steps of grid dimension 0 stay apart: its steps run on cores of their own}}
  %o = pallas.pallas_call grid(2)
    in(%x : tensor<64x16xf32>) block<[32, 16], default> map(%i) -> (%i, 0)
    out(tensor<64x16xf32>) block<[32, 16], default> map(%i) -> (%i, 0)
    semantics [core_parallel]
    attributes {pallas.coarsen = array<i64: 2>}
    kernel(%xr: !pallas.ref<32x16xf32, default>, %or: !pallas.ref<32x16xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<32x16xf32, default>
    pallas.swap %or[...], %v : !pallas.ref<32x16xf32, default>, tensor<32x16xf32>
  }
  return %o : tensor<64x16xf32>
}

// -----

// Windows that overlap, that leave gaps, and that move along two dimensions.
func.func @windows(%x: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) {
  %o = pallas.pallas_call grid(4)
    in(%x : tensor<64x64xf32>) block<[element<16>, 64], default> map(%i) {
      %c8 = arith.constant 8 : i32
      %c0 = arith.constant 0 : i32
      // expected-remark @below {{steps of grid dimension 0 stay apart: input 0 moves along dimension 0 by 8 elements per step, with windows of 16}}
      %s = arith.muli %i, %c8 : i32
      pallas.yield %s, %c0 : i32, i32
    }
    out(tensor<64x64xf32>) block<[16, 64], default> map(%i) -> (%i, 0)
    attributes {pallas.coarsen = array<i64: 2>}
    kernel(%xr: !pallas.ref<16x64xf32, default>, %or: !pallas.ref<16x64xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<16x64xf32, default>
    pallas.swap %or[...], %v : !pallas.ref<16x64xf32, default>, tensor<16x64xf32>
  }
  %p = pallas.pallas_call grid(4)
    in(%x : tensor<64x64xf32>) block<[8, 64], default> map(%i) {
      %c2 = arith.constant 2 : i32
      %c0 = arith.constant 0 : i32
      // expected-remark @below {{steps of grid dimension 0 stay apart: input 0 moves along dimension 0 by 2 blocks per step}}
      %s = arith.muli %i, %c2 : i32
      pallas.yield %s, %c0 : i32, i32
    }
    out(tensor<64x64xf32>) block<[16, 64], default> map(%i) -> (%i, 0)
    attributes {pallas.coarsen = array<i64: 2>}
    kernel(%xr: !pallas.ref<8x64xf32, default>, %or: !pallas.ref<16x64xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x64xf32, default>
    pallas.swap %or[ds(0, 8), :], %v : !pallas.ref<16x64xf32, default>, tensor<8x64xf32>
  }
  %q = pallas.pallas_call grid(4)
    // expected-remark @below {{steps of grid dimension 0 stay apart: input 0 moves along dimension 1 and along another one at once}}
    in(%x : tensor<64x64xf32>) block<[16, 16], default> map(%i) -> (%i, %i)
    out(tensor<64x64xf32>) block<[16, 64], default> map(%i) -> (%i, 0)
    attributes {pallas.coarsen = array<i64: 2>}
    kernel(%xr: !pallas.ref<16x16xf32, default>, %or: !pallas.ref<16x64xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<16x16xf32, default>
    pallas.swap %or[:, ds(0, 16)], %v : !pallas.ref<16x64xf32, default>, tensor<16x16xf32>
  }
  return %o, %p, %q : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

func.func @shared(%x: tensor<8x16xf32>) -> tensor<64x16xf32> {
  // expected-remark @below {{steps of grid dimension 0 stay apart: the kernel writes to the window of input 0, which all parts would share}}
  %o = pallas.pallas_call grid(8)
    in(%x : tensor<8x16xf32>) block<[8, 16], default> map(%i) -> (0, 0)
    out(tensor<64x16xf32>) block<[8, 16], default> map(%i) -> (%i, 0)
    attributes {pallas.coarsen = array<i64: 2>}
    kernel(%xr: !pallas.ref<8x16xf32, default>, %or: !pallas.ref<8x16xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x16xf32, default>
    %w = arith.addf %v, %v : tensor<8x16xf32>
    pallas.swap %xr[...], %w : !pallas.ref<8x16xf32, default>, tensor<8x16xf32>
    pallas.swap %or[...], %w : !pallas.ref<8x16xf32, default>, tensor<8x16xf32>
  }
  return %o : tensor<64x16xf32>
}

// -----

// A window of three blocks would reach behind the two steps that are left,
// where the array goes on.
func.func @remainder(%x: tensor<64x16xf32>) -> tensor<128x16xf32> {
  // expected-remark @below {{steps of grid dimension 0 stay apart: the coarsening factor 3 does not divide its size of 8, and the last window of output 0 would cover more than its steps write}}
  %o = pallas.pallas_call grid(8)
    in(%x : tensor<64x16xf32>) block<[8, 16], default> map(%i) -> (%i, 0)
    out(tensor<128x16xf32>) block<[8, 16], default> map(%i) -> (%i, 0)
    attributes {pallas.coarsen = array<i64: 3>}
    kernel(%xr: !pallas.ref<8x16xf32, default>, %or: !pallas.ref<8x16xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x16xf32, default>
    pallas.swap %or[...], %v : !pallas.ref<8x16xf32, default>, tensor<8x16xf32>
  }
  return %o : tensor<128x16xf32>
}

// -----

// Prints of the steps in between would come at another time.
func.func @prints(%x: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %o = pallas.pallas_call grid(8, 2)
    in(%x : tensor<64x16xf32>) block<[8, 8], default> map(%i, %j) -> (%i, %j)
    out(tensor<64x16xf32>) block<[8, 8], default> map(%i, %j) -> (%i, %j)
    attributes {pallas.coarsen = array<i64: 2, 2>}
    kernel(%xr: !pallas.ref<8x8xf32, default>, %or: !pallas.ref<8x8xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x8xf32, default>
    // expected-remark @below {{steps of grid dimension 0 stay apart: other steps come between, and the kernel has 'pallas.debug_print', whose order is seen from outside}}
    // expected-remark @below {{steps of grid dimension 1 become a loop over parts: 'pallas.debug_print' would run once for all steps}}
    pallas.debug_print "x = {}" %v : tensor<8x8xf32>
    pallas.swap %or[...], %v : !pallas.ref<8x8xf32, default>, tensor<8x8xf32>
  }
  return %o : tensor<64x16xf32>
}

// -----

func.func @too_many(%x: tensor<64x16xf32>) -> tensor<64x16xf32> {
  // expected-error @below {{the coarsening factor 9 of dimension 0 is more than its size of 8; write 8 or less}}
  %o = pallas.pallas_call grid(8)
    in(%x : tensor<64x16xf32>) block<[8, 16], default> map(%i) -> (%i, 0)
    out(tensor<64x16xf32>) block<[8, 16], default> map(%i) -> (%i, 0)
    attributes {pallas.coarsen = array<i64: 9>}
    kernel(%xr: !pallas.ref<8x16xf32, default>, %or: !pallas.ref<8x16xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x16xf32, default>
    pallas.swap %or[...], %v : !pallas.ref<8x16xf32, default>, tensor<8x16xf32>
  }
  return %o : tensor<64x16xf32>
}

// -----

// Windows of another step may start in the middle of those that are joined.
func.func @interleaved_elements(%x: tensor<64x16xf32>) -> tensor<128x16xf32> {
  %o = pallas.pallas_call grid(8, 8)
    in(%x : tensor<64x16xf32>) block<[8, 16], default> map(%i, %j) -> (%i, 0)
    out(tensor<128x16xf32>) block<[element<8>, 16], default> map(%i, %j) {
      %c8 = arith.constant 8 : i32
      %c0 = arith.constant 0 : i32
      %t = arith.addi %i, %j : i32
      // expected-remark @below {{steps of grid dimension 0 stay apart: output 0 moves along dimension 0 from starts that are no multiples of 32 elements}}
      %s = arith.muli %t, %c8 : i32
      pallas.yield %s, %c0 : i32, i32
    }
    attributes {pallas.coarsen = array<i64: 4, 1>}
    kernel(%xr: !pallas.ref<8x16xf32, default>, %or: !pallas.ref<8x16xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x16xf32, default>
    pallas.swap %or[...], %v : !pallas.ref<8x16xf32, default>, tensor<8x16xf32>
  }
  return %o : tensor<128x16xf32>
}

// -----

// The last two blocks lie outside of the array, where each is moved inside by
// itself.
func.func @outside(%x: tensor<48x16xf32>) -> tensor<64x16xf32> {
  %o = pallas.pallas_call grid(8)
    // expected-remark @below {{steps of grid dimension 0 stay apart: windows of input 0 along dimension 0 start at 0 to 7, but those inside of the array at 0 to 5}}
    in(%x : tensor<48x16xf32>) block<[8, 16], default> map(%i) -> (%i, 0)
    out(tensor<64x16xf32>) block<[8, 16], default> map(%i) -> (%i, 0)
    attributes {pallas.coarsen = array<i64: 2>}
    kernel(%xr: !pallas.ref<8x16xf32, default>, %or: !pallas.ref<8x16xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x16xf32, default>
    pallas.swap %or[...], %v : !pallas.ref<8x16xf32, default>, tensor<8x16xf32>
  }
  return %o : tensor<64x16xf32>
}

// -----

// Where a table leads is not known.
func.func @perhaps_outside(%t: tensor<2xi32>, %x: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %o = pallas.pallas_call grid(2, 4)
    prefetch(%t : tensor<2xi32>)
    in(%x : tensor<64x16xf32>) block<[8, 16], default> map(%i, %j, %tr) {
      %first = pallas.get %tr[%i] : !pallas.ref<2xi32, smem>
      %c0 = arith.constant 0 : i32
      %c4 = arith.constant 4 : i32
      %start = arith.muli %first, %c4 : i32
      // expected-remark @below {{steps of grid dimension 1 stay apart: windows of input 0 along dimension 0 may lie outside of the array}}
      %block = arith.addi %start, %j : i32
      pallas.yield %block, %c0 : i32, i32
    }
    out(tensor<64x16xf32>) block<[8, 16], default> map(%i, %j, %unused) {
      %c0 = arith.constant 0 : i32
      %c4 = arith.constant 4 : i32
      %start = arith.muli %i, %c4 : i32
      %block = arith.addi %start, %j : i32
      pallas.yield %block, %c0 : i32, i32
    }
    attributes {pallas.coarsen = array<i64: 1, 2>}
    kernel(%tr: !pallas.ref<2xi32, smem>, %xr: !pallas.ref<8x16xf32, default>, %or: !pallas.ref<8x16xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x16xf32, default>
    pallas.swap %or[...], %v : !pallas.ref<8x16xf32, default>, tensor<8x16xf32>
  }
  return %o : tensor<64x16xf32>
}

// -----

func.func @no_steps(%x: tensor<64x16xf32>) -> tensor<64x16xf32> {
  // expected-error @below {{the coarsening factor 2 is about dimension 0, which has no steps to join; write 1}}
  %o = pallas.pallas_call grid(0)
    in(%x : tensor<64x16xf32>) block<[8, 16], default> map(%i) -> (%i, 0)
    out(tensor<64x16xf32>) block<[8, 16], default> map(%i) -> (%i, 0)
    attributes {pallas.coarsen = array<i64: 2>}
    kernel(%xr: !pallas.ref<8x16xf32, default>, %or: !pallas.ref<8x16xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x16xf32, default>
    pallas.swap %or[...], %v : !pallas.ref<8x16xf32, default>, tensor<8x16xf32>
  }
  return %o : tensor<64x16xf32>
}

// -----

// Enough short rows share vectors.
func.func @short_rows(%x: tensor<64x8xf32>) -> tensor<64x8xf32> {
  %o = pallas.pallas_call grid(8)
    in(%x : tensor<64x8xf32>) block<[8, 8], default> map(%i) -> (%i, 0)
    out(tensor<64x8xf32>) block<[8, 8], default> map(%i) -> (%i, 0)
    attributes {pallas.coarsen = array<i64: 2>}
    kernel(%xr: !pallas.ref<8x8xf32, default>, %or: !pallas.ref<8x8xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x8xf32, default>
    // expected-remark @below {{steps of grid dimension 0 become a loop over parts: how many rows of 8 floats or less there are decides in which order CPUs add them}}
    %s = pallas.reduce <add> %v dims [1] : tensor<8x8xf32>
    %b = pallas.broadcast %s dims [0] : tensor<8xf32> -> tensor<8x8xf32>
    %w = arith.addf %v, %b : tensor<8x8xf32>
    pallas.swap %or[...], %w : !pallas.ref<8x8xf32, default>, tensor<8x8xf32>
  }
  return %o : tensor<64x8xf32>
}

// -----

// Blocks from the end: the first of two parts is behind the second one.
func.func @backwards(%x: tensor<72x16xf32>) -> tensor<64x16xf32> {
  %o = pallas.pallas_call grid(8)
    in(%x : tensor<72x16xf32>) block<[8, 16], default> map(%i) {
      %c8 = arith.constant 8 : i32
      %c0 = arith.constant 0 : i32
      // expected-remark @below {{steps of grid dimension 0 stay apart: input 0 moves along dimension 0 by -1 blocks per step}}
      %row = arith.subi %c8, %i : i32
      pallas.yield %row, %c0 : i32, i32
    }
    out(tensor<64x16xf32>) block<[8, 16], default> map(%i) -> (%i, 0)
    attributes {pallas.coarsen = array<i64: 2>}
    kernel(%xr: !pallas.ref<8x16xf32, default>, %or: !pallas.ref<8x16xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x16xf32, default>
    pallas.swap %or[...], %v : !pallas.ref<8x16xf32, default>, tensor<8x16xf32>
  }
  return %o : tensor<64x16xf32>
}

// -----

func.func @remainder_in_elements(%x: tensor<24x16xf32>) -> tensor<24x16xf32> {
  // expected-remark @below {{steps of grid dimension 0 stay apart: the coarsening factor 2 does not divide its size of 3, and windows of input 0 are counted in elements}}
  %o = pallas.pallas_call grid(3)
    in(%x : tensor<24x16xf32>) block<[element<8>, 16], default> map(%i) {
      %c8 = arith.constant 8 : i32
      %c0 = arith.constant 0 : i32
      %row = arith.muli %i, %c8 : i32
      pallas.yield %row, %c0 : i32, i32
    }
    out(tensor<24x16xf32>) block<[8, 16], default> map(%i) -> (%i, 0)
    attributes {pallas.coarsen = array<i64: 2>}
    kernel(%xr: !pallas.ref<8x16xf32, default>, %or: !pallas.ref<8x16xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x16xf32, default>
    pallas.swap %or[...], %v : !pallas.ref<8x16xf32, default>, tensor<8x16xf32>
  }
  return %o : tensor<24x16xf32>
}

// -----

// The upper half of the rows, which are those of both parts afterwards.
func.func @slice(%x: tensor<64x16xf32>) -> tensor<64x8xf32> {
  %o = pallas.pallas_call grid(8)
    in(%x : tensor<64x16xf32>) block<[8, 16], default> map(%i) -> (%i, 0)
    out(tensor<64x8xf32>) block<[8, 8], default> map(%i) -> (%i, 0)
    attributes {pallas.coarsen = array<i64: 2>}
    kernel(%xr: !pallas.ref<8x16xf32, default>, %or: !pallas.ref<8x8xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x16xf32, default>
    // expected-remark @below {{steps of grid dimension 0 become a loop over parts: 'tensor.extract_slice' does not treat dimension 0 of its result alike}}
    %half = tensor.extract_slice %v[0, 0] [4, 16] [1, 1] : tensor<8x16xf32> to tensor<4x16xf32>
    %w = pallas.reshape %half : tensor<4x16xf32> -> tensor<8x8xf32>
    pallas.swap %or[...], %w : !pallas.ref<8x8xf32, default>, tensor<8x8xf32>
  }
  return %o : tensor<64x8xf32>
}

// -----

// A table with another number for each row of a part.
func.func @constant(%x: tensor<8x2xi32>) -> tensor<8x2xi32> {
  %o = pallas.pallas_call grid(4)
    in(%x : tensor<8x2xi32>) block<[2, 2], default> map(%i) -> (%i, 0)
    out(tensor<8x2xi32>) block<[2, 2], default> map(%i) -> (%i, 0)
    attributes {pallas.coarsen = array<i64: 2>}
    kernel(%xr: !pallas.ref<2x2xi32, default>, %or: !pallas.ref<2x2xi32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<2x2xi32, default>
    // expected-remark @below {{steps of grid dimension 0 become a loop over parts: 'arith.constant' does not treat dimension 0 of its result alike}}
    %table = arith.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
    %w = arith.addi %v, %table : tensor<2x2xi32>
    pallas.swap %or[...], %w : !pallas.ref<2x2xi32, default>, tensor<2x2xi32>
  }
  return %o : tensor<8x2xi32>
}
