// RUN: pallas-opt %s --pallas-to-mosaic-tpu | FileCheck %s
// RUN: pallas-run %s --no-cache --diff-passes=pallas-to-mosaic-tpu | FileCheck %s --check-prefix=SAME

// SAME: no pass changes the answer

// The bug: an array of rank 0 for which the kernel asks no memory became one of 1x1 in SMEM, but had no index map. The
// compiler for TPUs refuses that: it copies what is in SMEM, so "missing transform_indices".

// CHECK-LABEL: func.func @running_max
// CHECK-SAME: memref<1x1xf32, #tpu.memory_space<smem>>
// CHECK-SAME: memref<1x1xf32, #tpu.memory_space<smem>>
// CHECK-SAME: window_params = [
// CHECK-SAME: {transform_indices = @transform_0, window_bounds = array<i64: 1, 1>},
// CHECK-SAME: {transform_indices = @transform_1
// CHECK-SAME: {transform_indices = @transform_2, window_bounds = array<i64: 1, 1>}]
func.func @main() -> tensor<f32> {
  %least = arith.constant dense<-5.0> : tensor<f32>
  %x = arith.constant dense<2.0> : tensor<32x128xf32>
  %0 = pallas.pallas_call @running_max grid(4)
      in(%least : tensor<f32>) block<[], hbm>
      in(%x : tensor<32x128xf32>) block<[8, 128], default> map(%i) -> (%i, 0)
      out(tensor<f32>) block<[], any>
      kernel(%least_ref: !pallas.ref<f32, hbm>, %xr: !pallas.ref<8x128xf32, default>, %o: !pallas.ref<f32, any>) {
    %i = pallas.program_id 0
    %c0 = arith.constant 0 : i32
    %first = arith.cmpi eq, %i, %c0 : i32
    scf.if %first {
      %start = pallas.get %least_ref[...] : !pallas.ref<f32, hbm>
      pallas.swap %o[...], %start : !pallas.ref<f32, any>, f32
    }
    %v = pallas.get %xr[...] : !pallas.ref<8x128xf32, default>
    %most = pallas.reduce <max> %v dims [0, 1] : tensor<8x128xf32>
    %before = pallas.get %o[...] : !pallas.ref<f32, any>
    %now = arith.maximumf %before, %most : f32
    pallas.swap %o[...], %now : !pallas.ref<f32, any>, f32
  }
  return %0 : tensor<f32>
}
