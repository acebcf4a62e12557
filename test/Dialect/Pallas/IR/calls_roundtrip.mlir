// RUN: pallas-opt %s -o %t.mlir && pallas-opt %t.mlir | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt --mlir-print-op-generic | pallas-opt | diff %t.mlir -

!v = !pallas.ref<8x128xf32, vmem>

// Every clause of a call.
// CHECK-LABEL: func.func @clauses
func.func @clauses(%n: i32, %m: index, %t: tensor<4xi32>, %x: tensor<4x64x128xf32>, %r: !v) -> tensor<4x64x128xf32> {
  // CHECK: pallas.pallas_call @all grid(4, %{{.*}}, %{{.*}} index)
  // CHECK-NEXT: captures(%{{.*}} : !pallas.ref<8x128xf32, vmem>)
  // CHECK-NEXT: prefetch(%{{.*}} : tensor<4xi32>)
  // CHECK-NEXT: in(%{{.*}} : tensor<4x64x128xf32>) block<[squeezed, 8, 128], vmem, pipeline = <1, revisit>, origin = "x"> map(%[[B:.*]], %[[I:.*]], %{{.*}}) -> (%[[B]], %[[I]], 0)
  // CHECK-NEXT: out(tensor<4x64x128xf32>) block<[squeezed, 8, 128], vmem> map(%[[B:.*]], %[[I:.*]], %{{.*}}) -> (%[[B]], %[[I]], 0)
  // CHECK-NEXT: aliases [1 -> 0]
  // CHECK-NEXT: semantics [parallel, arbitrary]
  // CHECK-NEXT: names [unit, "i", "j"]
  // CHECK-NEXT: vmapped [0]
  // CHECK-NEXT: attributes {compilerParams = [#pallas.tpu_params<vmemLimitBytes = 1048576, hasSideEffects = true>
  // CHECK-SAME: #pallas.gpu_params<maxConcurrentSteps = 4>
  // CHECK-SAME: #pallas.triton_params<numWarps = 4>
  // CHECK-NEXT: kernel(
  %o = pallas.pallas_call @all grid(4, %n, %m index)
      captures(%r : !v)
      prefetch(%t : tensor<4xi32>)
      in(%x : tensor<4x64x128xf32>) block<[squeezed, 8, 128], vmem, pipeline = <1, revisit>, origin = "x"> map(%b, %i, %j) -> (%b, %i, 0)
      out(tensor<4x64x128xf32>) block<[squeezed, 8, 128], vmem> map(%b, %i, %j) -> (%b, %i, 0)
      aliases [1 -> 0]
      semantics [parallel, arbitrary]
      names [unit, "i", "j"]
      vmapped [0]
      attributes {compilerParams = [#pallas.tpu_params<vmemLimitBytes = 1048576, hasSideEffects = true>,
          #pallas.gpu_params<maxConcurrentSteps = 4>, #pallas.triton_params<numWarps = 4>]}
      kernel(%c: !v, %ts: !pallas.ref<4xi32, smem>, %xr: !v, %or: !v, %s: !pallas.ref<2x!pallas.semaphore, semaphore>) {
    %v = pallas.get %c[...] : !v
    pallas.swap %or[...], %v : !v, tensor<8x128xf32>
  }
  return %o : tensor<4x64x128xf32>
}

// CHECK-LABEL: func.func @pinned
func.func @pinned(%x: !pallas.pinned<tensor<8x128xf32>, <hbm>>) -> !pallas.pinned<tensor<8x128xf32>, <hbm>> {
  // CHECK: in(%{{.*}} : !pallas.pinned<tensor<8x128xf32>, <hbm>>)
  %o = pallas.pallas_call grid() in(%x : !pallas.pinned<tensor<8x128xf32>, <hbm>>) out(!pallas.pinned<tensor<8x128xf32>, <hbm>>)
      aliases [0 -> 0]
      kernel(%xr: !pallas.ref<8x128xf32, default>, %or: !pallas.ref<8x128xf32, default>) {}
  return %o : !pallas.pinned<tensor<8x128xf32>, <hbm>>
}

// CHECK-LABEL: func.func @pipelines
func.func @pipelines(%x: !pallas.ref<64x128xf32, hbm>, %ids: !pallas.ref<4xi32, vmem>, %c: f32, %n: i32) {
  // CHECK: %{{.*}} = pallas.emit_pipeline grid(%{{.*}})
  // CHECK-NEXT: in(%{{.*}} : !pallas.ref<64x128xf32, hbm>) block<[bounded<8>, 128], vmem, pipeline = <3, lookahead, prefetched 1>> map(%[[I:.*]]) -> (%[[I]], 4, 0)
  // CHECK-NEXT: in(%{{.*}} : !pallas.ref<64x128xf32, hbm>) block<[indirect<4>, 128], vmem> map(%{{.*}}) {
  // CHECK: carry(%{{.*}} : f32)
  // CHECK-NEXT: semantics [arbitrary]
  // CHECK-NEXT: attributes {coreAxis = "core"}
  %r = pallas.emit_pipeline grid(%n)
      in(%x : !pallas.ref<64x128xf32, hbm>) block<[bounded<8>, 128], vmem, pipeline = <3, lookahead, prefetched 1>> map(%i) {
        %c0 = arith.constant 0 : i32
        %c4 = arith.constant 4 : i32
        pallas.yield %i, %c4, %c0 : i32, i32, i32
      }
      in(%x : !pallas.ref<64x128xf32, hbm>) block<[indirect<4>, 128], vmem> map(%i) {
        %c0 = arith.constant 0 : i32
        pallas.yield %ids, %c0 : !pallas.ref<4xi32, vmem>, i32
      }
      carry(%c : f32)
      semantics [arbitrary]
      attributes {coreAxis = "core"}
      kernel(%i: i32, %a: !v, %b: !pallas.ref<4x128xf32, vmem>, %acc: f32) {
    %s = arith.addf %acc, %acc : f32
    pallas.yield %s : f32
  }
  return
}
