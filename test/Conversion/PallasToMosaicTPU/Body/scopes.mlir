// RUN: pallas-opt %s --pallas-to-mosaic-tpu --split-input-file | FileCheck %s

// State is memory of the scope around; its operand is stored first, its last contents are the result.

// CHECK-LABEL: func.func @run_state(
// CHECK: %[[LOAD:.*]] = vector.load %{{.*}}[%[[C:.*]], %[[C]]] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
// CHECK: %[[REGION:.*]] = "tpu.region"() ({
// CHECK: %[[ALLOCA:.*]] = memref.alloca() : memref<8x128xf32, #tpu.memory_space<vmem>>
// CHECK: tpu.vector_store %[[ALLOCA]][%[[C]], %[[C]]], %[[LOAD]] {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
// CHECK: %[[LOAD2:.*]] = vector.load %[[ALLOCA]][%[[C]], %[[C]]] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
// CHECK: %[[ADDF:.*]] = arith.addf %[[LOAD2]], %[[LOAD]] : vector<8x128xf32>
// CHECK: tpu.vector_store %[[ALLOCA]][%[[C]], %[[C]]], %[[ADDF]] {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
// CHECK: %[[LOAD3:.*]] = vector.load %[[ALLOCA]][%[[C]], %[[C]]] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
// CHECK: tpu.yield %[[LOAD3]] : vector<8x128xf32>
// CHECK: tpu.vector_store %{{.*}}[%[[C]], %[[C]]], %[[REGION]] {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
func.func @run_state(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %o = pallas.pallas_call @run_state grid()
      in(%x : tensor<8x128xf32>) block<[8, 128], vmem>
      out(tensor<8x128xf32>) block<[8, 128], vmem>
      kernel(%xr: !pallas.ref<8x128xf32, vmem>, %or: !pallas.ref<8x128xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x128xf32, vmem>
    %w = pallas.run_state (%s: !pallas.ref<8x128xf32, vmem> = %v : tensor<8x128xf32>) {
      pallas.addupdate %s[...], %v : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
    }
    pallas.swap %or[...], %w : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return %o : tensor<8x128xf32>
}

// -----

// A ref that is made or frozen is memory of the kernel; to free it leaves nothing.

// CHECK-LABEL: func.func @refs(
// CHECK: %[[LOAD:.*]] = vector.load %{{.*}}[%[[C:.*]], %[[C]]] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
// CHECK: %[[ALLOCA:.*]] = memref.alloca() : memref<8x128xf32, #tpu.memory_space<vmem>>
// CHECK: tpu.vector_store %[[ALLOCA]][%[[C]], %[[C]]], %[[LOAD]] {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
// CHECK: %[[LOAD2:.*]] = vector.load %[[ALLOCA]][%[[C]], %[[C]]] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
// CHECK: %[[ADDF:.*]] = arith.addf %[[LOAD2]], %[[LOAD]] : vector<8x128xf32>
// CHECK: tpu.vector_store %[[ALLOCA]][%[[C]], %[[C]]], %[[ADDF]] {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
// CHECK: %[[LOAD3:.*]] = vector.load %[[ALLOCA]][%[[C]], %[[C]]] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
// CHECK: %[[ALLOCA2:.*]] = memref.alloca() : memref<8x128xf32, #tpu.memory_space<vmem>>
// CHECK: tpu.vector_store %[[ALLOCA2]][%[[C]], %[[C]]], %[[LOAD3]] {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
// CHECK: %[[LOAD4:.*]] = vector.load %[[ALLOCA2]][%[[C]], %[[C]]] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
// CHECK: tpu.vector_store %{{.*}}[%[[C]], %[[C]]], %[[LOAD4]] {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
func.func @refs(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %o = pallas.pallas_call @refs grid()
      in(%x : tensor<8x128xf32>) block<[8, 128], vmem>
      out(tensor<8x128xf32>) block<[8, 128], vmem>
      kernel(%xr: !pallas.ref<8x128xf32, vmem>, %or: !pallas.ref<8x128xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x128xf32, vmem>
    %a = pallas.new_ref %v : tensor<8x128xf32> -> !pallas.ref<8x128xf32, vmem>
    pallas.addupdate %a[...], %v : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
    %w = pallas.freeze %a : !pallas.ref<8x128xf32, vmem>
    %e = pallas.empty_ref : !pallas.ref<8x128xf32, vmem>
    pallas.swap %e[...], %w : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
    %u = pallas.get %e[...] : !pallas.ref<8x128xf32, vmem>
    pallas.free_ref %e : !pallas.ref<8x128xf32, vmem>
    pallas.swap %or[...], %u : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return %o : tensor<8x128xf32>
}

// -----

// Devices meet at the barrier semaphore of the chip.

// CHECK-LABEL: func.func @barrier(
// CHECK: %[[SEM_BARRIER:.*]] = tpu.sem_barrier : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
// CHECK: %[[DEVICE_ID:.*]] = tpu.device_id : i32
// CHECK: tpu.sem_signal %[[SEM_BARRIER]], %[[C:.*]] device_id %[[DEVICE_ID]] : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
// CHECK: tpu.sem_wait %[[SEM_BARRIER]], %[[C]] : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
// CHECK: %[[LOAD:.*]] = vector.load %{{.*}}[%[[C2:.*]], %[[C2]]] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>
// CHECK: tpu.vector_store %{{.*}}[%[[C2]], %[[C2]]], %[[LOAD]] {strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,
func.func @barrier(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %o = pallas.pallas_call @barrier grid()
      in(%x : tensor<8x128xf32>) block<[8, 128], vmem>
      out(tensor<8x128xf32>) block<[8, 128], vmem>
      kernel(%xr: !pallas.ref<8x128xf32, vmem>, %or: !pallas.ref<8x128xf32, vmem>) {
    %s = pallas.get_barrier_semaphore : !pallas.ref<!pallas.barrier_semaphore, semaphore>
    %c1 = arith.constant 1 : i32
    %c = pallas.device_id
    pallas.semaphore_signal %s, %c1 device logical(%c) : !pallas.ref<!pallas.barrier_semaphore, semaphore>
    pallas.semaphore_wait %s, %c1 : !pallas.ref<!pallas.barrier_semaphore, semaphore>
    %v = pallas.get %xr[...] : !pallas.ref<8x128xf32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return %o : tensor<8x128xf32>
}
