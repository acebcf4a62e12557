// RUN: pallas-opt %s --pallas-grids-to-loops=parallel=false --split-input-file | FileCheck %s
// RUN: pallas-opt %s --pallas-grids-to-loops --split-input-file | FileCheck %s --check-prefix=THREADS

// Operands and results are memory around the loops. Queries of the grid are counters and sizes.

// CHECK-LABEL: func.func @double(
// CHECK-SAME: %[[X:.*]]: tensor<8x128xf32>, %[[N:.*]]: i32)
// CHECK-NEXT: %[[A:.*]] = pallas.operand_ref "input 0" %[[X]] : tensor<8x128xf32> -> !pallas.ref<8x128xf32, any>
// CHECK-NEXT: %[[O:.*]] = pallas.result_ref "output 0" : !pallas.ref<8x128xf32, any>
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %c2 step %c1 {
// CHECK-NEXT: scf.for %[[J:.*]] = %{{.*}} to %[[SIZE:.*]] step %c1 {
// CHECK: %[[AW:.*]] = pallas.window %[[A]][%{{.*}}, %{{.*}} : i32, i32] block<[4, 128], vmem> : !pallas.ref<8x128xf32, any>
// CHECK: %[[OW:.*]] = pallas.window %[[O]][%{{.*}}, %{{.*}} : i32, i32] block<[4, 128], vmem> : !pallas.ref<8x128xf32, any>
// CHECK-NEXT: %[[ID:.*]] = arith.index_cast %[[I]] : index to i32
// CHECK-NEXT: %[[COUNT:.*]] = arith.index_cast %[[SIZE]] : index to i32
// CHECK-NEXT: arith.addi %[[ID]], %[[COUNT]] : i32
// CHECK: pallas.get %[[AW]][...]
// CHECK: pallas.swap %[[OW]][...]
// CHECK: %[[R:.*]] = pallas.ref_value %[[O]] : !pallas.ref<8x128xf32, any> -> tensor<8x128xf32>
// CHECK-NEXT: return %[[R]]
func.func @double(%x: tensor<8x128xf32>, %n: i32) -> tensor<8x128xf32> {
  %o = pallas.pallas_call grid(2, %n)
      in(%x : tensor<8x128xf32>) block<[4, 128], vmem> map(%i, %j) -> (%i, 0)
      out(tensor<8x128xf32>) block<[4, 128], vmem> map(%i, %j) -> (%i, 0)
      kernel(%xr: !pallas.ref<4x128xf32, vmem>, %or: !pallas.ref<4x128xf32, vmem>) {
    %id = pallas.program_id 0
    %count = pallas.num_programs 1
    %sum = arith.addi %id, %count : i32
    %v = pallas.get %xr[...] : !pallas.ref<4x128xf32, vmem>
    %s = arith.addf %v, %v : tensor<4x128xf32>
    pallas.swap %or[...], %s : !pallas.ref<4x128xf32, vmem>, tensor<4x128xf32>
  }
  return %o : tensor<8x128xf32>
}

// -----

// Index maps read prefetched scalars. The kernel writes to the input, which the caller doesn't
// see, and to a result that starts as a copy of its operand.

// CHECK-LABEL: func.func @indices(
// CHECK: %[[K:.*]] = pallas.operand_ref "index operand" %{{.*}} : tensor<2xi32> -> !pallas.ref<2xi32, smem>
// CHECK-NEXT: %[[X:.*]] = pallas.operand_ref "input 0" %{{.*}} : tensor<8xf32> -> !pallas.ref<8xf32, any>
// CHECK-NEXT: %[[C:.*]] = pallas.pad_ref %[[X]] low [0] : !pallas.ref<8xf32, any> -> !pallas.ref<8xf32, any>
// CHECK-NEXT: %[[Y:.*]] = pallas.operand_ref "input 1" %{{.*}} : tensor<8xf32> -> !pallas.ref<8xf32, any>
// CHECK-NEXT: %[[O:.*]] = pallas.result_ref "output 0" of %[[Y]] as !pallas.ref<8xf32, any> : !pallas.ref<8xf32, any>
// CHECK: scf.for
// CHECK: %[[AT:.*]] = pallas.get %[[K]][%{{.*}}] : !pallas.ref<2xi32, smem>
// CHECK: pallas.window %[[C]][%[[AT]] : i32] block<[4], vmem>
// CHECK: pallas.window %[[O]]
func.func @indices(%k: tensor<2xi32>, %x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %o = pallas.pallas_call grid(2)
      prefetch(%k : tensor<2xi32>)
      in(%x : tensor<8xf32>) block<[4], vmem> map(%i, %kr) {
        %at = pallas.get %kr[%i] : !pallas.ref<2xi32, smem>
        pallas.yield %at : i32
      }
      in(%y : tensor<8xf32>) block<[4], vmem> map(%i) -> (%i)
      out(tensor<8xf32>) block<[4], vmem> map(%i) -> (%i)
      aliases [2 -> 0]
      kernel(%kr: !pallas.ref<2xi32, smem>, %xr: !pallas.ref<4xf32, vmem>, %yr: !pallas.ref<4xf32, vmem>, %or: !pallas.ref<4xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<4xf32, vmem>
    pallas.swap %xr[...], %v : !pallas.ref<4xf32, vmem>, tensor<4xf32>
    pallas.swap %or[...], %v : !pallas.ref<4xf32, vmem>, tensor<4xf32>
  }
  return %o : tensor<8xf32>
}

// -----

// Few partial blocks are copies: no program finds what another one leaves in padding.

// CHECK-LABEL: func.func @edges(
// CHECK: %[[X:.*]] = pallas.operand_ref "input 0"
// CHECK: %[[O:.*]] = pallas.result_ref "output 0"
// CHECK: scf.for
// CHECK: pallas.edge_window %[[X]][%{{.*}} : i32] block<[8], vmem> copied filled : !pallas.ref<60xf32, any>
// CHECK: %[[W:.*]] = pallas.edge_window %[[O]][%{{.*}} : i32] block<[8], vmem> output : !pallas.ref<60xf32, any>
// CHECK: pallas.swap %[[W]]
// CHECK-NEXT: pallas.write_edge %[[W]] : !pallas.ref<8xf32, vmem>
// CHECK-NEXT: }
func.func @edges(%x: tensor<60xf32>) -> tensor<60xf32> {
  %o = pallas.pallas_call grid(8)
      in(%x : tensor<60xf32>) block<[8], vmem> map(%i) -> (%i)
      out(tensor<60xf32>) block<[8], vmem> map(%i) -> (%i)
      kernel(%xr: !pallas.ref<8xf32, vmem>, %or: !pallas.ref<8xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<8xf32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<8xf32, vmem>, tensor<8xf32>
  }
  return %o : tensor<60xf32>
}

// -----

// Every program reads what the one before has left in the output, in its padding, too.

// CHECK-LABEL: func.func @padded(
// CHECK: %[[O:.*]] = pallas.result_ref "output 0" : !pallas.ref<6xf32, any>
// CHECK-NEXT: %[[P:.*]] = pallas.pad_ref %[[O]] low [0] uninitialized : !pallas.ref<6xf32, any> -> !pallas.ref<8xf32, any>
// CHECK: scf.for
// CHECK: pallas.window %[[P]]
// CHECK: pallas.unpad_ref %[[P]] low [0] to %[[O]] : !pallas.ref<8xf32, any>, !pallas.ref<6xf32, any>
// CHECK-NEXT: pallas.ref_value %[[O]]
func.func @padded() -> tensor<6xf32> {
  %o = pallas.pallas_call grid(2)
      out(tensor<6xf32>) block<[8], vmem> map(%i) -> (0)
      kernel(%or: !pallas.ref<8xf32, vmem>) {
    %v = pallas.get %or[...] : !pallas.ref<8xf32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<8xf32, vmem>, tensor<8xf32>
  }
  return %o : tensor<6xf32>
}

// -----

// Threads have scratch of their own.

// CHECK-LABEL: func.func @threads(
// CHECK: pallas.run_scoped (%{{.*}}: !pallas.ref<128x128xf32, vmem>) {
// CHECK-NEXT: scf.for
// CHECK-NEXT: scf.for
// CHECK-NOT: scf.parallel
// THREADS-LABEL: func.func @threads(
// THREADS: scf.parallel (%{{.*}}) = (%{{.*}}) to (%c8) step (%c1) {
// THREADS-NEXT: pallas.run_scoped (%[[S:.*]]: !pallas.ref<128x128xf32, vmem>) {
// THREADS-NEXT: scf.for
// THREADS: pallas.swap %[[S]][...]
func.func @threads(%x: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %o = pallas.pallas_call grid(8, 8)
      in(%x : tensor<1024x1024xf32>) block<[128, 128], vmem> map(%i, %j) -> (%i, %j)
      out(tensor<1024x1024xf32>) block<[128, 128], vmem> map(%i, %j) -> (%i, %j)
      semantics [parallel, sequential]
      kernel(%xr: !pallas.ref<128x128xf32, vmem>, %or: !pallas.ref<128x128xf32, vmem>, %s: !pallas.ref<128x128xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<128x128xf32, vmem>
    pallas.swap %s[...], %v : !pallas.ref<128x128xf32, vmem>, tensor<128x128xf32>
    pallas.swap %or[...], %v : !pallas.ref<128x128xf32, vmem>, tensor<128x128xf32>
  }
  return %o : tensor<1024x1024xf32>
}
