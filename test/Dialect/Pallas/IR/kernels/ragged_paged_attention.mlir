// RUN: pallas-opt %s -o %t.mlir && pallas-opt %t.mlir | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt --mlir-print-op-generic | pallas-opt | diff %t.mlir -

// Attention of tokens that belong to sequences one after the other. A page
// holds a row of a key, then a row of a value, and so on, in bf16: two rows on
// top of each other are one row of 32-bit words. Only the tiles of 8 rows that a
// sequence fills are copied. The block of the tokens that sees a sequence is masked.

!pages = !pallas.ref<6x32x128xbf16, any>
!buf = !pallas.ref<32x128xbf16, vmem>
!sem = !pallas.ref<!pallas.dma_semaphore, semaphore>
!part = !pallas.ref<?x128xbf16, any>
!filled = !pallas.ref<?x128xbf16, vmem>

// CHECK-LABEL: func.func @ragged_paged_attention
func.func @ragged_paged_attention(%kv_lens: tensor<3xi32>, %table: tensor<3x2xi32>, %cu_q_lens: tensor<4xi32>,
    %num_seqs: tensor<1xi32>, %q: tensor<16x128xf32>, %kv_pages: tensor<6x32x128xbf16>) -> tensor<16x128xf32> {
  %o = pallas.pallas_call @ragged_paged_attention grid(2)
      prefetch(%kv_lens, %table, %cu_q_lens, %num_seqs
          : tensor<3xi32>, tensor<3x2xi32>, tensor<4xi32>, tensor<1xi32>)
      in(%q : tensor<16x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      in(%kv_pages : tensor<6x32x128xbf16>) block<[6, 32, 128], any>
      out(tensor<16x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      semantics [arbitrary]
      kernel(%len_ref: !pallas.ref<3xi32, smem>, %table_ref: !pallas.ref<3x2xi32, smem>,
             %cu_ref: !pallas.ref<4xi32, smem>, %n_ref: !pallas.ref<1xi32, smem>,
             %qr: !pallas.ref<8x128xf32, vmem>, %pages: !pages, %or: !pallas.ref<8x128xf32, vmem>,
             %buf: !buf, %sem: !sem) {
    %i = pallas.program_id 0
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c3 = arith.constant 3 : i32
    %c4 = arith.constant 4 : i32
    %c8 = arith.constant 8 : i32
    %c15 = arith.constant 15 : i32
    %c16 = arith.constant 16 : i32
    %first_row = arith.muli %i, %c8 : i32
    %behind = arith.addi %first_row, %c8 : i32
    %n = pallas.get %n_ref[0] : !pallas.ref<1xi32, smem>
    %qv = pallas.get %qr[...] : !pallas.ref<8x128xf32, vmem>
    %zeros = arith.constant dense<0.0> : tensor<8x128xf32>
    pallas.swap %or[...], %zeros : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
    // What no copy fills is multiplied by zero, so it must be a number.
    %empty = arith.constant dense<0.0> : tensor<32x128xbf16>
    pallas.swap %buf[...], %empty : !buf, tensor<32x128xbf16>
    // CHECK: pallas.bitcast_ref %{{.*}} : !pallas.ref<32x128xbf16, vmem> -> !pallas.ref<16x128xi32, vmem>
    %words = pallas.bitcast_ref %buf : !buf -> !pallas.ref<16x128xi32, vmem>
    %seq_end = scf.while (%s = %c0) : (i32) -> i32 {
      %in_list = arith.cmpi slt, %s, %n : i32
      %begin = scf.if %in_list -> i32 {
        %x = pallas.get %cu_ref[%s] : !pallas.ref<4xi32, smem>
        scf.yield %x : i32
      } else {
        scf.yield %behind : i32
      }
      %go = arith.cmpi slt, %begin, %behind : i32
      scf.condition(%go) %s : i32
    } do {
    ^bb0(%s: i32):
      %s_next = arith.addi %s, %c1 : i32
      %begin = pallas.get %cu_ref[%s] : !pallas.ref<4xi32, smem>
      %end = pallas.get %cu_ref[%s_next] : !pallas.ref<4xi32, smem>
      %kv_len = pallas.get %len_ref[%s] : !pallas.ref<3xi32, smem>
      %reaches = arith.cmpi sgt, %end, %first_row : i32
      scf.if %reaches {
        %rounded = arith.addi %kv_len, %c15 : i32
        %num_pages = arith.divsi %rounded, %c16 : i32
        %q_len = arith.subi %end, %begin : i32
        %before = arith.subi %kv_len, %q_len : i32
        %rows = pallas.iota 0 : tensor<8x16xi32>
        %bases = pallas.broadcast %first_row : i32 -> tensor<8x16xi32>
        %row = arith.addi %bases, %rows : tensor<8x16xi32>
        %begins = pallas.broadcast %begin : i32 -> tensor<8x16xi32>
        %ends = pallas.broadcast %end : i32 -> tensor<8x16xi32>
        %low = arith.cmpi sge, %row, %begins : tensor<8x16xi32>
        %high = arith.cmpi slt, %row, %ends : tensor<8x16xi32>
        %mine = arith.andi %low, %high : tensor<8x16xi1>
        %in_seq = arith.subi %row, %begins : tensor<8x16xi32>
        %befores = pallas.broadcast %before : i32 -> tensor<8x16xi32>
        %limit = arith.addi %in_seq, %befores : tensor<8x16xi32>
        %least = arith.constant dense<-1.0e30> : tensor<8x1xf32>
        %zero = arith.constant dense<0.0> : tensor<8x1xf32>
        %r:3 = scf.for %k = %c0 to %num_pages step %c1
            iter_args(%m_old = %least, %l_old = %zero, %a_old = %zeros)
            -> (tensor<8x1xf32>, tensor<8x1xf32>, tensor<8x128xf32>) : i32 {
          %page = pallas.get %table_ref[%s, %k] : !pallas.ref<3x2xi32, smem>
          %start = arith.muli %k, %c16 : i32
          %left = arith.subi %kv_len, %start : i32
          %count = arith.minsi %left, %c16 : i32
          %past = arith.addi %count, %c3 : i32
          %num_tiles = arith.divsi %past, %c4 : i32
          %num_rows = arith.muli %num_tiles, %c8 : i32
          // CHECK: pallas.slice_ref %{{.*}}[%{{.*}}, ds(0, %{{.*}}), :]
          %src = pallas.slice_ref %pages[%page, ds(0, %num_rows), :] : !pages
          %dst = pallas.slice_ref %buf[ds(0, %num_rows), :] : !buf
          pallas.dma_start %src to %dst signals %sem : !part, !filled, !sem
          pallas.dma_wait %src to %dst signals %sem : !part, !filled, !sem
          %w = pallas.get %words[...] : !pallas.ref<16x128xi32, vmem>
          %sixteen = arith.constant dense<16> : tensor<16x128xi32>
          %upper = arith.constant dense<0xFFFF0000> : tensor<16x128xi32>
          %k_bits = arith.shli %w, %sixteen : tensor<16x128xi32>
          %v_bits = arith.andi %w, %upper : tensor<16x128xi32>
          %kv = arith.bitcast %k_bits : tensor<16x128xi32> to tensor<16x128xf32>
          %vv = arith.bitcast %v_bits : tensor<16x128xi32> to tensor<16x128xf32>
          %s0 = pallas.dot_general %qv, %kv contract [1] x [1]
              : tensor<8x128xf32>, tensor<16x128xf32> -> tensor<8x16xf32>
          %starts = pallas.broadcast %start : i32 -> tensor<8x16xi32>
          %lane = pallas.iota 1 : tensor<8x16xi32>
          %at = arith.addi %starts, %lane : tensor<8x16xi32>
          %causal = arith.cmpi sle, %at, %limit : tensor<8x16xi32>
          %seen = arith.andi %causal, %mine : tensor<8x16xi1>
          %hidden = arith.constant dense<-1.0e30> : tensor<8x16xf32>
          %nothing = arith.constant dense<0.0> : tensor<8x16xf32>
          %s1 = arith.select %seen, %s0, %hidden : tensor<8x16xi1>, tensor<8x16xf32>
          %top = pallas.reduce <max> %s1 dims [1] : tensor<8x16xf32>
          %top1 = pallas.reshape %top : tensor<8xf32> -> tensor<8x1xf32>
          %m_new = arith.maximumf %m_old, %top1 : tensor<8x1xf32>
          %ms = pallas.broadcast %m_new dims [0, 1] : tensor<8x1xf32> -> tensor<8x16xf32>
          %d = arith.subf %s1, %ms : tensor<8x16xf32>
          %e = math.exp %d : tensor<8x16xf32>
          %p = arith.select %seen, %e, %nothing : tensor<8x16xi1>, tensor<8x16xf32>
          %dm = arith.subf %m_old, %m_new : tensor<8x1xf32>
          %alpha = math.exp %dm : tensor<8x1xf32>
          %sum = pallas.reduce <add> %p dims [1] : tensor<8x16xf32>
          %sum1 = pallas.reshape %sum : tensor<8xf32> -> tensor<8x1xf32>
          %l_scaled = arith.mulf %l_old, %alpha : tensor<8x1xf32>
          %l_new = arith.addf %l_scaled, %sum1 : tensor<8x1xf32>
          %alphas = pallas.broadcast %alpha dims [0, 1] : tensor<8x1xf32> -> tensor<8x128xf32>
          %a_scaled = arith.mulf %a_old, %alphas : tensor<8x128xf32>
          %a_new = pallas.dot_general %p, %vv acc %a_scaled contract [1] x [0]
              : tensor<8x16xf32>, tensor<16x128xf32>, tensor<8x128xf32> -> tensor<8x128xf32>
          scf.yield %m_new, %l_new, %a_new : tensor<8x1xf32>, tensor<8x1xf32>, tensor<8x128xf32>
        }
        %ls = pallas.broadcast %r#1 dims [0, 1] : tensor<8x1xf32> -> tensor<8x128xf32>
        %result = arith.divf %r#2, %ls : tensor<8x128xf32>
        %own = pallas.iota 0 : tensor<8x128xi32>
        %base = pallas.broadcast %first_row : i32 -> tensor<8x128xi32>
        %token = arith.addi %own, %base : tensor<8x128xi32>
        %begin2 = pallas.broadcast %begin : i32 -> tensor<8x128xi32>
        %end2 = pallas.broadcast %end : i32 -> tensor<8x128xi32>
        %low2 = arith.cmpi sge, %token, %begin2 : tensor<8x128xi32>
        %high2 = arith.cmpi slt, %token, %end2 : tensor<8x128xi32>
        %mask = arith.andi %low2, %high2 : tensor<8x128xi1>
        %old = pallas.masked_swap %or[...], %result mask %mask
            : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>, tensor<8x128xi1>
      }
      scf.yield %s_next : i32
    }
  }
  return %o : tensor<16x128xf32>
}
