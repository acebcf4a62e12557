// RUN: pallas-opt %s --canonicalize --split-input-file | FileCheck %s

!b = !pallas.ref<8x128xf32, vmem>

// A window that no program looks at goes with its map; aliases count what is
// left.
// CHECK-LABEL: func.func @unused_input
// CHECK-SAME: %[[X:.*]]: tensor<32x128xf32>, %[[Y:.*]]: tensor<32x128xf32>)
// CHECK: pallas.pallas_call grid(4)
// CHECK-NEXT: in(%[[Y]] : tensor<32x128xf32>) block<[8, 128], vmem> map(%[[I:.*]]) -> (%[[I]], 0)
// CHECK-NEXT: out(tensor<32x128xf32>)
// CHECK-NEXT: aliases [0 -> 0]
// CHECK-NEXT: kernel(%{{[^,]*}}: !pallas.ref<8x128xf32, vmem>, %{{[^,]*}}: !pallas.ref<8x128xf32, vmem>) {
func.func @unused_input(%x: tensor<32x128xf32>, %y: tensor<32x128xf32>) -> tensor<32x128xf32> {
  %o = pallas.pallas_call grid(4)
      in(%x : tensor<32x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      in(%y : tensor<32x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      out(tensor<32x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      aliases [1 -> 0]
      kernel(%a: !b, %c: !b, %o: !b) {
    %v = pallas.get %c[...] : !b
    %w = arith.addf %v, %v : tensor<8x128xf32>
    pallas.swap %o[...], %w : !b, tensor<8x128xf32>
  }
  return %o : tensor<32x128xf32>
}

// -----

!b = !pallas.ref<8x128xf32, vmem>

// What shares memory with an output is what the output starts as.
// CHECK-LABEL: func.func @aliased_input_stays
// CHECK: in(%{{.*}} : tensor<32x128xf32>)
// CHECK: aliases [0 -> 0]
func.func @aliased_input_stays(%x: tensor<32x128xf32>) -> tensor<32x128xf32> {
  %c0 = arith.constant dense<0.0> : tensor<128xf32>
  %o = pallas.pallas_call grid(4)
      in(%x : tensor<32x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      out(tensor<32x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      aliases [0 -> 0]
      kernel(%a: !b, %o: !b) {
    %z = arith.constant dense<0.0> : tensor<128xf32>
    pallas.swap %o[0, :], %z : !b, tensor<128xf32>
  }
  return %o : tensor<32x128xf32>
}

// -----

!b = !pallas.ref<8x128xf32, vmem>

// One copy of equal windows is enough.
// CHECK-LABEL: func.func @equal_inputs
// CHECK: in(
// CHECK-NOT: in(
// CHECK: kernel(%[[A:.*]]: !pallas.ref<8x128xf32, vmem>, %{{.*}}: !pallas.ref<8x128xf32, vmem>) {
// CHECK: pallas.get %[[A]][0, :]
// CHECK: pallas.get %[[A]][1, :]
func.func @equal_inputs(%x: tensor<32x128xf32>) -> tensor<32x128xf32> {
  %o = pallas.pallas_call grid(4)
      in(%x : tensor<32x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      in(%x : tensor<32x128xf32>) block<[8, 128], vmem> map(%j) -> (%j, 0)
      out(tensor<32x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      kernel(%a: !b, %c: !b, %o: !b) {
    %v = pallas.get %a[0, :] : !b
    %w = pallas.get %c[1, :] : !b
    %s = arith.addf %v, %w : tensor<128xf32>
    %t = pallas.broadcast %s dims [1] : tensor<128xf32> -> tensor<8x128xf32>
    pallas.swap %o[...], %t : !b, tensor<8x128xf32>
  }
  return %o : tensor<32x128xf32>
}

// -----

!b = !pallas.ref<8x128xf32, vmem>

// Another map, a kernel that writes to one of them, or memory of an output:
// the windows differ.
// CHECK-LABEL: func.func @different_windows
// CHECK-COUNT-4: in(
func.func @different_windows(%x: tensor<32x128xf32>) -> tensor<32x128xf32> {
  %o = pallas.pallas_call grid(4)
      in(%x : tensor<32x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      in(%x : tensor<32x128xf32>) block<[8, 128], vmem> map(%i) -> (0, 0)
      in(%x : tensor<32x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      in(%x : tensor<32x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      out(tensor<32x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      aliases [3 -> 0]
      kernel(%a: !b, %c: !b, %d: !b, %e: !b, %o: !b) {
    %v = pallas.get %c[...] : !b
    pallas.swap %d[...], %v : !b, tensor<8x128xf32>
    %w = pallas.get %a[...] : !b
    %u = pallas.get %d[0, :] : !b
    %t = pallas.get %e[...] : !b
    %s = arith.addf %w, %t : tensor<8x128xf32>
    pallas.swap %o[...], %s : !b, tensor<8x128xf32>
    pallas.swap %o[0, :], %u : !b, tensor<128xf32>
  }
  return %o : tensor<32x128xf32>
}

// -----

!s = !pallas.ref<4xi32, smem>
!b = !pallas.ref<8x128xf32, vmem>

// The third table is the first, and nothing reads the second.
// CHECK-LABEL: func.func @index_operands
// CHECK-SAME: %[[T:.*]]: tensor<4xi32>, %{{.*}}: tensor<4xi32>
// CHECK: prefetch(%[[T]] : tensor<4xi32>)
// CHECK-NEXT: in(%{{.*}} : tensor<32x128xf32>) block<[8, 128], vmem> map(%{{[^,]*}}, %{{[^,]*}}) {
// CHECK: aliases [1 -> 0]
// CHECK: kernel(%[[S:[^:]*]]: !pallas.ref<4xi32, smem>, %{{[^,]*}}: !pallas.ref<8x128xf32, vmem>, %{{[^,]*}}: !pallas.ref<8x128xf32, vmem>) {
// CHECK: pallas.get %[[S]][2]
func.func @index_operands(%t: tensor<4xi32>, %u: tensor<4xi32>, %x: tensor<32x128xf32>) -> tensor<32x128xf32> {
  %o = pallas.pallas_call grid(4)
      prefetch(%t, %u, %t : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>)
      in(%x : tensor<32x128xf32>) block<[8, 128], vmem> map(%i, %a, %b, %c) {
        %k = pallas.get %a[%i] : !s
        %z = arith.constant 0 : i32
        pallas.yield %k, %z : i32, i32
      }
      out(tensor<32x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      aliases [3 -> 0]
      kernel(%a: !s, %b: !s, %c: !s, %xr: !b, %or: !b) {
    %k = pallas.get %c[2] : !s
    %f = arith.sitofp %k : i32 to f32
    %t2 = pallas.broadcast %f : f32 -> tensor<8x128xf32>
    %v = pallas.get %xr[...] : !b
    %w = arith.addf %v, %t2 : tensor<8x128xf32>
    pallas.swap %or[...], %w : !b, tensor<8x128xf32>
  }
  return %o : tensor<32x128xf32>
}

// -----

!h = !pallas.ref<8xf32, vmem>

// CHECK-LABEL: func.func @captures
// CHECK-SAME: %[[R:.*]]: !pallas.ref<8xf32, vmem>, %[[N:.*]]: i32, %{{.*}}: i32
// CHECK: pallas.pallas_call grid(2)
// CHECK-NEXT: captures(%[[N]], %[[R]] : i32, !pallas.ref<8xf32, vmem>)
// CHECK: kernel(%[[A:[^:]*]]: i32, %[[H:[^:]*]]: !pallas.ref<8xf32, vmem>) {
// CHECK: arith.addi %[[A]], %[[A]]
func.func @captures(%r: !h, %n: i32, %m: i32) {
  pallas.pallas_call grid(2) captures(%n, %m, %n, %r : i32, i32, i32, !h)
      kernel(%a: i32, %b: i32, %c: i32, %h: !h) {
    %s = arith.addi %a, %c : i32
    %f = arith.sitofp %s : i32 to f32
    pallas.swap %h[0], %f : !h, f32
  }
  return
}

// -----

!b = !pallas.ref<8x128xf32, vmem>

// CHECK-LABEL: func.func @pipeline
// CHECK: pallas.emit_pipeline grid(3)
// CHECK-NEXT: in(%{{.*}} : !pallas.ref<24x128xf32, hbm>) block<[8, 128], vmem> map(%[[I:.*]]) -> (%[[I]], 0)
// CHECK-NEXT: out(
// CHECK: kernel(%{{.*}}: i32, %{{.*}}: !pallas.ref<8x128xf32, vmem>, %{{.*}}: !pallas.ref<8x128xf32, vmem>) {
func.func @pipeline(%x: !pallas.ref<24x128xf32, hbm>, %y: !pallas.ref<24x128xf32, hbm>, %o: !pallas.ref<24x128xf32, hbm>) {
  pallas.emit_pipeline grid(3)
      in(%y : !pallas.ref<24x128xf32, hbm>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      in(%x : !pallas.ref<24x128xf32, hbm>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      in(%x : !pallas.ref<24x128xf32, hbm>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      out(%o : !pallas.ref<24x128xf32, hbm>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      kernel(%i: i32, %u: !b, %a: !b, %c: !b, %d: !b) {
    %v = pallas.get %a[...] : !b
    %w = pallas.get %c[...] : !b
    %s = arith.mulf %v, %w : tensor<8x128xf32>
    pallas.swap %d[...], %s : !b, tensor<8x128xf32>
  }
  return
}

// -----

!h = !pallas.ref<8xi32, hbm>

// An input goes when none of the kernels uses it, or when another one is equal
// in all of them.
// CHECK-LABEL: func.func @meshes
// CHECK-SAME: %[[X:.*]]: tensor<8xi32>, %{{.*}}: tensor<8xi32>, %[[Z:.*]]: tensor<8xi32>
// CHECK: pallas.mpmd_map
// CHECK-NEXT: in(%[[X]] : tensor<8xi32>)
// CHECK-NEXT: in(%[[Z]] : tensor<8xi32>)
// CHECK-NEXT: out(tensor<8xi32>)
// CHECK-NEXT: aliases [1 -> 0]
func.func @meshes(%x: tensor<8xi32>, %y: tensor<8xi32>, %z: tensor<8xi32>) -> tensor<8xi32> {
  %o = pallas.mpmd_map in(%x : tensor<8xi32>) in(%y : tensor<8xi32>) in(%x : tensor<8xi32>) in(%z : tensor<8xi32>)
    out(tensor<8xi32>) aliases [3 -> 0]
    kernel on <sc_scalar, [<core "c" = 2>]> (%a: !h, %b: !h, %c: !h, %d: !h, %o: !h) {
      %n = pallas.get %c[1] : !h
      pallas.swap %o[0], %n : !h, i32
    }
    kernel on <sc_vector, [<core "c" = 2>, <subcore "s" = 16>]> (%a: !h, %b: !h, %c: !h, %d: !h, %o: !h) {
      %n = pallas.get %a[0] : !h
      pallas.debug_print "{}" %n : i32
    }
  return %o : tensor<8xi32>
}
