// RUN: pallas-opt %s --convert-pallas-to-cpu --canonicalize --split-input-file | FileCheck %s

// Dimensions of an index array are loops of their own. An index counts from the end once, and is
// moved inside where it reads.

// CHECK-LABEL: func.func @gather_rows(
// CHECK: scf.for %[[I:[a-z0-9]+]] =
// CHECK: scf.for %[[J:[a-z0-9]+]] =
// CHECK: scf.for %[[K:[a-z0-9]+]] =
// CHECK: %[[AT:.*]] = tensor.extract %{{.*}}[%[[I]], %[[J]]] : tensor<2x3xi32>
// CHECK: %[[INDEX:.*]] = arith.index_cast %[[AT]]
// CHECK: %[[WRAPPED:.*]] = arith.addi %[[INDEX]], %{{.*}} : index
// CHECK: %[[POSITIVE:.*]] = arith.select %{{.*}}, %[[WRAPPED]], %[[INDEX]]
// CHECK-NEXT: %[[LOW:.*]] = arith.minsi %[[POSITIVE]]
// CHECK-NEXT: %[[ROW:.*]] = arith.maxsi %[[LOW]]
// CHECK: tensor.extract %{{.*}}[%[[ROW]], %{{.*}}] : tensor<8x4xf32>
// CHECK: memref.store %{{.*}}, %{{.*}}[%[[I]], %[[J]], %[[K]]] : memref<2x3x4xf32>
func.func @gather_rows(%x: tensor<8x4xf32>, %i: tensor<2x3xi32>) -> tensor<2x3x4xf32> {
  %r = pallas.new_ref %x : tensor<8x4xf32> -> !pallas.ref<8x4xf32, vmem>
  %v = pallas.get %r[gather(%i : tensor<2x3xi32>), :] : !pallas.ref<8x4xf32, vmem>
  return %v : tensor<2x3x4xf32>
}

// -----

// All old elements are read, from inside, before any is written; those outside are dropped.

// CHECK-LABEL: func.func @scatter_old(
// CHECK: scf.for
// CHECK: %[[ROW:.*]] = arith.maxsi
// CHECK: memref.load %{{.*}}[%[[ROW]]] : memref<8xf32>
// CHECK: memref.store
// CHECK: scf.for
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult
// CHECK: scf.if %[[INSIDE]] {
// CHECK-NEXT: memref.store %{{.*}} : memref<8xf32>
func.func @scatter_old(%x: tensor<8xf32>, %i: tensor<3xi32>, %v: tensor<3xf32>) -> tensor<3xf32> {
  %r = pallas.new_ref %x : tensor<8xf32> -> !pallas.ref<8xf32, vmem>
  %old = pallas.swap %r[gather(%i : tensor<3xi32>)], %v : !pallas.ref<8xf32, vmem>, tensor<3xf32>
  return %old : tensor<3xf32>
}

// -----

// Indices may repeat, so elements are updated one by one.

// CHECK-LABEL: func.func @addupdate_gather(
// CHECK: scf.for
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %[[AT:.*]], %{{.*}} : index
// CHECK: scf.if %[[INSIDE]] {
// CHECK-NEXT: %[[OLD:.*]] = memref.load %[[R:.*]][%[[AT]]]
// CHECK-NEXT: %[[NEW:.*]] = arith.addf %[[OLD]], %{{.*}} : f32
// CHECK-NEXT: memref.store %[[NEW]], %[[R]][%[[AT]]]
func.func @addupdate_gather(%x: tensor<8xf32>, %i: tensor<3xi32>, %v: tensor<3xf32>) -> tensor<8xf32> {
  %r = pallas.new_ref %x : tensor<8xf32> -> !pallas.ref<8xf32, vmem>
  pallas.addupdate %r[gather(%i : tensor<3xi32>)], %v : !pallas.ref<8xf32, vmem>, tensor<3xf32>
  %o = pallas.freeze %r : !pallas.ref<8xf32, vmem>
  return %o : tensor<8xf32>
}

// -----

// A whole ref is read as a vector, also where a mask excludes elements.

// CHECK-LABEL: func.func @masked_other(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<8xf32>, %[[M:[a-z0-9]+]]: tensor<8xi1>, %[[OTHER:[a-z0-9]+]]: tensor<8xf32>)
// CHECK-NOT: scf.for
// CHECK: %[[V:.*]] = bufferization.to_tensor
// CHECK: arith.select %[[M]], %[[V]], %[[OTHER]] : tensor<8xi1>, tensor<8xf32>
func.func @masked_other(%x: tensor<8xf32>, %m: tensor<8xi1>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %r = pallas.new_ref %x : tensor<8xf32> -> !pallas.ref<8xf32, vmem>
  %v = pallas.masked_load %r[...] mask %m other %o : !pallas.ref<8xf32, vmem>, tensor<8xi1>, other tensor<8xf32>
  return %v : tensor<8xf32>
}

// -----

// The old value is the new one where the mask excludes an element.

// CHECK-LABEL: func.func @masked_swap_old(
// CHECK-SAME: %{{.*}}: tensor<8xf32>, %[[M:[a-z0-9]+]]: tensor<8xi1>, %[[Y:[a-z0-9]+]]: tensor<8xf32>)
// CHECK: scf.for
// CHECK: %[[BIT:.*]] = tensor.extract %[[M]]
// CHECK: %[[NEW:.*]] = tensor.extract %[[Y]]
// CHECK: %[[OLD:.*]] = scf.if %[[BIT]] -> (f32) {
// CHECK: } else {
// CHECK: scf.yield %[[NEW]] : f32
// CHECK: memref.store %[[OLD]]
// CHECK: arith.select %[[M]], %[[Y]], %{{.*}} : tensor<8xi1>, tensor<8xf32>
func.func @masked_swap_old(%x: tensor<8xf32>, %m: tensor<8xi1>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %r = pallas.new_ref %x : tensor<8xf32> -> !pallas.ref<8xf32, vmem>
  %v = pallas.masked_swap %r[...], %y mask %m : !pallas.ref<8xf32, vmem>, tensor<8xf32>, tensor<8xi1>
  return %v : tensor<8xf32>
}

// -----

// Masked elements stay in place: the start is not moved, and each element is asked whether it is
// inside. What is left out yields its operand.

// CHECK-LABEL: func.func @atomic_masked(
// CHECK: scf.for
// CHECK-NOT: arith.minsi
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult
// CHECK: %[[V:.*]] = tensor.extract %{{.*}} : tensor<4xi32>
// CHECK: %[[BIT:.*]] = tensor.extract %{{.*}} : tensor<4xi1>
// CHECK: %[[BOTH:.*]] = arith.andi %[[INSIDE]], %[[BIT]] : i1
// CHECK: memref.store %[[V]], %[[OLD:.*]][%[[I:.*]]] : memref<4xi32>
// CHECK: scf.if %[[BOTH]] {
// CHECK-NEXT: %[[BEFORE:.*]] = memref.load
// CHECK-NEXT: arith.maxui %[[BEFORE]], %[[V]] : i32
// CHECK: memref.store %[[BEFORE]], %[[OLD]][%[[I]]] : memref<4xi32>
func.func @atomic_masked(%x: tensor<8xi32>, %m: tensor<4xi1>, %y: tensor<4xi32>, %i: i32) -> tensor<4xi32> {
  %r = pallas.new_ref %x : tensor<8xi32> -> !pallas.ref<8xi32, vmem>
  %v = pallas.atomic_rmw <umax> %r[ds(%i, 4)], %y mask %m : !pallas.ref<8xi32, vmem>, tensor<4xi32>, tensor<4xi1>
  return %v : tensor<4xi32>
}

// -----

// Bits are compared, as hardware does.

// CHECK-LABEL: func.func @cas_float(
// CHECK: %[[OLD:.*]] = memref.load
// CHECK-DAG: %[[BITS:.*]] = arith.bitcast %[[OLD]] : f32 to i32
// CHECK-DAG: %[[EXPECTED:.*]] = arith.bitcast %{{.*}} : f32 to i32
// CHECK: %[[SAME:.*]] = arith.cmpi eq, %[[BITS]], %[[EXPECTED]] : i32
// CHECK: arith.select %[[SAME]], %{{.*}}, %[[OLD]] : f32
func.func @cas_float(%cmp: f32, %v: f32) -> f32 {
  %o = pallas.run_scoped (%s: !pallas.ref<16xf32, smem>) -> f32 {
    %old = pallas.atomic_cas %s[3], %cmp, %v : !pallas.ref<16xf32, smem>, f32
    pallas.yield %old : f32
  }
  return %o : f32
}

// -----

// A stride is one of the view; the last start is that of the last element that is read: 8 - 5.

// CHECK-LABEL: func.func @strided(
// CHECK: %[[LAST:.*]] = arith.constant 3 : index
// CHECK: %[[LOW:.*]] = arith.minsi %{{.*}}, %[[LAST]]
// CHECK: %[[START:.*]] = arith.maxsi %[[LOW]]
// CHECK: memref.subview %{{.*}}[%[[START]], 1] [3, 4] [2, 1] : memref<8x8xf32> to memref<3x4xf32, strided<[16, 1], offset: ?>>
func.func @strided(%x: tensor<8x8xf32>, %i: i32) -> tensor<3x4xf32> {
  %r = pallas.new_ref %x : tensor<8x8xf32> -> !pallas.ref<8x8xf32, vmem>
  %v = pallas.get %r[ds(%i, 3, 2), ds(1, 4)] : !pallas.ref<8x8xf32, vmem>
  return %v : tensor<3x4xf32>
}

// -----

// A view whose size an operand gives is cut to what there is, and may turn out to be empty: an error
// of the run, which touches nothing outside.

// CHECK-LABEL: func.func @dynamic_view(
// CHECK: arith.subi
// CHECK: %[[START:.*]] = arith.maxsi
// CHECK: %[[LENGTH:.*]] = arith.maxsi
// CHECK: %[[VIEW:.*]] = memref.subview %{{.*}}[%[[START]]] [%[[LENGTH]]] [1]
// CHECK: %[[NONE:.*]] = arith.cmpi slt, %[[LENGTH]], %{{.*}} : index
// CHECK: scf.if %[[NONE]] {
// CHECK-NEXT: llvm.call @pallas_rt_error
// CHECK: %[[ELEMENT:.*]] = memref.subview %[[VIEW]]
// CHECK: memref.store %{{.*}}, %[[ELEMENT]][]
func.func @dynamic_view(%x: tensor<8xf32>, %i: i32, %n: i32, %v: f32) {
  %r = pallas.new_ref %x : tensor<8xf32> -> !pallas.ref<8xf32, vmem>
  %s = pallas.slice_ref %r[ds(%i, %n)] : !pallas.ref<8xf32, vmem>
  pallas.swap %s[2], %v : !pallas.ref<?xf32, vmem>, f32
  return
}
