// RUN: pallas-opt %s --convert-mosaic-gpu-to-pallas | FileCheck %s
// RUN: pallas-run %s --no-cache --entry=hints | FileCheck %s --check-prefix=OUT

// What orders threads of one warpgroup has no meaning for a program; what other
// hardware needs of it later stays.

!s = memref<8xi32, #gpu.address_space<workgroup>>
module attributes {mosaic_gpu.arch_major = 9 : i32} {
  // CHECK-LABEL: func.func @hints(
  // CHECK: kernel @hints on <gpu, [<grid "x" = 1>]>(%[[S:.*]]: !pallas.ref<8xi32, smem>)
  // CHECK: %[[NS:.*]] = arith.constant 100 : i32
  // CHECK: pallas.set_max_registers 232 increase
  // CHECK: pallas.grid_dependency
  // CHECK: pallas.delay %[[NS]]
  // CHECK: %[[V:.*]] = pallas.iota 0 : tensor<8xi32>
  // CHECK: pallas.swap %[[S]][...], %[[V]]
  // CHECK-NEXT: pallas.commit_smem
  // CHECK-NOT: nvvm
  // CHECK: pallas.get %[[S]][...]
  // CHECK: pallas.grid_dependency launch
  // OUT: v = [0 1 2 3 4 5 6 7]
  func.func @hints_mosaic_gpu() {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %c100_i32 = arith.constant 100 : i32
    %all = arith.constant -1 : i32
    %bytes = arith.constant 32 : i32
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
        threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) dynamic_shared_memory_size %bytes {
      nvvm.setmaxregister increase 232
      nvvm.griddepcontrol wait
      %s = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> !s
      nvvm.fence.mbarrier.init
      gpu.barrier
      llvm.inline_asm has_side_effects "nanosleep.u32 $0;", "r" %c100_i32 : (i32) -> ()
      %v = "mosaic_gpu.broadcasted_iota"() <{dimension = 0 : i32}> : () -> vector<8xi32>
      "mosaic_gpu.print_layout"(%v) <{format = "{}"}> : (vector<8xi32>) -> ()
      "mosaic_gpu.vector_store"(%v, %s) <{multimem = false}> : (vector<8xi32>, !s) -> ()
      "mosaic_gpu.custom_primitive"() <{in_layouts = [], in_transforms = [], out_layouts = []}> ({
        nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
        "mosaic_gpu.return"() : () -> ()
      }) : () -> ()
      nvvm.bar.warp.sync %all : i32
      nvvm.wgmma.fence.aligned
      %u = "mosaic_gpu.vector_load"(%s) : (!s) -> vector<8xi32>
      "mosaic_gpu.debug_print"(%u) <{format = "v = {}"}> : (vector<8xi32>) -> ()
      nvvm.griddepcontrol launch_dependents
      gpu.terminator
    }
    return
  }
}
