// RUN: pallas-opt %s --pallas-to-mosaic-tpu -o %t.mlir && FileCheck %s < %t.mlir
// RUN: pallas-opt %t.mlir --convert-mosaic-tpu-to-pallas | FileCheck %s --check-prefix=RAISED

// Arithmetic on elements as each type allows it.

// CHECK: func.func @values(
// RAISED: pallas.pallas_call @values
func.func @f(%f: tensor<16x128xf32>, %b: tensor<16x128xbf16>, %i: tensor<16x128xi32>, %c: tensor<16x128xi8>) -> (tensor<16x128xf32>, tensor<16x128xi8>, tensor<16x128xi32>) {
  %o:3 = pallas.pallas_call @values grid()
      in(%f : tensor<16x128xf32>) block<[16, 128], vmem>
      in(%b : tensor<16x128xbf16>) block<[16, 128], vmem>
      in(%i : tensor<16x128xi32>) block<[16, 128], vmem>
      in(%c : tensor<16x128xi8>) block<[16, 128], vmem>
      out(tensor<16x128xf32>) block<[16, 128], vmem>
      out(tensor<16x128xi8>) block<[16, 128], vmem>
      out(tensor<16x128xi32>) block<[16, 128], vmem>
      kernel(%fr: !pallas.ref<16x128xf32, vmem>, %br: !pallas.ref<16x128xbf16, vmem>, %ir: !pallas.ref<16x128xi32, vmem>, %cr: !pallas.ref<16x128xi8, vmem>, %fo: !pallas.ref<16x128xf32, vmem>, %co: !pallas.ref<16x128xi8, vmem>, %io: !pallas.ref<16x128xi32, vmem>) {
    // CHECK: %[[F:.*]] = vector.load %{{.*}} : memref<16x128xf32
    // RAISED: %[[F:.*]] = pallas.get %{{.*}}[:, :] : !pallas.ref<16x128xf32, vmem>
    %fv = pallas.get %fr[...] : !pallas.ref<16x128xf32, vmem>
    // CHECK: %[[B:.*]] = vector.load %{{.*}} : memref<16x128xbf16
    %bv = pallas.get %br[...] : !pallas.ref<16x128xbf16, vmem>
    // CHECK: %[[I:.*]] = vector.load %{{.*}} : memref<16x128xi32
    %iv = pallas.get %ir[...] : !pallas.ref<16x128xi32, vmem>
    // CHECK: %[[C:.*]] = vector.load %{{.*}} : memref<16x128xi8
    %cv = pallas.get %cr[...] : !pallas.ref<16x128xi8, vmem>
    // Bytes are multiplied as 32-bit integers.
    // CHECK: arith.muli %{{.*}} : vector<16x128xi32>
    // CHECK: %[[NARROW:.*]] = arith.trunci %{{.*}} : vector<16x128xi32> to vector<16x128xi8>
    %c1 = arith.muli %cv, %cv : tensor<16x128xi8>
    // CHECK: tpu.vector_store %{{.*}}, %[[NARROW]] {strides = array<i32>}
    pallas.swap %co[...], %c1 : !pallas.ref<16x128xi8, vmem>, tensor<16x128xi8>
    // CHECK: %[[W:.*]] = arith.extf %[[B]]
    %w = arith.extf %bv : tensor<16x128xbf16> to tensor<16x128xf32>
    // CHECK: math.exp %[[W]]
    %e = math.exp %w : tensor<16x128xf32>
    // CHECK: arith.divf %{{.*}}, %[[F]]
    %q = arith.divf %e, %fv : tensor<16x128xf32>
    // CHECK: arith.uitofp %[[I]]
    %u = arith.uitofp %iv : tensor<16x128xi32> to tensor<16x128xf32>
    %m = arith.maximumf %q, %u : tensor<16x128xf32>
    // CHECK: tpu.reciprocal %{{.*}} {approx = true
    // RAISED: pallas.reciprocal %{{.*}} approx
    %r = pallas.reciprocal %m approx : tensor<16x128xf32>
    // The compiler has neither.
    // CHECK: math.powf
    %cb = math.cbrt %r : tensor<16x128xf32>
    // CHECK: math.tanh
    %em = math.expm1 %cb : tensor<16x128xf32>
    // CHECK: tpu.vector_store
    pallas.swap %fo[...], %em : !pallas.ref<16x128xf32, vmem>, tensor<16x128xf32>
    %z = arith.extsi %cv : tensor<16x128xi8> to tensor<16x128xi32>
    // CHECK: %[[IX:.*]] = arith.xori %[[I]], %[[SIGN:.*]] :
    // CHECK: %[[ZX:.*]] = arith.xori %[[Z:.*]], %[[SIGN]] :
    // CHECK: %[[MORE:.*]] = arith.cmpi sgt, %[[IX]], %[[ZX]] :
    // CHECK: arith.select %[[MORE]], %[[I]], %[[Z]]
    %mu = arith.maxui %iv, %z : tensor<16x128xi32>
    // CHECK: math.ctpop
    %pc = math.ctpop %mu : tensor<16x128xi32>
    // CHECK: arith.fptosi %[[F]]
    %fi = arith.fptosi %fv : tensor<16x128xf32> to tensor<16x128xi32>
    %s = arith.addi %pc, %fi : tensor<16x128xi32>
    // CHECK: tpu.bitcast %[[F]]
    // RAISED: pallas.bitcast %[[F]] : tensor<16x128xf32> -> tensor<16x128xi32>
    %bc = pallas.bitcast %fv : tensor<16x128xf32> -> tensor<16x128xi32>
    %x = arith.xori %s, %bc : tensor<16x128xi32>
    pallas.swap %io[...], %x : !pallas.ref<16x128xi32, vmem>, tensor<16x128xi32>
  }
  return %o#0, %o#1, %o#2 : tensor<16x128xf32>, tensor<16x128xi8>, tensor<16x128xi32>
}
