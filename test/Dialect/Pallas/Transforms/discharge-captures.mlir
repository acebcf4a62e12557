// RUN: pallas-opt %s --pallas-discharge-state=memory-spaces=any --split-input-file --verify-diagnostics | FileCheck %s

// A call that stays takes what captured refs hold. What its kernel writes to
// them comes back as an output that is aliased.

// CHECK-LABEL: func.func @captured
// CHECK-SAME: (%[[X:.*]]: tensor<8xf32>, %[[R:.*]]: tensor<8xf32>, %[[W:.*]]: tensor<8xf32>)
// CHECK-SAME: -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
// CHECK: %[[O:.*]]:2 = pallas.pallas_call
// CHECK-SAME: grid(2)
// CHECK-NOT: captures
// CHECK: in(%[[X]] : tensor<8xf32>)
// CHECK: in(%[[R]] : tensor<8xf32>) block<[8], any>
// CHECK: in(%[[W]] : tensor<8xf32>) block<[8], any>
// CHECK: out(tensor<8xf32>)
// CHECK: out(tensor<8xf32>) block<[8], any>
// CHECK: aliases [2 -> 1]
// CHECK: kernel(%[[XR:.*]]: !pallas.ref<4xf32, vmem>, %[[RR:.*]]: !pallas.ref<8xf32, any>, %[[WR:.*]]: !pallas.ref<8xf32, any>, %{{.*}}: !pallas.ref<4xf32, vmem>, %{{.*}}: !pallas.ref<8xf32, any>)
// CHECK: pallas.get %[[RR]]
// CHECK: pallas.swap %[[WR]]
// CHECK: return %[[O]]#0, %[[R]], %[[O]]#1
func.func @captured(%x: tensor<8xf32>, %r: !pallas.ref<8xf32, any>, %w: !pallas.ref<8xf32, any>) -> tensor<8xf32> {
  %o = pallas.pallas_call grid(2) captures(%r, %w : !pallas.ref<8xf32, any>, !pallas.ref<8xf32, any>)
      in(%x : tensor<8xf32>) block<[4], vmem> map(%i) -> (%i)
      out(tensor<8xf32>) block<[4], vmem> map(%i) -> (%i)
      kernel(%rr: !pallas.ref<8xf32, any>, %wr: !pallas.ref<8xf32, any>, %xr: !pallas.ref<4xf32, vmem>, %or: !pallas.ref<4xf32, vmem>) {
    %a = pallas.get %rr[ds(0, 4)] : !pallas.ref<8xf32, any>
    %v = pallas.get %xr[...] : !pallas.ref<4xf32, vmem>
    %s = arith.addf %a, %v : tensor<4xf32>
    pallas.swap %or[...], %s : !pallas.ref<4xf32, vmem>, tensor<4xf32>
    pallas.swap %wr[ds(4, 4)], %s : !pallas.ref<8xf32, any>, tensor<4xf32>
  }
  return %o : tensor<8xf32>
}

// -----

func.func @in_index_map(%x: tensor<8xf32>, %r: !pallas.ref<2xi32, any>) -> tensor<8xf32> {
  // expected-error @+1 {{reads captured value 0 in an index map; run --pallas-hoist-scalar-prefetch before its ref becomes a value}}
  %o = pallas.pallas_call grid(2) captures(%r : !pallas.ref<2xi32, any>)
      in(%x : tensor<8xf32>) block<[4], vmem> map(%i, %t) {
        %m = pallas.get %t[%i] : !pallas.ref<2xi32, any>
        pallas.yield %m : i32
      }
      out(tensor<8xf32>) block<[4], vmem> map(%i) -> (%i)
      kernel(%rr: !pallas.ref<2xi32, any>, %xr: !pallas.ref<4xf32, vmem>, %or: !pallas.ref<4xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<4xf32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<4xf32, vmem>, tensor<4xf32>
  }
  return %o : tensor<8xf32>
}

// -----

func.func @semaphore(%x: tensor<8xf32>, %s: !pallas.ref<!pallas.semaphore, any>) -> tensor<8xf32> {
  // expected-error @+1 {{which can't become an array that it takes and gives back; discharge other memory spaces only}}
  %o = pallas.pallas_call grid() captures(%s : !pallas.ref<!pallas.semaphore, any>)
      in(%x : tensor<8xf32>) block<[8], vmem>
      out(tensor<8xf32>) block<[8], vmem>
      kernel(%sr: !pallas.ref<!pallas.semaphore, any>, %xr: !pallas.ref<8xf32, vmem>, %or: !pallas.ref<8xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<8xf32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<8xf32, vmem>, tensor<8xf32>
  }
  return %o : tensor<8xf32>
}

// -----

// So does a mesh.
// CHECK-LABEL: func.func @mesh
// CHECK-SAME: (%[[X:.*]]: tensor<8xf32>, %[[R:.*]]: tensor<8xf32>, %[[W:.*]]: tensor<8xf32>)
// CHECK: %[[O:.*]]:2 = pallas.mpmd_map
// CHECK: in(%[[R]] : tensor<8xf32>)
// CHECK: in(%[[X]] : tensor<8xf32>)
// CHECK: in(%[[W]] : tensor<8xf32>)
// CHECK: out(tensor<8xf32>)
// CHECK: out(tensor<8xf32>)
// CHECK: aliases [2 -> 1]
// CHECK: pallas.swap
// CHECK: return %[[O]]#0, %[[R]], %[[O]]#1
func.func @mesh(%x: tensor<8xf32>, %r: !pallas.ref<8xf32, any>, %w: !pallas.ref<8xf32, any>) -> tensor<8xf32> {
  %o = pallas.mpmd_map
      in(%r : !pallas.ref<8xf32, any>)
      in(%x : tensor<8xf32>)
      in(%w : !pallas.ref<8xf32, any>)
      out(tensor<8xf32>)
      kernel @k on <tensorcore, [<core "core" = 2>]>
          (%rr: !pallas.ref<8xf32, any>, %xr: !pallas.ref<8xf32, hbm>, %wr: !pallas.ref<8xf32, any>, %or: !pallas.ref<8xf32, hbm>) {
    %core = pallas.axis_index "core"
    %v = pallas.get %rr[%core] : !pallas.ref<8xf32, any>
    pallas.swap %wr[%core], %v : !pallas.ref<8xf32, any>, f32
    pallas.swap %or[%core], %v : !pallas.ref<8xf32, hbm>, f32
  }
  return %o : tensor<8xf32>
}

// -----

func.func @two_views(%x: !pallas.ref<2x8xf32, any>) {
  %a = pallas.slice_ref %x[0, :] : !pallas.ref<2x8xf32, any>
  %b = pallas.slice_ref %x[1, :] : !pallas.ref<2x8xf32, any>
  // expected-error @+1 {{captures two views of one ref, which would become two arrays; capture the ref and view it in the kernel}}
  pallas.core_map <tensorcore, [<core "core" = 2>]> () {
    %v = pallas.get %a[...] : !pallas.ref<8xf32, any>
    pallas.swap %b[...], %v : !pallas.ref<8xf32, any>, tensor<8xf32>
  }
  return
}

// -----

// Arrays of GPU kernels lie in global memory.
// CHECK-LABEL: func.func @gpu_core_map
// CHECK: pallas.mpmd_map
// CHECK: kernel on <gpu, [<grid "g" = 2>]>(%{{.*}}: !pallas.ref<8xf32, any>, %{{.*}}: !pallas.ref<8xf32, gmem>,
func.func @gpu_core_map(%t: tensor<8xf32>, %r: !pallas.ref<8xf32, any>) {
  pallas.core_map <gpu, [<grid "g" = 2>]> () {
    pallas.swap %r[...], %t : !pallas.ref<8xf32, any>, tensor<8xf32>
  }
  return
}

// -----

func.func @vectors(%t: vector<8xf32>, %r: !pallas.ref<8xf32, any>) {
  // expected-error @+1 {{captures a value of type 'vector<8xf32>', which can't become an input of pallas.mpmd_map; pass refs, tensors or scalars}}
  pallas.core_map <tensorcore, [<core "core" = 2>]> () {
    %u = arith.addf %t, %t : vector<8xf32>
    %v = pallas.get %r[...] : !pallas.ref<8xf32, any>
  }
  return
}

// -----

func.func @warps(%r: !pallas.ref<8xf32, any>) {
  // expected-error @+1 {{runs on warps and uses a ref of type '!pallas.ref<8xf32, any>' that becomes a value; discharge other memory spaces only}}
  pallas.core_map <warp, [<warp "w" = 4>]> () {
    %v = pallas.get %r[...] : !pallas.ref<8xf32, any>
  }
  return
}
