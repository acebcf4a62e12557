// RUN: pallas-opt %s --split-input-file --pallas-to-mosaic-tpu | FileCheck %s

// One iteration is no loop.

// CHECK-LABEL: func.func @once
// CHECK-NOT: scf.for
// CHECK: %[[X:.*]] = vector.load
// CHECK: arith.addf %[[X]], %[[X]]
// CHECK-NOT: scf.for
// CHECK: return
func.func @f(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %o = pallas.pallas_call @once grid()
      in(%x : tensor<8x128xf32>) block<[8, 128], vmem>
      out(tensor<8x128xf32>) block<[8, 128], vmem>
      kernel(%xr: !pallas.ref<8x128xf32, vmem>, %or: !pallas.ref<8x128xf32, vmem>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = pallas.get %xr[...] : !pallas.ref<8x128xf32, vmem>
    %sum = scf.for %i = %c0 to %c1 step %c1 iter_args(%s = %v) -> tensor<8x128xf32> : i32 {
      %t = arith.addf %s, %s : tensor<8x128xf32>
      scf.yield %t : tensor<8x128xf32>
    }
    pallas.swap %or[...], %sum : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return %o : tensor<8x128xf32>
}

// -----

// A few short iterations are scheduled together; many stay a loop of some at a
// time.

// CHECK-LABEL: func.func @few
// CHECK-NOT: scf.for
// CHECK-COUNT-4: arith.addf
// CHECK-NOT: arith.addf
// CHECK: %[[STEP:.*]] = arith.constant 5 : i32
// CHECK: scf.for {{.*}} step %[[STEP]]
// CHECK-COUNT-5: arith.mulf
// CHECK-NOT: arith.mulf
// CHECK: return
func.func @f(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %o = pallas.pallas_call @few grid()
      in(%x : tensor<8x128xf32>) block<[8, 128], vmem>
      out(tensor<8x128xf32>) block<[8, 128], vmem>
      kernel(%xr: !pallas.ref<8x128xf32, vmem>, %or: !pallas.ref<8x128xf32, vmem>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %c100 = arith.constant 100 : i32
    %v = pallas.get %xr[...] : !pallas.ref<8x128xf32, vmem>
    %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %v) -> tensor<8x128xf32> : i32 {
      %t = arith.addf %s, %s : tensor<8x128xf32>
      scf.yield %t : tensor<8x128xf32>
    }
    %product = scf.for %i = %c0 to %c100 step %c1 iter_args(%s = %sum) -> tensor<8x128xf32> : i32 {
      %t = arith.mulf %s, %s : tensor<8x128xf32>
      scf.yield %t : tensor<8x128xf32>
    }
    pallas.swap %or[...], %product : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return %o : tensor<8x128xf32>
}

// -----

// Iterations that wait can't be scheduled together.

// CHECK-LABEL: func.func @waits
// CHECK: scf.for
// CHECK: tpu.sem_wait
// CHECK-NOT: tpu.sem_wait
// CHECK: return
func.func @f(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %o = pallas.pallas_call @waits grid()
      in(%x : tensor<8x128xf32>) block<[8, 128], vmem>
      out(tensor<8x128xf32>) block<[8, 128], vmem>
      kernel(%xr: !pallas.ref<8x128xf32, vmem>, %or: !pallas.ref<8x128xf32, vmem>, %s: !pallas.ref<!pallas.semaphore, semaphore>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    scf.for %i = %c0 to %c4 step %c1 : i32 {
      pallas.semaphore_signal %s, %c1 : !pallas.ref<!pallas.semaphore, semaphore>
      pallas.semaphore_wait %s, %c1 : !pallas.ref<!pallas.semaphore, semaphore>
    }
  }
  return %o : tensor<8x128xf32>
}

// -----

// A vector that an scf.while carries has the layout that it starts with. One
// that starts with an element in many places starts in memory.

// CHECK-LABEL: func.func @broadcast_start
// CHECK: %[[X:.*]] = vector.load
// CHECK: %[[ROW:.*]] = vector.broadcast
// CHECK: %[[V:.*]] = "tpu.region"() ({
// CHECK: tpu.vector_store %[[B:.*]][{{.*}}], %[[ROW]]
// CHECK: %[[L:.*]] = vector.load %[[B]]
// CHECK: tpu.yield %[[L]]
// CHECK: scf.while (%{{.*}} = %[[V]], %{{.*}} = %[[X]])
func.func @f(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %o = pallas.pallas_call @broadcast_start grid()
      in(%x : tensor<4x16xf32>) block<[4, 16], vmem>
      out(tensor<4x16xf32>) block<[4, 16], vmem>
      kernel(%xr: !pallas.ref<4x16xf32, vmem>, %or: !pallas.ref<4x16xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<4x16xf32, vmem>
    %top = pallas.reduce <max> %v dims [0] : tensor<4x16xf32>
    %all = pallas.broadcast %top dims [1] : tensor<16xf32> -> tensor<4x16xf32>
    %end = arith.constant 100.0 : f32
    %sum, %last = scf.while (%a = %all, %b = %v) : (tensor<4x16xf32>, tensor<4x16xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
      %n = pallas.reduce <max> %a dims [0, 1] : tensor<4x16xf32>
      %go = arith.cmpf olt, %n, %end : f32
      scf.condition(%go) %a, %b : tensor<4x16xf32>, tensor<4x16xf32>
    } do {
    ^bb0(%a: tensor<4x16xf32>, %b: tensor<4x16xf32>):
      %t = arith.addf %a, %b : tensor<4x16xf32>
      scf.yield %t, %t : tensor<4x16xf32>, tensor<4x16xf32>
    }
    pallas.swap %or[...], %sum : !pallas.ref<4x16xf32, vmem>, tensor<4x16xf32>
  }
  return %o : tensor<4x16xf32>
}
