// RUN: pallas-opt %s --pallas-check-target=gpu:sm_90a --split-input-file -o /dev/null 2>&1 | FileCheck %s

// Registers of a thread that hold arrays, where most of them are in use.

!x = !pallas.ref<64x128xf32, smem>
!g = !pallas.ref<64x128xf32, gmem>

// Both operands are there before the sum takes their place.
// CHECK: remark: {{.*}} and 0 of 255 registers of a thread for accumulators, up to 128 with other arrays
func.func @sum() -> tensor<64x128xf32> {
  %0 = pallas.mpmd_map out(tensor<64x128xf32>)
      kernel @sum on <gpu, [<grid "i" = 1>]> (%o: !g) {
    pallas.run_scoped (%a: !x, %b: !x) {
      %u = pallas.get %a[...] : !x
      %v = pallas.get %b[...] : !x
      %w = arith.addf %u, %v : tensor<64x128xf32>
      pallas.swap %o[...], %w : !g, tensor<64x128xf32>
    }
  }
  return %0 : tensor<64x128xf32>
}

// -----

!x = !pallas.ref<64x128xf32, smem>
!g = !pallas.ref<64x128xf32, gmem>

// The loop carries one, loads one, and keeps one that is used behind it.
// CHECK: remark: {{.*}} up to 192 with other arrays
func.func @loop() -> (tensor<64x128xf32>, tensor<64x128xf32>) {
  %0:2 = pallas.mpmd_map out(tensor<64x128xf32>) out(tensor<64x128xf32>)
      kernel @loop on <gpu, [<grid "i" = 1>]> (%o: !g, %p: !g) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    pallas.run_scoped (%a: !x, %b: !x) {
      %kept = pallas.get %a[...] : !x
      %first = pallas.get %b[...] : !x
      %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %first) -> (tensor<64x128xf32>) : i32 {
        %v = pallas.get %a[...] : !x
        %next = arith.addf %s, %v : tensor<64x128xf32>
        scf.yield %next : tensor<64x128xf32>
      }
      pallas.swap %o[...], %sum : !g, tensor<64x128xf32>
      pallas.swap %p[...], %kept : !g, tensor<64x128xf32>
    }
  }
  return %0#0, %0#1 : tensor<64x128xf32>, tensor<64x128xf32>
}

// -----

!x = !pallas.ref<64x128xf16, smem>
!g = !pallas.ref<64x128xf16, gmem>

// Elements of 16 bits share registers.
// CHECK: remark: {{.*}} up to 32 with other arrays
func.func @halves() -> tensor<64x128xf16> {
  %0 = pallas.mpmd_map out(tensor<64x128xf16>)
      kernel @halves on <gpu, [<grid "i" = 1>]> (%o: !g) {
    pallas.run_scoped (%a: !x) {
      %u = pallas.get %a[...] : !x
      pallas.swap %o[...], %u : !g, tensor<64x128xf16>
    }
  }
  return %0 : tensor<64x128xf16>
}
