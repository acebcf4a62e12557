// RUN: pallas-opt %s --split-input-file --pallas-to-mosaic-tpu | FileCheck %s

// The load unit steps over rows that fit into registers, from their beginning.

// CHECK-LABEL: func.func @rows
// CHECK: tpu.strided_load %{{.*}} {strides = array<i32: 2, 1>} : memref<16x16xf32, #tpu.memory_space<vmem>>, vector<8x16xf32>
// CHECK: tpu.strided_load %{{.*}} {strides = array<i32: 3, 1>} : memref<16x16xf32, #tpu.memory_space<vmem>>, vector<4x8xf32>
// CHECK-NOT: tpu.strided_load
// CHECK: vector.load %{{.*}} : memref<16x16xf32, #tpu.memory_space<vmem>>, vector<7x8xf32>
func.func @f(%x: tensor<16x16xf32>) -> (tensor<8x16xf32>, tensor<4x8xf32>) {
  %o:2 = pallas.pallas_call @rows grid()
      in(%x : tensor<16x16xf32>) block<[16, 16], vmem>
      out(tensor<8x16xf32>) block<[8, 16], vmem>
      out(tensor<4x8xf32>) block<[4, 8], vmem>
      kernel(%xr: !pallas.ref<16x16xf32, vmem>, %ar: !pallas.ref<8x16xf32, vmem>, %br: !pallas.ref<4x8xf32, vmem>) {
    %a = pallas.get %xr[ds(0, 8, 2), :] : !pallas.ref<16x16xf32, vmem>
    pallas.swap %ar[...], %a : !pallas.ref<8x16xf32, vmem>, tensor<8x16xf32>
    %b = pallas.get %xr[ds(1, 4, 3), ds(0, 8)] : !pallas.ref<16x16xf32, vmem>
    %c = pallas.get %xr[ds(1, 4, 2), ds(4, 8)] : !pallas.ref<16x16xf32, vmem>
    %d = arith.addf %b, %c : tensor<4x8xf32>
    pallas.swap %br[...], %d : !pallas.ref<4x8xf32, vmem>, tensor<4x8xf32>
  }
  return %o#0, %o#1 : tensor<8x16xf32>, tensor<4x8xf32>
}

// -----

// Masks choose among narrow elements of vectors with one dimension in 32 bits.

// CHECK-LABEL: func.func @narrow
// CHECK: arith.select %{{.*}} : vector<259xi1>, vector<259xf32>
func.func @f(%x: tensor<259xbf16>) -> tensor<259xbf16> {
  %o = pallas.pallas_call @narrow grid()
      in(%x : tensor<259xbf16>) block<[259], vmem>
      out(tensor<259xbf16>) block<[259], vmem>
      kernel(%xr: !pallas.ref<259xbf16, vmem>, %or: !pallas.ref<259xbf16, vmem>) {
    %a = pallas.get %xr[...] : !pallas.ref<259xbf16, vmem>
    %b = arith.addf %a, %a : tensor<259xbf16>
    %i = pallas.iota 0 : tensor<259xi32>
    %c = arith.constant dense<129> : tensor<259xi32>
    %here = arith.cmpi eq, %i, %c : tensor<259xi32>
    %s = arith.select %here, %a, %b : tensor<259xi1>, tensor<259xbf16>
    pallas.swap %or[...], %s : !pallas.ref<259xbf16, vmem>, tensor<259xbf16>
  }
  return %o : tensor<259xbf16>
}

// -----

// Nothing is combined along dimensions of one element, and constants have
// their bits at once.

// CHECK-LABEL: func.func @unit
// CHECK-NOT: vector.multi_reduction
// CHECK: vector.shape_cast %{{.*}} : vector<8x128x1xf32> to vector<8x128xf32>
// CHECK: arith.constant dense<1065353216> : vector<8x128xi32>
// CHECK: arith.ori
// CHECK: return
func.func @f(%x: tensor<8x128x1xf32>) -> tensor<8x128xf32> {
  %o = pallas.pallas_call @unit grid()
      in(%x : tensor<8x128x1xf32>) block<[8, 128, 1], vmem>
      out(tensor<8x128xf32>) block<[8, 128], vmem>
      kernel(%xr: !pallas.ref<8x128x1xf32, vmem>, %or: !pallas.ref<8x128xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x128x1xf32, vmem>
    %s = pallas.reduce <add> %v dims [2] : tensor<8x128x1xf32>
    %one = arith.constant dense<1.0> : tensor<8x128xf32>
    %sign = math.copysign %one, %s : tensor<8x128xf32>
    pallas.swap %or[...], %sign : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return %o : tensor<8x128xf32>
}

// -----

// Rows are repeated in whole registers.

// CHECK-LABEL: func.func @repeat
// CHECK: tpu.concatenate %[[X:.*]], %[[X]] in 1 : vector<8x128xf32>, vector<8x128xf32> -> vector<8x256xf32>
func.func @f(%x: tensor<8x128xf32>) -> tensor<8x256xf32> {
  %o = pallas.pallas_call @repeat grid()
      in(%x : tensor<8x128xf32>) block<[8, 128], vmem>
      out(tensor<8x256xf32>) block<[8, 256], vmem>
      kernel(%xr: !pallas.ref<8x128xf32, vmem>, %or: !pallas.ref<8x256xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x128xf32, vmem>
    %u = pallas.reshape %v : tensor<8x128xf32> -> tensor<1x8x1x128xf32>
    %b = pallas.broadcast %u dims [0, 1, 2, 3] : tensor<1x8x1x128xf32> -> tensor<1x8x2x128xf32>
    %r = pallas.reshape %b : tensor<1x8x2x128xf32> -> tensor<8x256xf32>
    pallas.swap %or[...], %r : !pallas.ref<8x256xf32, vmem>, tensor<8x256xf32>
  }
  return %o : tensor<8x256xf32>
}

// -----

// The last dimension becomes several at once, and several become the last, in packed registers as well.

// CHECK-LABEL: func.func @several
// CHECK: vector.shape_cast %{{.*}} : vector<8x6x64xbf16> to vector<48x2x2x16xbf16>
// CHECK: vector.shape_cast %{{.*}} : vector<48x2x2x16xbf16> to vector<1x48x64xbf16>
func.func @f(%x: tensor<8x6x64xbf16>) -> (tensor<48x2x2x16xbf16>, tensor<1x48x64xbf16>) {
  %o:2 = pallas.pallas_call @several grid()
      in(%x : tensor<8x6x64xbf16>) block<[8, 6, 64], vmem>
      out(tensor<48x2x2x16xbf16>) block<[48, 2, 2, 16], vmem>
      out(tensor<1x48x64xbf16>) block<[1, 48, 64], vmem>
      kernel(%xr: !pallas.ref<8x6x64xbf16, vmem>, %or: !pallas.ref<48x2x2x16xbf16, vmem>, %pr: !pallas.ref<1x48x64xbf16, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x6x64xbf16, vmem>
    %r = pallas.reshape %v : tensor<8x6x64xbf16> -> tensor<48x2x2x16xbf16>
    pallas.swap %or[...], %r : !pallas.ref<48x2x2x16xbf16, vmem>, tensor<48x2x2x16xbf16>
    %w = pallas.get %or[...] : !pallas.ref<48x2x2x16xbf16, vmem>
    %s = pallas.reshape %w : tensor<48x2x2x16xbf16> -> tensor<1x48x64xbf16>
    pallas.swap %pr[...], %s : !pallas.ref<1x48x64xbf16, vmem>, tensor<1x48x64xbf16>
  }
  return %o#0, %o#1 : tensor<48x2x2x16xbf16>, tensor<1x48x64xbf16>
}

// -----

// Arithmetic between casts that make a row of each lane and undo it happens before, whatever unit dimensions are in front.

// CHECK-LABEL: func.func @between
// CHECK: %[[X:.*]] = vector.load {{.*}} vector<1x8x31xf32>
// CHECK: %[[ROWS:.*]] = vector.shape_cast %[[X]] : vector<1x8x31xf32> to vector<8x31xf32>
// CHECK: %[[EXP:.*]] = math.exp %[[ROWS]] : vector<8x31xf32>
// CHECK: vector.shape_cast %[[EXP]] : vector<8x31xf32> to vector<8x1x31xf32>
func.func @f(%x: tensor<1x8x31xf32>) -> tensor<8x2x31xf32> {
  %o = pallas.pallas_call @between grid()
      in(%x : tensor<1x8x31xf32>) block<[1, 8, 31], vmem>
      out(tensor<8x2x31xf32>) block<[8, 2, 31], vmem>
      kernel(%xr: !pallas.ref<1x8x31xf32, vmem>, %or: !pallas.ref<8x2x31xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<1x8x31xf32, vmem>
    %c = pallas.reshape %v : tensor<1x8x31xf32> -> tensor<8x31x1xf32>
    %e = math.exp %c : tensor<8x31x1xf32>
    %r = pallas.reshape %e : tensor<8x31x1xf32> -> tensor<8x31xf32>
    %b = pallas.broadcast %r dims [0, 2] : tensor<8x31xf32> -> tensor<8x2x31xf32>
    pallas.swap %or[...], %b : !pallas.ref<8x2x31xf32, vmem>, tensor<8x2x31xf32>
  }
  return %o : tensor<8x2x31xf32>
}

// -----

// Shorter rows are gathered for one register, which is repeated. Their number divides by a product.

// CHECK-LABEL: func.func @turns
// CHECK: tpu.iota {dimensions = array<i32: 1>} : vector<8x256xi32>
// CHECK: arith.shrui
// CHECK: %[[PLACES:.*]] = arith.subi
// CHECK: vector.extract_strided_slice %[[PLACES]] {offsets = [0, 0], sizes = [8, 128], strides = [1, 1]}
// CHECK: %[[TURNS:.*]] = tpu.dynamic_gather {{.*}} in [1] : vector<8x128xf32>, vector<8x128xi32> -> vector<8x128xf32>
// CHECK-NOT: tpu.dynamic_gather
// CHECK: tpu.concatenate %[[TURNS]], %[[TURNS]] in 1
// CHECK: arith.muli %{{.*}}, %{{.*}} : vector<8x20xi32>
// CHECK: arith.shrui %{{.*}}, %{{.*}} : vector<8x20xi32>
// CHECK: tpu.dynamic_gather {{.*}} in [1] : vector<8x5xf32>, vector<8x20xi32> -> vector<8x20xf32>
func.func @f(%x: tensor<8x32xf32>, %y: tensor<8x5xf32>) -> (tensor<8x256xf32>, tensor<8x20xf32>) {
  %o:2 = pallas.pallas_call @turns grid()
      in(%x : tensor<8x32xf32>) block<[8, 32], vmem>
      in(%y : tensor<8x5xf32>) block<[8, 5], vmem>
      out(tensor<8x256xf32>) block<[8, 256], vmem>
      out(tensor<8x20xf32>) block<[8, 20], vmem>
      kernel(%xr: !pallas.ref<8x32xf32, vmem>, %yr: !pallas.ref<8x5xf32, vmem>,
             %or: !pallas.ref<8x256xf32, vmem>, %pr: !pallas.ref<8x20xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x32xf32, vmem>
    %b = pallas.broadcast %v dims [0, 2] : tensor<8x32xf32> -> tensor<8x8x32xf32>
    %r = pallas.reshape %b : tensor<8x8x32xf32> -> tensor<8x256xf32>
    pallas.swap %or[...], %r : !pallas.ref<8x256xf32, vmem>, tensor<8x256xf32>
    %w = pallas.get %yr[...] : !pallas.ref<8x5xf32, vmem>
    %c = pallas.broadcast %w dims [0, 2] : tensor<8x5xf32> -> tensor<8x4x5xf32>
    %s = pallas.reshape %c : tensor<8x4x5xf32> -> tensor<8x20xf32>
    pallas.swap %pr[...], %s : !pallas.ref<8x20xf32, vmem>, tensor<8x20xf32>
  }
  return %o#0, %o#1 : tensor<8x256xf32>, tensor<8x20xf32>
}

// -----

// Lanes that are repeated one by one are gathered where they are: four registers, each from one. Arithmetic on them
// happens in the shape that follows, and a value that gets its shape back is itself.

// CHECK-LABEL: func.func @one_by_one
// CHECK: %[[COLUMNS:.*]] = arith.mulf {{.*}} : vector<8x256x2xf32>
// CHECK-COUNT-4: tpu.dynamic_gather {{.*}} in [1] : vector<8x128xf32>, vector<8x128xi32> -> vector<8x128xf32>
// CHECK-NOT: tpu.dynamic_gather
// CHECK: %[[ROWS:.*]] = tpu.concatenate
// CHECK: %[[SCALED:.*]] = arith.mulf %{{.*}}, %[[ROWS]] : vector<8x512xf32>
// CHECK: tpu.vector_store %{{.*}}, %[[SCALED]]
// CHECK: tpu.vector_store {{.*}}%[[COLUMNS]]
func.func @f(%x: tensor<8x512xf32>, %s: tensor<8x256xf32>) -> (tensor<8x512xf32>, tensor<8x256x2xf32>) {
  %o:2 = pallas.pallas_call @one_by_one grid()
      in(%x : tensor<8x512xf32>) block<[8, 512], vmem>
      in(%s : tensor<8x256xf32>) block<[8, 256], vmem>
      out(tensor<8x512xf32>) block<[8, 512], vmem>
      out(tensor<8x256x2xf32>) block<[8, 256, 2], vmem>
      kernel(%xr: !pallas.ref<8x512xf32, vmem>, %sr: !pallas.ref<8x256xf32, vmem>,
             %or: !pallas.ref<8x512xf32, vmem>, %pr: !pallas.ref<8x256x2xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x512xf32, vmem>
    %g = pallas.reshape %v : tensor<8x512xf32> -> tensor<8x256x2xf32>
    %w = pallas.get %sr[...] : !pallas.ref<8x256xf32, vmem>
    %b = pallas.broadcast %w dims [0, 1] : tensor<8x256xf32> -> tensor<8x256x2xf32>
    %m = arith.mulf %g, %b : tensor<8x256x2xf32>
    %r = pallas.reshape %m : tensor<8x256x2xf32> -> tensor<8x512xf32>
    pallas.swap %or[...], %r : !pallas.ref<8x512xf32, vmem>, tensor<8x512xf32>
    %back = pallas.reshape %r : tensor<8x512xf32> -> tensor<8x256x2xf32>
    pallas.swap %pr[...], %back : !pallas.ref<8x256x2xf32, vmem>, tensor<8x256x2xf32>
  }
  return %o#0, %o#1 : tensor<8x512xf32>, tensor<8x256x2xf32>
}

// -----

// Rows at any place are read where a tile is as wide as the buffer; otherwise
// the tiles around them are.

// CHECK-LABEL: func.func @places
// CHECK: vector.load %{{.*}} : memref<64x128xf32, #tpu.memory_space<vmem>>, vector<5x128xf32>
// CHECK: %[[LAST:.*]] = arith.constant 48 : i32
// CHECK: %[[IN:.*]] = arith.minsi %[[AT:.*]], %[[LAST]]
// CHECK: %[[ALIGNED:.*]] = arith.andi %[[IN]], %{{.*}} : i32
// CHECK: %[[START:.*]] = tpu.assume_multiple %[[ALIGNED]], 8
// CHECK: %[[REST:.*]] = arith.subi %[[AT]], %[[ALIGNED]]
// CHECK: vector.load %{{.*}} : memref<64x256xf32, #tpu.memory_space<vmem>>, vector<16x256xf32>
// CHECK: tpu.dynamic_rotate
// One row lies in one tile.
// CHECK: vector.load %{{.*}} : memref<64x256xf32, #tpu.memory_space<vmem>>, vector<1x256xf32>
// Strides come first.
// CHECK: vector.load %{{.*}} : memref<64x256xf32, #tpu.memory_space<vmem>>, vector<24x256xf32>
func.func @f(%n: tensor<1xi32>, %x: tensor<64x128xf32>, %y: tensor<64x256xf32>) -> (tensor<5x128xf32>, tensor<5x256xf32>) {
  %o:2 = pallas.pallas_call @places grid()
      in(%n : tensor<1xi32>) block<[1], smem>
      in(%x : tensor<64x128xf32>) block<[64, 128], vmem>
      in(%y : tensor<64x256xf32>) block<[64, 256], vmem>
      out(tensor<5x128xf32>) block<[5, 128], vmem>
      out(tensor<5x256xf32>) block<[5, 256], vmem>
      kernel(%nr: !pallas.ref<1xi32, smem>, %xr: !pallas.ref<64x128xf32, vmem>, %yr: !pallas.ref<64x256xf32, vmem>, %ar: !pallas.ref<5x128xf32, vmem>, %br: !pallas.ref<5x256xf32, vmem>) {
    %i = pallas.get %nr[0] : !pallas.ref<1xi32, smem>
    %a = pallas.get %xr[ds(%i, 5), :] : !pallas.ref<64x128xf32, vmem>
    pallas.swap %ar[...], %a : !pallas.ref<5x128xf32, vmem>, tensor<5x128xf32>
    %b = pallas.get %yr[ds(%i, 5), :] : !pallas.ref<64x256xf32, vmem>
    %c = pallas.get %yr[ds(%i, 1), :] : !pallas.ref<64x256xf32, vmem>
    %d = pallas.get %yr[ds(%i, 5, 3), :] : !pallas.ref<64x256xf32, vmem>
    %e = pallas.broadcast %c dims [0, 1] : tensor<1x256xf32> -> tensor<5x256xf32>
    %f = arith.addf %b, %e : tensor<5x256xf32>
    %g = arith.addf %f, %d : tensor<5x256xf32>
    pallas.swap %br[...], %g : !pallas.ref<5x256xf32, vmem>, tensor<5x256xf32>
  }
  return %o#0, %o#1 : tensor<5x128xf32>, tensor<5x256xf32>
}

// -----

// The elements of a mask are searched for only once they differ.

// CHECK-LABEL: func.func @spread
// CHECK-COUNT-4: tpu.dynamic_gather
// CHECK-NOT: tpu.dynamic_gather
// CHECK: tpu.vector_store %{{.*}} masked
func.func @f(%x: tensor<8x20xf32>) -> tensor<16x128xf32> {
  %o = pallas.pallas_call @spread grid()
      in(%x : tensor<8x20xf32>) block<[8, 20], vmem>
      out(tensor<16x128xf32>) block<[16, 128], vmem>
      kernel(%xr: !pallas.ref<8x20xf32, vmem>, %or: !pallas.ref<16x128xf32, vmem>) {
    %a = pallas.get %xr[...] : !pallas.ref<8x20xf32, vmem>
    pallas.swap %or[ds(0, 8, 2), ds(1, 20, 3)], %a : !pallas.ref<16x128xf32, vmem>, tensor<8x20xf32>
  }
  return %o : tensor<16x128xf32>
}

// -----

// A slice that may hang over becomes the nearest one that lies inside, whose
// elements are moved back; those of the store that hang over are masked off.

// CHECK-LABEL: func.func @hangs_over
// CHECK: %[[START:.*]] = memref.load
// CHECK: %[[LAST:.*]] = arith.constant 24 : i32
// CHECK: arith.minsi %[[START]], %[[LAST]]
// CHECK: %[[INSIDE:.*]] = arith.maxsi
// CHECK: %[[MOVED:.*]] = arith.subi %[[START]], %[[INSIDE]]
// CHECK: vector.load %{{.*}} : memref<40x128xf32, #tpu.memory_space<vmem>>, vector<16x128xf32>
// CHECK: tpu.dynamic_rotate
// CHECK: tpu.vector_store %{{.*}} masked
// CHECK: scf.if
// CHECK: memref.store
func.func @f(%n: tensor<4xi32>, %x: tensor<40x128xf32>) -> (tensor<64x128xf32>, tensor<4xi32>) {
  %o:2 = pallas.pallas_call @hangs_over grid(4) prefetch(%n : tensor<4xi32>)
      in(%x : tensor<40x128xf32>) block<[40, 128], vmem>
      out(tensor<64x128xf32>) block<[64, 128], vmem>
      out(tensor<4xi32>) block<[4], smem>
      kernel(%nr: !pallas.ref<4xi32, smem>, %xr: !pallas.ref<40x128xf32, vmem>, %or: !pallas.ref<64x128xf32, vmem>, %sr: !pallas.ref<4xi32, smem>) {
    %p = pallas.program_id 0
    %start = pallas.get %nr[%p] : !pallas.ref<4xi32, smem>
    %all = arith.constant dense<true> : tensor<16x128xi1>
    %true = arith.constant true
    %v = pallas.masked_load %xr[ds(%start, 16), :] : !pallas.ref<40x128xf32, vmem>
    pallas.masked_swap %or[ds(%start, 16), :], %v mask %all : !pallas.ref<64x128xf32, vmem>, tensor<16x128xf32>, tensor<16x128xi1>
    pallas.masked_swap %sr[%start], %p mask %true : !pallas.ref<4xi32, smem>, i32, i1
  }
  return %o#0, %o#1 : tensor<64x128xf32>, tensor<4xi32>
}

// -----

// Nothing moves where the grid keeps slices inside.

// CHECK-LABEL: func.func @inside
// CHECK-NOT: tpu.dynamic_rotate
// CHECK-NOT: masked
// CHECK: return
func.func @f(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %o = pallas.pallas_call @inside grid(4)
      in(%x : tensor<64x128xf32>) block<[64, 128], vmem>
      out(tensor<64x128xf32>) block<[64, 128], vmem>
      kernel(%xr: !pallas.ref<64x128xf32, vmem>, %or: !pallas.ref<64x128xf32, vmem>) {
    %p = pallas.program_id 0
    %c16 = arith.constant 16 : i32
    %start = arith.muli %p, %c16 : i32
    %v = pallas.masked_load %xr[ds(%start, 16), :] : !pallas.ref<64x128xf32, vmem>
    pallas.swap %or[ds(%start, 16), :], %v : !pallas.ref<64x128xf32, vmem>, tensor<16x128xf32>
  }
  return %o : tensor<64x128xf32>
}
