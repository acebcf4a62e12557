// RUN: pallas-opt %s -o %t.mlir && pallas-opt %t.mlir | FileCheck %s
// RUN: pallas-opt %s --emit-bytecode | pallas-opt --mlir-print-op-generic | pallas-opt | diff %t.mlir -

// Layer norm of rows with weight and bias; mean and reciprocal deviation are
// further outputs. Indices of columns come as an array.

!x = !pallas.ref<256xf32, gmem>
!s = !pallas.ref<f32, gmem>

// CHECK-LABEL: func.func @layer_norm
func.func @layer_norm(%x: tensor<4x256xf32>, %w: tensor<256xf32>, %b: tensor<256xf32>)
    -> (tensor<4x256xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %{{.*}}:3 = pallas.pallas_call @layer_norm grid(4)
  %o:3 = pallas.pallas_call @layer_norm grid(4)
      in(%x : tensor<4x256xf32>) block<[squeezed, 256], gmem> map(%i) -> (%i, 0)
      in(%w : tensor<256xf32>) block<[256], gmem>
      in(%b : tensor<256xf32>) block<[256], gmem>
      out(tensor<4x256xf32>) block<[squeezed, 256], gmem> map(%i) -> (%i, 0)
      out(tensor<4xf32>) block<[squeezed], gmem> map(%i) -> (%i)
      out(tensor<4xf32>) block<[squeezed], gmem> map(%i) -> (%i)
      kernel(%xr: !x, %wr: !x, %br: !x, %or: !x, %mr: !s, %rr: !s) {
    %cols = pallas.iota 0 : tensor<256xi32>
    // CHECK: pallas.get %{{.*}}[gather(%{{.*}} : tensor<256xi32>)]
    %a = pallas.get %xr[gather(%cols : tensor<256xi32>)] : !x
    %sum = pallas.reduce <add> %a dims [0] : tensor<256xf32>
    %n = arith.constant 256.0 : f32
    %mean = arith.divf %sum, %n : f32
    pallas.swap %mr[...], %mean : !s, f32
    %means = pallas.broadcast %mean : f32 -> tensor<256xf32>
    %centred = arith.subf %a, %means : tensor<256xf32>
    %squares = arith.mulf %centred, %centred : tensor<256xf32>
    %total = pallas.reduce <add> %squares dims [0] : tensor<256xf32>
    %var = arith.divf %total, %n : f32
    %eps = arith.constant 1.0e-5 : f32
    %biased = arith.addf %var, %eps : f32
    %rstd = math.rsqrt %biased : f32
    pallas.swap %rr[...], %rstd : !s, f32
    %rstds = pallas.broadcast %rstd : f32 -> tensor<256xf32>
    %xhat = arith.mulf %centred, %rstds : tensor<256xf32>
    %wv = pallas.get %wr[...] : !x
    %bv = pallas.get %br[...] : !x
    %scaled = arith.mulf %xhat, %wv : tensor<256xf32>
    %y = arith.addf %scaled, %bv : tensor<256xf32>
    pallas.swap %or[gather(%cols : tensor<256xi32>)], %y : !x, tensor<256xf32>
  }
  return %o#0, %o#1, %o#2 : tensor<4x256xf32>, tensor<4xf32>, tensor<4xf32>
}

// dx = rstd * (g - mean(g) - xhat * mean(g * xhat)) with g = dy * w.
// CHECK-LABEL: func.func @layer_norm_dx
func.func @layer_norm_dx(%x: tensor<4x256xf32>, %w: tensor<256xf32>, %dy: tensor<4x256xf32>,
                         %mean: tensor<4xf32>, %rstd: tensor<4xf32>) -> tensor<4x256xf32> {
  %o = pallas.pallas_call @layer_norm_dx grid(4)
      in(%x : tensor<4x256xf32>) block<[squeezed, 256], gmem> map(%i) -> (%i, 0)
      in(%w : tensor<256xf32>) block<[256], gmem>
      in(%dy : tensor<4x256xf32>) block<[squeezed, 256], gmem> map(%i) -> (%i, 0)
      in(%mean : tensor<4xf32>) block<[squeezed], gmem> map(%i) -> (%i)
      in(%rstd : tensor<4xf32>) block<[squeezed], gmem> map(%i) -> (%i)
      out(tensor<4x256xf32>) block<[squeezed, 256], gmem> map(%i) -> (%i, 0)
      kernel(%xr: !x, %wr: !x, %dyr: !x, %mr: !s, %rr: !s, %or: !x) {
    %a = pallas.get %xr[...] : !x
    %b = pallas.get %wr[...] : !x
    %d = pallas.get %dyr[...] : !x
    %m = pallas.get %mr[...] : !s
    %r = pallas.get %rr[...] : !s
    %ms = pallas.broadcast %m : f32 -> tensor<256xf32>
    %rs = pallas.broadcast %r : f32 -> tensor<256xf32>
    %centred = arith.subf %a, %ms : tensor<256xf32>
    %xhat = arith.mulf %centred, %rs : tensor<256xf32>
    %g = arith.mulf %d, %b : tensor<256xf32>
    %n = arith.constant 256.0 : f32
    %sum_g = pallas.reduce <add> %g dims [0] : tensor<256xf32>
    %mean_g = arith.divf %sum_g, %n : f32
    %gx = arith.mulf %g, %xhat : tensor<256xf32>
    %sum_gx = pallas.reduce <add> %gx dims [0] : tensor<256xf32>
    %mean_gx = arith.divf %sum_gx, %n : f32
    %mean_gs = pallas.broadcast %mean_g : f32 -> tensor<256xf32>
    %mean_gxs = pallas.broadcast %mean_gx : f32 -> tensor<256xf32>
    %pull = arith.mulf %xhat, %mean_gxs : tensor<256xf32>
    %t0 = arith.subf %g, %mean_gs : tensor<256xf32>
    %t1 = arith.subf %t0, %pull : tensor<256xf32>
    %dx = arith.mulf %t1, %rs : tensor<256xf32>
    pallas.swap %or[...], %dx : !x, tensor<256xf32>
  }
  return %o : tensor<4x256xf32>
}

// dw and db: blocks of rows add up into output windows that stay.
// CHECK-LABEL: func.func @layer_norm_dw_db
func.func @layer_norm_dw_db(%x: tensor<8x256xf32>, %dy: tensor<8x256xf32>, %mean: tensor<8x1xf32>,
                            %rstd: tensor<8x1xf32>) -> (tensor<256xf32>, tensor<256xf32>) {
  %o:2 = pallas.pallas_call @layer_norm_dw_db grid(2, 2)
      in(%x : tensor<8x256xf32>) block<[4, 128], gmem> map(%j, %i) -> (%i, %j)
      in(%dy : tensor<8x256xf32>) block<[4, 128], gmem> map(%j, %i) -> (%i, %j)
      in(%mean : tensor<8x1xf32>) block<[4, 1], gmem> map(%j, %i) -> (%i, 0)
      in(%rstd : tensor<8x1xf32>) block<[4, 1], gmem> map(%j, %i) -> (%i, 0)
      out(tensor<256xf32>) block<[128], gmem> map(%j, %i) -> (%j)
      out(tensor<256xf32>) block<[128], gmem> map(%j, %i) -> (%j)
      semantics [parallel, arbitrary]
      kernel(%xr: !pallas.ref<4x128xf32, gmem>, %dyr: !pallas.ref<4x128xf32, gmem>,
             %mr: !pallas.ref<4x1xf32, gmem>, %rr: !pallas.ref<4x1xf32, gmem>,
             %dwr: !pallas.ref<128xf32, gmem>, %dbr: !pallas.ref<128xf32, gmem>) {
    %i = pallas.program_id 1
    %c0 = arith.constant 0 : i32
    %first = arith.cmpi eq, %i, %c0 : i32
    scf.if %first {
      %zero = arith.constant dense<0.0> : tensor<128xf32>
      pallas.swap %dwr[...], %zero : !pallas.ref<128xf32, gmem>, tensor<128xf32>
      pallas.swap %dbr[...], %zero : !pallas.ref<128xf32, gmem>, tensor<128xf32>
    }
    %a = pallas.get %xr[...] : !pallas.ref<4x128xf32, gmem>
    %d = pallas.get %dyr[...] : !pallas.ref<4x128xf32, gmem>
    %m = pallas.get %mr[...] : !pallas.ref<4x1xf32, gmem>
    %r = pallas.get %rr[...] : !pallas.ref<4x1xf32, gmem>
    %ms = pallas.broadcast %m dims [0, 1] : tensor<4x1xf32> -> tensor<4x128xf32>
    %rs = pallas.broadcast %r dims [0, 1] : tensor<4x1xf32> -> tensor<4x128xf32>
    %centred = arith.subf %a, %ms : tensor<4x128xf32>
    %xhat = arith.mulf %centred, %rs : tensor<4x128xf32>
    %prod = arith.mulf %d, %xhat : tensor<4x128xf32>
    %dw = pallas.reduce <add> %prod dims [0] : tensor<4x128xf32>
    %db = pallas.reduce <add> %d dims [0] : tensor<4x128xf32>
    // CHECK: pallas.addupdate
    pallas.addupdate %dwr[...], %dw : !pallas.ref<128xf32, gmem>, tensor<128xf32>
    pallas.addupdate %dbr[...], %db : !pallas.ref<128xf32, gmem>, tensor<128xf32>
  }
  return %o#0, %o#1 : tensor<256xf32>, tensor<256xf32>
}
