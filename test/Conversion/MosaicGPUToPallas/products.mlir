// RUN: pallas-opt %s --convert-mosaic-gpu-to-pallas | FileCheck %s
// RUN: pallas-run %s --no-cache --entry=warpgroup | FileCheck %s --check-prefix=WARPGROUP
// RUN: pallas-run %s --no-cache --check --entry=warpgroup | FileCheck %s --check-prefix=WARPGROUP
// RUN: pallas-run %s --no-cache --entry=registers | FileCheck %s --check-prefix=REGISTERS

!a = memref<64x16xf16, #gpu.address_space<workgroup>>
!b = memref<16x8xf16, #gpu.address_space<workgroup>>
module attributes {mosaic_gpu.arch_major = 9 : i32} {
  // Matmuls of a warpgroup stay asynchronous, with a wait that leaves one open.
  // Each of them is a group, so there is nothing to commit.
  // CHECK-LABEL: func.func @warpgroup(
  // CHECK: kernel @warpgroup on <gpu, [<grid "x" = 1>]>(%[[A:.*]]: !pallas.ref<64x16xf16, smem>, %[[B:.*]]: !pallas.ref<16x8xf16, smem>)
  // CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<64x8xf32>
  // CHECK: pallas.commit_smem
  // CHECK: %[[ACC:.*]] = scf.for {{.*}} iter_args(%[[OLD:.*]] = %[[ZERO]]) -> (tensor<64x8xf32>) {
  // CHECK-NEXT: %[[NEW:.*]] = pallas.wgmma %[[OLD]], %[[A]], %[[B]] : tensor<64x8xf32>,
  // CHECK-NEXT: pallas.wgmma_wait 1
  // CHECK-NEXT: scf.yield %[[NEW]]
  // CHECK: pallas.wgmma_wait 0
  // CHECK-NEXT: tensor.extract_slice %[[ACC]][0, 0] [1, 8] [1, 1]
  // WARPGROUP: row = {{\[\[}}96 96 96 96 96 96 96 96]]
  func.func @warpgroup_mosaic_gpu() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c128 = arith.constant 128 : index
    %one = arith.constant dense<1.0> : vector<64x16xf16>
    %two = arith.constant dense<2.0> : vector<16x8xf16>
    %zero = arith.constant dense<0.0> : vector<64x8xf32>
    %bytes = arith.constant 2304 : i32
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
        threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) dynamic_shared_memory_size %bytes {
      %a = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> !a
      %b = "mosaic_gpu.slice_smem"() <{offset = 2048 : i32}> : () -> !b
      "mosaic_gpu.vector_store"(%one, %a) <{multimem = false}> : (vector<64x16xf16>, !a) -> ()
      "mosaic_gpu.vector_store"(%two, %b) <{multimem = false}> : (vector<16x8xf16>, !b) -> ()
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
      %acc = scf.for %i = %c0 to %c3 step %c1 iter_args(%old = %zero) -> (vector<64x8xf32>) {
        nvvm.wgmma.fence.aligned
        %new = "mosaic_gpu.wgmma"(%old, %a, %b) : (vector<64x8xf32>, !a, !b) -> vector<64x8xf32>
        nvvm.wgmma.commit.group.sync.aligned
        nvvm.wgmma.wait.group.sync.aligned 1
        scf.yield %new : vector<64x8xf32>
      }
      nvvm.wgmma.wait.group.sync.aligned 0
      %row = vector.extract_strided_slice %acc {offsets = [0, 0], sizes = [1, 8], strides = [1, 1]} : vector<64x8xf32> to vector<1x8xf32>
      "mosaic_gpu.debug_print"(%row) <{format = "row = {}"}> : (vector<1x8xf32>) -> ()
      gpu.terminator
    }
    return
  }

  // A matmul of registers is done at once.
  // CHECK-LABEL: func.func @registers(
  // CHECK-DAG: %[[ACC:.*]] = arith.constant dense<5.000000e-01> : tensor<64x8xf32>
  // CHECK-DAG: %[[A:.*]] = arith.constant dense<1.000000e+00> : tensor<64x16xf16>
  // CHECK-DAG: %[[B:.*]] = arith.constant dense<2.000000e+00> : tensor<16x8xf16>
  // CHECK: pallas.dot_general %[[A]], %[[B]] acc %[[ACC]] contract [1] x [0]
  // REGISTERS: row = {{\[\[}}32.5 32.5 32.5 32.5 32.5 32.5 32.5 32.5]]
  func.func @registers_mosaic_gpu() {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %bytes = arith.constant 0 : i32
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
        threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) dynamic_shared_memory_size %bytes {
      %acc = arith.constant dense<0.5> : vector<64x8xf32>
      %one = arith.constant dense<1.0> : vector<64x16xf16>
      %two = arith.constant dense<2.0> : vector<16x8xf16>
      %new = "mosaic_gpu.mma"(%acc, %one, %two) : (vector<64x8xf32>, vector<64x16xf16>, vector<16x8xf16>) -> vector<64x8xf32>
      %row = vector.extract_strided_slice %new {offsets = [0, 0], sizes = [1, 8], strides = [1, 1]} : vector<64x8xf32> to vector<1x8xf32>
      "mosaic_gpu.debug_print"(%row) <{format = "row = {}"}> : (vector<1x8xf32>) -> ()
      gpu.terminator
    }
    return
  }
}
