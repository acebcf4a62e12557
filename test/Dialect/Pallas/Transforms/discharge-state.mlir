// RUN: pallas-opt %s --pallas-discharge-state --split-input-file --verify-diagnostics | FileCheck %s
// RUN: pallas-opt %s --pallas-discharge-state --convert-pallas-to-linalg --split-input-file --verify-diagnostics \
// RUN:   | mlir-opt-22 --split-input-file -o /dev/null

// CHECK-LABEL: func.func @branch
// CHECK-SAME: (%[[X:.*]]: tensor<8xf32>, %[[P:.*]]: i1) -> (f32, tensor<8xf32>)
func.func @branch(%x: !pallas.ref<8xf32, vmem>, %p: i1) -> f32 {
  // CHECK: %[[C:.*]] = tensor.extract %[[X]]
  %c = pallas.get %x[2] : !pallas.ref<8xf32, vmem>
  // CHECK: %[[R:.*]] = scf.if %[[P]] -> (tensor<8xf32>)
  // CHECK: %[[N:.*]] = tensor.insert %[[C]] into %[[X]]
  // CHECK: scf.yield %[[N]]
  // CHECK: else
  // CHECK: scf.yield %[[X]]
  scf.if %p {
    pallas.swap %x[0], %c : !pallas.ref<8xf32, vmem>, f32
  }
  // CHECK: return %[[C]], %[[R]]
  return %c : f32
}

// -----

// Only what is written is threaded.
// CHECK-LABEL: func.func @loop
// CHECK-SAME: (%[[X:.*]]: tensor<8xf32>, %[[Y:.*]]: tensor<8xf32>, %{{.*}}: index) -> (tensor<8xf32>, tensor<8xf32>)
func.func @loop(%x: !pallas.ref<8xf32, vmem>, %y: !pallas.ref<8xf32, vmem>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[R:.*]] = scf.for {{.*}} iter_args(%[[I:.*]] = %[[Y]]) -> (tensor<8xf32>)
  scf.for %i = %c0 to %n step %c1 {
    // CHECK: %[[S:.*]] = arith.addf %[[I]], %[[X]]
    // CHECK: scf.yield %[[S]]
    %v = pallas.get %x[...] : !pallas.ref<8xf32, vmem>
    pallas.addupdate %y[...], %v : !pallas.ref<8xf32, vmem>, tensor<8xf32>
  }
  // CHECK: return %[[X]], %[[R]]
  return
}

// -----

// A write through views goes all the way back.
// CHECK-LABEL: func.func @views
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[V:.*]]: tensor<8xf32>
func.func @views(%x: !pallas.ref<4x8xf32, vmem>, %v: tensor<8xf32>) {
  // CHECK: %[[T:.*]] = pallas.transpose %[[X]]
  // CHECK: %[[N:.*]] = tensor.insert_slice %[[V]] into %{{.*}}[0, 1] [8, 1] [1, 1]
  // CHECK: %[[B:.*]] = pallas.transpose %[[N]]
  // CHECK: return %[[B]]
  %t = pallas.transpose_ref %x, [1, 0] : !pallas.ref<4x8xf32, vmem> -> !pallas.ref<8x4xf32, vmem>
  %r = pallas.slice_ref %t[:, 1] : !pallas.ref<8x4xf32, vmem>
  pallas.swap %r[...], %v : !pallas.ref<8xf32, vmem>, tensor<8xf32>
  return
}

// -----

// CHECK-LABEL: func.func private @callee
// CHECK-SAME: tensor<8xf32>) -> (f32, tensor<8xf32>)
func.func private @callee(%x: !pallas.ref<8xf32, vmem>) -> f32 {
  %c = pallas.get %x[2] : !pallas.ref<8xf32, vmem>
  return %c : f32
}

// CHECK-LABEL: func.func @scopes
func.func @scopes(%v: tensor<8xf32>) -> f32 {
  // CHECK-NOT: pallas.
  // CHECK: call @callee(%{{.*}}) : (tensor<8xf32>) -> (f32, tensor<8xf32>)
  %r = pallas.run_scoped (%tmp: !pallas.ref<8xf32, vmem>) -> f32 {
    pallas.swap %tmp[...], %v : !pallas.ref<8xf32, vmem>, tensor<8xf32>
    %s = func.call @callee(%tmp) : (!pallas.ref<8xf32, vmem>) -> f32
    pallas.yield %s : f32
  }
  return %r : f32
}

// -----

// CHECK-LABEL: func.func @call
// CHECK-SAME: %[[X:.*]]: tensor<20x128xf32>
func.func @call(%x: tensor<20x128xf32>) -> tensor<20x128xf32> {
  // The rest of a block is padding.
  // CHECK: %[[PAD:.*]] = tensor.pad
  // CHECK: %[[R:.*]] = scf.for {{.*}} -> (tensor<24x128xf32>)
  // CHECK:   tensor.extract_slice %[[PAD]][%{{.*}}, %{{.*}}] [8, 128]
  // CHECK:   tensor.insert_slice
  // CHECK: tensor.extract_slice %[[R]][0, 0] [20, 128]
  %o = pallas.pallas_call @double grid(3)
      in(%x : tensor<20x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      out(tensor<20x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      kernel(%xr: !pallas.ref<8x128xf32, vmem>, %or: !pallas.ref<8x128xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x128xf32, vmem>
    %d = arith.addf %v, %v : tensor<8x128xf32>
    pallas.swap %or[...], %d : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return %o : tensor<20x128xf32>
}

// -----

func.func @global() -> f32 {
  // expected-error @+1 {{makes a ref of type '!pallas.ref<8xf32, gmem>' that no value can replace}}
  %r = pallas.get_global "counter" : !pallas.ref<8xf32, gmem>
  %v = pallas.get %r[0] : !pallas.ref<8xf32, gmem>
  return %v : f32
}

// -----

// Elements stay in place where others lie outside: they are read one by one.
// CHECK-LABEL: func.func @hangs_over
// CHECK-SAME: (%[[X:.*]]: tensor<24xf32>, %[[I:.*]]: i32)
// CHECK: linalg.generic
// CHECK: %[[START:.*]] = arith.index_cast %[[I]]
// CHECK: %[[PLACE:.*]] = arith.addi %[[START]], %{{.*}}
// CHECK: arith.minsi %[[PLACE]]
// CHECK: tensor.extract %[[X]]
// CHECK: scf.for
// CHECK: arith.cmpi ult
// CHECK: scf.if
func.func @hangs_over(%x: !pallas.ref<24xf32, gmem>, %i: i32) -> tensor<16xf32> {
  %v = pallas.masked_load %x[ds(%i, 16)] : !pallas.ref<24xf32, gmem>
  %all = arith.constant dense<true> : tensor<16xi1>
  pallas.masked_swap %x[ds(%i, 16)], %v mask %all : !pallas.ref<24xf32, gmem>, tensor<16xf32>, tensor<16xi1>
  return %v : tensor<16xf32>
}

// -----

// As many elements as a ref of indices names.
// CHECK-LABEL: func.func @scatter
// CHECK: tensor.extract_slice %{{.*}}[0] [%{{.*}}] [1] : tensor<16xi32> to tensor<?xi32>
// CHECK: tensor.extract_slice %{{.*}}[0] [%[[N:.*]]] [1] : tensor<16xi32> to tensor<?xi32>
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[N]] step
func.func @scatter(%x: !pallas.ref<16xi32, vmem>, %i: !pallas.ref<16xi32, vmem>, %o: !pallas.ref<32xi32, hbm>, %n: i32,
                   %sem: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
  %part = pallas.slice_ref %x[ds(0, %n)] : !pallas.ref<16xi32, vmem>
  %at = pallas.slice_ref %i[ds(0, %n)] : !pallas.ref<16xi32, vmem>
  %there = pallas.slice_ref %o[gather(%at : !pallas.ref<?xi32, vmem>)] : !pallas.ref<32xi32, hbm>
  pallas.dma_start %part to %there signals %sem : !pallas.ref<?xi32, vmem>, !pallas.ref<?xi32, hbm>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  pallas.dma_wait %part to %there signals %sem : !pallas.ref<?xi32, vmem>, !pallas.ref<?xi32, hbm>, !pallas.ref<!pallas.dma_semaphore, semaphore>
  return
}
