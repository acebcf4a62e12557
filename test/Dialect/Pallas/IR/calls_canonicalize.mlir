// RUN: pallas-opt %s --canonicalize --split-input-file | FileCheck %s

!v = !pallas.ref<8x128xf32, vmem>

// Constant sizes, dead scratch, and a map into an array of one window.
// CHECK-LABEL: func.func @call
// CHECK: pallas.pallas_call grid(4, %{{.*}})
// CHECK-NEXT: in(%{{.*}} : tensor<8x128xf32>) block<[8, 128], vmem>{{$}}
// CHECK-NEXT: out(tensor<32x128xf32>) block<[8, 128], vmem> map(%[[I:.*]], %{{.*}}) -> (%[[I]], 0)
// CHECK-NEXT: kernel(%{{[^,]*}}: !pallas.ref<8x128xf32, vmem>, %{{[^,]*}}: !pallas.ref<8x128xf32, vmem>) {
func.func @call(%x: tensor<8x128xf32>, %n: i32) -> tensor<32x128xf32> {
  %c4 = arith.constant 4 : i32
  %o = pallas.pallas_call grid(%c4, %n)
      in(%x : tensor<8x128xf32>) block<[8, 128], vmem> map(%i, %j) -> (%i, 0)
      out(tensor<32x128xf32>) block<[8, 128], vmem> map(%i, %j) -> (%i, %j)
      kernel(%xr: !v, %or: !v, %unused: !v) {
    %v = pallas.get %xr[...] : !v
    pallas.swap %or[...], %v : !v, tensor<8x128xf32>
  }
  return %o : tensor<32x128xf32>
}

// -----

// CHECK-LABEL: func.func @no_programs
// CHECK-SAME: %[[X:.*]]: tensor<8x128xf32>
// CHECK-NEXT: return %[[X]]
func.func @no_programs(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %o = pallas.pallas_call grid(0) in(%x : tensor<8x128xf32>) out(tensor<8x128xf32>) aliases [0 -> 0]
      kernel(%a: !pallas.ref<8x128xf32, default>, %b: !pallas.ref<8x128xf32, default>) {
    %v = pallas.get %a[...] : !pallas.ref<8x128xf32, default>
    pallas.swap %b[...], %v : !pallas.ref<8x128xf32, default>, tensor<8x128xf32>
  }
  return %o : tensor<8x128xf32>
}

// -----

// An output without an alias has contents of its own.
// CHECK-LABEL: func.func @no_programs_no_alias
// CHECK: pallas.pallas_call
func.func @no_programs_no_alias() -> tensor<8x128xf32> {
  %o = pallas.pallas_call grid(0) out(tensor<8x128xf32>) kernel(%b: !pallas.ref<8x128xf32, default>) {
    %v = arith.constant dense<0.0> : tensor<8x128xf32>
    pallas.swap %b[...], %v : !pallas.ref<8x128xf32, default>, tensor<8x128xf32>
  }
  return %o : tensor<8x128xf32>
}

// -----

// CHECK-LABEL: func.func @scope
// CHECK: pallas.run_scoped (%{{[^,]*}}: !pallas.ref<f32, smem>) -> f32
func.func @scope(%v: f32) -> f32 {
  %0 = pallas.run_scoped (%a: !pallas.ref<8xf32, vmem>, %b: !pallas.ref<f32, smem>) -> f32 {
    pallas.addupdate %b[...], %v : !pallas.ref<f32, smem>, f32
    %1 = pallas.get %b[...] : !pallas.ref<f32, smem>
    pallas.yield %1 : f32
  }
  return %0 : f32
}

// -----

// CHECK-LABEL: func.func @empty_scope
// CHECK-SAME: %[[V:.*]]: f32
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[V]], %[[V]]
// CHECK-NEXT: return %[[S]]
func.func @empty_scope(%v: f32) -> f32 {
  %0 = pallas.run_scoped (%a: !pallas.ref<8xf32, vmem>) -> f32 {
    %1 = arith.addf %v, %v : f32
    pallas.yield %1 : f32
  }
  return %0 : f32
}

// -----

// CHECK-LABEL: func.func @pipeline
// CHECK: pallas.emit_pipeline grid(3)
func.func @pipeline(%x: !pallas.ref<24x128xf32, hbm>, %o: !pallas.ref<24x128xf32, hbm>) {
  %c3 = arith.constant 3 : i32
  pallas.emit_pipeline grid(%c3)
      in(%x : !pallas.ref<24x128xf32, hbm>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      out(%o : !pallas.ref<24x128xf32, hbm>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      kernel(%i: i32, %a: !pallas.ref<8x128xf32, vmem>, %b: !pallas.ref<8x128xf32, vmem>) {
    %v = pallas.get %a[...] : !pallas.ref<8x128xf32, vmem>
    pallas.swap %b[...], %v : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return
}

// -----

// Scratch goes when no kernel of the program uses it.
// CHECK-LABEL: func.func @meshes
// CHECK: kernel on <sc_scalar, [<core "c" = 2>]>(%{{[^,]*}}: !pallas.ref<8xi32, smem@sc_scalar>) {
// CHECK: kernel on <sc_vector, [<core "c" = 2>, <subcore "s" = 16>]>(%{{[^,]*}}: !pallas.ref<8xi32, smem@sc_scalar>) {
func.func @meshes() {
  pallas.mpmd_map
    kernel on <sc_scalar, [<core "c" = 2>]> (%a: !pallas.ref<8xi32, hbm>, %b: !pallas.ref<8xi32, smem@sc_scalar>) {
      pallas.core_barrier "c"
      %c = arith.constant 1 : i32
      pallas.swap %b[0], %c : !pallas.ref<8xi32, smem@sc_scalar>, i32
    }
    kernel on <sc_vector, [<core "c" = 2>, <subcore "s" = 16>]> (%a: !pallas.ref<8xi32, hbm>, %b: !pallas.ref<8xi32, smem@sc_scalar>) {}
  return
}

// -----

!d = !pallas.ref<8x128xf32, default>

// No result is used, and nothing else shows.
// CHECK-LABEL: func.func @dead_call
// CHECK-NEXT: return
func.func @dead_call(%x: tensor<8x128xf32>) {
  %o = pallas.pallas_call grid(2) in(%x : tensor<8x128xf32>) out(tensor<8x128xf32>) kernel(%a: !d, %b: !d, %s: !pallas.ref<f32, smem>) {
    %v = pallas.get %a[...] : !d
    pallas.swap %b[...], %v : !d, tensor<8x128xf32>
    %e = pallas.get %s[...] : !pallas.ref<f32, smem>
    pallas.swap %s[...], %e : !pallas.ref<f32, smem>, f32
  }
  return
}

// -----

!d = !pallas.ref<8x128xf32, default>

// It prints; or its author says that it has effects.
// CHECK-LABEL: func.func @seen_call
// CHECK-COUNT-2: pallas.pallas_call
func.func @seen_call(%x: tensor<8x128xf32>) {
  %o = pallas.pallas_call grid(2) in(%x : tensor<8x128xf32>) out(tensor<8x128xf32>) kernel(%a: !d, %b: !d) {
    %v = pallas.get %a[...] : !d
    pallas.swap %b[...], %v : !d, tensor<8x128xf32>
    %e = pallas.get %a[0, 0] : !d
    pallas.debug_print "{}" %e : f32
  }
  %p = pallas.pallas_call grid(2) in(%x : tensor<8x128xf32>) out(tensor<8x128xf32>)
      attributes {compilerParams = [#pallas.tpu_params<hasSideEffects = true>]} kernel(%a: !d, %b: !d) {
    %v = pallas.get %a[...] : !d
    pallas.swap %b[...], %v : !d, tensor<8x128xf32>
  }
  return
}

// -----

// All programs of a collective scope meet at its entry.
// CHECK-LABEL: func.func @collective_scope
// CHECK: pallas.run_scoped () collective ["wg"]
func.func @collective_scope() {
  pallas.run_scoped () collective ["wg"] {
    pallas.debug_print "met"
  }
  return
}

// -----

// A pipeline has at least one step.
// CHECK-LABEL: func.func @pipeline_sizes
// CHECK: pallas.emit_pipeline grid(1)
// CHECK: pallas.emit_pipeline grid(%{{.*}})
func.func @pipeline_sizes(%r: !pallas.ref<8xf32, vmem>, %v: tensor<8xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  pallas.emit_pipeline grid(%c1) in(%r : !pallas.ref<8xf32, vmem>) block<[8], vmem> kernel(%i: i32, %w: !pallas.ref<8xf32, vmem>) {
    pallas.swap %w[...], %v : !pallas.ref<8xf32, vmem>, tensor<8xf32>
  }
  pallas.emit_pipeline grid(%c0) in(%r : !pallas.ref<8xf32, vmem>) block<[8], vmem> kernel(%i: i32, %w: !pallas.ref<8xf32, vmem>) {
    pallas.swap %w[...], %v : !pallas.ref<8xf32, vmem>, tensor<8xf32>
  }
  return
}
