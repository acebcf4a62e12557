// RUN: pallas-opt %s --pallas-discharge-state --split-input-file | FileCheck %s

// What becomes of operations that no other file shows.

// An atomic update is a read and a write of one element.

// CHECK-LABEL: func.func @atomics(
// CHECK: %[[EXTRACT:.*]] = tensor.extract %[[ARG:.*]][%{{.*}}] : tensor<16xi32>
// CHECK: %[[ADDI:.*]] = arith.addi %[[EXTRACT]], %[[ARG2:.*]] : i32
// CHECK: %[[INSERT:.*]] = tensor.insert %[[ADDI]] into %[[ARG]][%{{.*}}] : tensor<16xi32>
// CHECK: %[[EXTRACT2:.*]] = tensor.extract %[[INSERT]][%{{.*}}] : tensor<16xi32>
// CHECK: %[[CMPI:.*]] = arith.cmpi eq, %[[EXTRACT2]], %[[EXTRACT]] : i32
// CHECK: %[[SELECT:.*]] = arith.select %[[CMPI]], %[[ARG2]], %[[EXTRACT2]] : i32
// CHECK: %[[INSERT2:.*]] = tensor.insert %[[SELECT]] into %[[INSERT]][%{{.*}}] : tensor<16xi32>
// CHECK: return %[[EXTRACT]], %[[EXTRACT2]], %[[INSERT2]] : i32, i32, tensor<16xi32>
func.func @atomics(%r: !pallas.ref<16xi32, smem>, %i: i32, %v: i32) -> (i32, i32) {
  %0 = pallas.atomic_rmw <add> %r[%i], %v : !pallas.ref<16xi32, smem>, i32
  %1 = pallas.atomic_cas %r[3], %0, %v : !pallas.ref<16xi32, smem>, i32
  return %0, %1 : i32, i32
}

// -----

// What is written through a view goes back to the ref.

// CHECK-LABEL: func.func @views(
// CHECK: pallas.reshape %{{.*}} : tensor<4x8xf32> -> tensor<32xf32>
// CHECK: %[[RESHAPE:.*]] = pallas.reshape %{{.*}} : tensor<32xf32> -> tensor<4x8xf32>
// CHECK: %[[BITCAST:.*]] = pallas.bitcast %[[RESHAPE]] : tensor<4x8xf32> -> tensor<4x8xi32>
// CHECK: return %[[BITCAST]], %[[RESHAPE]] : tensor<4x8xi32>, tensor<4x8xf32>
func.func @views(%r: !pallas.ref<4x8xf32, vmem>, %v: tensor<32xf32>) -> tensor<4x8xi32> {
  %t = pallas.reshape_ref %r : !pallas.ref<4x8xf32, vmem> -> !pallas.ref<32xf32, vmem>
  pallas.swap %t[...], %v : !pallas.ref<32xf32, vmem>, tensor<32xf32>
  %b = pallas.bitcast_ref %r : !pallas.ref<4x8xf32, vmem> -> !pallas.ref<4x8xi32, vmem>
  %o = pallas.get %b[...] : !pallas.ref<4x8xi32, vmem>
  return %o : tensor<4x8xi32>
}

// -----

// A ref that is made is the value that it starts from; memory that nobody wrote is an empty tensor.

// CHECK-LABEL: func.func @lifetime(
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<8xf32>
// CHECK: return %[[EMPTY]], %{{.*}} : tensor<8xf32>, tensor<8xf32>
func.func @lifetime(%v: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = pallas.empty_ref : !pallas.ref<8xf32, vmem>
  %1 = pallas.freeze %0 : !pallas.ref<8xf32, vmem>
  %2 = pallas.new_ref %v : tensor<8xf32> -> !pallas.ref<8xf32, vmem>
  %3 = pallas.get %2[...] : !pallas.ref<8xf32, vmem>
  pallas.free_ref %2 : !pallas.ref<8xf32, vmem>
  return %1, %3 : tensor<8xf32>, tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @run_state(
// CHECK: %[[ADDF:.*]] = arith.addf %{{.*}}, %{{.*}} : tensor<8xf32>
// CHECK: return %[[ADDF]] : tensor<8xf32>
func.func @run_state(%v: tensor<8xf32>, %w: tensor<8xf32>) -> tensor<8xf32> {
  %o = pallas.run_state (%s: !pallas.ref<8xf32, vmem> = %v : tensor<8xf32>) {
    pallas.addupdate %s[...], %w : !pallas.ref<8xf32, vmem>, tensor<8xf32>
  }
  return %o : tensor<8xf32>
}

// -----

// A semaphore is a number. Whether a wait can succeed is not known here, so it counts on.

// CHECK-LABEL: func.func @semaphores(
// CHECK: %[[ADDI:.*]] = arith.addi %{{.*}}, %[[ARG:.*]] : i32
// CHECK: %[[SUBI:.*]] = arith.subi %{{.*}}, %[[ARG]] : i32
// CHECK: %[[ADDI2:.*]] = arith.addi %[[ADDI]], %[[SUBI]] : i32
// CHECK: return %[[ADDI]], %[[ADDI2]] : i32, i32
func.func @semaphores(%s: !pallas.ref<!pallas.semaphore, semaphore>, %n: i32) -> i32 {
  pallas.semaphore_signal %s, %n : !pallas.ref<!pallas.semaphore, semaphore>
  %v = pallas.semaphore_read %s : !pallas.ref<!pallas.semaphore, semaphore>
  pallas.semaphore_wait %s, %n : !pallas.ref<!pallas.semaphore, semaphore>
  return %v : i32
}

// -----

// Programs run one after the other as a loop over the contents of the outputs.

// CHECK-LABEL: func.func @grid(
// CHECK: scf.for %[[ARG:.*]] = %{{.*}} to %[[C:.*]] step %{{.*}} iter_args(%[[ARG2:.*]] = %{{.*}}) -> (tensor<8xi32>) {
// CHECK: %[[INDEX_CAST:.*]] = arith.index_cast %[[ARG]] : index to i32
// CHECK: arith.index_cast %{{.*}} : i32 to index
// CHECK: %[[INDEX_CAST2:.*]] = arith.index_cast %[[C]] : index to i32
// CHECK: arith.index_cast %[[INDEX_CAST]] : i32 to index
// CHECK: %[[INSERT:.*]] = tensor.insert %[[INDEX_CAST2]] into %{{.*}}[%{{.*}}] : tensor<8xi32>
// CHECK: %[[INSERT_SLICE:.*]] = tensor.insert_slice %[[INSERT]] into %[[ARG2]][%{{.*}}] [8] [1] : tensor<8xi32> into tensor<8xi32>
// CHECK: scf.yield %[[INSERT_SLICE]] : tensor<8xi32>
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

// Queries of devices, random bits and prints stay for the target. Delays and profiles have no
// meaning between values.

// CHECK-LABEL: func.func @left(
// CHECK: %[[AXIS_SIZE:.*]] = pallas.axis_size "x"
// CHECK: %[[DEVICE_ID:.*]] = pallas.device_id
// CHECK: %[[CORE_ID:.*]] = pallas.core_id
// CHECK: pallas.prng_seed %[[ARG:.*]], %[[ARG]]
// CHECK: %[[PRNG_RANDOM_BITS:.*]] = pallas.prng_random_bits : tensor<8xi32>
// CHECK: pallas.debug_print "x = {}" %[[ARG]] : i32
// CHECK: return %[[AXIS_SIZE]], %[[DEVICE_ID]], %[[CORE_ID]], %[[PRNG_RANDOM_BITS]] : i32, i32, i32, tensor<8xi32>
func.func @left(%x: i32) -> (i32, i32, i32, tensor<8xi32>) {
  %1 = pallas.axis_size "x"
  %2 = pallas.device_id
  %3 = pallas.core_id
  pallas.delay %x
  pallas.prng_seed %x, %x
  %4 = pallas.prng_random_bits : tensor<8xi32>
  pallas.debug_print "x = {}" %x : i32
  pallas.trace_start "span"
  pallas.trace_value "x", %x : i32
  pallas.trace_stop
  return %1, %2, %3, %4 : i32, i32, i32, tensor<8xi32>
}

// -----

!acc = !pallas.accumulator<64x128xf32>
!b = !pallas.ref<64x128xf16, smem>
!x = !pallas.ref<64x64xf16, smem>

// A product of a warpgroup is done where it starts.

// CHECK-LABEL: func.func @wgmma(
// CHECK: %[[DOT_GENERAL:.*]] = pallas.dot_general %[[ARG:.*]], %[[ARG2:.*]] acc %{{.*}} contract [1] x [0] : tensor<64x64xf16>, tensor<64x128xf16>, tensor<64x128xf32> -> tensor<64x128xf32>
// CHECK: return %[[DOT_GENERAL]], %[[ARG]], %[[ARG2]] : tensor<64x128xf32>, tensor<64x64xf16>, tensor<64x128xf16>
func.func @wgmma(%acc: !acc, %a: !x, %b: !b, %v: tensor<64x128xf32>) {
  pallas.accumulator_store %acc, %v : !acc, tensor<64x128xf32>
  pallas.wgmma_ref %acc, %a, %b : !acc, !x, !b
  pallas.wgmma_commit
  pallas.wgmma_wait 0
  return
}

// -----

!acc = !pallas.ref<128x128xf32, tmem>
!g = !pallas.ref<128x128xf32, gmem>
!bar = !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>

// Tensor memory is a value; a commit is an arrival at its barrier.

// CHECK-LABEL: func.func @tensor_memory(
// CHECK: %[[ADDI:.*]] = arith.addi %{{.*}}, %{{.*}} : i32
// CHECK: return %{{.*}}, %{{.*}}, %[[ADDI]] : tensor<128x128xf32>, tensor<128x128xf32>, i32
func.func @tensor_memory(%acc: !acc, %bar: !bar, %v: tensor<128x128xf32>) -> tensor<128x128xf32> {
  pallas.async_store_tmem %v to %acc : tensor<128x128xf32>, !acc
  pallas.commit_tmem
  pallas.tcgen05_commit %bar : !bar
  %l = pallas.layout_cast %v : tensor<128x128xf32> layout "tcgen05"
  pallas.commit_smem_to_gmem_group
  pallas.grid_dependency launch
  return %l : tensor<128x128xf32>
}

// -----

// There is no other work, so that the answer is known, and the question only arrives.

// CHECK-LABEL: func.func @launch_control(
// CHECK: %[[COUNT:.*]] = arith.addi %{{.*}}, %{{.*}} : i32
// CHECK: return %c0_i32, %false, %{{.*}}, %[[COUNT]] : i32, i1, tensor<16xi8>, i32
func.func @launch_control(%answer: !pallas.ref<16xi8, smem>, %b: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>) -> (i32, i1) {
  pallas.try_cluster_cancel %answer signals %b : !pallas.ref<16xi8, smem>, !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
  %i, %found = pallas.query_cluster_cancel %answer along ["i"] : !pallas.ref<16xi8, smem>
  return %i, %found : i32, i1
}
