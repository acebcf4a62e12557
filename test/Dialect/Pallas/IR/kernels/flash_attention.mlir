// RUN: pallas-opt %s -o %t.mlir && pallas-opt %t.mlir | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt --mlir-print-op-generic | pallas-opt | diff %t.mlir -

// Causal attention in blocks of 128 rows and columns. Blocks above the diagonal
// are not computed, and their index maps name a block that is there already.

!m = !pallas.ref<128x128xf32, vmem>
!c = !pallas.ref<128x1xf32, vmem>

// CHECK-LABEL: func.func @flash_attention
func.func @flash_attention(%q: tensor<2x256x128xf32>, %k: tensor<2x256x128xf32>, %v: tensor<2x256x128xf32>)
    -> (tensor<2x256x128xf32>, tensor<2x256x1xf32>) {
  // CHECK: %{{.*}}:2 = pallas.pallas_call @flash_attention grid(2, 2, 2)
  %o:2 = pallas.pallas_call @flash_attention grid(2, 2, 2)
      in(%q : tensor<2x256x128xf32>) block<[squeezed, 128, 128], vmem> map(%h, %i, %j) -> (%h, %i, 0)
      in(%k : tensor<2x256x128xf32>) block<[squeezed, 128, 128], vmem> map(%h, %i, %j) {
        %last = arith.minsi %i, %j : i32
        %zero = arith.constant 0 : i32
        pallas.yield %h, %last, %zero : i32, i32, i32
      }
      in(%v : tensor<2x256x128xf32>) block<[squeezed, 128, 128], vmem> map(%h, %i, %j) {
        %last = arith.minsi %i, %j : i32
        %zero = arith.constant 0 : i32
        pallas.yield %h, %last, %zero : i32, i32, i32
      }
      out(tensor<2x256x128xf32>) block<[squeezed, 128, 128], vmem> map(%h, %i, %j) -> (%h, %i, 0)
      out(tensor<2x256x1xf32>) block<[squeezed, 128, 1], vmem> map(%h, %i, %j) -> (%h, %i, 0)
      semantics [parallel, parallel, arbitrary]
      attributes {costEstimate = #pallas.cost<flops = 67108864, transcendentals = 262144, bytesAccessed = 1050624>}
      kernel(%qr: !m, %kr: !m, %vr: !m, %or: !m, %lser: !c, %mr: !c, %lr: !c, %ar: !m) {
    %i = pallas.program_id 1
    %j = pallas.program_id 2
    %c0 = arith.constant 0 : i32
    %first = arith.cmpi eq, %j, %c0 : i32
    scf.if %first {
      %least = arith.constant dense<-1.0e30> : tensor<128x1xf32>
      %zero = arith.constant dense<0.0> : tensor<128x1xf32>
      %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
      pallas.swap %mr[...], %least : !c, tensor<128x1xf32>
      pallas.swap %lr[...], %zero : !c, tensor<128x1xf32>
      pallas.swap %ar[...], %zeros : !m, tensor<128x128xf32>
    }
    %run = arith.cmpi sle, %j, %i : i32
    scf.if %run {
      %qv = pallas.get %qr[...] : !m
      %kv = pallas.get %kr[...] : !m
      // CHECK: contract [1] x [1]
      %s0 = pallas.dot_general %qv, %kv contract [1] x [1]
          : tensor<128x128xf32>, tensor<128x128xf32> -> tensor<128x128xf32>
      %scale = arith.constant dense<0.08838834764> : tensor<128x128xf32>
      %s1 = arith.mulf %s0, %scale : tensor<128x128xf32>
      %size = arith.constant 128 : i32
      %row0 = arith.muli %i, %size : i32
      %col0 = arith.muli %j, %size : i32
      %row0s = pallas.broadcast %row0 : i32 -> tensor<128x128xi32>
      %col0s = pallas.broadcast %col0 : i32 -> tensor<128x128xi32>
      %row1 = pallas.iota 0 : tensor<128x128xi32>
      %col1 = pallas.iota 1 : tensor<128x128xi32>
      %row = arith.addi %row0s, %row1 : tensor<128x128xi32>
      %col = arith.addi %col0s, %col1 : tensor<128x128xi32>
      %seen = arith.cmpi sge, %row, %col : tensor<128x128xi32>
      %hidden = arith.constant dense<-1.0e30> : tensor<128x128xf32>
      %s = arith.select %seen, %s1, %hidden : tensor<128x128xi1>, tensor<128x128xf32>
      %m_old = pallas.get %mr[...] : !c
      %top = pallas.reduce <max> %s dims [1] : tensor<128x128xf32>
      %top1 = pallas.reshape %top : tensor<128xf32> -> tensor<128x1xf32>
      %m_new = arith.maximumf %m_old, %top1 : tensor<128x1xf32>
      %ms = pallas.broadcast %m_new dims [0, 1] : tensor<128x1xf32> -> tensor<128x128xf32>
      %d = arith.subf %s, %ms : tensor<128x128xf32>
      %p = math.exp %d : tensor<128x128xf32>
      %dm = arith.subf %m_old, %m_new : tensor<128x1xf32>
      %alpha = math.exp %dm : tensor<128x1xf32>
      %sum = pallas.reduce <add> %p dims [1] : tensor<128x128xf32>
      %sum1 = pallas.reshape %sum : tensor<128xf32> -> tensor<128x1xf32>
      %l_old = pallas.get %lr[...] : !c
      %l_scaled = arith.mulf %l_old, %alpha : tensor<128x1xf32>
      %l_new = arith.addf %l_scaled, %sum1 : tensor<128x1xf32>
      %alphas = pallas.broadcast %alpha dims [0, 1] : tensor<128x1xf32> -> tensor<128x128xf32>
      %a_old = pallas.get %ar[...] : !m
      %a_scaled = arith.mulf %a_old, %alphas : tensor<128x128xf32>
      %vv = pallas.get %vr[...] : !m
      %a_new = pallas.dot_general %p, %vv acc %a_scaled contract [1] x [0]
          : tensor<128x128xf32>, tensor<128x128xf32>, tensor<128x128xf32> -> tensor<128x128xf32>
      pallas.swap %mr[...], %m_new : !c, tensor<128x1xf32>
      pallas.swap %lr[...], %l_new : !c, tensor<128x1xf32>
      pallas.swap %ar[...], %a_new : !m, tensor<128x128xf32>
    }
    %n = pallas.num_programs 2
    %c1 = arith.constant 1 : i32
    %end = arith.subi %n, %c1 : i32
    %last = arith.cmpi eq, %j, %end : i32
    scf.if %last {
      %l = pallas.get %lr[...] : !c
      %inverse = pallas.reciprocal %l : tensor<128x1xf32>
      %inverses = pallas.broadcast %inverse dims [0, 1] : tensor<128x1xf32> -> tensor<128x128xf32>
      %a = pallas.get %ar[...] : !m
      %r = arith.mulf %a, %inverses : tensor<128x128xf32>
      pallas.swap %or[...], %r : !m, tensor<128x128xf32>
      %mm = pallas.get %mr[...] : !c
      %log = math.log %l : tensor<128x1xf32>
      %lse = arith.addf %mm, %log : tensor<128x1xf32>
      pallas.swap %lser[...], %lse : !c, tensor<128x1xf32>
    }
  }
  return %o#0, %o#1 : tensor<2x256x128xf32>, tensor<2x256x1xf32>
}
