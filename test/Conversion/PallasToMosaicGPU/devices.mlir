// RUN: pallas-opt %s --pallas-to-mosaic-gpu --split-input-file | FileCheck %s

// The runtime gives the addresses of arrays on other devices behind all arrays:
// for the one array here, four numbers, one address for each of four devices,
// and one for all of them.

// CHECK-LABEL: module @store attributes
// CHECK-SAME: mosaic_gpu.collective_metadata_used
// CHECK-NOT: multimem_used
// CHECK: %[[SLOT:.*]] = llvm.getelementptr %arg1[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
// CHECK: %[[POINTER:.*]] = llvm.load %[[SLOT]]
// CHECK: llvm.insertvalue %[[POINTER]]
// CHECK: %[[TABLE:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<9xi64>
// CHECK: gpu.launch
// CHECK: %[[FIRST:.*]] = memref.load %[[TABLE]][%c0]
// CHECK: %[[DEVICE:.*]] = arith.trunci %[[FIRST]] {mosaic_gpu.device_id_load} : i64 to i32
// CHECK: %[[PEER:.*]] = arith.addi %{{.*}}, %{{.*}} : i32
// CHECK: %[[INDEX:.*]] = arith.index_cast %[[PEER]] : i32 to index
// CHECK: %[[PLACE:.*]] = arith.addi %[[INDEX]], %c4
// CHECK: %[[NUMBER:.*]] = memref.load %[[TABLE]][%[[PLACE]]]
// CHECK: %[[ADDRESS:.*]] = llvm.inttoptr %[[NUMBER]]
// CHECK: llvm.insertvalue %[[ADDRESS]]
// CHECK: %[[THERE:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<64x128xf32>
// CHECK-NOT: from_kernel_arg_idx
// CHECK: %[[PART:.*]] = memref.subview %[[THERE]][0, 64] [64, 64]
// CHECK: "mosaic_gpu.vector_store"(%{{.*}}, %[[PART]]) <{multimem = false}>
func.func @call_store() -> tensor<64x128xf32> attributes {pallas.device_mesh = [["x", 2], ["y", 2]]} {
  %0 = pallas.mpmd_map
      out(tensor<64x128xf32>)
      kernel @store on <gpu, [<grid "i" = 1>]> (%o: !pallas.ref<64x128xf32, gmem>) {
    %x = pallas.axis_index "x"
    %c1 = arith.constant 1 : i32
    %next = arith.subi %c1, %x : i32
    %v = arith.constant dense<1.0> : tensor<64x64xf32>
    %there = pallas.remote_ref %o device mesh(%next) axes ["x"] : !pallas.ref<64x128xf32, gmem>
    pallas.swap %there[:, ds(64, 64)], %v : !pallas.ref<64x128xf32, gmem>, tensor<64x64xf32>
  }
  return %0 : tensor<64x128xf32>
}

// -----

// All devices at once: loads and stores of an address that the runtime makes of
// the arrays that a list names.

// CHECK-LABEL: module @all attributes
// CHECK-SAME: mosaic_gpu.multimem_args = dense<true> : tensor<2xi1>, mosaic_gpu.multimem_used
// CHECK: %[[TABLE:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<16xi64>
// CHECK: memref.load %[[TABLE]][%c14]
// CHECK: %[[X:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<64x128xf32>
// CHECK: %[[SUM:.*]] = "mosaic_gpu.multimem_load_reduce"(%[[X]]) <{reduction_type = 0 : i32}>
// CHECK: memref.load %[[TABLE]][%c15]
// CHECK: %[[O:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<64x128xf32>
// CHECK: "mosaic_gpu.vector_store"(%[[SUM]], %[[O]]) <{multimem = true}>
func.func @call_all(%x: tensor<64x128xf32>) -> tensor<64x128xf32> attributes {pallas.device_mesh = [["x", 5]]} {
  %0 = pallas.mpmd_map
      in(%x : tensor<64x128xf32>)
      out(tensor<64x128xf32>)
      kernel @all on <gpu, [<grid "i" = 1>]> (%g: !pallas.ref<64x128xf32, gmem>, %o: !pallas.ref<64x128xf32, gmem>) {
    %sum = pallas.multimem_load_reduce <add> %g axes ["x"] : !pallas.ref<64x128xf32, gmem> -> tensor<64x128xf32>
    %all = pallas.multicast_ref %o axes ["x"] : !pallas.ref<64x128xf32, gmem>
    pallas.swap %all[...], %sum : !pallas.ref<64x128xf32, gmem>, tensor<64x128xf32>
  }
  return %0 : tensor<64x128xf32>
}

// -----

// Copies name the device, and the host describes them.

// CHECK-LABEL: module @copy attributes
// CHECK: %[[O:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<64x128xf32> {mosaic_gpu.from_kernel_arg_idx = 0 : i32, mosaic_gpu.original_kernel_arg}
// CHECK: %[[DEVICE:.*]] = arith.trunci %{{.*}} {mosaic_gpu.device_id_load}
// CHECK: %[[PEER:.*]] = arith.subi %c1_i32, %[[DEVICE]]
// CHECK: "mosaic_gpu.async_store"(%{{.*}}, %[[O]], %c0_i32, %c0_i32, %[[PEER]]) <{commit_group = true, is_global_broadcast = false, operandSegmentSizes = array<i32: 1, 1, 2, 0, 1>
// CHECK: "mosaic_gpu.async_store"(%{{.*}}, %[[O]], %c0_i32, %c0_i32) <{commit_group = true, is_global_broadcast = true
func.func @call_copy() -> tensor<64x128xf32> attributes {pallas.device_mesh = [["x", 2]]} {
  %0 = pallas.mpmd_map
      out(tensor<64x128xf32>)
      kernel @copy on <gpu, [<grid "i" = 1>]> (%o: !pallas.ref<64x128xf32, gmem>) {
    %x = pallas.axis_index "x"
    %c1 = arith.constant 1 : i32
    %next = arith.subi %c1, %x : i32
    pallas.run_scoped (%s: !pallas.ref<64x128xf32, smem>) {
      %there = pallas.remote_ref %o device mesh(%next) axes ["x"] : !pallas.ref<64x128xf32, gmem>
      pallas.copy_smem_to_gmem %s to %there : !pallas.ref<64x128xf32, smem>, !pallas.ref<64x128xf32, gmem>
      %all = pallas.multicast_ref %o axes ["x"] : !pallas.ref<64x128xf32, gmem>
      pallas.copy_smem_to_gmem %s to %all : !pallas.ref<64x128xf32, smem>, !pallas.ref<64x128xf32, gmem>
      pallas.wait_smem_to_gmem 0
    }
  }
  return %0 : tensor<64x128xf32>
}

// -----

// The words of semaphores are an array, too: the second of two, as the call
// gives them and gets them back. Other devices see what is counted here.

// CHECK-LABEL: module @signals attributes
// CHECK-SAME: mosaic_gpu.multimem_args = dense<[false, true]>
// CHECK: %[[TABLE:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<10xi64>
// CHECK: %[[PLACE:.*]] = arith.addi %{{.*}}, %c6
// CHECK: %[[NUMBER:.*]] = memref.load %[[TABLE]][%[[PLACE]]]
// CHECK: %[[WORDS:.*]] = llvm.inttoptr %[[NUMBER]]
// CHECK: "@$2 red.release.sys.global.add.u32 [$0], $1;", "l,r,b" %[[WORDS]],
// CHECK: %[[NUMBER:.*]] = memref.load %[[TABLE]][%c9]
// CHECK: %[[WORDS:.*]] = llvm.inttoptr %[[NUMBER]]
// CHECK: %[[WORD:.*]] = llvm.getelementptr %[[WORDS]][1] : (!llvm.ptr) -> !llvm.ptr, i32
// CHECK: "{ @$2 multimem.red.release.sys.global.add.u32 [$0], $1; fence.proxy.alias; }", "l,r,b" %[[WORD]],
// CHECK: "atom.relaxed.sys.global.cas.b32 $0, [$1], $2, $3;"
// CHECK: "fence.acquire.sys;"
// CHECK: "ld.acquire.sys.u32 $0, [$1];"
func.func @call_signals() attributes {pallas.device_mesh = [["x", 2]]} {
  pallas.mpmd_map
      kernel @signals on <gpu, [<grid "i" = 1>]> () {
    %x = pallas.axis_index "x"
    %c1 = arith.constant 1 : i32
    %next = arith.subi %c1, %x : i32
    %s = pallas.get_global "s" : !pallas.ref<2x!pallas.semaphore, gmem>
    %first = pallas.slice_ref %s[0] : !pallas.ref<2x!pallas.semaphore, gmem>
    %second = pallas.slice_ref %s[1] : !pallas.ref<2x!pallas.semaphore, gmem>
    pallas.semaphore_signal %first, %c1 device mesh(%next) axes ["x"] : !pallas.ref<!pallas.semaphore, gmem>
    %all = pallas.multicast_ref %second axes ["x"] : !pallas.ref<!pallas.semaphore, gmem>
    pallas.semaphore_signal %all, %c1 : !pallas.ref<!pallas.semaphore, gmem>
    pallas.semaphore_wait %first, %c1 : !pallas.ref<!pallas.semaphore, gmem>
    %n = pallas.semaphore_read %second : !pallas.ref<!pallas.semaphore, gmem>
    pallas.semaphore_wait %second, %n : !pallas.ref<!pallas.semaphore, gmem>
  }
  return
}
