// RUN: pallas-opt %s --convert-mosaic-gpu-to-pallas | FileCheck %s
// RUN: pallas-run %s --no-cache --check --entry=tests --out %t.npy && pallas-run %s --no-cache --entry=tests --out %t.plain.npy && cmp %t.npy %t.plain.npy
// RUN: %python -c "import numpy as np; print(np.load('%t.npy').tolist())" | FileCheck %s --check-prefix=RESULT

// A test does not wait: the first warpgroup asks until the other has arrived,
// and counts nothing twice. The parities are those of a wait that would return
// at once.
// RESULT: [0, 1, 1, 0]

!bar = memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!desc = !llvm.struct<(ptr<3>, ptr<3>, i64)>
module attributes {mosaic_gpu.arch_major = 9 : i32} {
  // CHECK-LABEL: func.func @tests(
  // CHECK: %[[B:.*]] = pallas.slice_ref
  // CHECK: %[[EVEN:.*]] = pallas.barrier_test %[[B]] parity %false
  // CHECK: scf.while
  // CHECK: %[[DONE:.*]] = pallas.barrier_test %{{.*}} parity %false
  func.func @tests_mosaic_gpu(%o: memref<4xi32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c256 = arith.constant 256 : index
    %true = arith.constant true
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %c128 = arith.constant 128 : i32
    %bytes = arith.constant 8 : i32
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
        threads(%tx, %ty, %tz) in (%nx = %c256, %ny = %c1, %nz = %c1) dynamic_shared_memory_size %bytes {
      %s = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> !bar
      %d = builtin.unrealized_conversion_cast %s : !bar to !desc
      %p = llvm.extractvalue %d[1] : !desc
      "mosaic_gpu.initialize_barrier"(%p) <{arrival_count = 1 : i64, num_barriers = 1 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
      nvvm.fence.mbarrier.init
      gpu.barrier
      %thread = gpu.thread_id x
      %t = arith.index_cast %thread : index to i32
      %wg = arith.divui %t, %c128 : i32
      %isFirst = arith.cmpi eq, %wg, %zero : i32
      scf.if %isFirst {
        %even = nvvm.mbarrier.test.wait %p, %zero : !llvm.ptr<3>, i32 -> i1
        %odd = nvvm.mbarrier.test.wait %p, %one : !llvm.ptr<3>, i32 -> i1
        gpu.barrier
        scf.while : () -> () {
          %done = nvvm.mbarrier.test.wait %p, %zero : !llvm.ptr<3>, i32 -> i1
          %again = arith.xori %done, %true : i1
          scf.condition(%again)
        } do {
          scf.yield
        }
        %evenNow = nvvm.mbarrier.test.wait %p, %zero : !llvm.ptr<3>, i32 -> i1
        %oddNow = nvvm.mbarrier.test.wait %p, %one : !llvm.ptr<3>, i32 -> i1
        %0 = arith.extui %even : i1 to i32
        %1 = arith.extui %odd : i1 to i32
        %2 = arith.extui %evenNow : i1 to i32
        %3 = arith.extui %oddNow : i1 to i32
        memref.store %0, %o[%c0] : memref<4xi32>
        memref.store %1, %o[%c1] : memref<4xi32>
        memref.store %2, %o[%c2] : memref<4xi32>
        memref.store %3, %o[%c3] : memref<4xi32>
      } else {
        gpu.barrier
        "mosaic_gpu.arrive"(%s) <{orders_tensor_core = false}> : (!bar) -> ()
      }
      gpu.terminator
    }
    return
  }
}
