// RUN: pallas-opt %s | pallas-opt | FileCheck %s
// RUN: pallas-opt %s --mlir-print-op-generic | pallas-opt | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt | FileCheck %s

// Barriers. Those without a format of their own have the generic form only.

// CHECK-LABEL: @barriers
func.func @barriers(%p: !llvm.ptr<3>, %b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, %t: memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>, %parity: i1) {
  // CHECK: "mosaic_gpu.initialize_barrier"(%{{.*}}) <{arrival_count = 2 : i64, num_barriers = 4 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
  "mosaic_gpu.initialize_barrier"(%p) <{arrival_count = 2 : i64, num_barriers = 4 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
  // CHECK: "mosaic_gpu.arrive"(%{{.*}}) <{orders_tensor_core = false}> : (memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) -> ()
  "mosaic_gpu.arrive"(%b) <{orders_tensor_core = false}> : (memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) -> ()
  // CHECK: "mosaic_gpu.arrive"(%{{.*}}) <{orders_tensor_core = true}> : (memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>) -> ()
  "mosaic_gpu.arrive"(%t) <{orders_tensor_core = true}> : (memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>) -> ()
  // CHECK: mosaic_gpu.arrive_expect_tx barrier(%{{.*}} : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) 16384
  mosaic_gpu.arrive_expect_tx barrier(%b : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) 16384
  // CHECK: mosaic_gpu.wait barrier(%{{.*}} : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) parity(%{{.*}} : i1)
  mosaic_gpu.wait barrier(%b : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) parity(%parity : i1)
  return
}

// CHECK-LABEL: @cluster_cancel
func.func @cluster_cancel(%m: memref<16xi8, #gpu.address_space<workgroup>>, %b: memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, %c: i1) {
  // CHECK: "mosaic_gpu.try_cluster_cancel"(%{{.*}}, %{{.*}}) : (memref<16xi8, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) -> ()
  "mosaic_gpu.try_cluster_cancel"(%m, %b) : (memref<16xi8, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) -> ()
  // CHECK: "mosaic_gpu.try_cluster_cancel"(%{{.*}}, %{{.*}}, %{{.*}}) : (memref<16xi8, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i1) -> ()
  "mosaic_gpu.try_cluster_cancel"(%m, %b, %c) : (memref<16xi8, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i1) -> ()
  // CHECK: %{{.*}} = "mosaic_gpu.query_cluster_cancel"(%{{.*}}) : (memref<16xi8, #gpu.address_space<workgroup>>) -> (i32, i32, i32, i1)
  %0:4 = "mosaic_gpu.query_cluster_cancel"(%m) : (memref<16xi8, #gpu.address_space<workgroup>>) -> (i32, i32, i32, i1)
  return
}
