// Warpgroup 0 copies, warpgroup 1 adds up. `ready` counts one arrival, whose
// bytes two copies bring; `consumed` counts the warpgroup that has read a slot.

!bar = memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!bars = memref<2x!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
!desc = !llvm.struct<(ptr<3>, ptr<3>, i64, array<1 x i64>, array<1 x i64>)>
!slots = memref<2x64x32xf32, #gpu.address_space<workgroup>>
!slot = memref<64x32xf32, strided<[32, 1], offset: ?>, #gpu.address_space<workgroup>>
!v = vector<64x32xf32>

module attributes {mosaic_gpu.arch_major = 9 : i32, mosaic_gpu.arch_minor = 0 : i32} {
  func.func @specialized_mosaic_gpu(%x: memref<384x32xf32>, %y: memref<384x32xf32>, %o: memref<64x32xf32>) {
    %i1 = arith.constant 1 : index
    %i256 = arith.constant 256 : index
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %c5 = arith.constant 5 : i32
    %c6 = arith.constant 6 : i32
    %c7 = arith.constant 7 : i32
    %c31 = arith.constant 31 : i32
    %c64 = arith.constant 64 : i32
    %all = arith.constant -1 : i32
    %ticks = arith.constant 10000000 : i32
    %zeros = arith.constant dense<0.0> : !v
    %bytes = arith.constant 32800 : i32
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %i1, %gy = %i1, %gz = %i1)
        threads(%tx, %ty, %tz) in (%nx = %i256, %ny = %i1, %nz = %i1) dynamic_shared_memory_size %bytes {
      %xs = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> !slots
      %ys = "mosaic_gpu.slice_smem"() <{offset = 16384 : i32}> : () -> !slots
      %rs = "mosaic_gpu.slice_smem"() <{offset = 32768 : i32}> : () -> !bars
      %cs = "mosaic_gpu.slice_smem"() <{offset = 32784 : i32}> : () -> !bars
      %rd = builtin.unrealized_conversion_cast %rs : !bars to !desc
      %cd = builtin.unrealized_conversion_cast %cs : !bars to !desc
      %ready = llvm.extractvalue %rd[1] : !desc
      %consumed = llvm.extractvalue %cd[1] : !desc
      "mosaic_gpu.initialize_barrier"(%ready) <{arrival_count = 1 : i64, num_barriers = 2 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
      "mosaic_gpu.initialize_barrier"(%consumed) <{arrival_count = 1 : i64, num_barriers = 2 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
      %phases = memref.alloca() : memref<i32>
      memref.store %c0, %phases[] : memref<i32>
      nvvm.fence.mbarrier.init
      gpu.barrier
      %t = arith.index_cast %tx : index to i32
      %wg = arith.shrui %t, %c7 : i32
      %same = nvvm.shfl.sync idx %all, %wg, %c0, %c31 : i32 -> i32
      %copies = arith.cmpi eq, %same, %c0 : i32
      scf.if %copies {
        scf.for %step = %c0 to %c6 step %c1 : i32 {
          %s = arith.remsi %step, %c2 : i32
          %full = arith.cmpi sge, %step, %c2 : i32
          scf.if %full {
            %word = memref.load %phases[] : memref<i32>
            %mask = arith.shli %c1, %s : i32
            %bit = arith.andi %word, %mask : i32
            %set = arith.cmpi ne, %bit, %c0 : i32
            %parity = arith.extui %set : i1 to i32
            %flipped = arith.xori %word, %mask : i32
            memref.store %flipped, %phases[] : memref<i32>
            %pc = llvm.getelementptr %consumed[%s] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
            nvvm.mbarrier.try_wait.parity %pc, %parity, %ticks : !llvm.ptr<3>, i32, i32
          }
          %at = arith.index_cast %s : i32 to index
          %row = arith.muli %step, %c64 : i32
          %xslot = memref.subview %xs[%at, 0, 0] [1, 64, 32] [1, 1, 1] : !slots to !slot
          %yslot = memref.subview %ys[%at, 0, 0] [1, 64, 32] [1, 1, 1] : !slots to !slot
          %pr = llvm.getelementptr %ready[%s] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
          %br = builtin.unrealized_conversion_cast %pr : !llvm.ptr<3> to !bar
          mosaic_gpu.arrive_expect_tx barrier(%br : !bar) 16384
          "mosaic_gpu.async_load"(%x, %xslot, %br, %row, %c0) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0>, slice_lengths = array<i64: 64, 32>}> : (memref<384x32xf32>, !slot, !bar, i32, i32) -> ()
          "mosaic_gpu.async_load"(%y, %yslot, %br, %row, %c0) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0>, slice_lengths = array<i64: 64, 32>}> : (memref<384x32xf32>, !slot, !bar, i32, i32) -> ()
        }
      } else {
        %sum = scf.for %step = %c0 to %c6 step %c1 iter_args(%acc = %zeros) -> (!v) : i32 {
          %s = arith.remsi %step, %c2 : i32
          %word = memref.load %phases[] : memref<i32>
          %mask = arith.shli %c1, %s : i32
          %bit = arith.andi %word, %mask : i32
          %set = arith.cmpi ne, %bit, %c0 : i32
          %parity = arith.extui %set : i1 to i32
          %flipped = arith.xori %word, %mask : i32
          memref.store %flipped, %phases[] : memref<i32>
          %pr = llvm.getelementptr %ready[%s] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
          nvvm.mbarrier.try_wait.parity %pr, %parity, %ticks : !llvm.ptr<3>, i32, i32
          %at = arith.index_cast %s : i32 to index
          %xslot = memref.subview %xs[%at, 0, 0] [1, 64, 32] [1, 1, 1] : !slots to !slot
          %yslot = memref.subview %ys[%at, 0, 0] [1, 64, 32] [1, 1, 1] : !slots to !slot
          %xv = "mosaic_gpu.vector_load"(%xslot) : (!slot) -> !v
          %yv = "mosaic_gpu.vector_load"(%yslot) : (!slot) -> !v
          %pc = llvm.getelementptr %consumed[%s] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
          %bc = builtin.unrealized_conversion_cast %pc : !llvm.ptr<3> to !bar
          "mosaic_gpu.arrive"(%bc) <{orders_tensor_core = false}> : (!bar) -> ()
          %xy = arith.mulf %xv, %yv : !v
          %next = arith.addf %acc, %xy : !v
          scf.yield %next : !v
        }
        "mosaic_gpu.vector_store"(%sum, %o) <{multimem = false}> : (!v, memref<64x32xf32>) -> ()
      }
      gpu.terminator
    }
    return
  }
}
