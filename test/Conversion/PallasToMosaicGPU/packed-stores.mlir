// RUN: pallas-opt %s --pallas-to-mosaic-gpu | FileCheck %s
// RUN: pallas-opt %s --pallas-to-mosaic-gpu | pallas-opt --pass-pipeline="builtin.module(builtin.module(convert-mosaic-gpu-to-pallas))" | FileCheck %s --check-prefix=RAISED

// Two i4 share a byte, so a lane stores whole bytes of a vector.

// CHECK-LABEL: module @rounded
// Floats go by way of i32, bounded by the range.
// CHECK: %[[WIDE:.*]] = arith.fptosi %{{.*}} : vector<64x128xf32> to vector<64x128xi32>
// CHECK: %[[LEAST:.*]] = arith.maxsi %[[WIDE]], %{{.*}} : vector<64x128xi32>
// CHECK: %[[BOUND:.*]] = arith.minsi %[[LEAST]], %{{.*}} : vector<64x128xi32>
// CHECK: %[[PACKED:.*]] = arith.trunci %[[BOUND]] : vector<64x128xi32> to vector<64x128xi4>
// CHECK: "mosaic_gpu.vector_store"(%[[PACKED]], %{{.*}}) {{.*}} : (vector<64x128xi4>, memref<64x128xi4>)

// CHECK-LABEL: module @scaled
// Lanes hold parts of rows where a reduction relates rows and columns. Bytes in shared memory are in their order again.
// CHECK: "mosaic_gpu.vector_store"(%{{.*}}, %{{.*}}) {{.*}} : (vector<64x128xi8>,
// CHECK: %[[BYTES:.*]] = "mosaic_gpu.vector_load"(%{{.*}}) {{.*}} -> vector<64x128xi8>
// CHECK: %[[ORDERED:.*]] = mosaic_gpu.layout_cast x(%[[BYTES]] : vector<64x128xi8>)
// CHECK: %[[PACKED:.*]] = arith.trunci %[[ORDERED]] : vector<64x128xi8> to vector<64x128xi4>
// CHECK: "mosaic_gpu.vector_store"(%[[PACKED]], %{{.*}}) {{.*}} : (vector<64x128xi4>, memref<64x128xi4>)

// CHECK-LABEL: module @copied
// CHECK: %[[LOADED:.*]] = "mosaic_gpu.vector_load"(%{{.*}}) {{.*}} -> vector<64x128xi4>
// CHECK: %[[ORDERED:.*]] = mosaic_gpu.layout_cast x(%[[LOADED]] : vector<64x128xi4>)
// CHECK: arith.extui %[[ORDERED]] : vector<64x128xi4> to vector<64x128xi8>
// CHECK: arith.trunci %{{.*}} : vector<64x128xi8> to vector<64x128xi4>
func.func @rounded(%x: tensor<64x128xf32>) -> tensor<64x128xi4> {
  %0 = pallas.mpmd_map
      in(%x : tensor<64x128xf32>)
      out(tensor<64x128xi4>)
      kernel @rounded on <gpu, [<grid "i" = 1>]> (%xr: !pallas.ref<64x128xf32, gmem>, %o: !pallas.ref<64x128xi4, gmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<64x128xf32, gmem>
    %n = arith.fptosi %v : tensor<64x128xf32> to tensor<64x128xi4>
    pallas.swap %o[...], %n : !pallas.ref<64x128xi4, gmem>, tensor<64x128xi4>
  }
  return %0 : tensor<64x128xi4>
}

func.func @scaled(%x: tensor<64x128xf32>) -> tensor<64x128xi4> {
  %0 = pallas.mpmd_map
      in(%x : tensor<64x128xf32>)
      out(tensor<64x128xi4>)
      kernel @scaled on <gpu, [<grid "i" = 1>]> (%xr: !pallas.ref<64x128xf32, gmem>, %o: !pallas.ref<64x128xi4, gmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<64x128xf32, gmem>
    %m = pallas.reduce <max> %v dims [1] : tensor<64x128xf32>
    %rows = pallas.broadcast %m dims [0] : tensor<64xf32> -> tensor<64x128xf32>
    %d = arith.subf %v, %rows : tensor<64x128xf32>
    %w = arith.fptosi %d : tensor<64x128xf32> to tensor<64x128xi32>
    %n = arith.trunci %w : tensor<64x128xi32> to tensor<64x128xi4>
    pallas.swap %o[...], %n : !pallas.ref<64x128xi4, gmem>, tensor<64x128xi4>
  }
  return %0 : tensor<64x128xi4>
}

func.func @copied(%x: tensor<64x128xi4>) -> tensor<64x128xi4> {
  %0 = pallas.mpmd_map
      in(%x : tensor<64x128xi4>)
      out(tensor<64x128xi4>)
      kernel @copied on <gpu, [<grid "i" = 1>]> (%xr: !pallas.ref<64x128xi4, gmem>, %o: !pallas.ref<64x128xi4, gmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<64x128xi4, gmem>
    pallas.swap %o[...], %v : !pallas.ref<64x128xi4, gmem>, tensor<64x128xi4>
  }
  return %0 : tensor<64x128xi4>
}

// CHECK-LABEL: module @filled
// CHECK: %[[PACKED:.*]] = arith.trunci %{{.*}} : vector<64x128xi32> to vector<64x128xi4>
// CHECK: "mosaic_gpu.vector_store"(%[[PACKED]], %{{.*}}) {{.*}} : (vector<64x128xi4>, memref<64x128xi4>)
func.func @filled(%x: tensor<64x128xf32>) -> tensor<64x128xi4> {
  %0 = pallas.mpmd_map
      in(%x : tensor<64x128xf32>)
      out(tensor<64x128xi4>)
      kernel @filled on <gpu, [<grid "i" = 1>]> (%xr: !pallas.ref<64x128xf32, gmem>, %o: !pallas.ref<64x128xi4, gmem>) {
    %c = arith.constant dense<-3> : tensor<64x128xi4>
    pallas.swap %o[...], %c : !pallas.ref<64x128xi4, gmem>, tensor<64x128xi4>
  }
  return %0 : tensor<64x128xi4>
}

// Code for lanes puts single elements into their words, and raising knows that code. packed-stores.py executes it.

// CHECK-LABEL: module @elements
// CHECK: scf.for
// CHECK: %[[BITS:.*]] = arith.extui %{{.*}} : i4 to i32
// CHECK: "mosaic_gpu.custom_primitive"(%{{.*}}, %[[BITS]])
// CHECK-NEXT: ^bb0(%[[E:.*]]: memref<i4, {{.*}}>, %[[V:.*]]: i32):
// CHECK-DAG: %{{.*}}, %[[NUMBER:.*]] = memref.extract_strided_metadata %[[E]]
// CHECK-DAG: %[[START:.*]] = memref.extract_aligned_pointer_as_index %[[E]]
// CHECK-DAG: %[[ALL:.*]] = arith.constant -1 : i32
// CHECK-DAG: %[[OWN:.*]] = arith.constant 15 : i32
// CHECK: %[[BYTE:.*]] = arith.addi %[[START]], %{{.*}} : index
// CHECK: %[[ADDRESS:.*]] = arith.index_cast %[[BYTE]] : index to i64
// CHECK: %[[WORD:.*]] = arith.andi %[[ADDRESS]], %{{.*}} : i64
// CHECK: %[[POINTER:.*]] = llvm.inttoptr %[[WORD]] : i64 to !llvm.ptr
// CHECK: %[[SHIFT:.*]] = arith.addi %{{.*}}, %{{.*}} : i32
// CHECK: %[[BITS:.*]] = arith.shli %[[OWN]], %[[SHIFT]] : i32
// CHECK: %[[OTHERS:.*]] = arith.xori %[[BITS]], %[[ALL]] : i32
// CHECK: llvm.atomicrmw _and %[[POINTER]], %[[OTHERS]] monotonic
// CHECK: %[[PUT:.*]] = arith.shli %[[V]], %[[SHIFT]] : i32
// CHECK: llvm.atomicrmw _or %[[POINTER]], %[[PUT]] monotonic

// RAISED-LABEL: pallas.mpmd_map{{$}}
// RAISED: kernel @elements
// RAISED-NOT: custom_primitive
// RAISED: pallas.swap {{.*}} : !pallas.ref<i4, gmem>, i4
func.func @elements(%x: tensor<8x128xi4>, %i: tensor<64xi32>, %m: tensor<64xi1>) -> (tensor<8x128xi4>, tensor<8x16xi4>) {
  %0:2 = pallas.mpmd_map
      in(%x : tensor<8x128xi4>)
      in(%i : tensor<64xi32>)
      in(%m : tensor<64xi1>)
      out(tensor<8x128xi4>)
      out(tensor<8x16xi4>)
      kernel @elements on <gpu, [<grid "i" = 8>]> (%xr: !pallas.ref<8x128xi4, gmem>, %ir: !pallas.ref<64xi32, gmem>, %mr: !pallas.ref<64xi1, gmem>,
          %a: !pallas.ref<8x128xi4, gmem>, %b: !pallas.ref<8x16xi4, gmem>) {
    %p = pallas.axis_index "i"
    // A single element of each row, and a few of its neighbours.
    %one = pallas.get %xr[%p, 7] : !pallas.ref<8x128xi4, gmem>
    pallas.swap %a[%p, 0], %one : !pallas.ref<8x128xi4, gmem>, i4
    %few = pallas.get %xr[%p, ds(0, 63)] : !pallas.ref<8x128xi4, gmem>
    pallas.swap %a[%p, ds(1, 63)], %few : !pallas.ref<8x128xi4, gmem>, tensor<63xi4>
    // The others, by an array and a mask.
    %index = pallas.get %ir[...] : !pallas.ref<64xi32, gmem>
    %selected = pallas.get %mr[...] : !pallas.ref<64xi1, gmem>
    %last = pallas.get %xr[%p, ds(64, 64)] : !pallas.ref<8x128xi4, gmem>
    %five = arith.constant dense<5> : tensor<64xi4>
    pallas.swap %a[%p, gather(%index : tensor<64xi32>)], %five : !pallas.ref<8x128xi4, gmem>, tensor<64xi4>
    pallas.masked_swap %a[%p, gather(%index : tensor<64xi32>)], %last mask %selected : !pallas.ref<8x128xi4, gmem>, tensor<64xi4>, tensor<64xi1>
    // Shared memory.
    pallas.run_scoped (%s: !pallas.ref<16xi4, smem>) {
      %zero = arith.constant dense<0> : tensor<16xi4>
      pallas.swap %s[...], %zero : !pallas.ref<16xi4, smem>, tensor<16xi4>
      %at = arith.addi %p, %p : i32
      pallas.swap %s[%at], %one : !pallas.ref<16xi4, smem>, i4
      %row = pallas.get %s[...] : !pallas.ref<16xi4, smem>
      pallas.swap %b[%p, :], %row : !pallas.ref<8x16xi4, gmem>, tensor<16xi4>
    }
  }
  return %0#0, %0#1 : tensor<8x128xi4>, tensor<8x16xi4>
}
