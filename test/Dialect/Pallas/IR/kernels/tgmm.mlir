// RUN: pallas-opt %s -o %t.mlir && pallas-opt %t.mlir | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt --mlir-print-op-generic | pallas-opt | diff %t.mlir -

// Transposed grouped matmul: out[g] is the product of the columns of lhs and the
// rows of rhs that belong to group g, where lhs comes transposed. Tiles of rows
// come in the order of groups, so an output window stays until its group ends;
// a group without rows is visited once and gets zeros.

!tiles = !pallas.ref<6xi32, smem>
!rows = !pallas.ref<16x128xf32, vmem>
!out = !pallas.ref<128x128xf32, vmem>

// CHECK-LABEL: func.func @tgmm
func.func @tgmm(%num_tiles: i32, %off: tensor<4xi32>, %gid: tensor<6xi32>, %mid: tensor<6xi32>,
    %goff: tensor<1xi32>, %lhs: tensor<64x200xf32>, %rhs: tensor<64x200xf32>) -> tensor<3x200x200xf32> {
  %o = pallas.pallas_call @tgmm grid(2, 2, %num_tiles)
      prefetch(%off, %gid, %mid, %goff : tensor<4xi32>, tensor<6xi32>, tensor<6xi32>, tensor<1xi32>)
      in(%lhs : tensor<64x200xf32>) block<[16, 128], vmem, origin = "lhs"> map(%n, %k, %g, %off_ref, %gid_ref, %mid_ref, %goff_ref) {
        %m = pallas.get %mid_ref[%g] : !tiles
        pallas.yield %m, %k : i32, i32
      }
      in(%rhs : tensor<64x200xf32>) block<[16, 128], vmem, origin = "rhs"> map(%n, %k, %g, %off_ref, %gid_ref, %mid_ref, %goff_ref) {
        %m = pallas.get %mid_ref[%g] : !tiles
        pallas.yield %m, %n : i32, i32
      }
      // CHECK: out(tensor<3x200x200xf32>) block<[squeezed, 128, 128], vmem>
      out(tensor<3x200x200xf32>) block<[squeezed, 128, 128], vmem> map(%n, %k, %g, %off_ref, %gid_ref, %mid_ref, %goff_ref) {
        %group = pallas.get %gid_ref[%g] : !tiles
        %first = pallas.get %goff_ref[0] : !pallas.ref<1xi32, smem>
        %b = arith.subi %group, %first : i32
        pallas.yield %b, %k, %n : i32, i32, i32
      }
      semantics [parallel, arbitrary, arbitrary]
      kernel(%off_ref: !pallas.ref<4xi32, smem>, %gid_ref: !tiles, %mid_ref: !tiles,
             %goff_ref: !pallas.ref<1xi32, smem>, %lr: !rows, %rr: !rows,
             %or: !out, %acc: !out) {
    %g = pallas.program_id 2
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c5 = arith.constant 5 : i32
    %group = pallas.get %gid_ref[%g] : !tiles
    %g_before = arith.subi %g, %c1 : i32
    %g_low = arith.maxsi %g_before, %c0 : i32
    %before = pallas.get %gid_ref[%g_low] : !tiles
    %at_start = arith.cmpi eq, %g, %c0 : i32
    %from_other = arith.cmpi ne, %group, %before : i32
    %enter = arith.ori %at_start, %from_other : i1
    scf.if %enter {
      %zero = arith.constant dense<0.0> : tensor<128x128xf32>
      pallas.swap %acc[...], %zero : !out, tensor<128x128xf32>
    }
    %next = arith.addi %group, %c1 : i32
    %begin = pallas.get %off_ref[%group] : !pallas.ref<4xi32, smem>
    %finish = pallas.get %off_ref[%next] : !pallas.ref<4xi32, smem>
    %has_rows = arith.cmpi sgt, %finish, %begin : i32
    scf.if %has_rows {
      %m = pallas.get %mid_ref[%g] : !tiles
      %tm = arith.constant 16 : i32
      %base = arith.muli %m, %tm : i32
      %bases = pallas.broadcast %base : i32 -> tensor<16x128xi32>
      %rows = pallas.iota 0 : tensor<16x128xi32>
      %at = arith.addi %rows, %bases : tensor<16x128xi32>
      %begins = pallas.broadcast %begin : i32 -> tensor<16x128xi32>
      %finishes = pallas.broadcast %finish : i32 -> tensor<16x128xi32>
      %above = arith.cmpi sge, %at, %begins : tensor<16x128xi32>
      %below = arith.cmpi slt, %at, %finishes : tensor<16x128xi32>
      %mine = arith.andi %above, %below : tensor<16x128xi1>
      %zero = arith.constant dense<0.0> : tensor<16x128xf32>
      %l = pallas.get %lr[...] : !rows
      %r = pallas.get %rr[...] : !rows
      %lm = arith.select %mine, %l, %zero : tensor<16x128xi1>, tensor<16x128xf32>
      %rm = arith.select %mine, %r, %zero : tensor<16x128xi1>, tensor<16x128xf32>
      %lt = pallas.transpose %lm, [1, 0] : tensor<16x128xf32>
      %old = pallas.get %acc[...] : !out
      // CHECK: pallas.dot_general %{{.*}}, %{{.*}} acc %{{.*}} contract [1] x [0]
      %new = pallas.dot_general %lt, %rm acc %old contract [1] x [0]
          : tensor<128x16xf32>, tensor<16x128xf32>, tensor<128x128xf32> -> tensor<128x128xf32>
      pallas.swap %acc[...], %new : !out, tensor<128x128xf32>
    }
    // CHECK: pallas.num_programs 2
    %programs = pallas.num_programs 2
    %end = arith.subi %programs, %c1 : i32
    %at_end = arith.cmpi eq, %g, %end : i32
    %g_after = arith.addi %g, %c1 : i32
    %g_high = arith.minsi %g_after, %c5 : i32
    %after = pallas.get %gid_ref[%g_high] : !tiles
    %to_other = arith.cmpi ne, %group, %after : i32
    %leave = arith.ori %at_end, %to_other : i1
    scf.if %leave {
      %v = pallas.get %acc[...] : !out
      pallas.swap %or[...], %v : !out, tensor<128x128xf32>
    }
  }
  return %o : tensor<3x200x200xf32>
}

// The products are added to an existing result.
// CHECK-LABEL: func.func @tgmm_existing_out
func.func @tgmm_existing_out(%num_tiles: i32, %off: tensor<4xi32>, %gid: tensor<6xi32>, %mid: tensor<6xi32>,
    %goff: tensor<1xi32>, %lhs: tensor<64x200xf32>, %rhs: tensor<64x200xf32>,
    %existing: tensor<3x200x200xf32>) -> tensor<3x200x200xf32> {
  %o = pallas.pallas_call @tgmm_existing_out grid(2, 2, %num_tiles)
      prefetch(%off, %gid, %mid, %goff : tensor<4xi32>, tensor<6xi32>, tensor<6xi32>, tensor<1xi32>)
      in(%lhs : tensor<64x200xf32>) block<[16, 128], vmem, origin = "lhs"> map(%n, %k, %g, %off_ref, %gid_ref, %mid_ref, %goff_ref) {
        %m = pallas.get %mid_ref[%g] : !tiles
        pallas.yield %m, %k : i32, i32
      }
      in(%rhs : tensor<64x200xf32>) block<[16, 128], vmem, origin = "rhs"> map(%n, %k, %g, %off_ref, %gid_ref, %mid_ref, %goff_ref) {
        %m = pallas.get %mid_ref[%g] : !tiles
        pallas.yield %m, %n : i32, i32
      }
      in(%existing : tensor<3x200x200xf32>) block<[squeezed, 128, 128], vmem, origin = "existing_out"> map(%n, %k, %g, %off_ref, %gid_ref, %mid_ref, %goff_ref) {
        %group = pallas.get %gid_ref[%g] : !tiles
        %first = pallas.get %goff_ref[0] : !pallas.ref<1xi32, smem>
        %b = arith.subi %group, %first : i32
        pallas.yield %b, %k, %n : i32, i32, i32
      }
      // CHECK: out(tensor<3x200x200xf32>) block<[squeezed, 128, 128], vmem>
      out(tensor<3x200x200xf32>) block<[squeezed, 128, 128], vmem> map(%n, %k, %g, %off_ref, %gid_ref, %mid_ref, %goff_ref) {
        %group = pallas.get %gid_ref[%g] : !tiles
        %first = pallas.get %goff_ref[0] : !pallas.ref<1xi32, smem>
        %b = arith.subi %group, %first : i32
        pallas.yield %b, %k, %n : i32, i32, i32
      }
      // CHECK: aliases [6 -> 0]
      aliases [6 -> 0]
      semantics [parallel, arbitrary, arbitrary]
      kernel(%off_ref: !pallas.ref<4xi32, smem>, %gid_ref: !tiles, %mid_ref: !tiles,
             %goff_ref: !pallas.ref<1xi32, smem>, %lr: !rows, %rr: !rows,
             %er: !out, %or: !out, %acc: !out) {
    %g = pallas.program_id 2
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c5 = arith.constant 5 : i32
    %group = pallas.get %gid_ref[%g] : !tiles
    %g_before = arith.subi %g, %c1 : i32
    %g_low = arith.maxsi %g_before, %c0 : i32
    %before = pallas.get %gid_ref[%g_low] : !tiles
    %at_start = arith.cmpi eq, %g, %c0 : i32
    %from_other = arith.cmpi ne, %group, %before : i32
    %enter = arith.ori %at_start, %from_other : i1
    scf.if %enter {
      %zero = arith.constant dense<0.0> : tensor<128x128xf32>
      pallas.swap %acc[...], %zero : !out, tensor<128x128xf32>
    }
    %next = arith.addi %group, %c1 : i32
    %begin = pallas.get %off_ref[%group] : !pallas.ref<4xi32, smem>
    %finish = pallas.get %off_ref[%next] : !pallas.ref<4xi32, smem>
    %has_rows = arith.cmpi sgt, %finish, %begin : i32
    scf.if %has_rows {
      %m = pallas.get %mid_ref[%g] : !tiles
      %tm = arith.constant 16 : i32
      %base = arith.muli %m, %tm : i32
      %bases = pallas.broadcast %base : i32 -> tensor<16x128xi32>
      %rows = pallas.iota 0 : tensor<16x128xi32>
      %at = arith.addi %rows, %bases : tensor<16x128xi32>
      %begins = pallas.broadcast %begin : i32 -> tensor<16x128xi32>
      %finishes = pallas.broadcast %finish : i32 -> tensor<16x128xi32>
      %above = arith.cmpi sge, %at, %begins : tensor<16x128xi32>
      %below = arith.cmpi slt, %at, %finishes : tensor<16x128xi32>
      %mine = arith.andi %above, %below : tensor<16x128xi1>
      %zero = arith.constant dense<0.0> : tensor<16x128xf32>
      %l = pallas.get %lr[...] : !rows
      %r = pallas.get %rr[...] : !rows
      %lm = arith.select %mine, %l, %zero : tensor<16x128xi1>, tensor<16x128xf32>
      %rm = arith.select %mine, %r, %zero : tensor<16x128xi1>, tensor<16x128xf32>
      %lt = pallas.transpose %lm, [1, 0] : tensor<16x128xf32>
      %old = pallas.get %acc[...] : !out
      // CHECK: pallas.dot_general %{{.*}}, %{{.*}} acc %{{.*}} contract [1] x [0]
      %new = pallas.dot_general %lt, %rm acc %old contract [1] x [0]
          : tensor<128x16xf32>, tensor<16x128xf32>, tensor<128x128xf32> -> tensor<128x128xf32>
      pallas.swap %acc[...], %new : !out, tensor<128x128xf32>
    }
    // CHECK: pallas.num_programs 2
    %programs = pallas.num_programs 2
    %end = arith.subi %programs, %c1 : i32
    %at_end = arith.cmpi eq, %g, %end : i32
    %g_after = arith.addi %g, %c1 : i32
    %g_high = arith.minsi %g_after, %c5 : i32
    %after = pallas.get %gid_ref[%g_high] : !tiles
    %to_other = arith.cmpi ne, %group, %after : i32
    %leave = arith.ori %at_end, %to_other : i1
    scf.if %leave {
      %v = pallas.get %acc[...] : !out
      %e = pallas.get %er[...] : !out
      %s = arith.addf %v, %e : tensor<128x128xf32>
      pallas.swap %or[...], %s : !out, tensor<128x128xf32>
    }
  }
  return %o : tensor<3x200x200xf32>
}
