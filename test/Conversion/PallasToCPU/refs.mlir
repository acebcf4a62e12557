// RUN: pallas-opt %s --pallas-grids-to-loops --convert-pallas-to-cpu --split-input-file --verify-diagnostics | FileCheck %s

// A window is a view of the operand; what a kernel only reads is not copied.
// CHECK-LABEL: func.func @views
// CHECK-SAME: (%[[X:.*]]: tensor<32x128xf32>)
func.func @views(%x: tensor<32x128xf32>) -> tensor<32x128xf32> {
  // CHECK: %[[IN:.*]] = bufferization.to_buffer %[[X]] read_only
  // CHECK: %[[OUT:.*]] = memref.alloc()
  // CHECK: scf.for
  // CHECK: %[[A:.*]] = memref.subview %[[IN]][%{{.*}}, %{{.*}}] [8, 128] [1, 1]
  // CHECK: %[[B:.*]] = memref.subview %[[OUT]]
  // CHECK: %[[V:.*]] = bufferization.to_tensor %[[A]] restrict
  // CHECK: bufferization.materialize_in_destination %[[V]] in restrict writable %[[B]]
  // CHECK: bufferization.to_tensor %[[OUT]]
  %o = pallas.pallas_call grid(4)
      in(%x : tensor<32x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      out(tensor<32x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      kernel(%xr: !pallas.ref<8x128xf32, vmem>, %or: !pallas.ref<8x128xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x128xf32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return %o : tensor<32x128xf32>
}

// -----

// Where a block reaches over the end of its array, the window is a copy of what
// there is; the rest is not a number.
// CHECK-LABEL: func.func @edges
func.func @edges(%x: tensor<10xf32>) -> tensor<10xf32> {
  // CHECK: %[[OUT:.*]] = memref.alloc() {{.*}} : memref<10xf32>
  // CHECK: scf.for
  // CHECK: %[[FITS:.*]] = arith.cmpi sge
  // CHECK: %[[WINDOW:.*]] = scf.if %[[FITS]]
  // CHECK: memref.subview %{{.*}}[%{{.*}}] [8] [1]
  // CHECK: } else {
  // CHECK: %[[COPY:.*]] = memref.alloc() {{.*}} : memref<8xf32>
  // CHECK: linalg.fill ins(%{{.*}}) outs(%[[COPY]]
  // CHECK: memref.copy
  // CHECK: %[[RESULT:.*]] = scf.if
  // CHECK: } else {
  // CHECK-NOT: linalg.fill
  // CHECK-NOT: memref.copy
  // CHECK: bufferization.to_tensor %[[WINDOW]]
  // CHECK: bufferization.materialize_in_destination {{.*}} %[[RESULT]]
  // CHECK: scf.if
  // CHECK: memref.subview %[[OUT]]
  // CHECK: memref.copy
  %o = pallas.pallas_call grid(2)
      in(%x : tensor<10xf32>) block<[8], vmem> map(%i) -> (%i)
      out(tensor<10xf32>) block<[8], vmem> map(%i) -> (%i)
      kernel(%xr: !pallas.ref<8xf32, vmem>, %or: !pallas.ref<8xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<8xf32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<8xf32, vmem>, tensor<8xf32>
  }
  return %o : tensor<10xf32>
}

// -----

// What programs leave in padding for others stays there: the array is padded
// once. So it is where many programs see the same block.
// CHECK-LABEL: func.func @padded
func.func @padded(%y: tensor<6xf32>) -> tensor<10xf32> {
  // CHECK: %[[Y:.*]] = memref.alloc() {{.*}} : memref<8xf32>
  // CHECK: linalg.fill
  // CHECK: %[[PART:.*]] = memref.subview %[[Y]][0] [6] [1]
  // CHECK: memref.copy %{{.*}}, %[[PART]]
  // CHECK: memref.alloc() {{.*}} : memref<10xf32>
  // CHECK: memref.alloc() {{.*}} : memref<16xf32>
  // CHECK: scf.for
  // CHECK: memref.copy %{{.*}}, %{{.*}} : memref<10xf32, {{.*}}> to memref<10xf32>
  %o = pallas.pallas_call grid(2, 32)
      in(%y : tensor<6xf32>) block<[8], vmem>
      out(tensor<10xf32>) block<[8], vmem> map(%i, %j) -> (%i)
      kernel(%yr: !pallas.ref<8xf32, vmem>, %or: !pallas.ref<8xf32, vmem>) {
    %v = pallas.get %yr[...] : !pallas.ref<8xf32, vmem>
    %w = pallas.get %or[...] : !pallas.ref<8xf32, vmem>
    %s = arith.addf %v, %w : tensor<8xf32>
    pallas.swap %or[...], %s : !pallas.ref<8xf32, vmem>, tensor<8xf32>
  }
  return %o : tensor<10xf32>
}

// -----

// A value that is used after its ref was overwritten is a copy.
// CHECK-LABEL: func.func @hazard
func.func @hazard(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[OUT:.*]] = memref.alloc() {{.*}} : memref<8xf32>
  // CHECK: %[[COPY:.*]] = memref.alloc() {{.*}} : memref<8xf32>
  // CHECK: memref.copy %[[OUT]], %[[COPY]]
  // CHECK: bufferization.to_tensor %[[COPY]] restrict writable
  %o = pallas.pallas_call grid()
      in(%x : tensor<8xf32>) block<[8], vmem>
      out(tensor<8xf32>) block<[8], vmem>
      kernel(%xr: !pallas.ref<8xf32, vmem>, %or: !pallas.ref<8xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<8xf32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<8xf32, vmem>, tensor<8xf32>
    %w = pallas.get %or[...] : !pallas.ref<8xf32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<8xf32, vmem>, tensor<8xf32>
    %s = arith.addf %w, %v : tensor<8xf32>
    pallas.swap %or[...], %s : !pallas.ref<8xf32, vmem>, tensor<8xf32>
  }
  return %o : tensor<8xf32>
}

// -----

// Parallel dimensions in front run on threads if the work repays it.
// CHECK-LABEL: func.func @threads
func.func @threads(%x: tensor<512x512xf32>) -> tensor<512x512xf32> {
  // CHECK: scf.parallel
  // CHECK: scf.for
  %o = pallas.pallas_call grid(4, 4)
      in(%x : tensor<512x512xf32>) block<[128, 128], vmem> map(%i, %j) -> (%i, %j)
      out(tensor<512x512xf32>) block<[128, 128], vmem> map(%i, %j) -> (%i, %j)
      semantics [parallel, arbitrary]
      kernel(%xr: !pallas.ref<128x128xf32, vmem>, %or: !pallas.ref<128x128xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<128x128xf32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<128x128xf32, vmem>, tensor<128x128xf32>
  }
  return %o : tensor<512x512xf32>
}

// -----

// Kernels keep state in an output window that all programs share, so a parallel
// dimension that does not choose the window stays in order.
// CHECK-LABEL: func.func @shared_window
func.func @shared_window(%x: tensor<512x512xf32>) -> (tensor<512x512xf32>, tensor<128x128xf32>) {
  // CHECK-NOT: scf.parallel
  // CHECK: scf.for
  // CHECK: scf.for
  %o:2 = pallas.pallas_call grid(4, 4)
      in(%x : tensor<512x512xf32>) block<[128, 128], vmem> map(%i, %j) -> (%i, %j)
      out(tensor<512x512xf32>) block<[128, 128], vmem> map(%i, %j) -> (%i, %j)
      out(tensor<128x128xf32>) block<[128, 128], vmem>
      semantics [parallel, arbitrary]
      kernel(%xr: !pallas.ref<128x128xf32, vmem>, %or: !pallas.ref<128x128xf32, vmem>,
             %state: !pallas.ref<128x128xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<128x128xf32, vmem>
    pallas.swap %state[...], %v : !pallas.ref<128x128xf32, vmem>, tensor<128x128xf32>
    %w = pallas.get %state[...] : !pallas.ref<128x128xf32, vmem>
    pallas.swap %or[...], %w : !pallas.ref<128x128xf32, vmem>, tensor<128x128xf32>
  }
  return %o#0, %o#1 : tensor<512x512xf32>, tensor<128x128xf32>
}

// -----

// Whatever axis neither the grid nor a mesh has belongs to the devices.
// CHECK-LABEL: func.func @devices
func.func @devices(%x: tensor<8xi32>) -> tensor<8xi32> {
  // CHECK: %[[I:.*]] = llvm.call @pallas_rt_axis_index
  // CHECK: memref.store %[[I]]
  %o = pallas.pallas_call grid()
      in(%x : tensor<8xi32>) block<[8], smem>
      out(tensor<8xi32>) block<[8], smem>
      kernel(%xr: !pallas.ref<8xi32, smem>, %or: !pallas.ref<8xi32, smem>) {
    %i = pallas.axis_index "x"
    pallas.swap %or[0], %i : !pallas.ref<8xi32, smem>, i32
  }
  return %o : tensor<8xi32>
}

// -----

// Where all that a mask may exclude lies inside the ref, whole vectors are read
// and written; elsewhere each element is asked.
// CHECK-LABEL: func.func @masked
func.func @masked(%x: tensor<10xf32>, %m: tensor<4xi1>) -> tensor<10xf32> {
  // CHECK: %[[LAST:.*]] = arith.subi %{{.*}}, %{{.*}} : index
  // CHECK: %[[SHORT:.*]] = arith.cmpi sge, %[[LAST]]
  // CHECK: %[[BEFORE:.*]] = arith.cmpi ule, %{{.*}}, %[[LAST]]
  // CHECK: %[[INSIDE:.*]] = arith.andi %[[SHORT]], %[[BEFORE]]
  // CHECK: scf.if %[[INSIDE]] {
  // CHECK: arith.select {{.*}} : tensor<4xi1>, tensor<4xf32>
  // CHECK: } else {
  // CHECK: scf.for
  // CHECK: memref.load
  // CHECK: scf.if %{{.*}} {
  // CHECK: arith.select {{.*}} : tensor<4xi1>, tensor<4xf32>
  // CHECK: bufferization.materialize_in_destination
  // CHECK: } else {
  // CHECK: scf.for
  // CHECK: memref.store
  %o = pallas.pallas_call grid(3)
      in(%x : tensor<10xf32>) block<[10], vmem>
      in(%m : tensor<4xi1>) block<[4], vmem>
      out(tensor<10xf32>) block<[10], vmem>
      kernel(%xr: !pallas.ref<10xf32, vmem>, %mr: !pallas.ref<4xi1, vmem>, %or: !pallas.ref<10xf32, vmem>) {
    %i = pallas.program_id 0
    %c4 = arith.constant 4 : i32
    %s = arith.muli %i, %c4 : i32
    %mask = pallas.get %mr[...] : !pallas.ref<4xi1, vmem>
    %v = pallas.masked_load %xr[ds(%s, 4)] mask %mask : !pallas.ref<10xf32, vmem>, tensor<4xi1>
    %old = pallas.masked_swap %or[ds(%s, 4)], %v mask %mask : !pallas.ref<10xf32, vmem>, tensor<4xf32>, tensor<4xi1>
  }
  return %o : tensor<10xf32>
}

// -----

// A slice that may be too long for a view is an error of the call, and repeats
// the first element meanwhile.
// CHECK-LABEL: func.func @short_view
func.func @short_view(%x: tensor<8xf32>, %n: tensor<1xi32>) -> tensor<4xf32> {
  // CHECK: %[[LENGTH:.*]] = arith.maxsi
  // CHECK: %[[VIEW:.*]] = memref.subview %{{.*}}[%{{.*}}] [%[[LENGTH]]] [1]
  // CHECK: %[[EXCEEDS:.*]] = arith.cmpi sgt
  // CHECK: scf.if %[[EXCEEDS]] {
  // CHECK: llvm.call @pallas_rt_error
  // CHECK: %[[STRIDE:.*]] = arith.select %[[EXCEEDS]], %c0{{.*}}, %c1
  // CHECK: memref.subview %[[VIEW]][%{{.*}}] [4] [%[[STRIDE]]]
  %o = pallas.pallas_call grid()
      in(%n : tensor<1xi32>) block<[1], smem>
      in(%x : tensor<8xf32>) block<[8], vmem>
      out(tensor<4xf32>) block<[4], vmem>
      kernel(%nr: !pallas.ref<1xi32, smem>, %xr: !pallas.ref<8xf32, vmem>, %or: !pallas.ref<4xf32, vmem>) {
    %size = pallas.get %nr[0] : !pallas.ref<1xi32, smem>
    %part = pallas.slice_ref %xr[ds(0, %size)] : !pallas.ref<8xf32, vmem>
    %v = pallas.get %part[ds(0, 4)] : !pallas.ref<?xf32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<4xf32, vmem>, tensor<4xf32>
  }
  return %o : tensor<4xf32>
}

// -----

// A sum of products is made where its start is, also when the product is a
// value of its own before it is added.
// CHECK-LABEL: func.func @accumulator
func.func @accumulator(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK: %[[OUT:.*]] = memref.alloc() {{.*}} : memref<8x8xf32>
  // CHECK-NOT: memref.copy
  // CHECK: bufferization.to_tensor %[[OUT]] restrict writable
  // CHECK: pallas.dot_general
  // CHECK: arith.addf
  // CHECK-NOT: memref.copy
  // CHECK: return
  %o = pallas.pallas_call grid()
      in(%x : tensor<8x8xf32>) block<[8, 8], vmem>
      out(tensor<8x8xf32>) block<[8, 8], vmem>
      kernel(%xr: !pallas.ref<8x8xf32, vmem>, %or: !pallas.ref<8x8xf32, vmem>) {
    %old = pallas.get %or[...] : !pallas.ref<8x8xf32, vmem>
    %v = pallas.get %xr[...] : !pallas.ref<8x8xf32, vmem>
    %p = pallas.dot_general %v, %v contract [1] x [0] : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
    %s = arith.addf %old, %p : tensor<8x8xf32>
    pallas.swap %or[...], %s : !pallas.ref<8x8xf32, vmem>, tensor<8x8xf32>
  }
  return %o : tensor<8x8xf32>
}

// -----

// Factors that come from the memory of the sum need it as it was.
// CHECK-LABEL: func.func @square
func.func @square(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK: %[[OUT:.*]] = memref.alloc() {{.*}} : memref<8x8xf32>
  // CHECK-NOT: to_tensor %[[OUT]] restrict writable
  // CHECK: return
  %o = pallas.pallas_call grid()
      in(%x : tensor<8x8xf32>) block<[8, 8], vmem>
      out(tensor<8x8xf32>) block<[8, 8], vmem>
      kernel(%xr: !pallas.ref<8x8xf32, vmem>, %or: !pallas.ref<8x8xf32, vmem>) {
    %v = pallas.get %or[...] : !pallas.ref<8x8xf32, vmem>
    %old = pallas.get %or[...] : !pallas.ref<8x8xf32, vmem>
    %p = pallas.dot_general %v, %v contract [1] x [0] : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
    %s = arith.addf %old, %p : tensor<8x8xf32>
    pallas.swap %or[...], %s : !pallas.ref<8x8xf32, vmem>, tensor<8x8xf32>
  }
  return %o : tensor<8x8xf32>
}

// -----

// Indices that go up by one are a slice where they lie inside the ref.
// CHECK-LABEL: func.func @run
func.func @run(%x: tensor<10xf32>) -> tensor<4xf32> {
  // CHECK: %[[INSIDE:.*]] = arith.andi
  // CHECK: scf.if %[[INSIDE]] {
  // CHECK: memref.subview %{{.*}}[%{{.*}}] [4] [1]
  // CHECK: } else {
  // CHECK: scf.for
  // CHECK: memref.load
  %o = pallas.pallas_call grid(8)
      in(%x : tensor<10xf32>) block<[10], vmem>
      out(tensor<4xf32>) block<[4], vmem>
      kernel(%xr: !pallas.ref<10xf32, vmem>, %or: !pallas.ref<4xf32, vmem>) {
    %i = pallas.program_id 0
    %steps = pallas.iota 0 : tensor<4xi32>
    %starts = pallas.broadcast %i : i32 -> tensor<4xi32>
    %at = arith.addi %starts, %steps : tensor<4xi32>
    %v = pallas.get %xr[gather(%at : tensor<4xi32>)] : !pallas.ref<10xf32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<4xf32, vmem>, tensor<4xf32>
  }
  return %o : tensor<4xf32>
}

// -----

// A slice that may hang over is one where it does not; else its elements are
// read one by one, and those outside moved inside.
// CHECK-LABEL: func.func @hangs_over
func.func @hangs_over(%x: tensor<40xf32>) -> tensor<64xf32> {
  // CHECK: %[[INSIDE:.*]] = arith.andi
  // CHECK: scf.if %[[INSIDE]] {
  // CHECK: memref.subview %{{.*}}[%{{.*}}] [16] [1]
  // CHECK: } else {
  // CHECK: scf.for
  // CHECK: arith.maxsi
  // CHECK: memref.load
  // CHECK: memref.subview %{{.*}}[%{{.*}}] [16] [1]
  // CHECK-NOT: scf.if
  // CHECK: return
  %o = pallas.pallas_call grid(4)
      in(%x : tensor<40xf32>) block<[40], gmem>
      out(tensor<64xf32>) block<[64], gmem>
      kernel(%xr: !pallas.ref<40xf32, gmem>, %or: !pallas.ref<64xf32, gmem>) {
    %p = pallas.program_id 0
    %c16 = arith.constant 16 : i32
    %start = arith.muli %p, %c16 : i32
    %v = pallas.masked_load %xr[ds(%start, 16)] : !pallas.ref<40xf32, gmem>
    %all = arith.constant dense<true> : tensor<16xi1>
    pallas.masked_swap %or[ds(%start, 16)], %v mask %all : !pallas.ref<64xf32, gmem>, tensor<16xf32>, tensor<16xi1>
  }
  return %o : tensor<64xf32>
}

// -----

// Time and profiles have no meaning on CPUs.
// CHECK-LABEL: func.func @marks
// CHECK-NOT: pallas.
// CHECK: return
func.func @marks(%n: i32, %x: f32) {
  pallas.trace_start "span"
  pallas.delay %n
  pallas.trace_value "x", %x : f32
  pallas.trace_stop
  return
}
