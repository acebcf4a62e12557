// RUN: pallas-opt %s --convert-mosaic-gpu-to-pallas | FileCheck %s
// RUN: pallas-run %s --no-cache --entry=others | FileCheck %s --check-prefix=OTHERS

// Operations on values become those on tensors; layouts and barriers of the
// compiler have no meaning there.

// CHECK-LABEL: func.func @values(
// CHECK: kernel @values on <gpu
// CHECK-SAME: %[[O:.*]]: !pallas.ref<64x128xi32, gmem>, %[[S:.*]]: !pallas.ref<64x128xi32, smem>
// CHECK-DAG: %[[ROW:.*]] = pallas.iota 0 : tensor<128xi32>
// CHECK-DAG: %[[LEFT:.*]] = pallas.iota 1 : tensor<64x64xi32>
// CHECK-NOT: mosaic_gpu
// CHECK: %[[ROWS:.*]] = pallas.broadcast %[[ROW]] dims [1] : tensor<128xi32> -> tensor<64x128xi32>
// CHECK: %[[BOTH:.*]] = tensor.concat dim(1) %[[LEFT]], %[[LEFT]] : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x128xi32>
// CHECK: pallas.debug_print "both = {}" %[[BOTH]] : tensor<64x128xi32>
// CHECK: %[[SUM:.*]] = arith.addi %[[ROWS]], %[[BOTH]] : tensor<64x128xi32>
// CHECK: pallas.swap %[[S]][...], %[[SUM]]
// CHECK-NOT: mosaic_gpu
module attributes {mosaic_gpu.arch_major = 9 : i32} {
  func.func @values_mosaic_gpu(%o: memref<64x128xi32>) {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %c0_i32 = arith.constant 0 : i32
    %bytes = arith.constant 32768 : i32
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
        threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) dynamic_shared_memory_size %bytes {
      %s = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<64x128xi32, #gpu.address_space<workgroup>>
      %row = "mosaic_gpu.broadcasted_iota"() <{dimension = 0 : i32}> : () -> vector<128xi32>
      %left = "mosaic_gpu.broadcasted_iota"() <{dimension = 1 : i32}> : () -> vector<64x64xi32>
      %cast = "mosaic_gpu.layout_cast"(%left) <{new_layout = #mosaic_gpu.WGStridedFragLayout<[64, 64], 2>}> : (vector<64x64xi32>) -> vector<64x64xi32>
      %rows = mosaic_gpu.broadcast_in_dim(%row : vector<128xi32>) {broadcast_dimensions = array<i64: 1>} -> vector<64x128xi32>
      %kept = "mosaic_gpu.optimization_barrier"(%rows) : (vector<64x128xi32>) -> vector<64x128xi32>
      %both = mosaic_gpu.vector_concat(%left, %cast : vector<64x64xi32>, vector<64x64xi32>) {dimension = 1 : i32} -> vector<64x128xi32>
      "mosaic_gpu.debug_print"(%both) <{format = "both = {}"}> : (vector<64x128xi32>) -> ()
      %sum = arith.addi %kept, %both : vector<64x128xi32>
      "mosaic_gpu.vector_store"(%sum, %s) <{multimem = false}> : (vector<64x128xi32>, memref<64x128xi32, #gpu.address_space<workgroup>>) -> ()
      "mosaic_gpu.async_store"(%s, %o, %c0_i32, %c0_i32) <{commit_group = true, is_global_broadcast = false, operandSegmentSizes = array<i32: 1, 1, 2, 0, 0>, slice_lengths = array<i64: 64, 128>}> : (memref<64x128xi32, #gpu.address_space<workgroup>>, memref<64x128xi32>, i32, i32) -> ()
      nvvm.cp.async.bulk.wait_group 0
      gpu.terminator
    }
    return
  }

  // Operations of other dialects on vectors become those of tensors.
  // CHECK-LABEL: func.func @others(
  // CHECK: kernel @others on <gpu
  // CHECK: %[[V:.*]] = pallas.iota 0 : tensor<4x8xi32>
  // CHECK: %[[W:.*]] = pallas.iota 1 : tensor<4x8xi32>
  // CHECK: %[[LESS:.*]] = arith.cmpi slt, %[[V]], %[[W]] : tensor<4x8xi32>
  // CHECK: %[[MIN:.*]] = arith.select %[[LESS]], %[[V]], %[[W]] : tensor<4x8xi1>, tensor<4x8xi32>
  // CHECK: %[[SUM:.*]] = pallas.reduce <add> %[[MIN]] dims [1] : tensor<4x8xi32>
  // CHECK: pallas.debug_print "sum = {}" %[[SUM]] : tensor<4xi32>
  // CHECK: %[[CHOSEN:.*]] = scf.index_switch %{{.*}} -> tensor<4xi32>
  // CHECK: pallas.debug_print "chosen = {}" %[[CHOSEN]]
  // OTHERS: sum = [0 7 13 18]
  // OTHERS: chosen = [1 1 1 1]
  func.func @others_mosaic_gpu() {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %bytes = arith.constant 0 : i32
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
        threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) dynamic_shared_memory_size %bytes {
      %zero = arith.constant dense<0> : vector<4xi32>
      %v = "mosaic_gpu.broadcasted_iota"() <{dimension = 0 : i32}> : () -> vector<4x8xi32>
      %w = "mosaic_gpu.broadcasted_iota"() <{dimension = 1 : i32}> : () -> vector<4x8xi32>
      %less = arith.cmpi slt, %v, %w : vector<4x8xi32>
      %min = arith.select %less, %v, %w : vector<4x8xi1>, vector<4x8xi32>
      %sum = vector.multi_reduction <add>, %min, %zero [1] : vector<4x8xi32> to vector<4xi32>
      "mosaic_gpu.debug_print"(%sum) <{format = "sum = {}"}> : (vector<4xi32>) -> ()
      %at = mosaic_gpu.assume_multiple %bx, 1 : index
      %chosen = scf.index_switch %at -> vector<4xi32>
      case 0 {
        %one = arith.constant dense<1> : vector<4xi32>
        scf.yield %one : vector<4xi32>
      }
      default {
        scf.yield %zero : vector<4xi32>
      }
      "mosaic_gpu.debug_print"(%chosen) <{format = "chosen = {}"}> : (vector<4xi32>) -> ()
      gpu.terminator
    }
    return
  }
}
