// RUN: pallas-opt %s --convert-pallas-to-cpu=checked=true --canonicalize --cse | FileCheck %s

// Each check becomes calls of the checker with the view that an access by the
// same indexer has. The site has the place, the accessor and the name.

module attributes {pallas.has_checks} {

// A slice as a whole: its indices as the kernel names them, then what is read.

// CHECK-DAG: llvm.mlir.global internal constant @[[SITE:.*]]("{{.*}}:[[#@LINE+11]]:3\0Apallas.get\0Ainput 0\00")
// CHECK-LABEL: func.func @slice(
// CHECK-DAG: %[[ADDRESS:.*]] = llvm.mlir.addressof @[[SITE]]
// CHECK-DAG: %[[READ:.*]] = arith.constant 1 : i64
// CHECK: %[[INDEX:.*]] = arith.index_cast %{{.*}} : i32 to index
// CHECK: %[[START:.*]] = arith.index_cast %[[INDEX]] : index to i64
// CHECK: llvm.call @pallas_check_bounds(%[[ADDRESS]], %{{.*}}, %{{.*}}, %[[START]],
// CHECK: memref.subview %{{.*}}[%{{.*}}] [4] [1] : memref<8xf32>
// CHECK: llvm.call @pallas_check_access(%[[ADDRESS]], %[[READ]],
func.func @slice(%i: i32) {
  %r = pallas.empty_ref : !pallas.ref<8xf32, vmem>
  pallas.check_access read "input 0" %r[ds(%i, 4)] by "pallas.get" : !pallas.ref<8xf32, vmem>
  return
}

// Elements that a mask selects, one by one: bounds only where one is outside,
// and an access only where it is inside.

// CHECK-LABEL: func.func @masked(
// CHECK: scf.for
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult
// CHECK: scf.if %{{.*}} {
// CHECK: %[[OUTSIDE:.*]] = arith.cmpi uge
// CHECK: scf.if %[[OUTSIDE]] {
// CHECK: llvm.call @pallas_check_bounds
// CHECK: scf.if %[[INSIDE]] {
// CHECK: llvm.call @pallas_check_access
func.func @masked(%i: i32, %m: tensor<4xi1>) {
  %r = pallas.empty_ref : !pallas.ref<8xf32, vmem>
  pallas.check_access write "output 0" %r[ds(%i, 4)] mask %m outside dropped by "pallas.masked_swap" : !pallas.ref<8xf32, vmem>, tensor<4xi1>
  return
}

// Elements that may lie outside are no finding there.

// CHECK-LABEL: func.func @allowed(
// CHECK-NOT: pallas_check_bounds
// CHECK: llvm.call @pallas_check_access
// CHECK-NOT: pallas_check_bounds
// CHECK: return
func.func @allowed(%i: i32) {
  %r = pallas.empty_ref : !pallas.ref<8xf32, vmem>
  pallas.check_access read "input 0" %r[ds(%i, 4)] outside allowed by "pallas.masked_load" : !pallas.ref<8xf32, vmem>
  return
}

// CHECK-LABEL: func.func @bounds(
// CHECK: llvm.call @pallas_check_bounds
// CHECK: scf.for
// CHECK: scf.if
// CHECK: llvm.call @pallas_check_bounds
// CHECK-NOT: pallas_check_access
// CHECK: return
func.func @bounds(%i: i32, %at: tensor<3xi32>) {
  %r = pallas.empty_ref : !pallas.ref<8x4xf32, vmem>
  pallas.check_bounds "scratch 0" %r[%i, :] : !pallas.ref<8x4xf32, vmem>
  pallas.check_bounds "scratch 0" %r[gather(%at : tensor<3xi32>), :] : !pallas.ref<8x4xf32, vmem>
  return
}

// CHECK-LABEL: func.func @contents(
// CHECK-DAG: %[[WRITE:.*]] = arith.constant 2 : i64
// CHECK: llvm.call @pallas_check_access(%{{.*}}, %[[WRITE]],
func.func @contents() {
  %r = pallas.empty_ref : !pallas.ref<8xf32, vmem>
  pallas.check_contents write "a ref" %r by "pallas.new_ref" : !pallas.ref<8xf32, vmem>
  return
}

// CHECK-LABEL: func.func @tensor(
// CHECK-SAME: %[[IN:.*]]: i1
// CHECK: %[[OUT:.*]] = arith.xori %[[IN]]
// CHECK: scf.if %[[OUT]] {
// CHECK: llvm.call @pallas_check_tensor_bounds
func.func @tensor(%inside: i1) {
  pallas.check_tensor_bounds %inside by "tensor.extract"
  return
}

// CHECK-LABEL: func.func @async(
// CHECK-DAG: %[[READ:.*]] = arith.constant 1 : i64
// CHECK: llvm.call @pallas_check_tensor_memory(%{{.*}}, %[[READ]],
func.func @async() {
  %r = pallas.empty_ref : !pallas.ref<8xf32, tmem>
  pallas.check_contents read async "scratch 0" %r by "pallas.async_load_tmem" : !pallas.ref<8xf32, tmem>
  return
}

// CHECK-LABEL: func.func @waits(
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i64
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : i64
// CHECK: llvm.call @pallas_check_commit_copies(%[[ZERO]])
// CHECK-NEXT: llvm.call @pallas_check_commit_stores(%[[ZERO]])
// CHECK-NEXT: llvm.call @pallas_check_wait_for_copies(%[[TWO]], %[[ZERO]])
// CHECK-NEXT: llvm.call @pallas_check_wait_for_copies(%[[ZERO]], %[[ONE]])
// CHECK-NEXT: llvm.call @pallas_check_wait_for_products(%[[TWO]])
// CHECK-NEXT: llvm.call @pallas_check_wait_for_tensor_memory(%[[ONE]])
// CHECK-NEXT: llvm.call @pallas_check_wait_for_tensor_memory(%[[TWO]])
func.func @waits() {
  pallas.check_commit copies
  pallas.check_commit stores
  pallas.check_wait copies pending 2
  pallas.check_wait sources pending 0
  pallas.check_wait products pending 2
  pallas.check_tensor_memory_wait loads
  pallas.check_tensor_memory_wait stores
  return
}

}
