// RUN: pallas-opt %s --pallas-hoist-scalar-prefetch --split-input-file | FileCheck %s
// RUN: pallas-opt %s --pallas-hoist-scalar-prefetch --split-input-file --verify-diagnostics -o /dev/null
// RUN: pallas-opt %s --pallas-hoist-scalar-prefetch="inputs=false" --split-input-file | FileCheck %s --check-prefix=CAPTURES
// RUN: pallas-opt %s --pallas-hoist-scalar-prefetch="max-bytes=16384" --split-input-file | FileCheck %s --check-prefix=LARGE

!b = !pallas.ref<8x128xf32, vmem>

// Constants move in, the size of the grid is known inside, a scalar becomes an
// array of one element, and a tensor of which elements are read a table.
// CHECK-LABEL: func.func @captures
// CHECK-SAME: (%[[X:.*]]: tensor<64x128xf32>, %[[N:.*]]: i32, %[[S:.*]]: f32, %[[T:.*]]: tensor<8x2xi32>, %[[R:.*]]: tensor<f32>)
func.func @captures(%x: tensor<64x128xf32>, %n: i32, %s: f32, %t: tensor<8x2xi32>, %r: tensor<f32>) -> tensor<64x128xf32> {
  %c1 = arith.constant 1 : i32
  // CHECK: %[[ONE:.*]] = tensor.from_elements %[[S]] : tensor<1xf32>
  // CHECK: %[[E:.*]] = tensor.extract %[[R]][] : tensor<f32>
  // CHECK: %[[TWO:.*]] = tensor.from_elements %[[E]] : tensor<1xf32>
  // CHECK: pallas.pallas_call @k grid(%[[N]])
  // CHECK-NEXT: prefetch(%[[ONE]], %[[T]], %[[TWO]] : tensor<1xf32>, tensor<8x2xi32>, tensor<1xf32>)
  %o = pallas.pallas_call @k grid(%n)
      captures(%c1, %n, %s, %t, %r : i32, i32, f32, tensor<8x2xi32>, tensor<f32>)
      // CHECK-NEXT: in(%[[X]] : tensor<64x128xf32>) block<[8, 128], vmem> map(%[[I:.*]], %{{.*}}, %[[TABLE:.*]], %{{.*}}) {
      in(%x : tensor<64x128xf32>) block<[8, 128], vmem> map(%i, %one, %m, %f, %table, %rank0) {
        // CHECK: %[[SIZE:.*]] = pallas.num_programs 0
        // CHECK: %[[K1:.*]] = arith.constant 1 : i32
        // CHECK: arith.subi %[[SIZE]], %[[K1]] : i32
        // CHECK: %[[AT:.*]] = arith.index_cast %[[I]]
        // CHECK: pallas.get %[[TABLE]][%[[AT]] index, %{{.*}} index] : !pallas.ref<8x2xi32, smem>
        %last = arith.subi %m, %one : i32
        %at = arith.index_cast %i : i32 to index
        %c0 = arith.constant 0 : index
        %row = tensor.extract %table[%at, %c0] : tensor<8x2xi32>
        %there = arith.minsi %row, %last : i32
        %zero = arith.constant 0 : i32
        pallas.yield %there, %zero : i32, i32
      }
      out(tensor<64x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      aliases [0 -> 0]
      // CHECK: aliases [3 -> 0]
      // CHECK: kernel(%[[OR:.*]]: !pallas.ref<1xf32, smem>, %{{.*}}: !pallas.ref<8x2xi32, smem>, %[[RR:.*]]: !pallas.ref<1xf32, smem>, %{{.*}}: !pallas.ref<8x128xf32, vmem>, %{{.*}}: !pallas.ref<8x128xf32, vmem>)
      kernel(%one: i32, %m: i32, %f: f32, %table: tensor<8x2xi32>, %rank0: tensor<f32>, %xr: !b, %or: !b) {
    // CHECK: pallas.get %[[RR]][0]
    // CHECK: tensor.from_elements
    // CHECK: pallas.get %[[OR]][0]
    %v = pallas.get %xr[...] : !b
    %u = pallas.broadcast %f : f32 -> tensor<8x128xf32>
    %e = tensor.extract %rank0[] : tensor<f32>
    %q = pallas.broadcast %e : f32 -> tensor<8x128xf32>
    %w = arith.mulf %v, %u : tensor<8x128xf32>
    %z = arith.addf %w, %q : tensor<8x128xf32>
    pallas.swap %or[...], %z : !b, tensor<8x128xf32>
  }
  return %o : tensor<64x128xf32>
}

// -----

// An array that the kernel reads as a whole becomes an input.
// CHECK-LABEL: func.func @whole(
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>, %[[Y:.*]]: tensor<8xf32>)
func.func @whole(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: pallas.pallas_call grid()
  // CHECK-NEXT: in(%[[X]] : tensor<8xf32>) block<[8], vmem>
  // CHECK-NEXT: in(%[[Y]] : tensor<8xf32>)
  // CHECK-NEXT: out(tensor<8xf32>) block<[8], vmem>
  // CHECK: kernel(%{{.*}}: !pallas.ref<8xf32, vmem>, %[[R:.*]]: !pallas.ref<8xf32, default>, %{{.*}}: !pallas.ref<8xf32, vmem>)
  // CHECK: %[[V:.*]] = pallas.get %[[R]][...]
  // CHECK: arith.addf %{{.*}}, %[[V]]
  %o = pallas.pallas_call grid()
      captures(%y : tensor<8xf32>)
      in(%x : tensor<8xf32>) block<[8], vmem>
      out(tensor<8xf32>) block<[8], vmem>
      kernel(%c: tensor<8xf32>, %xr: !pallas.ref<8xf32, vmem>, %or: !pallas.ref<8xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<8xf32, vmem>
    %w = arith.addf %v, %c : tensor<8xf32>
    pallas.swap %or[...], %w : !pallas.ref<8xf32, vmem>, tensor<8xf32>
  }
  return %o : tensor<8xf32>
}

// -----

// Inputs of which only elements are read: the first one becomes prefetched.
// CHECK-LABEL: func.func @inputs
// CAPTURES-LABEL: func.func @inputs
// CAPTURES-NOT: prefetch
// CAPTURES: return
// LARGE-LABEL: func.func @inputs
// LARGE: prefetch(%{{.*}}, %{{.*}} : tensor<4xi32>, tensor<4096xi32>)
func.func @inputs(%t: tensor<4xi32>, %u: tensor<4xf32>, %v: tensor<4096xi32>, %w: tensor<8xi32>, %x: tensor<8xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: pallas.pallas_call grid(4)
  // CHECK-NEXT: prefetch(%{{.*}} : tensor<4xi32>)
  // CHECK: aliases [1 -> 1]
  // CHECK: kernel(%[[T:.*]]: !pallas.ref<4xi32, smem>,
  // CHECK: pallas.get %[[T]][%{{.*}}]
  // expected-remark @below {{input 1 stays: it is aliased to output 1}}
  // expected-remark @below {{input 2 stays: it has 16384 bytes, more than the 4096 of scalar memory that max-bytes allows}}
  // expected-remark @below {{input 3 stays: its window is not the whole array}}
  // expected-remark @below {{input 4 stays: not all of its uses read single elements}}
  %o:2 = pallas.pallas_call grid(4)
      in(%t : tensor<4xi32>) block<[4], vmem>
      in(%u : tensor<4xf32>) block<[4], vmem>
      in(%v : tensor<4096xi32>) block<[4096], smem>
      in(%w : tensor<8xi32>) block<[2], smem> map(%i) -> (%i)
      in(%x : tensor<8xf32>) block<[8], vmem>
      out(tensor<4xf32>) block<[4], vmem>
      out(tensor<4xf32>) block<[4], vmem>
      aliases [1 -> 1]
      kernel(%tr: !pallas.ref<4xi32, vmem>, %ur: !pallas.ref<4xf32, vmem>, %vr: !pallas.ref<4096xi32, smem>,
             %wr: !pallas.ref<2xi32, smem>, %xr: !pallas.ref<8xf32, vmem>,
             %or: !pallas.ref<4xf32, vmem>, %pr: !pallas.ref<4xf32, vmem>) {
    %i = pallas.program_id 0
    %a = pallas.get %tr[%i] : !pallas.ref<4xi32, vmem>
    %b = pallas.get %ur[%a] : !pallas.ref<4xf32, vmem>
    %c = pallas.get %vr[%i] : !pallas.ref<4096xi32, smem>
    %d = pallas.get %wr[0] : !pallas.ref<2xi32, smem>
    %e = pallas.get %xr[%c] : !pallas.ref<8xf32, vmem>
    // expected-note @below {{as this one does not}}
    %f = pallas.get %xr[ds(%d, 4)] : !pallas.ref<8xf32, vmem>
    %g = arith.addf %b, %e : f32
    pallas.swap %or[...], %f : !pallas.ref<4xf32, vmem>, tensor<4xf32>
    pallas.swap %pr[%i], %g : !pallas.ref<4xf32, vmem>, f32
  }
  return %o#0, %o#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// What can't be hoisted stays.
// CHECK-LABEL: func.func @refused
func.func @refused(%r: !pallas.ref<8xf32, vmem>, %n: index, %m: i32, %big: tensor<2048xi32>, %c: complex<f32>) {
  %k = arith.index_cast %m : i32 to index
  // CHECK: captures(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : !pallas.ref<8xf32, vmem>, index, tensor<2048xi32>, complex<f32>)
  // CHECK-NEXT: prefetch(%{{.*}} : tensor<1xi32>)
  // expected-remark @below {{captured value 0 stays: it is a ref, which pallas-discharge-state makes an operand}}
  // expected-remark @below {{captured value 1 stays: it is an index, which may not fit into 32 bits of scalar memory; capture an i32}}
  // expected-remark @below {{captured value 3 stays: an index map reads it, which sees nothing but scalar memory, and it has 8192 bytes, more than the 4096 of it that max-bytes allows}}
  // expected-remark @below {{captured value 4 stays: its type 'complex<f32>' is none that memory can hold}}
  pallas.pallas_call grid(2)
      captures(%r, %n, %k, %big, %c : !pallas.ref<8xf32, vmem>, index, index, tensor<2048xi32>, complex<f32>)
      in(%big : tensor<2048xi32>) block<[8], vmem> map(%i, %rr, %nn, %kk, %bb, %cc) {
        %v = tensor.extract %bb[%kk] : tensor<2048xi32>
        pallas.yield %v : i32
      }
      kernel(%rr: !pallas.ref<8xf32, vmem>, %nn: index, %kk: index, %bb: tensor<2048xi32>, %cc: complex<f32>,
             %x: !pallas.ref<8xi32, vmem>) {
  }
  return
}

// -----

// The id of a batch is invisible in kernels; its size is prefetched.
// CHECK-LABEL: func.func @vmapped
func.func @vmapped(%n: i32, %m: i32, %o: tensor<4xi32>) {
  // CHECK: prefetch(%{{.*}} : tensor<1xi32>)
  // CHECK: kernel(%[[R:.*]]: !pallas.ref<1xi32, smem>
  // CHECK: pallas.num_programs 0
  // CHECK: pallas.get %[[R]][0]
  pallas.pallas_call grid(%n, %m)
      captures(%n, %m : i32, i32)
      in(%o : tensor<4xi32>) block<[4], vmem>
      vmapped [0]
      kernel(%a: i32, %b: i32, %x: !pallas.ref<4xi32, vmem>) {
    %c = arith.addi %a, %b : i32
    %i = pallas.program_id 0
    pallas.swap %x[%i], %c : !pallas.ref<4xi32, vmem>, i32
  }
  return
}

// -----

// A table that is too large for scalar memory is an input, and no remark says
// that it stays.
// CHECK-LABEL: func.func @large
// CHECK-NOT: captures
// CHECK: in(%{{.*}} : tensor<2048xi32>)
// CHECK: tensor.extract
func.func @large(%x: tensor<8xi32>, %t: tensor<2048xi32>) -> tensor<8xi32> {
  %o = pallas.pallas_call grid(8)
      captures(%t : tensor<2048xi32>)
      in(%x : tensor<8xi32>) block<[8], vmem>
      out(tensor<8xi32>) block<[8], vmem>
      kernel(%c: tensor<2048xi32>, %xr: !pallas.ref<8xi32, vmem>, %or: !pallas.ref<8xi32, vmem>) {
    %i = pallas.program_id 0
    %at = arith.index_cast %i : i32 to index
    %v = tensor.extract %c[%at] : tensor<2048xi32>
    pallas.swap %or[%i], %v : !pallas.ref<8xi32, vmem>, i32
  }
  return %o : tensor<8xi32>
}

// -----

// What an index map reads can't become an input.
// CHECK-LABEL: func.func @whole_and_elements
// CHECK: captures(%{{.*}} : tensor<8xi32>)
func.func @whole_and_elements(%x: tensor<64xi32>, %t: tensor<8xi32>) -> tensor<8xi32> {
  // expected-remark @below {{captured value 0 stays: an index map reads it, which sees nothing but scalar memory, and not all of its uses read single elements}}
  %o = pallas.pallas_call grid(8)
      captures(%t : tensor<8xi32>)
      in(%x : tensor<64xi32>) block<[8], vmem> map(%i, %table) {
        %at = arith.index_cast %i : i32 to index
        %v = tensor.extract %table[%at] : tensor<8xi32>
        pallas.yield %v : i32
      }
      out(tensor<8xi32>) block<[8], vmem>
      kernel(%c: tensor<8xi32>, %xr: !pallas.ref<8xi32, vmem>, %or: !pallas.ref<8xi32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<8xi32, vmem>
    %w = arith.addi %v, %c : tensor<8xi32>
    pallas.swap %or[...], %w : !pallas.ref<8xi32, vmem>, tensor<8xi32>
  }
  return %o : tensor<8xi32>
}
