// RUN: pallas-opt %s --pallas-to-mosaic-tpu --split-input-file | FileCheck %s

// One core runs the programs, so an atomic update is a load and a store.

// CHECK-LABEL: func.func @rmw(
// CHECK: %[[LOAD:.*]] = memref.load %{{.*}}[%{{.*}}] : memref<8xi32, #tpu.memory_space<smem>>
// CHECK: %[[LOAD2:.*]] = memref.load %[[ARG:.*]][%[[C:.*]]] : memref<8xi32, #tpu.memory_space<smem>>
// CHECK: %[[ADDI:.*]] = arith.addi %[[LOAD2]], %[[LOAD]] : i32
// CHECK: memref.store %[[ADDI]], %[[ARG]][%[[C]]] : memref<8xi32, #tpu.memory_space<smem>>
// CHECK: memref.store %[[LOAD2]], %[[ARG]][%{{.*}}] : memref<8xi32, #tpu.memory_space<smem>>
func.func @rmw(%x: tensor<8xi32>) -> tensor<8xi32> {
  %o = pallas.pallas_call @rmw grid()
      in(%x : tensor<8xi32>) block<[8], smem>
      out(tensor<8xi32>) block<[8], smem>
      kernel(%xr: !pallas.ref<8xi32, smem>, %or: !pallas.ref<8xi32, smem>) {
    %v = pallas.get %xr[0] : !pallas.ref<8xi32, smem>
    %old = pallas.atomic_rmw <add> %or[1], %v : !pallas.ref<8xi32, smem>, i32
    pallas.swap %or[2], %old : !pallas.ref<8xi32, smem>, i32
  }
  return %o : tensor<8xi32>
}

// -----

// CHECK-LABEL: func.func @cas(
// CHECK: %[[LOAD:.*]] = memref.load %{{.*}}[%{{.*}}] : memref<8xi32, #tpu.memory_space<smem>>
// CHECK: %[[LOAD2:.*]] = memref.load %[[ARG:.*]][%[[C:.*]]] : memref<8xi32, #tpu.memory_space<smem>>
// CHECK: %[[CMPI:.*]] = arith.cmpi eq, %[[LOAD2]], %[[LOAD]] : i32
// CHECK: %[[SELECT:.*]] = arith.select %[[CMPI]], %[[LOAD]], %[[LOAD2]] : i32
// CHECK: memref.store %[[SELECT]], %[[ARG]][%[[C]]] : memref<8xi32, #tpu.memory_space<smem>>
// CHECK: memref.store %[[LOAD2]], %[[ARG]][%{{.*}}] : memref<8xi32, #tpu.memory_space<smem>>
func.func @cas(%x: tensor<8xi32>) -> tensor<8xi32> {
  %o = pallas.pallas_call @cas grid()
      in(%x : tensor<8xi32>) block<[8], smem>
      out(tensor<8xi32>) block<[8], smem>
      kernel(%xr: !pallas.ref<8xi32, smem>, %or: !pallas.ref<8xi32, smem>) {
    %v = pallas.get %xr[0] : !pallas.ref<8xi32, smem>
    %old = pallas.atomic_cas %or[1], %v, %v : !pallas.ref<8xi32, smem>, i32
    pallas.swap %or[2], %old : !pallas.ref<8xi32, smem>, i32
  }
  return %o : tensor<8xi32>
}
