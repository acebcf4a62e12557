// RUN: rm -rf %t && mkdir %t
// RUN: pallas-opt %s --pallas-split-blocks --mlir-print-debuginfo=false 2>%t/remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --implicit-check-not=remark < %t/remarks
// RUN: %python -c "import numpy as np; r = np.random.default_rng(0).standard_normal; np.save('%t/x.npy', r((64, 16), np.float32)); np.save('%t/y.npy', r((16, 32), np.float32))"
// RUN: pallas-run %s --entry=softmax --in %t/x.npy --diff-passes=pallas-split-blocks --tolerance=0 | FileCheck %s --check-prefix=SAME
// RUN: pallas-run %s --entry=rows --in %t/x.npy --diff-passes=pallas-split-blocks --tolerance=0 | FileCheck %s --check-prefix=SAME
// RUN: pallas-run %s --entry=matmul --in %t/x.npy --in %t/y.npy --diff-passes=pallas-split-blocks --tolerance=0 | FileCheck %s --check-prefix=SAME
// RUN: pallas-run %s --entry=running --in %t/x.npy --diff-passes=pallas-split-blocks --tolerance=0 | FileCheck %s --check-prefix=SAME
// RUN: pallas-run %s --entry=outputs --in %t/x.npy --diff-passes=pallas-split-blocks --tolerance=0 | FileCheck %s --check-prefix=SAME
// RUN: pallas-run %s --entry=columns --in %t/x.npy --diff-passes=pallas-split-blocks --tolerance=0 | FileCheck %s --check-prefix=SAME
// RUN: pallas-run %s --entry=loop --in %t/x.npy --diff-passes=pallas-split-blocks --tolerance=0 | FileCheck %s --check-prefix=SAME

// SAME: executed after 1
// SAME-NEXT: no pass changes the answer

// A call without a grid gets one.
// CHECK-LABEL: func.func @softmax
// CHECK: grid(4)
// CHECK: in({{.*}}) block<[16, 16], default> map(%[[I:.*]]) -> (%[[I]], 0)
// CHECK: out({{.*}}) block<[16, 16], default> map(%[[I:.*]]) -> (%[[I]], 0)
// CHECK: kernel(%{{.*}}: !pallas.ref<16x16xf32, default>
// CHECK: pallas.broadcast %{{.*}} dims [0] : tensor<16xf32> -> tensor<16x16xf32>
// CHECK-NOT: pallas.split
func.func @softmax(%x: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %o = pallas.pallas_call grid()
    in(%x : tensor<64x16xf32>) block<[64, 16], default>
    out(tensor<64x16xf32>) block<[64, 16], default>
    attributes {pallas.split = array<i64: 4, 1>}
    kernel(%xr: !pallas.ref<64x16xf32, default>, %or: !pallas.ref<64x16xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<64x16xf32, default>
    %m = pallas.reduce <max> %v dims [1] : tensor<64x16xf32>
    %b = pallas.broadcast %m dims [0] : tensor<64xf32> -> tensor<64x16xf32>
    %d = arith.subf %v, %b : tensor<64x16xf32>
    %e = math.exp %d : tensor<64x16xf32>
    %s = pallas.reduce <add> %e dims [1] : tensor<64x16xf32>
    %c = pallas.broadcast %s dims [0] : tensor<64xf32> -> tensor<64x16xf32>
    %q = arith.divf %e, %c : tensor<64x16xf32>
    pallas.swap %or[...], %q : !pallas.ref<64x16xf32, default>, tensor<64x16xf32>
  }
  return %o : tensor<64x16xf32>
}

// Rows count on from the start of the block, ids of the kernel move by one, and
// what is the same for all rows stays whole.
// CHECK-LABEL: func.func @rows
// CHECK: grid(2, 4)
// CHECK: %[[PART:.*]] = pallas.program_id 0
// CHECK: %[[ID:.*]] = pallas.program_id 1
// CHECK: pallas.num_programs 1
// CHECK: %[[IOTA:.*]] = pallas.iota 0 : tensor<8xi16>
// CHECK: %[[START:.*]] = arith.muli %[[PART]], %{{.*}} : i32
// CHECK: %[[SHORT:.*]] = arith.trunci %[[START]] : i32 to i16
// CHECK: %[[STARTS:.*]] = pallas.broadcast %[[SHORT]] : i16 -> tensor<8xi16>
// CHECK: arith.addi %[[IOTA]], %[[STARTS]] : tensor<8xi16>
// CHECK: pallas.iota 1 : tensor<8x16xi32>
// CHECK-NOT: arith.addi
func.func @rows(%x: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %o = pallas.pallas_call grid(4)
    in(%x : tensor<64x16xf32>) block<[16, 16], default> map(%i) -> (%i, 0)
    out(tensor<64x16xf32>) block<[16, 16], default> map(%i) -> (%i, 0)
    semantics [arbitrary]
    attributes {pallas.split = array<i64: 2, 1>}
    kernel(%xr: !pallas.ref<16x16xf32, default>, %or: !pallas.ref<16x16xf32, default>) {
    %id = pallas.program_id 0
    %n = pallas.num_programs 0
    %last = arith.subi %n, %id : i32
    %v = pallas.get %xr[...] : !pallas.ref<16x16xf32, default>
    %rows = pallas.iota 0 : tensor<16xi16>
    %row = pallas.broadcast %rows dims [0] : tensor<16xi16> -> tensor<16x16xi16>
    %wide = arith.extsi %row : tensor<16x16xi16> to tensor<16x16xi32>
    %columns = pallas.iota 1 : tensor<16x16xi32>
    %sum = arith.muli %wide, %columns : tensor<16x16xi32>
    %lasts = pallas.broadcast %last : i32 -> tensor<16x16xi32>
    %odd = arith.cmpi sgt, %sum, %lasts : tensor<16x16xi32>
    %zero = arith.constant dense<0.0> : tensor<16x16xf32>
    %r = arith.select %odd, %v, %zero : tensor<16x16xi1>, tensor<16x16xf32>
    pallas.swap %or[...], %r : !pallas.ref<16x16xf32, default>, tensor<16x16xf32>
  }
  return %o : tensor<64x16xf32>
}

// The sum of a part is there when the next step adds to it: all steps run for
// one part after the other. Columns of one operand stay whole.
// CHECK-LABEL: func.func @matmul
// CHECK: grid(4, 2, 2)
// CHECK: block<[8, 8], default> map(%[[P:.*]], %[[I:.*]], %[[K:.*]]) {
// CHECK: %[[FIRST:.*]] = arith.muli %[[I]], %{{.*}} : i32
// CHECK: %[[BLOCK:.*]] = arith.addi %[[FIRST]], %[[P]] : i32
// CHECK: pallas.yield %[[BLOCK]], %[[K]]
// CHECK: block<[8, 32], default> map(%{{.*}}, %{{.*}}, %[[L:.*]]) -> (%[[L]], 0)
// CHECK: semantics [parallel, parallel, arbitrary]
// CHECK: %{{.*}}: !pallas.ref<8x32xf32, vmem>) {
// CHECK: pallas.dot_general {{.*}} : tensor<8x8xf32>, tensor<8x32xf32> -> tensor<8x32xf32>
func.func @matmul(%x: tensor<64x16xf32>, %y: tensor<16x32xf32>) -> tensor<64x32xf32> {
  %o = pallas.pallas_call grid(2, 2)
    in(%x : tensor<64x16xf32>) block<[32, 8], default> map(%i, %k) -> (%i, %k)
    in(%y : tensor<16x32xf32>) block<[8, 32], default> map(%i, %k) -> (%k, 0)
    out(tensor<64x32xf32>) block<[32, 32], default> map(%i, %k) -> (%i, 0)
    semantics [parallel, arbitrary]
    attributes {pallas.split = array<i64: 4, 1>}
    kernel(%xr: !pallas.ref<32x8xf32, default>, %yr: !pallas.ref<8x32xf32, default>,
           %or: !pallas.ref<32x32xf32, default>, %acc: !pallas.ref<32x32xf32, vmem>) {
    %k = pallas.program_id 1
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %isFirst = arith.cmpi eq, %k, %c0 : i32
    scf.if %isFirst {
      %zero = arith.constant dense<0.0> : tensor<32x32xf32>
      pallas.swap %acc[...], %zero : !pallas.ref<32x32xf32, vmem>, tensor<32x32xf32>
    }
    %a = pallas.get %xr[...] : !pallas.ref<32x8xf32, default>
    %b = pallas.get %yr[...] : !pallas.ref<8x32xf32, default>
    %p = pallas.dot_general %a, %b contract [1] x [0] : tensor<32x8xf32>, tensor<8x32xf32> -> tensor<32x32xf32>
    pallas.addupdate %acc[...], %p : !pallas.ref<32x32xf32, vmem>, tensor<32x32xf32>
    %isLast = arith.cmpi eq, %k, %c1 : i32
    scf.if %isLast {
      %all = pallas.get %acc[...] : !pallas.ref<32x32xf32, vmem>
      pallas.swap %or[...], %all : !pallas.ref<32x32xf32, default>, tensor<32x32xf32>
    }
  }
  return %o : tensor<64x32xf32>
}

// A window that all steps add to.
// CHECK-LABEL: func.func @running
// CHECK: grid(2, 4)
// CHECK: out({{.*}}) block<[8, 16], default> map(%[[P:.*]], %{{.*}}) -> (%[[P]], 0)
func.func @running(%x: tensor<64x16xf32>) -> tensor<16x16xf32> {
  %o = pallas.pallas_call grid(4)
    in(%x : tensor<64x16xf32>) block<[16, 16], default> map(%i) -> (%i, 0)
    out(tensor<16x16xf32>) block<[16, 16], default> map(%i) -> (0, 0)
    attributes {pallas.split = array<i64: 2, 1>}
    kernel(%xr: !pallas.ref<16x16xf32, default>, %or: !pallas.ref<16x16xf32, default>) {
    %i = pallas.program_id 0
    %c0 = arith.constant 0 : i32
    %isFirst = arith.cmpi eq, %i, %c0 : i32
    scf.if %isFirst {
      %zero = arith.constant dense<0.0> : tensor<16x16xf32>
      pallas.swap %or[...], %zero : !pallas.ref<16x16xf32, default>, tensor<16x16xf32>
    }
    %v = pallas.get %xr[...] : !pallas.ref<16x16xf32, default>
    pallas.addupdate %or[...], %v : !pallas.ref<16x16xf32, default>, tensor<16x16xf32>
  }
  return %o : tensor<16x16xf32>
}

// Another result follows through what it is computed from.
// CHECK-LABEL: func.func @outputs
// CHECK: grid(8)
// CHECK: out(tensor<64x16xf32>) block<[8, 16], default>
// CHECK: out(tensor<64xf32>) block<[8], default> map(%[[P:.*]]) -> (%[[P]])
func.func @outputs(%x: tensor<64x16xf32>) -> (tensor<64x16xf32>, tensor<64xf32>) {
  %o:2 = pallas.pallas_call grid()
    in(%x : tensor<64x16xf32>) block<[64, 16], default>
    out(tensor<64x16xf32>) block<[64, 16], default>
    out(tensor<64xf32>) block<[64], default>
    attributes {pallas.split = array<i64: 8, 1>}
    kernel(%xr: !pallas.ref<64x16xf32, default>, %or: !pallas.ref<64x16xf32, default>, %mr: !pallas.ref<64xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<64x16xf32, default>
    %m = pallas.reduce <max> %v dims [1] : tensor<64x16xf32>
    %w = arith.addf %v, %v : tensor<64x16xf32>
    pallas.swap %or[...], %w : !pallas.ref<64x16xf32, default>, tensor<64x16xf32>
    pallas.swap %mr[...], %m : !pallas.ref<64xf32, default>, tensor<64xf32>
  }
  return %o#0, %o#1 : tensor<64x16xf32>, tensor<64xf32>
}

// Along the other dimension, and through a transposition, along both.
// CHECK-LABEL: func.func @columns
// CHECK: grid(4, 2)
// CHECK: in({{.*}}) block<[16, 8], default> map(%[[Q:.*]], %[[P:.*]]) -> (%[[Q]], %[[P]])
// CHECK: out({{.*}}) block<[8, 16], default> map(%[[Q:.*]], %[[P:.*]]) -> (%[[P]], %[[Q]])
func.func @columns(%x: tensor<64x16xf32>) -> tensor<16x64xf32> {
  %o = pallas.pallas_call grid()
    in(%x : tensor<64x16xf32>) block<[64, 16], default>
    out(tensor<16x64xf32>) block<[16, 64], default>
    attributes {pallas.split = array<i64: 2, 4>}
    kernel(%xr: !pallas.ref<64x16xf32, default>, %or: !pallas.ref<16x64xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<64x16xf32, default>
    %t = pallas.transpose %v, [1, 0] : tensor<64x16xf32>
    %n = arith.negf %t : tensor<16x64xf32>
    pallas.swap %or[...], %n : !pallas.ref<16x64xf32, default>, tensor<16x64xf32>
  }
  return %o : tensor<16x64xf32>
}

// Values that a loop carries, and scratch memory of a scope, fall into parts, too.
// CHECK-LABEL: func.func @loop
// CHECK: grid(4)
// CHECK: pallas.run_scoped (%{{.*}}: !pallas.ref<16x16xf32, vmem>)
// CHECK: scf.for {{.*}} -> (tensor<16x16xf32>)
func.func @loop(%x: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %o = pallas.pallas_call grid()
    in(%x : tensor<64x16xf32>) block<[64, 16], default>
    out(tensor<64x16xf32>) block<[64, 16], default>
    attributes {pallas.split = array<i64: 4, 1>}
    kernel(%xr: !pallas.ref<64x16xf32, default>, %or: !pallas.ref<64x16xf32, default>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c3 = arith.constant 3 : i32
    pallas.run_scoped (%s: !pallas.ref<64x16xf32, vmem>) {
      %v = pallas.get %xr[...] : !pallas.ref<64x16xf32, default>
      pallas.swap %s[...], %v : !pallas.ref<64x16xf32, vmem>, tensor<64x16xf32>
      %init = arith.constant dense<1.0> : tensor<64x16xf32>
      %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %init) -> (tensor<64x16xf32>) : i32 {
        %w = pallas.get %s[...] : !pallas.ref<64x16xf32, vmem>
        %b = arith.mulf %a, %w : tensor<64x16xf32>
        scf.yield %b : tensor<64x16xf32>
      }
      pallas.swap %or[...], %r : !pallas.ref<64x16xf32, default>, tensor<64x16xf32>
      pallas.yield
    }
  }
  return %o : tensor<64x16xf32>
}

// Parts behind the array would be moved inside.
// REMARK: remark: blocks stay whole along dimension 0 of the first result: parts of {{input|output}} 0 along dimension 0 start at up to 120, but the array ends at 70
// CHECK-LABEL: func.func @cut
// CHECK: grid(2)
func.func @cut(%x: tensor<70x16xf32>) -> tensor<70x16xf32> {
  %o = pallas.pallas_call grid(2)
    in(%x : tensor<70x16xf32>) block<[64, 16], default> map(%i) -> (%i, 0)
    out(tensor<70x16xf32>) block<[64, 16], default> map(%i) -> (%i, 0)
    attributes {pallas.split = array<i64: 8, 1>}
    kernel(%xr: !pallas.ref<64x16xf32, default>, %or: !pallas.ref<64x16xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<64x16xf32, default>
    pallas.swap %or[...], %v : !pallas.ref<64x16xf32, default>, tensor<64x16xf32>
  }
  return %o : tensor<70x16xf32>
}

// REMARK: remark: blocks stay whole along dimension 0 of the first result: 'pallas.cumulative' does not treat dimension 0 of its result alike
// CHECK-LABEL: func.func @scan
// CHECK: grid()
func.func @scan(%x: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %o = pallas.pallas_call grid()
    in(%x : tensor<64x16xf32>) block<[64, 16], default>
    out(tensor<64x16xf32>) block<[64, 16], default>
    attributes {pallas.split = array<i64: 8, 1>}
    kernel(%xr: !pallas.ref<64x16xf32, default>, %or: !pallas.ref<64x16xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<64x16xf32, default>
    %s = pallas.cumulative <sum> %v dim 0 : tensor<64x16xf32>
    pallas.swap %or[...], %s : !pallas.ref<64x16xf32, default>, tensor<64x16xf32>
  }
  return %o : tensor<64x16xf32>
}

// REMARK: remark: blocks stay whole along dimension 0 of the first result: output 1 has no parts of its own
// CHECK-LABEL: func.func @unrelated
// CHECK: grid()
func.func @unrelated(%x: tensor<64x16xf32>) -> (tensor<64x16xf32>, tensor<16xf32>) {
  %o:2 = pallas.pallas_call grid()
    in(%x : tensor<64x16xf32>) block<[64, 16], default>
    out(tensor<64x16xf32>) block<[64, 16], default>
    out(tensor<16xf32>) block<[16], default>
    attributes {pallas.split = array<i64: 8, 1>}
    kernel(%xr: !pallas.ref<64x16xf32, default>, %or: !pallas.ref<64x16xf32, default>, %sr: !pallas.ref<16xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<64x16xf32, default>
    pallas.swap %or[...], %v : !pallas.ref<64x16xf32, default>, tensor<64x16xf32>
    %s = pallas.reduce <max> %v dims [0] : tensor<64x16xf32>
    pallas.swap %sr[...], %s : !pallas.ref<16xf32, default>, tensor<16xf32>
  }
  return %o#0, %o#1 : tensor<64x16xf32>, tensor<16xf32>
}

// REMARK: remark: blocks stay whole along dimension 0 of the first result: output 0 is an alias of an operand that is split in another way
// CHECK-LABEL: func.func @alias
// CHECK: grid(2)
func.func @alias(%x: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %o = pallas.pallas_call grid(2)
    in(%x : tensor<64x16xf32>) block<[32, 16], default> map(%i) {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %b = arith.subi %c1, %i : i32
      pallas.yield %b, %c0 : i32, i32
    }
    out(tensor<64x16xf32>) block<[32, 16], default> map(%i) -> (%i, 0)
    aliases [0 -> 0]
    attributes {pallas.split = array<i64: 8, 1>}
    kernel(%xr: !pallas.ref<32x16xf32, default>, %or: !pallas.ref<32x16xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<32x16xf32, default>
    pallas.swap %or[...], %v : !pallas.ref<32x16xf32, default>, tensor<32x16xf32>
  }
  return %o : tensor<64x16xf32>
}

// REMARK: remark: blocks stay whole along dimension 0 of the first result: parts of output 0 along dimension 0 may lie outside of the array
// CHECK-LABEL: func.func @table
// CHECK: grid(2)
func.func @table(%t: tensor<2xi32>) -> tensor<64x16xf32> {
  %o = pallas.pallas_call grid(2)
    prefetch(%t : tensor<2xi32>)
    out(tensor<64x16xf32>) block<[32, 16], default> map(%i, %tr) {
      %c0 = arith.constant 0 : i32
      %b = pallas.get %tr[%i] : !pallas.ref<2xi32, smem>
      pallas.yield %b, %c0 : i32, i32
    }
    attributes {pallas.split = array<i64: 8, 1>}
    kernel(%tr: !pallas.ref<2xi32, smem>, %or: !pallas.ref<32x16xf32, default>) {
    %v = arith.constant dense<1.0> : tensor<32x16xf32>
    pallas.swap %or[...], %v : !pallas.ref<32x16xf32, default>, tensor<32x16xf32>
  }
  return %o : tensor<64x16xf32>
}

// REMARK: remark: blocks stay whole along dimension 0 of the first result: input 0 does not count its windows along dimension 0 in blocks
// CHECK-LABEL: func.func @elements
// CHECK: grid(2)
func.func @elements(%x: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %o = pallas.pallas_call grid(2)
    in(%x : tensor<64x16xf32>) block<[element<32>, 16], default> map(%i) -> (%i, 0)
    out(tensor<64x16xf32>) block<[32, 16], default> map(%i) -> (%i, 0)
    attributes {pallas.split = array<i64: 8, 1>}
    kernel(%xr: !pallas.ref<32x16xf32, default>, %or: !pallas.ref<32x16xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<32x16xf32, default>
    pallas.swap %or[...], %v : !pallas.ref<32x16xf32, default>, tensor<32x16xf32>
  }
  return %o : tensor<64x16xf32>
}

// REMARK: remark: blocks stay whole along dimension 0 of the first result: input 0 has 4 elements along dimension 0, which are no multiple of 8
// CHECK-LABEL: func.func @reshaped
// CHECK: grid()
func.func @reshaped(%x: tensor<4x16x16xf32>) -> tensor<64x16xf32> {
  %o = pallas.pallas_call grid()
    in(%x : tensor<4x16x16xf32>) block<[4, 16, 16], default>
    out(tensor<64x16xf32>) block<[64, 16], default>
    attributes {pallas.split = array<i64: 8, 1>}
    kernel(%xr: !pallas.ref<4x16x16xf32, default>, %or: !pallas.ref<64x16xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<4x16x16xf32, default>
    %r = pallas.reshape %v : tensor<4x16x16xf32> -> tensor<64x16xf32>
    pallas.swap %or[...], %r : !pallas.ref<64x16xf32, default>, tensor<64x16xf32>
  }
  return %o : tensor<64x16xf32>
}

// REMARK: remark: blocks stay whole along dimension 0 of the first result: output 0 has a layout of its own
// CHECK-LABEL: func.func @laid_out
// CHECK: grid()
func.func @laid_out() -> tensor<64x64xf16> {
  %o = pallas.pallas_call grid()
    out(tensor<64x64xf16>) block<[64, 64], smem, transforms = [#pallas.tile<8, 64>, #pallas.swizzle<128>]>
    attributes {pallas.split = array<i64: 8, 1>}
    kernel(%or: !pallas.ref<64x64xf16, smem, [#pallas.tile<8, 64>, #pallas.swizzle<128>]>) {
    %v = arith.constant dense<1.0> : tensor<64x64xf16>
    pallas.swap %or[...], %v : !pallas.ref<64x64xf16, smem, [#pallas.tile<8, 64>, #pallas.swizzle<128>]>, tensor<64x64xf16>
  }
  return %o : tensor<64x64xf16>
}

// REMARK: remark: blocks stay whole along dimension 0 of the first result: input 0 has no windows in memory space hbm
// CHECK-LABEL: func.func @whole_array
// CHECK: grid()
func.func @whole_array(%x: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %o = pallas.pallas_call grid()
    in(%x : tensor<64x16xf32>) block<[64, 16], hbm>
    out(tensor<64x16xf32>) block<[64, 16], default>
    attributes {pallas.split = array<i64: 8, 1>}
    kernel(%xr: !pallas.ref<64x16xf32, hbm>, %or: !pallas.ref<64x16xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<64x16xf32, hbm>
    pallas.swap %or[...], %v : !pallas.ref<64x16xf32, default>, tensor<64x16xf32>
  }
  return %o : tensor<64x16xf32>
}

// REMARK: remark: blocks stay whole along dimension 0 of the first result: its steps run on cores of their own
// CHECK-LABEL: func.func @cores
// CHECK: grid(2)
func.func @cores(%x: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %o = pallas.pallas_call grid(2)
    in(%x : tensor<64x16xf32>) block<[32, 16], default> map(%i) -> (%i, 0)
    out(tensor<64x16xf32>) block<[32, 16], default> map(%i) -> (%i, 0)
    semantics [core_parallel]
    attributes {pallas.split = array<i64: 8, 1>}
    kernel(%xr: !pallas.ref<32x16xf32, default>, %or: !pallas.ref<32x16xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<32x16xf32, default>
    pallas.swap %or[...], %v : !pallas.ref<32x16xf32, default>, tensor<32x16xf32>
  }
  return %o : tensor<64x16xf32>
}
