// RUN: pallas-opt %s -o %t.mlir && pallas-opt %t.mlir | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt --mlir-print-op-generic | pallas-opt | diff %t.mlir -

// RMS norm over rows, block of columns by block of columns, forwards and
// backwards. The reciprocal root mean square is kept for the way back.

!x = !pallas.ref<256xf32, gmem>
!w = !pallas.ref<256xf32, gmem>
!s = !pallas.ref<f32, gmem>

// CHECK-LABEL: func.func @rms_norm
func.func @rms_norm(%x: tensor<4x256xf32>, %w: tensor<256xf32>) -> (tensor<4x256xf32>, tensor<4xf32>) {
  %o:2 = pallas.pallas_call @rms_norm grid(4)
      in(%x : tensor<4x256xf32>) block<[squeezed, 256], gmem> map(%i) -> (%i, 0)
      in(%w : tensor<256xf32>) block<[256], gmem>
      out(tensor<4x256xf32>) block<[squeezed, 256], gmem> map(%i) -> (%i, 0)
      out(tensor<4xf32>) block<[squeezed], gmem> map(%i) -> (%i)
      kernel(%xr: !x, %wr: !w, %or: !x, %rr: !s) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c128 = arith.constant 128 : i32
    %zero = arith.constant dense<0.0> : tensor<128xf32>
    // CHECK: scf.for
    %squares = scf.for %j = %c0 to %c2 step %c1 iter_args(%acc = %zero) -> (tensor<128xf32>) : i32 {
      %start = arith.muli %j, %c128 : i32
      // CHECK: pallas.get %{{.*}}[ds(%{{.*}}, 128)]
      %a = pallas.get %xr[ds(%start, 128)] : !x
      %a2 = arith.mulf %a, %a : tensor<128xf32>
      %next = arith.addf %acc, %a2 : tensor<128xf32>
      scf.yield %next : tensor<128xf32>
    }
    %sum = pallas.reduce <add> %squares dims [0] : tensor<128xf32>
    %n = arith.constant 256.0 : f32
    %eps = arith.constant 1.0e-5 : f32
    %mean = arith.divf %sum, %n : f32
    %biased = arith.addf %mean, %eps : f32
    %rstd = math.rsqrt %biased : f32
    pallas.swap %rr[...], %rstd : !s, f32
    %rstds = pallas.broadcast %rstd : f32 -> tensor<128xf32>
    scf.for %j = %c0 to %c2 step %c1 : i32 {
      %start = arith.muli %j, %c128 : i32
      %a = pallas.get %xr[ds(%start, 128)] : !x
      %b = pallas.get %wr[ds(%start, 128)] : !w
      %n0 = arith.mulf %a, %rstds : tensor<128xf32>
      %n1 = arith.mulf %n0, %b : tensor<128xf32>
      pallas.swap %or[ds(%start, 128)], %n1 : !x, tensor<128xf32>
    }
  }
  return %o#0, %o#1 : tensor<4x256xf32>, tensor<4xf32>
}

// dx = rstd * (w * dy - xhat * mean(w * dy * xhat)) with xhat = x * rstd.
// CHECK-LABEL: func.func @rms_norm_dx
func.func @rms_norm_dx(%x: tensor<4x256xf32>, %w: tensor<256xf32>, %dy: tensor<4x256xf32>,
                       %rstd: tensor<4xf32>) -> tensor<4x256xf32> {
  %o = pallas.pallas_call @rms_norm_dx grid(4)
      in(%x : tensor<4x256xf32>) block<[squeezed, 256], gmem> map(%i) -> (%i, 0)
      in(%w : tensor<256xf32>) block<[256], gmem>
      in(%dy : tensor<4x256xf32>) block<[squeezed, 256], gmem> map(%i) -> (%i, 0)
      in(%rstd : tensor<4xf32>) block<[squeezed], gmem> map(%i) -> (%i)
      out(tensor<4x256xf32>) block<[squeezed, 256], gmem> map(%i) -> (%i, 0)
      kernel(%xr: !x, %wr: !w, %dyr: !x, %rr: !s, %or: !x) {
    %r = pallas.get %rr[...] : !s
    %rs = pallas.broadcast %r : f32 -> tensor<256xf32>
    %a = pallas.get %xr[...] : !x
    %b = pallas.get %wr[...] : !w
    %g = pallas.get %dyr[...] : !x
    %xhat = arith.mulf %a, %rs : tensor<256xf32>
    %wdy = arith.mulf %b, %g : tensor<256xf32>
    %prod = arith.mulf %wdy, %xhat : tensor<256xf32>
    %sum = pallas.reduce <add> %prod dims [0] : tensor<256xf32>
    %n = arith.constant 256.0 : f32
    %mean = arith.divf %sum, %n : f32
    %means = pallas.broadcast %mean : f32 -> tensor<256xf32>
    %pull = arith.mulf %xhat, %means : tensor<256xf32>
    %diff = arith.subf %wdy, %pull : tensor<256xf32>
    %dx = arith.mulf %diff, %rs : tensor<256xf32>
    pallas.swap %or[...], %dx : !x, tensor<256xf32>
  }
  return %o : tensor<4x256xf32>
}

// dw = sum over rows of dy * x * rstd: every program takes 128 columns and
// walks over the rows two at a time, the last one masked.
// CHECK-LABEL: func.func @rms_norm_dw
func.func @rms_norm_dw(%x: tensor<5x256xf32>, %dy: tensor<5x256xf32>, %rstd: tensor<5xf32>) -> tensor<256xf32> {
  %o = pallas.pallas_call @rms_norm_dw grid(2)
      in(%x : tensor<5x256xf32>) block<[5, 128], gmem> map(%j) -> (0, %j)
      in(%dy : tensor<5x256xf32>) block<[5, 128], gmem> map(%j) -> (0, %j)
      in(%rstd : tensor<5xf32>) block<[5], gmem>
      out(tensor<256xf32>) block<[128], gmem> map(%j) -> (%j)
      kernel(%xr: !pallas.ref<5x128xf32, gmem>, %dyr: !pallas.ref<5x128xf32, gmem>,
             %rr: !pallas.ref<5xf32, gmem>, %or: !pallas.ref<128xf32, gmem>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %zeros = arith.constant dense<0.0> : tensor<2x128xf32>
    %zero2 = arith.constant dense<0.0> : tensor<2xf32>
    %iota = pallas.iota 0 : tensor<2xi32>
    %five = arith.constant dense<5> : tensor<2xi32>
    %acc = scf.for %k = %c0 to %c3 step %c1 iter_args(%sum = %zeros) -> (tensor<2x128xf32>) : i32 {
      %start = arith.muli %k, %c2 : i32
      %starts = pallas.broadcast %start : i32 -> tensor<2xi32>
      %rows = arith.addi %starts, %iota : tensor<2xi32>
      %in = arith.cmpi slt, %rows, %five : tensor<2xi32>
      %mask = pallas.broadcast %in dims [0] : tensor<2xi1> -> tensor<2x128xi1>
      %a = pallas.masked_load %xr[ds(%start, 2), :] mask %mask other %zeros
          : !pallas.ref<5x128xf32, gmem>, tensor<2x128xi1>, other tensor<2x128xf32>
      %g = pallas.masked_load %dyr[ds(%start, 2), :] mask %mask other %zeros
          : !pallas.ref<5x128xf32, gmem>, tensor<2x128xi1>, other tensor<2x128xf32>
      %r = pallas.masked_load %rr[ds(%start, 2)] mask %in other %zero2
          : !pallas.ref<5xf32, gmem>, tensor<2xi1>, other tensor<2xf32>
      %rs = pallas.broadcast %r dims [0] : tensor<2xf32> -> tensor<2x128xf32>
      %p0 = arith.mulf %a, %g : tensor<2x128xf32>
      %p1 = arith.mulf %p0, %rs : tensor<2x128xf32>
      %next = arith.addf %sum, %p1 : tensor<2x128xf32>
      scf.yield %next : tensor<2x128xf32>
    }
    %dw = pallas.reduce <add> %acc dims [0] : tensor<2x128xf32>
    pallas.swap %or[...], %dw : !pallas.ref<128xf32, gmem>, tensor<128xf32>
  }
  return %o : tensor<256xf32>
}
