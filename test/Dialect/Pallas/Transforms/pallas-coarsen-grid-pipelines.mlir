// RUN: rm -rf %t && mkdir %t
// RUN: pallas-opt %s --pallas-coarsen-grid=pipelines=d0=2 --mlir-print-debuginfo=false 2>%t/remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --implicit-check-not=remark < %t/remarks
// RUN: %python -c "import numpy as np; np.save('%t/x.npy', np.random.default_rng(0).standard_normal((32, 16)).astype(np.float32))"
// RUN: pallas-run %s --entry=rows --in %t/x.npy --diff-passes=pallas-coarsen-grid{pipelines=d0=2} --tolerance=0 | FileCheck %s --check-prefix=SAME
// RUN: pallas-run %s --entry=sum --in %t/x.npy --diff-passes=pallas-coarsen-grid{pipelines=d0=2} --tolerance=0 | FileCheck %s --check-prefix=SAME
// RUN: pallas-run %s --entry=short --in %t/x.npy --diff-passes=pallas-coarsen-grid{pipelines=d0=2} --tolerance=0 | FileCheck %s --check-prefix=SAME
// RUN: not pallas-opt %s --pallas-coarsen-grid=pipelines=d0=64 2>&1 | FileCheck %s --check-prefix=MORE

// SAME: executed after 1
// SAME-NEXT: no pass changes the answer
// MORE: error: the coarsening factor 64 of dimension 0 is more than its size of 4; write 4 or less

// Blocks grow; the id counts in parts, what rows exceed cancels.
// CHECK-LABEL: func.func @rows
// CHECK: pallas.emit_pipeline grid(2)
// CHECK: block<[16, 16], vmem> map(%[[I:.*]]) -> (%[[I]], 0)
// CHECK: kernel(%[[ID:.*]]: i32, %{{.*}}: !pallas.ref<16x16xf32, vmem>
// CHECK: %[[FIRST:.*]] = arith.muli %[[ID]], %{{.*}} : i32
// CHECK: arith.muli %[[FIRST]]
// CHECK: pallas.iota 0 : tensor<16x16xi32>
func.func @rows(%x: tensor<32x16xf32>) -> tensor<32x16xf32> {
  %o = pallas.pallas_call grid()
      in(%x : tensor<32x16xf32>) block<[32, 16], any>
      out(tensor<32x16xf32>) block<[32, 16], any>
      kernel(%xr: !pallas.ref<32x16xf32, any>, %or: !pallas.ref<32x16xf32, any>) {
    pallas.emit_pipeline grid(4)
        in(%xr : !pallas.ref<32x16xf32, any>) block<[8, 16], vmem> map(%i) -> (%i, 0)
        out(%or : !pallas.ref<32x16xf32, any>) block<[8, 16], vmem> map(%i) -> (%i, 0)
        kernel(%i: i32, %a: !pallas.ref<8x16xf32, vmem>, %b: !pallas.ref<8x16xf32, vmem>) {
      %c8 = arith.constant 8 : i32
      %start = arith.muli %i, %c8 : i32
      %rows = pallas.iota 0 : tensor<8x16xi32>
      %starts = pallas.broadcast %start : i32 -> tensor<8x16xi32>
      %all = arith.addi %rows, %starts : tensor<8x16xi32>
      %f = arith.sitofp %all : tensor<8x16xi32> to tensor<8x16xf32>
      %v = pallas.get %a[...] : !pallas.ref<8x16xf32, vmem>
      %w = arith.mulf %v, %f : tensor<8x16xf32>
      pallas.swap %b[...], %w : !pallas.ref<8x16xf32, vmem>, tensor<8x16xf32>
    }
  }
  return %o : tensor<32x16xf32>
}

// The sum is memory around the pipeline; parts add to it one after the other.
// REMARK: remark: steps of grid dimension 0 become a loop over parts: 'scf.if' depends on which of the steps it is
// CHECK-LABEL: func.func @sum
// CHECK: pallas.emit_pipeline grid(2)
// CHECK: kernel(%[[ID:.*]]: i32, %[[X:.*]]: !pallas.ref<16x16xf32, vmem>)
// CHECK: scf.for %[[J:.*]] =
// CHECK: %[[PART:.*]] = pallas.slice_ref %[[X]][ds(%{{.*}}, 8), :]
// CHECK: %[[FIRST:.*]] = arith.muli %[[ID]], %{{.*}} : i32
// CHECK: %[[STEP:.*]] = arith.addi %[[FIRST]], %[[J]] : i32
// CHECK: arith.cmpi eq, %[[STEP]]
func.func @sum(%x: tensor<32x16xf32>) -> tensor<8x16xf32> {
  %o = pallas.pallas_call grid()
      in(%x : tensor<32x16xf32>) block<[32, 16], any>
      out(tensor<8x16xf32>) block<[8, 16], vmem>
      kernel(%xr: !pallas.ref<32x16xf32, any>, %or: !pallas.ref<8x16xf32, vmem>) {
    pallas.emit_pipeline grid(4)
        in(%xr : !pallas.ref<32x16xf32, any>) block<[8, 16], vmem> map(%i) -> (%i, 0)
        kernel(%i: i32, %a: !pallas.ref<8x16xf32, vmem>) {
      %c0 = arith.constant 0 : i32
      %isFirst = arith.cmpi eq, %i, %c0 : i32
      scf.if %isFirst {
        %zero = arith.constant dense<0.0> : tensor<8x16xf32>
        pallas.swap %or[...], %zero : !pallas.ref<8x16xf32, vmem>, tensor<8x16xf32>
      }
      %v = pallas.get %a[...] : !pallas.ref<8x16xf32, vmem>
      pallas.addupdate %or[...], %v : !pallas.ref<8x16xf32, vmem>, tensor<8x16xf32>
    }
  }
  return %o : tensor<8x16xf32>
}

// The last step has one part.
// REMARK: remark: steps of grid dimension 0 become a loop over parts: 'pallas.get' takes a part of the rows of a block
// CHECK-LABEL: func.func @short
// CHECK: pallas.emit_pipeline grid(3)
// CHECK: %[[LEFT:.*]] = arith.subi %{{.*}}, %{{.*}} : i32
// CHECK: %[[COUNT:.*]] = arith.minsi %[[LEFT]], %{{.*}} : i32
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[COUNT]]
func.func @short(%x: tensor<32x16xf32>) -> tensor<8x16xf32> {
  %o = pallas.pallas_call grid()
      in(%x : tensor<32x16xf32>) block<[32, 16], any>
      out(tensor<8x16xf32>) block<[8, 16], vmem>
      kernel(%xr: !pallas.ref<32x16xf32, any>, %or: !pallas.ref<8x16xf32, vmem>) {
    %zero = arith.constant dense<0.0> : tensor<8x16xf32>
    pallas.swap %or[...], %zero : !pallas.ref<8x16xf32, vmem>, tensor<8x16xf32>
    %view = pallas.slice_ref %xr[ds(0, 24), :] : !pallas.ref<32x16xf32, any>
    pallas.emit_pipeline grid(3)
        in(%view : !pallas.ref<24x16xf32, any>) block<[8, 16], vmem> map(%i) -> (%i, 0)
        attributes {pallas.coarsen = array<i64: 1>}
        kernel(%i: i32, %a: !pallas.ref<8x16xf32, vmem>) {
      %v = pallas.get %a[...] : !pallas.ref<8x16xf32, vmem>
      pallas.addupdate %or[...], %v : !pallas.ref<8x16xf32, vmem>, tensor<8x16xf32>
    }
    pallas.emit_pipeline grid(5)
        in(%xr : !pallas.ref<32x16xf32, any>) block<[7, 16], vmem> map(%i) -> (%i, 0)
        kernel(%i: i32, %a: !pallas.ref<7x16xf32, vmem>) {
      %v = pallas.get %a[ds(0, 4), :] : !pallas.ref<7x16xf32, vmem>
      pallas.addupdate %or[ds(0, 4), :], %v : !pallas.ref<8x16xf32, vmem>, tensor<4x16xf32>
    }
  }
  return %o : tensor<8x16xf32>
}

// REMARK: remark: steps of grid dimension 0 stay apart: windows of one array are read and written
// CHECK-LABEL: func.func @in_place
// CHECK: pallas.emit_pipeline grid(4)
func.func @in_place() -> tensor<32x16xf32> {
  %o = pallas.pallas_call grid()
      out(tensor<32x16xf32>) block<[32, 16], any>
      kernel(%or: !pallas.ref<32x16xf32, any>) {
    pallas.emit_pipeline grid(4)
        in(%or : !pallas.ref<32x16xf32, any>) block<[8, 16], vmem> map(%i) -> (%i, 0)
        out(%or : !pallas.ref<32x16xf32, any>) block<[8, 16], vmem> map(%i) -> (%i, 0)
        kernel(%i: i32, %a: !pallas.ref<8x16xf32, vmem>, %b: !pallas.ref<8x16xf32, vmem>) {
      %v = pallas.get %a[...] : !pallas.ref<8x16xf32, vmem>
      pallas.swap %b[...], %v : !pallas.ref<8x16xf32, vmem>, tensor<8x16xf32>
    }
  }
  return %o : tensor<32x16xf32>
}

// REMARK: remark: steps of grid dimension 0 stay apart: the kernel accesses an array of the pipeline
// REMARK: remark: steps of grid dimension 0 stay apart: 'pallas.dma_start' may depend on when windows are copied
// REMARK: remark: steps of grid dimension 0 stay apart: an index map reads memory
// REMARK: remark: steps of grid dimension 0 stay apart: steps hand values to the next ones
// REMARK: remark: steps of grid dimension 0 stay apart: its steps run on cores of their own
// CHECK-LABEL: func.func @apart
// CHECK-COUNT-5: pallas.emit_pipeline grid(4)
func.func @apart(%x: tensor<32x16xf32>) -> tensor<32x16xf32> {
  %o = pallas.pallas_call grid()
      in(%x : tensor<32x16xf32>) block<[32, 16], any>
      out(tensor<32x16xf32>) block<[32, 16], any>
      kernel(%xr: !pallas.ref<32x16xf32, any>, %or: !pallas.ref<32x16xf32, any>,
             %s: !pallas.ref<4xi32, smem>, %v: !pallas.ref<8x16xf32, vmem>, %sem: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
    pallas.emit_pipeline grid(4)
        in(%xr : !pallas.ref<32x16xf32, any>) block<[8, 16], vmem> map(%i) -> (%i, 0)
        kernel(%i: i32, %a: !pallas.ref<8x16xf32, vmem>) {
      %part = pallas.slice_ref %xr[ds(0, 8), :] : !pallas.ref<32x16xf32, any>
    }
    pallas.emit_pipeline grid(4)
        in(%xr : !pallas.ref<32x16xf32, any>) block<[8, 16], vmem> map(%i) -> (%i, 0)
        kernel(%i: i32, %a: !pallas.ref<8x16xf32, vmem>) {
      pallas.dma_start %a to %v signals %sem : !pallas.ref<8x16xf32, vmem>, !pallas.ref<8x16xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    }
    pallas.emit_pipeline grid(4)
        in(%xr : !pallas.ref<32x16xf32, any>) block<[8, 16], vmem> map(%i) {
          %c0 = arith.constant 0 : i32
          %b = pallas.get %s[%i] : !pallas.ref<4xi32, smem>
          pallas.yield %b, %c0 : i32, i32
        }
        kernel(%i: i32, %a: !pallas.ref<8x16xf32, vmem>) {
    }
    %c0 = arith.constant 0 : i32
    %r = pallas.emit_pipeline grid(4)
        in(%xr : !pallas.ref<32x16xf32, any>) block<[8, 16], vmem> map(%i) -> (%i, 0)
        carry(%c0 : i32)
        kernel(%i: i32, %a: !pallas.ref<8x16xf32, vmem>, %c: i32) {
      pallas.yield %i : i32
    }
    pallas.emit_pipeline grid(4)
        in(%xr : !pallas.ref<32x16xf32, any>) block<[8, 16], vmem> map(%i) -> (%i, 0)
        semantics [parallel]
        attributes {coreAxis = "core"}
        kernel(%i: i32, %a: !pallas.ref<8x16xf32, vmem>) {
    }
  }
  return %o : tensor<32x16xf32>
}
