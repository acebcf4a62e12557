// RUN: pallas-opt %s -o %t.mlir && pallas-opt %t.mlir | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt --mlir-print-op-generic | pallas-opt | diff %t.mlir -

// Gradients of causal attention. Probabilities are computed again from the
// logarithm of the sums; %di holds the row sums of the result times its
// gradient.

!m = !pallas.ref<128x128xf32, vmem>
!c = !pallas.ref<128x1xf32, vmem>

// CHECK-LABEL: func.func @flash_attention_dq
func.func @flash_attention_dq(%q: tensor<2x256x128xf32>, %k: tensor<2x256x128xf32>, %v: tensor<2x256x128xf32>,
    %do: tensor<2x256x128xf32>, %lse: tensor<2x256x1xf32>, %di: tensor<2x256x1xf32>)
    -> tensor<2x256x128xf32> {
  %o = pallas.pallas_call @flash_attention_dq grid(2, 2, 2)
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
      in(%do : tensor<2x256x128xf32>) block<[squeezed, 128, 128], vmem> map(%h, %i, %j) -> (%h, %i, 0)
      in(%lse : tensor<2x256x1xf32>) block<[squeezed, 128, 1], vmem> map(%h, %i, %j) -> (%h, %i, 0)
      in(%di : tensor<2x256x1xf32>) block<[squeezed, 128, 1], vmem> map(%h, %i, %j) -> (%h, %i, 0)
      out(tensor<2x256x128xf32>) block<[squeezed, 128, 128], vmem> map(%h, %i, %j) -> (%h, %i, 0)
      semantics [parallel, parallel, arbitrary]
      kernel(%qr: !m, %kr: !m, %vr: !m, %dor: !m, %lser: !c, %dir: !c, %dqr: !m) {
    %i = pallas.program_id 1
    %j = pallas.program_id 2
    %c0 = arith.constant 0 : i32
    %first = arith.cmpi eq, %j, %c0 : i32
    scf.if %first {
      %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
      pallas.swap %dqr[...], %zeros : !m, tensor<128x128xf32>
    }
    %run = arith.cmpi sle, %j, %i : i32
    scf.if %run {
      %qv = pallas.get %qr[...] : !m
      %kv = pallas.get %kr[...] : !m
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
      %sums = pallas.get %lser[...] : !c
      %lses = pallas.broadcast %sums dims [0, 1] : tensor<128x1xf32> -> tensor<128x128xf32>
      %d = arith.subf %s, %lses : tensor<128x128xf32>
      %p = math.exp %d : tensor<128x128xf32>
      %dov = pallas.get %dor[...] : !m
      %vv = pallas.get %vr[...] : !m
      %dp = pallas.dot_general %dov, %vv contract [1] x [1]
          : tensor<128x128xf32>, tensor<128x128xf32> -> tensor<128x128xf32>
      %rowsum = pallas.get %dir[...] : !c
      %dis = pallas.broadcast %rowsum dims [0, 1] : tensor<128x1xf32> -> tensor<128x128xf32>
      %dd = arith.subf %dp, %dis : tensor<128x128xf32>
      %pd = arith.mulf %p, %dd : tensor<128x128xf32>
      %ds = arith.mulf %pd, %scale : tensor<128x128xf32>
      // CHECK: pallas.dot_general %{{.*}}, %{{.*}} acc
      %old = pallas.get %dqr[...] : !m
      %new = pallas.dot_general %ds, %kv acc %old contract [1] x [0]
          : tensor<128x128xf32>, tensor<128x128xf32>, tensor<128x128xf32> -> tensor<128x128xf32>
      pallas.swap %dqr[...], %new : !m, tensor<128x128xf32>
    }
  }
  return %o : tensor<2x256x128xf32>
}

// CHECK-LABEL: func.func @flash_attention_dkv
func.func @flash_attention_dkv(%q: tensor<2x256x128xf32>, %k: tensor<2x256x128xf32>, %v: tensor<2x256x128xf32>,
    %do: tensor<2x256x128xf32>, %lse: tensor<2x256x1xf32>, %di: tensor<2x256x1xf32>)
    -> (tensor<2x256x128xf32>, tensor<2x256x128xf32>) {
  %o:2 = pallas.pallas_call @flash_attention_dkv grid(2, 2, 2)
      in(%q : tensor<2x256x128xf32>) block<[squeezed, 128, 128], vmem> map(%h, %j, %i) {
        %row = arith.maxsi %i, %j : i32
        %zero = arith.constant 0 : i32
        pallas.yield %h, %row, %zero : i32, i32, i32
      }
      in(%k : tensor<2x256x128xf32>) block<[squeezed, 128, 128], vmem> map(%h, %j, %i) -> (%h, %j, 0)
      in(%v : tensor<2x256x128xf32>) block<[squeezed, 128, 128], vmem> map(%h, %j, %i) -> (%h, %j, 0)
      in(%do : tensor<2x256x128xf32>) block<[squeezed, 128, 128], vmem> map(%h, %j, %i) {
        %row = arith.maxsi %i, %j : i32
        %zero = arith.constant 0 : i32
        pallas.yield %h, %row, %zero : i32, i32, i32
      }
      in(%lse : tensor<2x256x1xf32>) block<[squeezed, 128, 1], vmem> map(%h, %j, %i) {
        %row = arith.maxsi %i, %j : i32
        %zero = arith.constant 0 : i32
        pallas.yield %h, %row, %zero : i32, i32, i32
      }
      in(%di : tensor<2x256x1xf32>) block<[squeezed, 128, 1], vmem> map(%h, %j, %i) {
        %row = arith.maxsi %i, %j : i32
        %zero = arith.constant 0 : i32
        pallas.yield %h, %row, %zero : i32, i32, i32
      }
      out(tensor<2x256x128xf32>) block<[squeezed, 128, 128], vmem> map(%h, %j, %i) -> (%h, %j, 0)
      out(tensor<2x256x128xf32>) block<[squeezed, 128, 128], vmem> map(%h, %j, %i) -> (%h, %j, 0)
      semantics [parallel, parallel, arbitrary]
      kernel(%qr: !m, %kr: !m, %vr: !m, %dor: !m, %lser: !c, %dir: !c, %dkr: !m, %dvr: !m,
             %dk_acc: !m, %dv_acc: !m) {
    %j = pallas.program_id 1
    %i = pallas.program_id 2
    %c0 = arith.constant 0 : i32
    %first = arith.cmpi eq, %i, %c0 : i32
    scf.if %first {
      %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
      pallas.swap %dk_acc[...], %zeros : !m, tensor<128x128xf32>
      pallas.swap %dv_acc[...], %zeros : !m, tensor<128x128xf32>
    }
    %run = arith.cmpi sle, %j, %i : i32
    scf.if %run {
      %qv = pallas.get %qr[...] : !m
      %kv = pallas.get %kr[...] : !m
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
      %sums = pallas.get %lser[...] : !c
      %lses = pallas.broadcast %sums dims [0, 1] : tensor<128x1xf32> -> tensor<128x128xf32>
      %d = arith.subf %s, %lses : tensor<128x128xf32>
      %p = math.exp %d : tensor<128x128xf32>
      %dov = pallas.get %dor[...] : !m
      %vv = pallas.get %vr[...] : !m
      %dp = pallas.dot_general %dov, %vv contract [1] x [1]
          : tensor<128x128xf32>, tensor<128x128xf32> -> tensor<128x128xf32>
      %rowsum = pallas.get %dir[...] : !c
      %dis = pallas.broadcast %rowsum dims [0, 1] : tensor<128x1xf32> -> tensor<128x128xf32>
      %dd = arith.subf %dp, %dis : tensor<128x128xf32>
      %pd = arith.mulf %p, %dd : tensor<128x128xf32>
      %ds = arith.mulf %pd, %scale : tensor<128x128xf32>
      // CHECK: contract [0] x [0]
      %dv_old = pallas.get %dv_acc[...] : !m
      %dv_new = pallas.dot_general %p, %dov acc %dv_old contract [0] x [0]
          : tensor<128x128xf32>, tensor<128x128xf32>, tensor<128x128xf32> -> tensor<128x128xf32>
      pallas.swap %dv_acc[...], %dv_new : !m, tensor<128x128xf32>
      %dk_old = pallas.get %dk_acc[...] : !m
      %dk_new = pallas.dot_general %ds, %qv acc %dk_old contract [0] x [0]
          : tensor<128x128xf32>, tensor<128x128xf32>, tensor<128x128xf32> -> tensor<128x128xf32>
      pallas.swap %dk_acc[...], %dk_new : !m, tensor<128x128xf32>
    }
    %n = pallas.num_programs 2
    %c1 = arith.constant 1 : i32
    %end = arith.subi %n, %c1 : i32
    %last = arith.cmpi eq, %i, %end : i32
    scf.if %last {
      %dk = pallas.get %dk_acc[...] : !m
      pallas.swap %dkr[...], %dk : !m, tensor<128x128xf32>
      %dvv = pallas.get %dv_acc[...] : !m
      pallas.swap %dvr[...], %dvv : !m, tensor<128x128xf32>
    }
  }
  return %o#0, %o#1 : tensor<2x256x128xf32>, tensor<2x256x128xf32>
}
