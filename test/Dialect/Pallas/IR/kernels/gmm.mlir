// RUN: pallas-opt %s -o %t.mlir && pallas-opt %t.mlir | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt --mlir-print-op-generic | pallas-opt | diff %t.mlir -

// Grouped matmul: rows of lhs belong to groups one after the other, and each
// group has a matrix of its own. Tables say which group and which tile of rows
// each of the %num_tiles programs works on; a tile that two groups share is
// visited once for each, and a visit writes the rows of its group only.

!tiles = !pallas.ref<6xi32, smem>
!out = !pallas.ref<16x128xf32, vmem>

// CHECK-LABEL: func.func @gmm
func.func @gmm(%num_tiles: i32, %off: tensor<4xi32>, %gid: tensor<6xi32>, %mid: tensor<6xi32>,
    %goff: tensor<1xi32>, %lhs: tensor<64x200xf32>, %rhs: tensor<3x200x200xf32>) -> tensor<64x200xf32> {
  // CHECK: grid(2, %{{.*}}, 2)
  %o = pallas.pallas_call @gmm grid(2, %num_tiles, 2)
      prefetch(%off, %gid, %mid, %goff : tensor<4xi32>, tensor<6xi32>, tensor<6xi32>, tensor<1xi32>)
      in(%lhs : tensor<64x200xf32>) block<[16, 128], vmem, origin = "lhs"> map(%n, %g, %k, %off_ref, %gid_ref, %mid_ref, %goff_ref) {
        %m = pallas.get %mid_ref[%g] : !tiles
        pallas.yield %m, %k : i32, i32
      }
      in(%rhs : tensor<3x200x200xf32>) block<[squeezed, 128, 128], vmem, origin = "rhs"> map(%n, %g, %k, %off_ref, %gid_ref, %mid_ref, %goff_ref) {
        %group = pallas.get %gid_ref[%g] : !tiles
        %first = pallas.get %goff_ref[0] : !pallas.ref<1xi32, smem>
        %b = arith.subi %group, %first : i32
        pallas.yield %b, %k, %n : i32, i32, i32
      }
      out(tensor<64x200xf32>) block<[16, 128], vmem> map(%n, %g, %k, %off_ref, %gid_ref, %mid_ref, %goff_ref) {
        %m = pallas.get %mid_ref[%g] : !tiles
        pallas.yield %m, %n : i32, i32
      }
      semantics [parallel, arbitrary, arbitrary]
      kernel(%off_ref: !pallas.ref<4xi32, smem>, %gid_ref: !tiles, %mid_ref: !tiles,
             %goff_ref: !pallas.ref<1xi32, smem>, %lr: !pallas.ref<16x128xf32, vmem>,
             %rr: !pallas.ref<128x128xf32, vmem>, %or: !out, %acc: !out) {
    %g = pallas.program_id 1
    %k = pallas.program_id 2
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %first = arith.cmpi eq, %k, %c0 : i32
    scf.if %first {
      %zero = arith.constant dense<0.0> : tensor<16x128xf32>
      pallas.swap %acc[...], %zero : !out, tensor<16x128xf32>
    }
    %l = pallas.get %lr[...] : !pallas.ref<16x128xf32, vmem>
    %r = pallas.get %rr[...] : !pallas.ref<128x128xf32, vmem>
    %programs = pallas.num_programs 2
    %end = arith.subi %programs, %c1 : i32
    %last = arith.cmpi eq, %k, %end : i32
    scf.if %last {
      // 200 is not a multiple of 128: what hangs over is replaced by zeros
      // before the product, so that it may be NaN.
      %rest = arith.constant dense<72> : tensor<16x128xi32>
      %rest_r = arith.constant dense<72> : tensor<128x128xi32>
      %zero_l = arith.constant dense<0.0> : tensor<16x128xf32>
      %zero_r = arith.constant dense<0.0> : tensor<128x128xf32>
      %col = pallas.iota 1 : tensor<16x128xi32>
      %row = pallas.iota 0 : tensor<128x128xi32>
      %keep_l = arith.cmpi slt, %col, %rest : tensor<16x128xi32>
      %keep_r = arith.cmpi slt, %row, %rest_r : tensor<128x128xi32>
      %lm = arith.select %keep_l, %l, %zero_l : tensor<16x128xi1>, tensor<16x128xf32>
      %rm = arith.select %keep_r, %r, %zero_r : tensor<128x128xi1>, tensor<128x128xf32>
      %old = pallas.get %acc[...] : !out
      %new = pallas.dot_general %lm, %rm acc %old contract [1] x [0]
          : tensor<16x128xf32>, tensor<128x128xf32>, tensor<16x128xf32> -> tensor<16x128xf32>
      // Rows of this tile that belong to the group.
      %group = pallas.get %gid_ref[%g] : !tiles
      %next = arith.addi %group, %c1 : i32
      %begin = pallas.get %off_ref[%group] : !pallas.ref<4xi32, smem>
      %finish = pallas.get %off_ref[%next] : !pallas.ref<4xi32, smem>
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
      %others = pallas.get %or[...] : !out
      %merged = arith.select %mine, %new, %others : tensor<16x128xi1>, tensor<16x128xf32>
      pallas.swap %or[...], %merged : !out, tensor<16x128xf32>
    } else {
      %old = pallas.get %acc[...] : !out
      %new = pallas.dot_general %l, %r acc %old contract [1] x [0]
          : tensor<16x128xf32>, tensor<128x128xf32>, tensor<16x128xf32> -> tensor<16x128xf32>
      pallas.swap %acc[...], %new : !out, tensor<16x128xf32>
    }
  }
  return %o : tensor<64x200xf32>
}

// The matrices are transposed, and both operands are bf16.
// CHECK-LABEL: func.func @gmm_transposed_bf16
func.func @gmm_transposed_bf16(%num_tiles: i32, %off: tensor<4xi32>, %gid: tensor<6xi32>, %mid: tensor<6xi32>,
    %goff: tensor<1xi32>, %lhs: tensor<64x200xbf16>, %rhs: tensor<3x200x200xbf16>) -> tensor<64x200xf32> {
  // CHECK: grid(2, %{{.*}}, 2)
  %o = pallas.pallas_call @gmm_transposed_bf16 grid(2, %num_tiles, 2)
      prefetch(%off, %gid, %mid, %goff : tensor<4xi32>, tensor<6xi32>, tensor<6xi32>, tensor<1xi32>)
      in(%lhs : tensor<64x200xbf16>) block<[16, 128], vmem, origin = "lhs"> map(%n, %g, %k, %off_ref, %gid_ref, %mid_ref, %goff_ref) {
        %m = pallas.get %mid_ref[%g] : !tiles
        pallas.yield %m, %k : i32, i32
      }
      in(%rhs : tensor<3x200x200xbf16>) block<[squeezed, 128, 128], vmem, origin = "rhs"> map(%n, %g, %k, %off_ref, %gid_ref, %mid_ref, %goff_ref) {
        %group = pallas.get %gid_ref[%g] : !tiles
        %first = pallas.get %goff_ref[0] : !pallas.ref<1xi32, smem>
        %b = arith.subi %group, %first : i32
        pallas.yield %b, %n, %k : i32, i32, i32
      }
      out(tensor<64x200xf32>) block<[16, 128], vmem> map(%n, %g, %k, %off_ref, %gid_ref, %mid_ref, %goff_ref) {
        %m = pallas.get %mid_ref[%g] : !tiles
        pallas.yield %m, %n : i32, i32
      }
      semantics [parallel, arbitrary, arbitrary]
      kernel(%off_ref: !pallas.ref<4xi32, smem>, %gid_ref: !tiles, %mid_ref: !tiles,
             %goff_ref: !pallas.ref<1xi32, smem>, %lr: !pallas.ref<16x128xbf16, vmem>,
             %rr: !pallas.ref<128x128xbf16, vmem>, %or: !out, %acc: !out) {
    %g = pallas.program_id 1
    %k = pallas.program_id 2
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %first = arith.cmpi eq, %k, %c0 : i32
    scf.if %first {
      %zero = arith.constant dense<0.0> : tensor<16x128xf32>
      pallas.swap %acc[...], %zero : !out, tensor<16x128xf32>
    }
    %l = pallas.get %lr[...] : !pallas.ref<16x128xbf16, vmem>
    %r = pallas.get %rr[...] : !pallas.ref<128x128xbf16, vmem>
    %programs = pallas.num_programs 2
    %end = arith.subi %programs, %c1 : i32
    %last = arith.cmpi eq, %k, %end : i32
    scf.if %last {
      // 200 is not a multiple of 128: what hangs over is replaced by zeros
      // before the product, so that it may be NaN.
      %rest = arith.constant dense<72> : tensor<16x128xi32>
      %rest_r = arith.constant dense<72> : tensor<128x128xi32>
      %zero_l = arith.constant dense<0.0> : tensor<16x128xf32>
      %zero_r = arith.constant dense<0.0> : tensor<128x128xf32>
      %col = pallas.iota 1 : tensor<16x128xi32>
      %row = pallas.iota 1 : tensor<128x128xi32>
      %keep_l = arith.cmpi slt, %col, %rest : tensor<16x128xi32>
      %keep_r = arith.cmpi slt, %row, %rest_r : tensor<128x128xi32>
      %lw = arith.extf %l : tensor<16x128xbf16> to tensor<16x128xf32>
      %rw = arith.extf %r : tensor<128x128xbf16> to tensor<128x128xf32>
      %lm = arith.select %keep_l, %lw, %zero_l : tensor<16x128xi1>, tensor<16x128xf32>
      %rm = arith.select %keep_r, %rw, %zero_r : tensor<128x128xi1>, tensor<128x128xf32>
      %ln = arith.truncf %lm : tensor<16x128xf32> to tensor<16x128xbf16>
      %rn = arith.truncf %rm : tensor<128x128xf32> to tensor<128x128xbf16>
      %old = pallas.get %acc[...] : !out
      %new = pallas.dot_general %ln, %rn acc %old contract [1] x [1]
          : tensor<16x128xbf16>, tensor<128x128xbf16>, tensor<16x128xf32> -> tensor<16x128xf32>
      // Rows of this tile that belong to the group.
      %group = pallas.get %gid_ref[%g] : !tiles
      %next = arith.addi %group, %c1 : i32
      %begin = pallas.get %off_ref[%group] : !pallas.ref<4xi32, smem>
      %finish = pallas.get %off_ref[%next] : !pallas.ref<4xi32, smem>
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
      %others = pallas.get %or[...] : !out
      %merged = arith.select %mine, %new, %others : tensor<16x128xi1>, tensor<16x128xf32>
      pallas.swap %or[...], %merged : !out, tensor<16x128xf32>
    } else {
      %old = pallas.get %acc[...] : !out
      %new = pallas.dot_general %l, %r acc %old contract [1] x [1]
          : tensor<16x128xbf16>, tensor<128x128xbf16>, tensor<16x128xf32> -> tensor<16x128xf32>
      pallas.swap %acc[...], %new : !out, tensor<16x128xf32>
    }
  }
  return %o : tensor<64x200xf32>
}

// Rows outside of the groups keep the values of an existing result; one operand
// is bf16, the other f32.
// CHECK-LABEL: func.func @gmm_existing_out
func.func @gmm_existing_out(%num_tiles: i32, %off: tensor<4xi32>, %gid: tensor<6xi32>, %mid: tensor<6xi32>,
    %goff: tensor<1xi32>, %lhs: tensor<64x200xbf16>, %rhs: tensor<3x200x200xf32>,
    %existing: tensor<64x200xf32>) -> tensor<64x200xf32> {
  // CHECK: grid(2, %{{.*}}, 2)
  %o = pallas.pallas_call @gmm_existing_out grid(2, %num_tiles, 2)
      prefetch(%off, %gid, %mid, %goff : tensor<4xi32>, tensor<6xi32>, tensor<6xi32>, tensor<1xi32>)
      in(%lhs : tensor<64x200xbf16>) block<[16, 128], vmem, origin = "lhs"> map(%n, %g, %k, %off_ref, %gid_ref, %mid_ref, %goff_ref) {
        %m = pallas.get %mid_ref[%g] : !tiles
        pallas.yield %m, %k : i32, i32
      }
      in(%rhs : tensor<3x200x200xf32>) block<[squeezed, 128, 128], vmem, origin = "rhs"> map(%n, %g, %k, %off_ref, %gid_ref, %mid_ref, %goff_ref) {
        %group = pallas.get %gid_ref[%g] : !tiles
        %first = pallas.get %goff_ref[0] : !pallas.ref<1xi32, smem>
        %b = arith.subi %group, %first : i32
        pallas.yield %b, %k, %n : i32, i32, i32
      }
      in(%existing : tensor<64x200xf32>) block<[16, 128], vmem, origin = "existing_out"> map(%n, %g, %k, %off_ref, %gid_ref, %mid_ref, %goff_ref) {
        %m = pallas.get %mid_ref[%g] : !tiles
        pallas.yield %m, %n : i32, i32
      }
      out(tensor<64x200xf32>) block<[16, 128], vmem> map(%n, %g, %k, %off_ref, %gid_ref, %mid_ref, %goff_ref) {
        %m = pallas.get %mid_ref[%g] : !tiles
        pallas.yield %m, %n : i32, i32
      }
      // Positions count the index operands: 4 tables, lhs, rhs, existing_out.
      // CHECK: aliases [6 -> 0]
      aliases [6 -> 0]
      semantics [parallel, arbitrary, arbitrary]
      kernel(%off_ref: !pallas.ref<4xi32, smem>, %gid_ref: !tiles, %mid_ref: !tiles,
             %goff_ref: !pallas.ref<1xi32, smem>, %lr: !pallas.ref<16x128xbf16, vmem>,
             %rr: !pallas.ref<128x128xf32, vmem>, %er: !out, %or: !out, %acc: !out) {
    %g = pallas.program_id 1
    %k = pallas.program_id 2
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %first = arith.cmpi eq, %k, %c0 : i32
    scf.if %first {
      %zero = arith.constant dense<0.0> : tensor<16x128xf32>
      pallas.swap %acc[...], %zero : !out, tensor<16x128xf32>
    }
    // The first visit of a tile takes over what is there already.
    %m_here = pallas.get %mid_ref[%g] : !tiles
    %g_before = arith.subi %g, %c1 : i32
    %g_clamped = arith.maxsi %g_before, %c0 : i32
    %m_before = pallas.get %mid_ref[%g_clamped] : !tiles
    %at_start = arith.cmpi eq, %g, %c0 : i32
    %moved = arith.cmpi ne, %m_here, %m_before : i32
    %new_tile = arith.ori %at_start, %moved : i1
    scf.if %new_tile {
      %e = pallas.get %er[...] : !out
      pallas.swap %or[...], %e : !out, tensor<16x128xf32>
    }
    %l = pallas.get %lr[...] : !pallas.ref<16x128xbf16, vmem>
    %r = pallas.get %rr[...] : !pallas.ref<128x128xf32, vmem>
    %programs = pallas.num_programs 2
    %end = arith.subi %programs, %c1 : i32
    %last = arith.cmpi eq, %k, %end : i32
    scf.if %last {
      // 200 is not a multiple of 128: what hangs over is replaced by zeros
      // before the product, so that it may be NaN.
      %rest = arith.constant dense<72> : tensor<16x128xi32>
      %rest_r = arith.constant dense<72> : tensor<128x128xi32>
      %zero_l = arith.constant dense<0.0> : tensor<16x128xf32>
      %zero_r = arith.constant dense<0.0> : tensor<128x128xf32>
      %col = pallas.iota 1 : tensor<16x128xi32>
      %row = pallas.iota 0 : tensor<128x128xi32>
      %keep_l = arith.cmpi slt, %col, %rest : tensor<16x128xi32>
      %keep_r = arith.cmpi slt, %row, %rest_r : tensor<128x128xi32>
      %lw = arith.extf %l : tensor<16x128xbf16> to tensor<16x128xf32>
      %lm = arith.select %keep_l, %lw, %zero_l : tensor<16x128xi1>, tensor<16x128xf32>
      %rm = arith.select %keep_r, %r, %zero_r : tensor<128x128xi1>, tensor<128x128xf32>
      %old = pallas.get %acc[...] : !out
      %new = pallas.dot_general %lm, %rm acc %old contract [1] x [0]
          : tensor<16x128xf32>, tensor<128x128xf32>, tensor<16x128xf32> -> tensor<16x128xf32>
      // Rows of this tile that belong to the group.
      %group = pallas.get %gid_ref[%g] : !tiles
      %next = arith.addi %group, %c1 : i32
      %begin = pallas.get %off_ref[%group] : !pallas.ref<4xi32, smem>
      %finish = pallas.get %off_ref[%next] : !pallas.ref<4xi32, smem>
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
      %others = pallas.get %or[...] : !out
      %merged = arith.select %mine, %new, %others : tensor<16x128xi1>, tensor<16x128xf32>
      pallas.swap %or[...], %merged : !out, tensor<16x128xf32>
    } else {
      %lw = arith.extf %l : tensor<16x128xbf16> to tensor<16x128xf32>
      %old = pallas.get %acc[...] : !out
      %new = pallas.dot_general %lw, %r acc %old contract [1] x [0]
          : tensor<16x128xf32>, tensor<128x128xf32>, tensor<16x128xf32> -> tensor<16x128xf32>
      pallas.swap %acc[...], %new : !out, tensor<16x128xf32>
    }
  }
  return %o : tensor<64x200xf32>
}
