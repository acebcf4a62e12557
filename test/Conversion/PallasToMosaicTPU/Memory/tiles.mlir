// RUN: pallas-opt %s --pallas-to-mosaic-tpu=chip=v5e | FileCheck %s --check-prefixes=CHECK,V5E
// RUN: pallas-opt %s --pallas-to-mosaic-tpu=chip=v6e | FileCheck %s --check-prefixes=CHECK,V6E
// RUN: pallas-opt %s --pallas-to-mosaic-tpu=chip=tpu7x | FileCheck %s --check-prefixes=CHECK,TPU7X
// RUN: pallas-opt --print-target-info=v6e | FileCheck %s --check-prefix=INFO

// Where rows of 16-bit elements begin is known up to a multiple of 8. Later
// chips have tiles of 16 rows in memory that kernels allocate, and the latest
// also in scratch memory: tiles around the part are read there.

// INFO: | bits | rows of tiles: operands, scratch, scoped |
// INFO: | 16 | 8 8 16 |

// CHECK-LABEL: func.func @starts(
// CHECK-SAME: %[[N:.*]]: memref<1xi32, #tpu.memory_space<smem>>, %[[X:.*]]: memref<32x128xbf16, {{.*}}>, %[[Y:.*]]: memref<48x128xi8, {{.*}}>, %{{.*}}: memref<8x128xbf16, {{.*}}>, %{{.*}}: memref<8x128xi8, {{.*}}>, %[[S:.*]]: memref<32x128xbf16,
// CHECK: arith.muli
// CHECK: vector.load %[[X]][%{{.*}}, %{{.*}}] : {{.*}}, vector<8x128xbf16>
// V5E: vector.load %[[S]]{{.*}}, vector<8x128xbf16>
// V6E: vector.load %[[S]]{{.*}}, vector<8x128xbf16>
// TPU7X: tpu.assume_multiple %{{.*}}, 16
// TPU7X: vector.load %[[S]]{{.*}}, vector<16x128xbf16>
// CHECK: %[[B:.*]] = memref.alloca() : memref<48x128xbf16
// V5E: vector.load %[[B]]{{.*}}, vector<8x128xbf16>
// V6E: tpu.assume_multiple %{{.*}}, 16
// V6E: vector.load %[[B]]{{.*}}, vector<16x128xbf16>
// TPU7X: tpu.assume_multiple %{{.*}}, 16
// TPU7X: vector.load %[[B]]{{.*}}, vector<16x128xbf16>
// CHECK: memref.alloca() : memref<24x128xbf16
// CHECK: vector.load {{.*}}, vector<8x128xbf16>

// Bytes have tiles of 32 rows everywhere, but not where the rows don't fill
// them.
// CHECK: vector.load %[[Y]][%{{.*}}, %{{.*}}] : {{.*}}, vector<8x128xi8>

!x = !pallas.ref<32x128xbf16, vmem>
!y = !pallas.ref<48x128xi8, vmem>
func.func @starts(%n: tensor<1xi32>, %x: tensor<32x128xbf16>, %y: tensor<48x128xi8>) -> (tensor<8x128xbf16>, tensor<8x128xi8>) {
  %o:2 = pallas.pallas_call @starts grid()
      in(%n : tensor<1xi32>) block<[1], smem>
      in(%x : tensor<32x128xbf16>) block<[32, 128], vmem>
      in(%y : tensor<48x128xi8>) block<[48, 128], vmem>
      out(tensor<8x128xbf16>) block<[8, 128], vmem>
      out(tensor<8x128xi8>) block<[8, 128], vmem>
      kernel(%nr: !pallas.ref<1xi32, smem>, %xr: !x, %yr: !y, %or: !pallas.ref<8x128xbf16, vmem>, %br: !pallas.ref<8x128xi8, vmem>, %sr: !x) {
    %i = pallas.get %nr[0] : !pallas.ref<1xi32, smem>
    %c8 = arith.constant 8 : i32
    %at = arith.muli %i, %c8 : i32
    %all = pallas.get %xr[...] : !x
    pallas.swap %sr[...], %all : !x, tensor<32x128xbf16>
    %a = pallas.get %xr[ds(%at, 8), :] : !x
    %b = pallas.get %sr[ds(%at, 8), :] : !x
    %ab = arith.addf %a, %b : tensor<8x128xbf16>
    pallas.swap %or[...], %ab : !pallas.ref<8x128xbf16, vmem>, tensor<8x128xbf16>
    pallas.run_scoped (%tr: !pallas.ref<48x128xbf16, vmem>) {
      pallas.swap %tr[ds(0, 32), :], %all : !pallas.ref<48x128xbf16, vmem>, tensor<32x128xbf16>
      %c = pallas.get %tr[ds(%at, 8), :] : !pallas.ref<48x128xbf16, vmem>
      %old = pallas.get %or[...] : !pallas.ref<8x128xbf16, vmem>
      %sum = arith.addf %old, %c : tensor<8x128xbf16>
      pallas.swap %or[...], %sum : !pallas.ref<8x128xbf16, vmem>, tensor<8x128xbf16>
    }
    pallas.run_scoped (%tr: !pallas.ref<24x128xbf16, vmem>) {
      pallas.swap %tr[ds(0, 8), :], %a : !pallas.ref<24x128xbf16, vmem>, tensor<8x128xbf16>
      pallas.swap %tr[ds(8, 8), :], %b : !pallas.ref<24x128xbf16, vmem>, tensor<8x128xbf16>
      pallas.swap %tr[ds(16, 8), :], %a : !pallas.ref<24x128xbf16, vmem>, tensor<8x128xbf16>
      %c = pallas.get %tr[ds(%at, 8), :] : !pallas.ref<24x128xbf16, vmem>
      %old = pallas.get %or[...] : !pallas.ref<8x128xbf16, vmem>
      %sum = arith.addf %old, %c : tensor<8x128xbf16>
      pallas.swap %or[...], %sum : !pallas.ref<8x128xbf16, vmem>, tensor<8x128xbf16>
    }
    %bytes = pallas.get %yr[ds(%at, 8), :] : !y
    pallas.swap %br[...], %bytes : !pallas.ref<8x128xi8, vmem>, tensor<8x128xi8>
  }
  return %o#0, %o#1 : tensor<8x128xbf16>, tensor<8x128xi8>
}
