// RUN: pallas-opt %s --pallas-grids-to-loops --convert-pallas-to-cpu --split-input-file | FileCheck %s

// A dimension of the grid is a loop: its variable is the program id, its bound the number of programs.

// CHECK-LABEL: func.func @grid(
// CHECK: scf.for %[[ARG:.*]] = %{{.*}} to %[[C:.*]] step %{{.*}} {
// CHECK: %[[INDEX_CAST:.*]] = arith.index_cast %[[ARG]] : index to i32
// CHECK: %[[INDEX_CAST2:.*]] = arith.index_cast %[[C]] : index to i32
// CHECK: arith.index_cast %[[INDEX_CAST]] : i32 to index
// CHECK: %[[SUBVIEW:.*]] = memref.subview %{{.*}}[%{{.*}}] [1] [1] : memref<8xi32> to memref<i32, strided<[], offset: ?>>
// CHECK: memref.store %[[INDEX_CAST2]], %[[SUBVIEW]][] : memref<i32, strided<[], offset: ?>>
func.func @grid(%x: tensor<8xi32>) -> tensor<8xi32> {
  %o = pallas.pallas_call grid(8)
      in(%x : tensor<8xi32>) block<[8], smem>
      out(tensor<8xi32>) block<[8], smem>
      kernel(%xr: !pallas.ref<8xi32, smem>, %or: !pallas.ref<8xi32, smem>) {
    %i = pallas.program_id 0
    %n = pallas.num_programs 0
    pallas.swap %or[%i], %n : !pallas.ref<8xi32, smem>, i32
  }
  return %o : tensor<8xi32>
}

// -----

// Axes that no grid or mesh around has belong to the devices; there is one core.

// CHECK-LABEL: func.func @mesh_queries(
// CHECK: %[[CALL:.*]] = llvm.call @pallas_rt_device() : () -> i32
// CHECK: %[[CALL2:.*]] = llvm.call @pallas_rt_axis_size(%{{.*}}, %{{.*}}) : (!llvm.ptr, !llvm.ptr) -> i32
// CHECK: %[[CALL3:.*]] = llvm.call @pallas_rt_axis_index(%{{.*}}, %{{.*}}) : (!llvm.ptr, !llvm.ptr) -> i32
// CHECK: return %[[CALL3]], %[[CALL2]], %[[CALL]], %{{.*}} : i32, i32, i32, i32
func.func @mesh_queries() -> (i32, i32, i32, i32) {
  %0 = pallas.axis_index "x"
  %1 = pallas.axis_size "x"
  %2 = pallas.device_id
  %3 = pallas.core_id
  return %0, %1, %2, %3 : i32, i32, i32, i32
}

// -----

// Texts are constants of the module; an array is printed element by element.

// CHECK-LABEL: func.func @debug_print(
// CHECK: llvm.call @pallas_rt_print_text(%{{.*}}) : (!llvm.ptr) -> ()
// CHECK: %[[EXTSI:.*]] = arith.extsi %{{.*}} : i32 to i64
// CHECK: llvm.call @pallas_rt_print_integer(%[[EXTSI]]) : (i64) -> ()
// CHECK: llvm.call @pallas_rt_print_text(%{{.*}}) : (!llvm.ptr) -> ()
// CHECK: llvm.call @pallas_rt_print_text(%{{.*}}) : (!llvm.ptr) -> ()
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK: scf.if %{{.*}} {
// CHECK: llvm.call @pallas_rt_print_text(%{{.*}}) : (!llvm.ptr) -> ()
// CHECK: %[[EXTF:.*]] = arith.extf %{{.*}} : f32 to f64
// CHECK: llvm.call @pallas_rt_print_float(%[[EXTF]], %{{.*}}) : (f64, i32) -> ()
// CHECK: llvm.call @pallas_rt_print_text(%{{.*}}) : (!llvm.ptr) -> ()
// CHECK: llvm.call @pallas_rt_print_text(%{{.*}}) : (!llvm.ptr) -> ()
// CHECK: return
func.func @debug_print(%n: i32, %v: tensor<8xf32>) {
  pallas.debug_print "n = {}, v = {}" %n, %v : i32, tensor<8xf32>
  return
}

// -----

// CHECK-LABEL: func.func @check(
// CHECK: %[[XORI:.*]] = arith.xori %{{.*}}, %{{.*}} : i1
// CHECK: scf.if %[[XORI]] {
// CHECK: llvm.call @pallas_rt_error(%{{.*}}) : (!llvm.ptr) -> ()
// CHECK: return
func.func @check(%c: i1) {
  pallas.check %c, "must hold"
  return
}

// -----

// Discharge makes assertions of checks; both are errors of the run.

// CHECK-LABEL: func.func @assert(
// CHECK-SAME: %[[C:.*]]: i1)
// CHECK: %[[FAILS:.*]] = arith.xori %[[C]], %{{.*}} : i1
// CHECK-NEXT: scf.if %[[FAILS]] {
// CHECK: llvm.call @pallas_rt_error
// CHECK-NOT: cf.assert
// CHECK: return
func.func @assert(%c: i1) {
  cf.assert %c, "must hold"
  return
}

// -----

// The seeds are hashed into a state of two words: the key and a counter of the bits drawn. Each
// element is a hash of its own position.

// CHECK-LABEL: func.func @random(
// CHECK: arith.addi %{{.*}}, %{{.*}} : i32
// CHECK: arith.addi %{{.*}}, %{{.*}} : i32
// CHECK: memref.store %{{.*}}, %[[V:.*]][%{{.*}}] : memref<2xi32>
// CHECK: memref.store %{{.*}}, %[[V]][%{{.*}}] : memref<2xi32>
// CHECK: memref.load %[[V]][%{{.*}}] : memref<2xi32>
// CHECK: memref.load %[[V]][%[[C:.*]]] : memref<2xi32>
// CHECK: memref.store %{{.*}}, %[[V]][%[[C]]] : memref<2xi32>
// CHECK: linalg.generic {indexing_maps = [#{{.*}}], iterator_types = ["parallel", "parallel"]} outs(%{{.*}} : memref<8x128xi32>) {
// CHECK: linalg.index 0 : index
// CHECK: linalg.index 1 : index
// CHECK: linalg.yield %{{.*}} : i32
func.func @random(%a: i32, %b: i32) -> tensor<8x128xi32> {
  pallas.prng_seed %a, %b
  %bits = pallas.prng_random_bits : tensor<8x128xi32>
  return %bits : tensor<8x128xi32>
}
