// RUN: pallas-opt %s --convert-mosaic-gpu-to-pallas --split-input-file | FileCheck %s

// Events of JAX's profiler become spans. What is noted for them goes: the notes in shared memory, their
// number, the clock, and the array that they are copied to.

!notes = memref<64xi32, strided<[1], offset: ?>, #gpu.address_space<workgroup>>

module attributes {mosaic_gpu.arch_major = 9 : i32} {
  // CHECK-LABEL: func.func @profiled(
  // CHECK-SAME: %{{.*}}: tensor<128xf32>) -> tensor<128xf32>
  // CHECK: kernel @profiled on <gpu, [<grid "x" = 1>]>(%[[X:.*]]: !pallas.ref<128xf32, gmem>, %[[O:.*]]: !pallas.ref<128xf32, gmem>) {
  // CHECK-NEXT: pallas.trace_start "span 1"
  // CHECK-NEXT: %[[V:.*]] = pallas.get %[[X]]
  // CHECK-NEXT: pallas.trace_stop
  // CHECK-NEXT: pallas.swap %[[O]][...], %[[V]]
  // CHECK-NEXT: }
  func.func @profiled_mosaic_gpu(%x: memref<128xf32>, %o: memref<128xf32>, %profile: memref<64xi32>) {
    %i0 = arith.constant 0 : index
    %i1 = arith.constant 1 : index
    %i128 = arith.constant 128 : index
    %c0 = arith.constant 0 : i32
    %c7 = arith.constant 7 : i32
    %c64 = arith.constant 64 : i32
    %c128 = arith.constant 128 : i32
    %bytes = arith.constant 256 : i32
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %i1, %gy = %i1, %gz = %i1)
        threads(%tx, %ty, %tz) in (%nx = %i128, %ny = %i1, %nz = %i1) dynamic_shared_memory_size %bytes {
      %slice = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<64xi32, #gpu.address_space<workgroup>>
      %plain = "mosaic_gpu.with_transforms"(%slice) <{transforms = []}> : (memref<64xi32, #gpu.address_space<workgroup>>) -> memref<64xi32, #gpu.address_space<workgroup>>
      %t = arith.index_cast %tx : index to i32
      %wg = arith.shrui %t, %c7 : i32
      %at0 = arith.muli %wg, %c64 : i32
      %at = arith.index_cast %at0 : i32 to index
      %notes = memref.subview %plain[%at] [64] [1] : memref<64xi32, #gpu.address_space<workgroup>> to !notes
      %lane = arith.remui %t, %c128 : i32
      %first = arith.cmpi eq, %lane, %c0 : i32
      %count = memref.alloca() : memref<index>
      memref.store %i0, %count[] : memref<index>
      %start = llvm.inline_asm has_side_effects asm_dialect = att "mov.u32  $0,%globaltimer_lo;", "=r" : () -> i32
      "mosaic_gpu.custom_primitive"(%start, %first, %notes, %profile, %count) <{in_layouts = [], in_transforms = [[]], out_layouts = []}> ({
      ^bb0(%s: i32, %f: i1, %n: !notes, %p: memref<64xi32>, %c: memref<index>):
        %i2 = arith.constant 2 : index
        %number = arith.constant 1 : i32
        %used = memref.load %c[] : memref<index>
        %place = memref.extract_aligned_pointer_as_index %n : !notes -> index
        %address = arith.index_cast %place : index to i64
        llvm.inline_asm has_side_effects "\0A @$0 st.shared.v2.u32 [$1], {$2, %clock};\0A", "b,l,r" %f, %address, %number : (i1, i64, i32) -> ()
        %next = arith.addi %used, %i2 : index
        memref.store %next, %c[] : memref<index>
        mosaic_gpu.return
      }) : (i32, i1, !notes, memref<64xi32>, memref<index>) -> ()
      %v = "mosaic_gpu.vector_load"(%x) : (memref<128xf32>) -> vector<128xf32>
      "mosaic_gpu.custom_primitive"(%start, %first, %notes, %profile, %count) <{in_layouts = [], in_transforms = [[]], out_layouts = []}> ({
      ^bb0(%s: i32, %f: i1, %n: !notes, %p: memref<64xi32>, %c: memref<index>):
        %i2 = arith.constant 2 : index
        %number = arith.constant -2147483647 : i32
        %used = memref.load %c[] : memref<index>
        %place = memref.extract_aligned_pointer_as_index %n : !notes -> index
        %address = arith.index_cast %place : index to i64
        llvm.inline_asm has_side_effects "\0A @$0 st.shared.v2.u32 [$1], {$2, %clock};\0A", "b,l,r" %f, %address, %number : (i1, i64, i32) -> ()
        %next = arith.addi %used, %i2 : index
        memref.store %next, %c[] : memref<index>
        mosaic_gpu.return
      }) : (i32, i1, !notes, memref<64xi32>, memref<index>) -> ()
      "mosaic_gpu.vector_store"(%v, %o) <{multimem = false}> : (vector<128xf32>, memref<128xf32>) -> ()
      "mosaic_gpu.custom_primitive"(%start, %first, %notes, %profile, %count) <{in_layouts = [], in_transforms = [[]], out_layouts = []}> ({
      ^bb0(%s: i32, %f: i1, %n: !notes, %p: memref<64xi32>, %c: memref<index>):
        %j0 = arith.constant 0 : index
        %j1 = arith.constant 1 : index
        %j3 = arith.constant 3 : index
        gpu.barrier
        scf.if %f {
          memref.store %s, %p[%j0] : memref<64xi32>
          %sm = llvm.inline_asm asm_dialect = att "mov.u32  $0,%smid;", "=r" : () -> i32
          memref.store %sm, %p[%j1] : memref<64xi32>
          %all = vector.load %n[%j0] : !notes, vector<61xi32>
          vector.store %all, %p[%j3] : memref<64xi32>, vector<61xi32>
        }
        mosaic_gpu.return
      }) : (i32, i1, !notes, memref<64xi32>, memref<index>) -> ()
      gpu.terminator
    }
    return
  }
}
