// RUN: rm -rf %t && mkdir %t
// RUN: pallas-opt %s --pallas-coarsen-grid --mlir-print-debuginfo=false 2>%t/remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t/remarks
// RUN: %python -c "import numpy as np; np.save('%t/x.npy', np.random.default_rng(0).standard_normal((64, 16)).astype(np.float32))"
// RUN: pallas-run %s --entry=softmax --in %t/x.npy --diff-passes=pallas-coarsen-grid --tolerance=0 | FileCheck %s --check-prefix=SAME
// RUN: pallas-run %s --entry=rows --in %t/x.npy --diff-passes=pallas-coarsen-grid --tolerance=0 | FileCheck %s --check-prefix=SAME
// RUN: pallas-run %s --entry=gram --in %t/x.npy --diff-passes=pallas-coarsen-grid --tolerance=0 | FileCheck %s --check-prefix=SAME
// RUN: pallas-run %s --entry=running_sum --in %t/x.npy --diff-passes=pallas-coarsen-grid --tolerance=0 | FileCheck %s --check-prefix=SAME
// RUN: pallas-run %s --entry=apart --in %t/x.npy --diff-passes=pallas-coarsen-grid --tolerance=0 | FileCheck %s --check-prefix=SAME
// RUN: pallas-run %s --entry=squeezed --in %t/x.npy --diff-passes=pallas-coarsen-grid --tolerance=0 | FileCheck %s --check-prefix=SAME
// RUN: pallas-run %s --entry=carried --in %t/x.npy --diff-passes=pallas-coarsen-grid --tolerance=0 | FileCheck %s --check-prefix=SAME
// RUN: pallas-run %s --entry=ends --in %t/x.npy --diff-passes=pallas-coarsen-grid --tolerance=0 | FileCheck %s --check-prefix=SAME
// RUN: pallas-run %s --entry=short_step --in %t/x.npy --diff-passes=pallas-coarsen-grid --tolerance=0 | FileCheck %s --check-prefix=SAME
// RUN: pallas-run %s --entry=in_between --in %t/x.npy --diff-passes=pallas-coarsen-grid --tolerance=0 | FileCheck %s --check-prefix=SAME

// SAME: executed after 1
// SAME-NEXT: no pass changes the answer

// Rows are alike: the block holds three of them, the last one less.
// CHECK-LABEL: func.func @softmax
// CHECK: grid(3)
// CHECK: in({{.*}}) block<[24, 16], default> map(%[[I:.*]]) -> (%[[I]], 0)
// CHECK: kernel(%{{.*}}: !pallas.ref<24x16xf32, default>
// CHECK: pallas.reduce <max> %{{.*}} dims [1] : tensor<24x16xf32>
// CHECK: pallas.broadcast %{{.*}} dims [0] : tensor<24xf32> -> tensor<24x16xf32>
// CHECK-NOT: pallas.coarsen
func.func @softmax(%x: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %o = pallas.pallas_call grid(8)
    in(%x : tensor<64x16xf32>) block<[8, 16], default> map(%i) -> (%i, 0)
    out(tensor<64x16xf32>) block<[8, 16], default> map(%i) -> (%i, 0)
    attributes {pallas.coarsen = array<i64: 3>}
    kernel(%xr: !pallas.ref<8x16xf32, default>, %or: !pallas.ref<8x16xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x16xf32, default>
    %m = pallas.reduce <max> %v dims [1] : tensor<8x16xf32>
    %b = pallas.broadcast %m dims [0] : tensor<8xf32> -> tensor<8x16xf32>
    %d = arith.subf %v, %b : tensor<8x16xf32>
    %e = math.exp %d : tensor<8x16xf32>
    %s = pallas.reduce <add> %e dims [1] : tensor<8x16xf32>
    %c = pallas.broadcast %s dims [0] : tensor<8xf32> -> tensor<8x16xf32>
    %q = arith.divf %e, %c : tensor<8x16xf32>
    pallas.swap %or[ds(0, 8), :], %q : !pallas.ref<8x16xf32, default>, tensor<8x16xf32>
  }
  return %o : tensor<64x16xf32>
}

// Rows of the array count on; what rows of a block would exceed and what ids
// lack cancel. Rows of a block are counted from the start of their part.
// CHECK-LABEL: func.func @rows
// CHECK: grid(2)
// CHECK: %[[ID:.*]] = pallas.program_id 0
// CHECK: %[[FIRST:.*]] = arith.muli %[[ID]], %{{.*}} : i32
// CHECK: %[[ROWS:.*]] = pallas.iota 0 : tensor<32x16xi32>
// CHECK: %[[COUNT:.*]] = pallas.iota 0 : tensor<32x16xi32>
// CHECK: %[[EIGHTS:.*]] = arith.constant dense<3>
// CHECK: %[[PART:.*]] = arith.shrui %[[COUNT]], %[[EIGHTS]]
// CHECK: %[[EXCESS:.*]] = arith.muli %[[PART]], %{{.*}}
// CHECK: %[[LOCAL:.*]] = arith.subi %[[ROWS]], %[[EXCESS]]
// CHECK: %[[GLOBAL:.*]] = arith.addi %[[ROWS]], %{{.*}}
// CHECK: arith.cmpi slt, %[[GLOBAL]]
// CHECK: arith.cmpi sgt, %[[LOCAL]]
func.func @rows(%x: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %o = pallas.pallas_call grid(8)
    in(%x : tensor<64x16xf32>) block<[8, 16], default> map(%i) -> (%i, 0)
    out(tensor<64x16xf32>) block<[8, 16], default> map(%i) -> (%i, 0)
    attributes {pallas.coarsen = array<i64: 4>}
    kernel(%xr: !pallas.ref<8x16xf32, default>, %or: !pallas.ref<8x16xf32, default>) {
    %id = pallas.program_id 0
    %c8 = arith.constant 8 : i32
    %first = arith.muli %id, %c8 : i32
    %row = pallas.iota 0 : tensor<8x16xi32>
    %start = pallas.broadcast %first : i32 -> tensor<8x16xi32>
    %global = arith.addi %row, %start : tensor<8x16xi32>
    %c50 = arith.constant dense<50> : tensor<8x16xi32>
    %c2 = arith.constant dense<2> : tensor<8x16xi32>
    %inside = arith.cmpi slt, %global, %c50 : tensor<8x16xi32>
    %late = arith.cmpi sgt, %row, %c2 : tensor<8x16xi32>
    %mask = arith.andi %inside, %late : tensor<8x16xi1>
    %v = pallas.get %xr[...] : !pallas.ref<8x16xf32, default>
    %zero = arith.constant dense<0.0> : tensor<8x16xf32>
    %w = arith.select %mask, %v, %zero : tensor<8x16xi1>, tensor<8x16xf32>
    pallas.swap %or[...], %w : !pallas.ref<8x16xf32, default>, tensor<8x16xf32>
  }
  return %o : tensor<64x16xf32>
}

// Scratch that starts anew for each row of steps holds both parts. Steps along
// the contraction add in order, in a loop. Its first part alone may start the
// sum, and the last one alone may store it.
// CHECK-LABEL: func.func @gram
// CHECK: grid(4, 2)
// CHECK: block<[16, 8], default> map(%[[I:.*]], %[[K:.*]]) -> (%[[I]], %[[K]])
// CHECK: block<[64, 8], default> map(%{{.*}}, %[[K:.*]]) -> (0, %[[K]])
// CHECK: block<[16, 64], default>
// CHECK: !pallas.ref<16x64xf32, vmem>
// CHECK: scf.if
// CHECK-NEXT: arith.constant dense<0.000000e+00> : tensor<16x64xf32>
// CHECK: scf.for
// CHECK-NEXT: arith.constant 4
// CHECK: pallas.slice_ref %{{.*}}[:, ds(%{{.*}}, 4)] : !pallas.ref<16x8xf32, default>
// CHECK-NOT: scf.if
// CHECK: pallas.dot_general {{.*}} : tensor<16x4xf32>, tensor<64x4xf32> -> tensor<16x64xf32>
// CHECK-NEXT: pallas.addupdate
// CHECK-NEXT: }
// CHECK: %[[ID:.*]] = pallas.program_id 1
// CHECK: %[[FIRST:.*]] = arith.muli %[[ID]]
// CHECK: %[[LAST:.*]] = arith.addi %[[FIRST]], %c1{{.*}} : i32
// CHECK: arith.cmpi eq, %[[LAST]]
// CHECK: scf.if
// CHECK-NEXT: pallas.get
// REMARK: remark: steps of grid dimension 1 become a loop over parts: 'scf.if' depends on which of the steps it is
func.func @gram(%x: tensor<64x16xf32>) -> tensor<64x64xf32> {
  %o = pallas.pallas_call grid(8, 4)
    in(%x : tensor<64x16xf32>) block<[8, 4], default> map(%i, %k) -> (%i, %k)
    in(%x : tensor<64x16xf32>) block<[64, 4], default> map(%i, %k) -> (0, %k)
    out(tensor<64x64xf32>) block<[8, 64], default> map(%i, %k) -> (%i, 0)
    attributes {pallas.coarsen = array<i64: 2, 2>}
    kernel(%xr: !pallas.ref<8x4xf32, default>, %yr: !pallas.ref<64x4xf32, default>, %or: !pallas.ref<8x64xf32, default>, %acc: !pallas.ref<8x64xf32, vmem>) {
    %k = pallas.program_id 1
    %c0 = arith.constant 0 : i32
    %isFirst = arith.cmpi eq, %k, %c0 : i32
    scf.if %isFirst {
      %zero = arith.constant dense<0.0> : tensor<8x64xf32>
      pallas.swap %acc[...], %zero : !pallas.ref<8x64xf32, vmem>, tensor<8x64xf32>
    }
    %a = pallas.get %xr[...] : !pallas.ref<8x4xf32, default>
    %b = pallas.get %yr[...] : !pallas.ref<64x4xf32, default>
    %p = pallas.dot_general %a, %b contract [1] x [1] : tensor<8x4xf32>, tensor<64x4xf32> -> tensor<8x64xf32>
    pallas.addupdate %acc[...], %p : !pallas.ref<8x64xf32, vmem>, tensor<8x64xf32>
    %n = pallas.num_programs 1
    %c1 = arith.constant 1 : i32
    %last = arith.subi %n, %c1 : i32
    %isLast = arith.cmpi eq, %k, %last : i32
    scf.if %isLast {
      %sum = pallas.get %acc[...] : !pallas.ref<8x64xf32, vmem>
      pallas.swap %or[...], %sum : !pallas.ref<8x64xf32, default>, tensor<8x64xf32>
    }
  }
  return %o : tensor<64x64xf32>
}

// A sum that is carried on keeps its order. The last step has two parts. The
// first part of all starts the sum.
// CHECK-LABEL: func.func @running_sum
// CHECK: grid(3)
// CHECK: kernel(%[[X:.*]]: !pallas.ref<24x16xf32, default>, %[[O:.*]]: !pallas.ref<24x16xf32, default>, %[[S:.*]]: !pallas.ref<1x16xf32, vmem>)
// CHECK: %[[LEFT:.*]] = arith.subi
// CHECK: %[[COUNT:.*]] = arith.minsi %[[LEFT]]
// CHECK: scf.if
// CHECK-NEXT: arith.constant dense<0.000000e+00> : tensor<1x16xf32>
// CHECK: scf.for %[[J:.*]] = %{{.*}} to %[[COUNT]]
// CHECK: %[[START:.*]] = arith.muli %[[J]]
// CHECK: pallas.slice_ref %[[X]][ds(%[[START]], 8), :]
// CHECK: pallas.slice_ref %[[O]]
// CHECK-NOT: scf.if
// REMARK: remark: steps of grid dimension 0 become a loop over parts
func.func @running_sum(%x: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %o = pallas.pallas_call grid(8)
    in(%x : tensor<64x16xf32>) block<[8, 16], default> map(%i) -> (%i, 0)
    out(tensor<64x16xf32>) block<[8, 16], default> map(%i) -> (%i, 0)
    attributes {pallas.coarsen = array<i64: 3>}
    kernel(%xr: !pallas.ref<8x16xf32, default>, %or: !pallas.ref<8x16xf32, default>, %sum: !pallas.ref<1x16xf32, vmem>) {
    %id = pallas.program_id 0
    %c0 = arith.constant 0 : i32
    %isFirst = arith.cmpi eq, %id, %c0 : i32
    scf.if %isFirst {
      %zero = arith.constant dense<0.0> : tensor<1x16xf32>
      pallas.swap %sum[...], %zero : !pallas.ref<1x16xf32, vmem>, tensor<1x16xf32>
    }
    %v = pallas.get %xr[...] : !pallas.ref<8x16xf32, default>
    %s = pallas.reduce <add> %v dims [0] : tensor<8x16xf32>
    %r = pallas.reshape %s : tensor<16xf32> -> tensor<1x16xf32>
    pallas.addupdate %sum[...], %r : !pallas.ref<1x16xf32, vmem>, tensor<1x16xf32>
    %all = pallas.get %sum[...] : !pallas.ref<1x16xf32, vmem>
    %b = pallas.broadcast %all dims [0, 1] : tensor<1x16xf32> -> tensor<8x16xf32>
    pallas.swap %or[...], %b : !pallas.ref<8x16xf32, default>, tensor<8x16xf32>
  }
  return %o : tensor<64x16xf32>
}

// Other steps come between the parts of one, so each has scratch of its own.
// CHECK-LABEL: func.func @apart
// CHECK: grid(4, 2)
// CHECK: !pallas.ref<2x1x8xf32, vmem>
// CHECK: scf.for %[[J:.*]] =
// CHECK: pallas.slice_ref %{{.*}}[%[[J]], :, :] : !pallas.ref<2x1x8xf32, vmem>
func.func @apart(%x: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %o = pallas.pallas_call grid(8, 2)
    in(%x : tensor<64x16xf32>) block<[8, 8], default> map(%i, %j) -> (%i, %j)
    out(tensor<64x16xf32>) block<[8, 8], default> map(%i, %j) -> (%i, %j)
    attributes {pallas.coarsen = array<i64: 2, 1>}
    kernel(%xr: !pallas.ref<8x8xf32, default>, %or: !pallas.ref<8x8xf32, default>, %sum: !pallas.ref<1x8xf32, vmem>) {
    %id = pallas.program_id 1
    %c0 = arith.constant 0 : i32
    %isFirst = arith.cmpi eq, %id, %c0 : i32
    scf.if %isFirst {
      %zero = arith.constant dense<0.0> : tensor<1x8xf32>
      pallas.swap %sum[...], %zero : !pallas.ref<1x8xf32, vmem>, tensor<1x8xf32>
    }
    %v = pallas.get %xr[...] : !pallas.ref<8x8xf32, default>
    %s = pallas.reduce <add> %v dims [0] : tensor<8x8xf32>
    %r = pallas.reshape %s : tensor<8xf32> -> tensor<1x8xf32>
    pallas.addupdate %sum[...], %r : !pallas.ref<1x8xf32, vmem>, tensor<1x8xf32>
    %all = pallas.get %sum[...] : !pallas.ref<1x8xf32, vmem>
    %b = pallas.broadcast %all dims [0, 1] : tensor<1x8xf32> -> tensor<8x8xf32>
    pallas.swap %or[...], %b : !pallas.ref<8x8xf32, default>, tensor<8x8xf32>
  }
  return %o : tensor<64x16xf32>
}

// Index maps that divide are tried out. A row that the kernel sees by itself is
// one of several.
// CHECK-LABEL: func.func @squeezed
// CHECK: grid(16)
// CHECK: block<[4, 16], default> map(%[[I:.*]]) -> (%[[I]], 0)
// CHECK: block<[squeezed, 4, 16], default>
// CHECK: scf.for %[[J:.*]] =
// CHECK: pallas.slice_ref %{{.*}}[%[[J]], :] : !pallas.ref<4x16xf32, default>
// REMARK: remark: steps of grid dimension 0 become a loop over parts: a block holds a single index
func.func @squeezed(%x: tensor<64x16xf32>) -> tensor<8x8x16xf32> {
  %o = pallas.pallas_call grid(64)
    in(%x : tensor<64x16xf32>) block<[squeezed, 16], default> map(%i) -> (%i, 0)
    out(tensor<8x8x16xf32>) block<[squeezed, squeezed, 16], default> map(%i) {
      %c8 = arith.constant 8 : i32
      %c0 = arith.constant 0 : i32
      %a = arith.divsi %i, %c8 : i32
      %b = arith.remsi %i, %c8 : i32
      pallas.yield %a, %b, %c0 : i32, i32, i32
    }
    attributes {pallas.coarsen = array<i64: 4>}
    kernel(%xr: !pallas.ref<16xf32, default>, %or: !pallas.ref<16xf32, default>) {
    %v = pallas.get %xr[...] : !pallas.ref<16xf32, default>
    %w = arith.addf %v, %v : tensor<16xf32>
    pallas.swap %or[...], %w : !pallas.ref<16xf32, default>, tensor<16xf32>
  }
  return %o : tensor<8x8x16xf32>
}

// What the loop carries is a sum with rows of the block, which stands on either
// side.
// CHECK-LABEL: func.func @carried
// CHECK: grid(4)
// CHECK: scf.for {{.*}} -> (tensor<16x16xf32>, tensor<16x16xf32>)
func.func @carried(%x: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %o = pallas.pallas_call grid(8)
    in(%x : tensor<64x16xf32>) block<[8, 16], default> map(%i) -> (%i, 0)
    out(tensor<64x16xf32>) block<[8, 16], default> map(%i) -> (%i, 0)
    attributes {pallas.coarsen = array<i64: 2>}
    kernel(%xr: !pallas.ref<8x16xf32, default>, %or: !pallas.ref<8x16xf32, default>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c3 = arith.constant 3 : i32
    %zero = arith.constant dense<0.0> : tensor<8x16xf32>
    %two = arith.constant dense<2.0> : tensor<8x16xf32>
    %v = pallas.get %xr[...] : !pallas.ref<8x16xf32, default>
    %s:2 = scf.for %k = %c0 to %c3 step %c1 iter_args(%a = %zero, %b = %zero) -> (tensor<8x16xf32>, tensor<8x16xf32>) : i32 {
      %c = arith.mulf %a, %two : tensor<8x16xf32>
      %left = arith.addf %c, %v : tensor<8x16xf32>
      %right = arith.subf %v, %b : tensor<8x16xf32>
      scf.yield %left, %right : tensor<8x16xf32>, tensor<8x16xf32>
    }
    %q = arith.divf %s#0, %s#1 : tensor<8x16xf32>
    pallas.swap %or[...], %q : !pallas.ref<8x16xf32, default>, tensor<8x16xf32>
  }
  return %o : tensor<64x16xf32>
}

// All steps are one: nothing has to be asked. The last step has part 7, of
// which the row is known.
// CHECK-LABEL: func.func @ends
// CHECK: grid(1)
// CHECK-NOT: scf.if
// CHECK: pallas.swap %[[S:.*]][...], %{{.*}} : !pallas.ref<16xf32, vmem>
// CHECK-NEXT: scf.for
// CHECK-NOT: scf.if
// CHECK: pallas.addupdate %[[S]]
// CHECK-NEXT: }
// CHECK: %[[SEVEN:.*]] = arith.constant 7 : i32
// CHECK: %[[ROW:.*]] = arith.muli %[[SEVEN]], %{{.*}} : i32
// CHECK-NOT: scf.if
// CHECK: pallas.swap %{{.*}}[%[[ROW]], :], %{{.*}} : !pallas.ref<64x16xf32, default>
func.func @ends(%x: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %o = pallas.pallas_call grid(8)
    in(%x : tensor<64x16xf32>) block<[8, 16], default> map(%i) -> (%i, 0)
    out(tensor<64x16xf32>) block<[64, 16], default> map(%i) -> (0, 0)
    attributes {pallas.coarsen = array<i64: 8>}
    kernel(%xr: !pallas.ref<8x16xf32, default>, %or: !pallas.ref<64x16xf32, default>, %sum: !pallas.ref<16xf32, vmem>) {
    %id = pallas.program_id 0
    %c0 = arith.constant 0 : i32
    %c7 = arith.constant 7 : i32
    %c8 = arith.constant 8 : i32
    %v = pallas.get %xr[...] : !pallas.ref<8x16xf32, default>
    %isFirst = arith.cmpi eq, %id, %c0 : i32
    scf.if %isFirst {
      %zero = arith.constant dense<0.0> : tensor<16xf32>
      %zeros = arith.constant dense<0.0> : tensor<64x16xf32>
      pallas.swap %or[...], %zeros : !pallas.ref<64x16xf32, default>, tensor<64x16xf32>
      pallas.swap %sum[...], %zero : !pallas.ref<16xf32, vmem>, tensor<16xf32>
    }
    %s = pallas.reduce <add> %v dims [0] : tensor<8x16xf32>
    pallas.addupdate %sum[...], %s : !pallas.ref<16xf32, vmem>, tensor<16xf32>
    %isLast = arith.cmpi eq, %id, %c7 : i32
    %row = arith.muli %id, %c8 : i32
    scf.if %isLast {
      %all = pallas.get %sum[...] : !pallas.ref<16xf32, vmem>
      pallas.swap %or[%row, :], %all : !pallas.ref<64x16xf32, default>, tensor<16xf32>
    }
  }
  return %o : tensor<64x16xf32>
}

// The last step has two parts only, of which the second one stores the sum.
// CHECK-LABEL: func.func @short_step
// CHECK: grid(3)
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[COUNT:.*]] step
// CHECK-NOT: scf.if
// CHECK: pallas.addupdate
// CHECK-NEXT: }
// CHECK: %[[PART:.*]] = arith.subi %[[COUNT]], %{{.*}} : i32
// CHECK: arith.addi %{{.*}}, %[[PART]] : i32
// CHECK: scf.if
// CHECK-NEXT: pallas.get
func.func @short_step(%x: tensor<64x16xf32>) -> tensor<16xf32> {
  %o = pallas.pallas_call grid(8)
    in(%x : tensor<64x16xf32>) block<[8, 16], default> map(%i) -> (%i, 0)
    out(tensor<16xf32>) block<[16], default> map(%i) -> (0)
    attributes {pallas.coarsen = array<i64: 3>}
    kernel(%xr: !pallas.ref<8x16xf32, default>, %or: !pallas.ref<16xf32, default>, %sum: !pallas.ref<16xf32, vmem>) {
    %id = pallas.program_id 0
    %c0 = arith.constant 0 : i32
    %c7 = arith.constant 7 : i32
    %isFirst = arith.cmpi eq, %id, %c0 : i32
    scf.if %isFirst {
      %zero = arith.constant dense<0.0> : tensor<16xf32>
      pallas.swap %sum[...], %zero : !pallas.ref<16xf32, vmem>, tensor<16xf32>
    }
    %v = pallas.get %xr[...] : !pallas.ref<8x16xf32, default>
    %s = pallas.reduce <add> %v dims [0] : tensor<8x16xf32>
    pallas.addupdate %sum[...], %s : !pallas.ref<16xf32, vmem>, tensor<16xf32>
    %isLast = arith.cmpi eq, %id, %c7 : i32
    scf.if %isLast {
      %all = pallas.get %sum[...] : !pallas.ref<16xf32, vmem>
      pallas.swap %or[...], %all : !pallas.ref<16xf32, default>, tensor<16xf32>
    }
  }
  return %o : tensor<16xf32>
}

// Branches stay where other accesses come between, where other parts take them,
// too, and where they use what the part has computed.
// CHECK-LABEL: func.func @in_between
// CHECK: grid(2)
// CHECK-NOT: scf.if
// CHECK: scf.for
// CHECK-COUNT-4: scf.if
func.func @in_between(%x: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %o = pallas.pallas_call grid(8)
    in(%x : tensor<64x16xf32>) block<[8, 16], default> map(%i) -> (%i, 0)
    out(tensor<64x16xf32>) block<[8, 16], default> map(%i) -> (%i, 0)
    attributes {pallas.coarsen = array<i64: 4>}
    kernel(%xr: !pallas.ref<8x16xf32, default>, %or: !pallas.ref<8x16xf32, default>, %sum: !pallas.ref<8x16xf32, vmem>) {
    %id = pallas.program_id 0
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c7 = arith.constant 7 : i32
    %v = pallas.get %xr[...] : !pallas.ref<8x16xf32, default>
    %isFirst = arith.cmpi eq, %id, %c0 : i32
    scf.if %isFirst {
      pallas.swap %sum[...], %v : !pallas.ref<8x16xf32, vmem>, tensor<8x16xf32>
    }
    %isEarly = arith.cmpi sle, %id, %c1 : i32
    scf.if %isEarly {
      pallas.addupdate %sum[...], %v : !pallas.ref<8x16xf32, vmem>, tensor<8x16xf32>
    }
    %s = pallas.get %sum[...] : !pallas.ref<8x16xf32, vmem>
    pallas.swap %or[...], %s : !pallas.ref<8x16xf32, default>, tensor<8x16xf32>
    scf.if %isFirst {
      %one = arith.constant dense<1.0> : tensor<8x16xf32>
      pallas.addupdate %sum[...], %one : !pallas.ref<8x16xf32, vmem>, tensor<8x16xf32>
    }
    %isLast = arith.cmpi eq, %id, %c7 : i32
    scf.if %isLast {
      %two = arith.constant dense<2.0> : tensor<8x16xf32>
      pallas.swap %or[...], %two : !pallas.ref<8x16xf32, default>, tensor<8x16xf32>
    }
    pallas.addupdate %or[...], %v : !pallas.ref<8x16xf32, default>, tensor<8x16xf32>
  }
  return %o : tensor<64x16xf32>
}
