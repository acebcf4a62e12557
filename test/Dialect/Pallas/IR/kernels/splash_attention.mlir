// RUN: pallas-opt %s -o %t.mlir && pallas-opt %t.mlir | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt --mlir-print-op-generic | pallas-opt | diff %t.mlir -

// Attention under a sparse mask. Tables say, for each block of rows and each
// step, which block of keys comes next, whether all of it, a part, or nothing
// is seen, and which stored piece of the mask applies. Scores are soft-capped.

!m = !pallas.ref<128x128xf32, vmem>
!c = !pallas.ref<128x1xf32, vmem>
!t = !pallas.ref<2x2xi32, smem>

// CHECK-LABEL: func.func @splash_attention
func.func @splash_attention(%kind: tensor<2x2xi32>, %data_next: tensor<2x2xi32>, %mask_next: tensor<2x2xi32>,
    %q: tensor<2x256x128xf32>, %k: tensor<2x512x128xf32>, %v: tensor<2x512x128xf32>,
    %pieces: tensor<3x128x128xi8>) -> tensor<2x256x128xf32> {
  // CHECK: prefetch(%{{.*}}, %{{.*}}, %{{.*}} : tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>)
  %o = pallas.pallas_call @splash_attention grid(2, 2, 2)
      prefetch(%kind, %data_next, %mask_next : tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>)
      in(%q : tensor<2x256x128xf32>) block<[squeezed, 128, 128], vmem> map(%h, %i, %j) -> (%h, %i, 0)
      in(%k : tensor<2x512x128xf32>) block<[squeezed, 128, 128], vmem> map(%h, %i, %j, %kd, %dn, %mn) {
        %block = pallas.get %dn[%i, %j] : !t
        %zero = arith.constant 0 : i32
        pallas.yield %h, %block, %zero : i32, i32, i32
      }
      in(%v : tensor<2x512x128xf32>) block<[squeezed, 128, 128], vmem> map(%h, %i, %j, %kd, %dn, %mn) {
        %block = pallas.get %dn[%i, %j] : !t
        %zero = arith.constant 0 : i32
        pallas.yield %h, %block, %zero : i32, i32, i32
      }
      in(%pieces : tensor<3x128x128xi8>) block<[squeezed, 128, 128], vmem> map(%h, %i, %j, %kd, %dn, %mn) {
        %piece = pallas.get %mn[%i, %j] : !t
        %zero = arith.constant 0 : i32
        pallas.yield %piece, %zero, %zero : i32, i32, i32
      }
      out(tensor<2x256x128xf32>) block<[squeezed, 128, 128], vmem> map(%h, %i, %j) -> (%h, %i, 0)
      semantics [parallel, arbitrary, arbitrary]
      kernel(%kd: !t, %dn: !t, %mn: !t, %qr: !m, %kr: !m, %vr: !m, %pr: !pallas.ref<128x128xi8, vmem>,
             %or: !m, %mr: !c, %lr: !c, %ar: !m) {
    %i = pallas.program_id 1
    %j = pallas.program_id 2
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %first = arith.cmpi eq, %j, %c0 : i32
    scf.if %first {
      %least = arith.constant dense<-1.0e30> : tensor<128x1xf32>
      %zero = arith.constant dense<0.0> : tensor<128x1xf32>
      %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
      pallas.swap %mr[...], %least : !c, tensor<128x1xf32>
      pallas.swap %lr[...], %zero : !c, tensor<128x1xf32>
      pallas.swap %ar[...], %zeros : !m, tensor<128x128xf32>
    }
    %what = pallas.get %kd[%i, %j] : !t
    %some = arith.cmpi ne, %what, %c0 : i32
    scf.if %some {
      %qv = pallas.get %qr[...] : !m
      %kv = pallas.get %kr[...] : !m
      %s0 = pallas.dot_general %qv, %kv contract [1] x [1]
          : tensor<128x128xf32>, tensor<128x128xf32> -> tensor<128x128xf32>
      %cap = arith.constant dense<30.0> : tensor<128x128xf32>
      %s1 = arith.divf %s0, %cap : tensor<128x128xf32>
      %s2 = math.tanh %s1 : tensor<128x128xf32>
      %s3 = arith.mulf %s2, %cap : tensor<128x128xf32>
      %whole = arith.cmpi eq, %what, %c2 : i32
      %wholes = pallas.broadcast %whole : i1 -> tensor<128x128xi1>
      %piece = pallas.get %pr[...] : !pallas.ref<128x128xi8, vmem>
      %nothing = arith.constant dense<0> : tensor<128x128xi8>
      %part = arith.cmpi ne, %piece, %nothing : tensor<128x128xi8>
      %seen = arith.ori %wholes, %part : tensor<128x128xi1>
      %hidden = arith.constant dense<-1.0e30> : tensor<128x128xf32>
      %s = arith.select %seen, %s3, %hidden : tensor<128x128xi1>, tensor<128x128xf32>
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
    %last = arith.cmpi eq, %j, %c1 : i32
    scf.if %last {
      %l = pallas.get %lr[...] : !c
      %ls = pallas.broadcast %l dims [0, 1] : tensor<128x1xf32> -> tensor<128x128xf32>
      %a = pallas.get %ar[...] : !m
      %r = arith.divf %a, %ls : tensor<128x128xf32>
      pallas.swap %or[...], %r : !m, tensor<128x128xf32>
    }
  }
  return %o : tensor<2x256x128xf32>
}

// The way back to keys also leaves, per block of keys, what it adds to the
// gradient of the queries; these parts are summed outside of the kernel.
// CHECK-LABEL: func.func @splash_attention_unreduced_dq
func.func @splash_attention_unreduced_dq(%kind: tensor<2x2xi32>, %ds: tensor<256x256xf32>, %k: tensor<256x128xf32>,
    %q: tensor<256x128xf32>) -> (tensor<256x128xf32>, tensor<256x128xf32>) {
  %o:2 = pallas.pallas_call @splash_attention_dkv grid(2, 2)
      prefetch(%kind : tensor<2x2xi32>)
      in(%ds : tensor<256x256xf32>) block<[128, 128], vmem> map(%j, %i) -> (%i, %j)
      in(%k : tensor<256x128xf32>) block<[128, 128], vmem> map(%j, %i) -> (%j, 0)
      in(%q : tensor<256x128xf32>) block<[128, 128], vmem> map(%j, %i) -> (%i, 0)
      out(tensor<256x128xf32>) block<[128, 128], vmem> map(%j, %i) -> (%j, 0)
      out(tensor<2x256x128xf32>) block<[squeezed, 128, 128], vmem> map(%j, %i) -> (%j, %i, 0)
      semantics [parallel, arbitrary]
      kernel(%kd: !t, %dsr: !m, %kr: !m, %qr: !m, %dkr: !m, %dqr: !m) {
    %j = pallas.program_id 0
    %i = pallas.program_id 1
    %c0 = arith.constant 0 : i32
    %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
    %first = arith.cmpi eq, %i, %c0 : i32
    scf.if %first {
      pallas.swap %dkr[...], %zeros : !m, tensor<128x128xf32>
    }
    %what = pallas.get %kd[%i, %j] : !t
    %some = arith.cmpi ne, %what, %c0 : i32
    scf.if %some {
      %d = pallas.get %dsr[...] : !m
      %kv = pallas.get %kr[...] : !m
      %qv = pallas.get %qr[...] : !m
      %dk_old = pallas.get %dkr[...] : !m
      %dk = pallas.dot_general %d, %qv acc %dk_old contract [0] x [0]
          : tensor<128x128xf32>, tensor<128x128xf32>, tensor<128x128xf32> -> tensor<128x128xf32>
      pallas.swap %dkr[...], %dk : !m, tensor<128x128xf32>
      %dq = pallas.dot_general %d, %kv contract [1] x [0]
          : tensor<128x128xf32>, tensor<128x128xf32> -> tensor<128x128xf32>
      pallas.swap %dqr[...], %dq : !m, tensor<128x128xf32>
    } else {
      pallas.swap %dqr[...], %zeros : !m, tensor<128x128xf32>
    }
  }
  // CHECK: pallas.reduce <add> %{{.*}} dims [0] : tensor<2x256x128xf32>
  %dq = pallas.reduce <add> %o#1 dims [0] : tensor<2x256x128xf32>
  return %o#0, %dq : tensor<256x128xf32>, tensor<256x128xf32>
}
