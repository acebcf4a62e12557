// RUN: pallas-opt %s --split-input-file --verify-diagnostics --pallas-to-mosaic-tpu=coarsen=off | FileCheck %s

// Two windows of an input take turns; an output goes back after each point.

// Each point has other blocks: while the body works, those of the next one
// come, and those of the last one go.

// CHECK-LABEL: func.func @double
// CHECK: %[[X:.*]] = memref.alloca() : memref<2x8x128xf32, #tpu.memory_space<vmem>>
// CHECK: tpu.sem_alloc : memref<2x!tpu.dma_semaphore
// CHECK: %[[O:.*]] = memref.alloca() : memref<2x8x128xf32, #tpu.memory_space<vmem>>
// CHECK: tpu.enqueue_dma
// CHECK: scf.for
// CHECK: scf.if
// CHECK: tpu.enqueue_dma
// CHECK: tpu.wait_dma2
// CHECK: vector.load %[[X]]
// CHECK: tpu.vector_store %[[O]]
// CHECK: tpu.enqueue_dma
// CHECK: scf.if
// CHECK: tpu.wait_dma2
// CHECK: tpu.wait_dma2
func.func @f(%x: tensor<32x256xf32>) -> tensor<32x256xf32> {
  %o = pallas.pallas_call @double grid()
      in(%x : tensor<32x256xf32>) block<[32, 256], any>
      out(tensor<32x256xf32>) block<[32, 256], any>
      kernel(%xr: !pallas.ref<32x256xf32, any>, %or: !pallas.ref<32x256xf32, any>) {
    pallas.emit_pipeline grid(4, 2)
        in(%xr : !pallas.ref<32x256xf32, any>) block<[8, 128], vmem> map(%i, %j) -> (%i, %j)
        out(%or : !pallas.ref<32x256xf32, any>) block<[8, 128], vmem> map(%i, %j) -> (%i, %j)
        kernel(%i: i32, %j: i32, %a: !pallas.ref<8x128xf32, vmem>, %b: !pallas.ref<8x128xf32, vmem>) {
      %v = pallas.get %a[...] : !pallas.ref<8x128xf32, vmem>
      %w = arith.addf %v, %v : tensor<8x128xf32>
      pallas.swap %b[...], %w : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
    }
  }
  return %o : tensor<32x256xf32>
}

// -----

// Three windows of the input take turns: blocks come two points ahead. The output
// has one, and goes back before the next point.

// CHECK-LABEL: func.func @buffered
// CHECK: %[[X:.*]] = memref.alloca() : memref<3x8x128xf32, #tpu.memory_space<vmem>>
// CHECK: tpu.sem_alloc : memref<3x!tpu.dma_semaphore
// CHECK: %[[O:.*]] = memref.alloca() : memref<8x128xf32, #tpu.memory_space<vmem>>
// CHECK: tpu.enqueue_dma
// CHECK: tpu.enqueue_dma
// CHECK: scf.for %[[I:.*]] =
// CHECK: %[[AHEAD:.*]] = arith.cmpi slt, %[[I]], %{{.*}}
// CHECK: arith.remsi %[[I]]
// CHECK: scf.if %[[AHEAD]]
// CHECK: tpu.enqueue_dma
// CHECK: tpu.wait_dma2
// CHECK: vector.load %[[X]]
// CHECK: tpu.vector_store %[[O]]
// CHECK: tpu.enqueue_dma
// CHECK: tpu.wait_dma2
// CHECK-NOT: tpu.wait_dma2
// CHECK: return
func.func @f(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %o = pallas.pallas_call @buffered grid()
      in(%x : tensor<64x128xf32>) block<[64, 128], any>
      out(tensor<64x128xf32>) block<[64, 128], any>
      kernel(%xr: !pallas.ref<64x128xf32, any>, %or: !pallas.ref<64x128xf32, any>) {
    pallas.emit_pipeline grid(8)
        in(%xr : !pallas.ref<64x128xf32, any>) block<[8, 128], vmem, pipeline = <3>> map(%i) -> (%i, 0)
        out(%or : !pallas.ref<64x128xf32, any>) block<[8, 128], vmem, pipeline = <1>> map(%i) -> (%i, 0)
        kernel(%i: i32, %a: !pallas.ref<8x128xf32, vmem>, %b: !pallas.ref<8x128xf32, vmem>) {
      %v = pallas.get %a[...] : !pallas.ref<8x128xf32, vmem>
      %w = arith.addf %v, %v : tensor<8x128xf32>
      pallas.swap %b[...], %w : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
    }
  }
  return %o : tensor<64x128xf32>
}

// -----

// The first input stays for all points: it has one window, which is filled
// before the loop. The second stays while %i does, and is asked for only then.

// CHECK-LABEL: func.func @staying
// CHECK: memref.alloca() : memref<8x128xf32, #tpu.memory_space<vmem>>
// CHECK: memref.alloca() : memref<2x8x128xf32, #tpu.memory_space<vmem>>
// CHECK: tpu.enqueue_dma
// CHECK: tpu.wait_dma2
// CHECK: tpu.enqueue_dma
// CHECK: scf.for
// CHECK: %[[NEW:.*]] = arith.cmpi ne
// CHECK-NEXT: %[[DONE:.*]] = arith.cmpi ne
// CHECK-NEXT: %[[FETCH:.*]] = arith.andi %{{.*}}, %[[DONE]]
// CHECK-NEXT: scf.if %[[FETCH]]
// CHECK: tpu.enqueue_dma
// CHECK-NOT: tpu.enqueue_dma
func.func @f(%x: tensor<24x128xf32>) {
  pallas.pallas_call @staying grid()
      in(%x : tensor<24x128xf32>) block<[24, 128], any>
      kernel(%xr: !pallas.ref<24x128xf32, any>) {
    pallas.emit_pipeline grid(2, 3)
        in(%xr : !pallas.ref<24x128xf32, any>) block<[8, 128], vmem> map(%i, %j) -> (2, 0)
        in(%xr : !pallas.ref<24x128xf32, any>) block<[8, 128], vmem> map(%i, %j) -> (%i, 0)
        kernel(%i: i32, %j: i32, %a: !pallas.ref<8x128xf32, vmem>, %b: !pallas.ref<8x128xf32, vmem>) {
      pallas.debug_print "step" 
    }
  }
  return
}

// -----

// The last blocks end with the tile that holds the last element.

// CHECK-LABEL: func.func @ragged
// CHECK-DAG: %[[WHOLE:.*]] = arith.constant 16 : i32
// CHECK-DAG: %[[EDGE:.*]] = arith.constant 8 : i32
// CHECK: %[[ROWS:.*]] = arith.select %{{.*}}, %[[EDGE]], %[[WHOLE]] : i32
// CHECK-NEXT: %[[SIZE:.*]] = tpu.assume_multiple %[[ROWS]], 8
// CHECK: tpu.memref_slice %{{.*}}[%{{.*}}, %{{.*}}] <%[[SIZE]]>
func.func @f(%x: tensor<37x128xf32>) {
  pallas.pallas_call @ragged grid()
      in(%x : tensor<37x128xf32>) block<[37, 128], any>
      kernel(%xr: !pallas.ref<37x128xf32, any>) {
    pallas.emit_pipeline grid(3)
        in(%xr : !pallas.ref<37x128xf32, any>) block<[16, 128], vmem> map(%i) -> (%i, 0)
        kernel(%i: i32, %a: !pallas.ref<16x128xf32, vmem>) {
    }
  }
  return
}

// -----

// Of a grid of five, two cores have three and two points.

// CHECK-LABEL: func.func @cores
// CHECK-SAME: %[[CORE:[^:]*]]: i32
// CHECK: %[[MORE:.*]] = arith.cmpi slt, %[[CORE]]
// CHECK: arith.select %[[MORE]]
// CHECK: arith.minsi %[[CORE]]
func.func @f(%x: tensor<40x128xf32>) -> tensor<40x128xf32> {
  %o = pallas.mpmd_map
      in(%x : tensor<40x128xf32>)
      out(tensor<40x128xf32>)
      kernel @cores on <tensorcore, [<core "core" = 2>]> (%xr: !pallas.ref<40x128xf32, hbm>, %or: !pallas.ref<40x128xf32, hbm>) {
    pallas.emit_pipeline grid(5)
        in(%xr : !pallas.ref<40x128xf32, hbm>) block<[8, 128], vmem> map(%i) -> (%i, 0)
        out(%or : !pallas.ref<40x128xf32, hbm>) block<[8, 128], vmem> map(%i) -> (%i, 0)
        semantics [parallel]
        attributes {coreAxis = "core"}
        kernel(%i: i32, %a: !pallas.ref<8x128xf32, vmem>, %b: !pallas.ref<8x128xf32, vmem>) {
      %v = pallas.get %a[...] : !pallas.ref<8x128xf32, vmem>
      pallas.swap %b[...], %v : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
    }
  }
  return %o : tensor<40x128xf32>
}

// -----

func.func @f(%x: tensor<30x128xf32>) {
  pallas.pallas_call grid()
      in(%x : tensor<30x128xf32>) block<[30, 128], any>
      kernel(%xr: !pallas.ref<30x128xf32, any>) {
    // expected-error @below {{has blocks of 12 along dimension 0, which has 30; where memory has tiles they must divide it or be a multiple of 8}}
    pallas.emit_pipeline grid(3)
        in(%xr : !pallas.ref<30x128xf32, any>) block<[12, 128], vmem> map(%i) -> (%i, 0)
        kernel(%i: i32, %a: !pallas.ref<12x128xf32, vmem>) {
    }
  }
  return
}

// -----

func.func @f(%x: tensor<32x128xf32>) {
  pallas.mpmd_map
      in(%x : tensor<32x128xf32>)
      kernel on <tensorcore, [<core "core" = 2>]> (%xr: !pallas.ref<32x128xf32, hbm>) {
    // expected-error @below {{shares its grid along the axis 'core', but all dimensions of the grid run in order; call one of them parallel}}
    pallas.emit_pipeline grid(4)
        in(%xr : !pallas.ref<32x128xf32, hbm>) block<[8, 128], vmem> map(%i) -> (%i, 0)
        attributes {coreAxis = "core"}
        kernel(%i: i32, %a: !pallas.ref<8x128xf32, vmem>) {
    }
  }
  return
}

// -----

func.func @f(%x: tensor<32x128xf32>) {
  pallas.pallas_call grid()
      in(%x : tensor<32x128xf32>) block<[32, 128], any>
      kernel(%xr: !pallas.ref<32x128xf32, any>) {
    // expected-error @below {{shares its grid along the axis 'core', which no mesh around it has with a known size; name an axis of the mesh that runs it}}
    pallas.emit_pipeline grid(4)
        in(%xr : !pallas.ref<32x128xf32, any>) block<[8, 128], vmem> map(%i) -> (%i, 0)
        semantics [parallel]
        attributes {coreAxis = "core"}
        kernel(%i: i32, %a: !pallas.ref<8x128xf32, vmem>) {
    }
  }
  return
}
