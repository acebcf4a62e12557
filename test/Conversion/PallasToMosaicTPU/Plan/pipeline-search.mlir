// RUN: pallas-opt %s --choose-tpu-coarsening=chip=v5e --split-input-file --verify-diagnostics | FileCheck %s
// RUN: pallas-opt %s --pallas-to-mosaic-tpu=chip=v5e --split-input-file 2>/dev/null | FileCheck %s --check-prefix=LOWERED

// The call says what its pipelines became.
// CHECK-LABEL: func.func @elements
// CHECK: metadata = {pipelines = "d0=128,d1=4: 11031 cycles for 626117"}
// CHECK: pallas.emit_pipeline grid(1, 2)
// LOWERED: metadata = "{\22pipelines\22:\22d0=128,d1=4: 11031 cycles for 626117\22}"
// LOWERED: scf.for %{{.*}} = %c0_i32 to %c2_i32
func.func @elements(%x: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %o = pallas.pallas_call grid()
    in(%x : tensor<1024x1024xf32>) block<[1024, 1024], any>
    out(tensor<1024x1024xf32>) block<[1024, 1024], any>
    kernel(%a: !pallas.ref<1024x1024xf32, any>, %b: !pallas.ref<1024x1024xf32, any>) {
    // expected-remark @below {{joins steps of a pipeline by d0=128,d1=4: about 11031 cycles on v5e instead of 626117, with 8388608 bytes of VMEM}}
    pallas.emit_pipeline grid(128, 8)
      in(%a : !pallas.ref<1024x1024xf32, any>) block<[8, 128], vmem> map(%i, %j) -> (%i, %j)
      out(%b : !pallas.ref<1024x1024xf32, any>) block<[8, 128], vmem> map(%i, %j) -> (%i, %j)
      kernel(%i: i32, %j: i32, %p: !pallas.ref<8x128xf32, vmem>, %q: !pallas.ref<8x128xf32, vmem>) {
      %v = pallas.get %p[...] : !pallas.ref<8x128xf32, vmem>
      %w = arith.addf %v, %v : tensor<8x128xf32>
      pallas.swap %q[...], %w : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
    }
  }
  return %o : tensor<1024x1024xf32>
}

// -----

// The branch counts as taken in one step of 128: the id is an argument.
// CHECK-LABEL: func.func @sum
// CHECK: pallas.emit_pipeline grid(2)
func.func @sum(%x: tensor<1024x1024xf32>) -> tensor<8x1024xf32> {
  %o = pallas.pallas_call grid()
    in(%x : tensor<1024x1024xf32>) block<[1024, 1024], any>
    out(tensor<8x1024xf32>) block<[8, 1024], vmem>
    kernel(%a: !pallas.ref<1024x1024xf32, any>, %sum: !pallas.ref<8x1024xf32, vmem>) {
    // expected-remark @below {{joins steps of a pipeline by d0=64: about 9128 cycles on v5e}}
    pallas.emit_pipeline grid(128)
      in(%a : !pallas.ref<1024x1024xf32, any>) block<[8, 1024], vmem> map(%i) -> (%i, 0)
      kernel(%i: i32, %p: !pallas.ref<8x1024xf32, vmem>) {
      %c0 = arith.constant 0 : i32
      %isFirst = arith.cmpi eq, %i, %c0 : i32
      // expected-remark @below {{steps of grid dimension 0 become a loop over parts: 'scf.if' depends on which of the steps it is}}
      scf.if %isFirst {
        %zero = arith.constant dense<0.0> : tensor<8x1024xf32>
        pallas.swap %sum[...], %zero : !pallas.ref<8x1024xf32, vmem>, tensor<8x1024xf32>
      }
      %v = pallas.get %p[...] : !pallas.ref<8x1024xf32, vmem>
      pallas.addupdate %sum[...], %v : !pallas.ref<8x1024xf32, vmem>, tensor<8x1024xf32>
    }
  }
  return %o : tensor<8x1024xf32>
}

// -----

// Whoever chose the number of buffers keeps the steps, and so does who has
// chosen the coarsening factors.
// CHECK-LABEL: func.func @chosen
// CHECK-NOT: metadata
// CHECK: pallas.emit_pipeline grid(128)
// CHECK: pallas.emit_pipeline grid(128)
func.func @chosen(%x: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %o = pallas.pallas_call grid()
    in(%x : tensor<1024x1024xf32>) block<[1024, 1024], any>
    out(tensor<1024x1024xf32>) block<[1024, 1024], any>
    kernel(%a: !pallas.ref<1024x1024xf32, any>, %b: !pallas.ref<1024x1024xf32, any>) {
    pallas.emit_pipeline grid(128)
      in(%a : !pallas.ref<1024x1024xf32, any>) block<[8, 1024], vmem, pipeline = <3>> map(%i) -> (%i, 0)
      out(%b : !pallas.ref<1024x1024xf32, any>) block<[8, 1024], vmem> map(%i) -> (%i, 0)
      kernel(%i: i32, %p: !pallas.ref<8x1024xf32, vmem>, %q: !pallas.ref<8x1024xf32, vmem>) {
      %v = pallas.get %p[...] : !pallas.ref<8x1024xf32, vmem>
      pallas.swap %q[...], %v : !pallas.ref<8x1024xf32, vmem>, tensor<8x1024xf32>
    }
    pallas.emit_pipeline grid(128)
      in(%a : !pallas.ref<1024x1024xf32, any>) block<[8, 1024], vmem> map(%i) -> (%i, 0)
      out(%b : !pallas.ref<1024x1024xf32, any>) block<[8, 1024], vmem> map(%i) -> (%i, 0)
      attributes {pallas.coarsen = array<i64: 1>}
      kernel(%i: i32, %p: !pallas.ref<8x1024xf32, vmem>, %q: !pallas.ref<8x1024xf32, vmem>) {
      %v = pallas.get %p[...] : !pallas.ref<8x1024xf32, vmem>
      pallas.swap %q[...], %v : !pallas.ref<8x1024xf32, vmem>, tensor<8x1024xf32>
    }
  }
  return %o : tensor<1024x1024xf32>
}
