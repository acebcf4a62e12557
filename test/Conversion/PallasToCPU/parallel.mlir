// RUN: pallas-opt %s --pallas-grids-to-loops --convert-pallas-to-cpu | FileCheck %s
// RUN: pallas-opt %s --pallas-grids-to-loops=parallel=false --convert-pallas-to-cpu | FileCheck %s --check-prefix=ORDER
// RUN: pallas-opt %s --pallas-to-llvm | FileCheck %s --check-prefix=THREADS
// RUN: pallas-opt %s --pallas-to-llvm=parallel=false | FileCheck %s --check-prefix=ONE

// Programs whose ids choose the output window run on threads, unless the option
// or the semantics say otherwise.

// CHECK-LABEL: func.func @exponentials
// CHECK: scf.parallel
// CHECK: scf.for
// ORDER-LABEL: func.func @exponentials
// ORDER-NOT: scf.parallel
// ORDER-COUNT-2: scf.for
// THREADS: omp.parallel
// ONE-NOT: omp.
func.func @exponentials(%x: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %o = pallas.pallas_call grid(16, 16)
      in(%x : tensor<4096x4096xf32>) block<[256, 256], vmem> map(%i, %j) -> (%i, %j)
      out(tensor<4096x4096xf32>) block<[256, 256], vmem> map(%i, %j) -> (%i, %j)
      semantics [parallel, arbitrary]
      kernel(%xr: !pallas.ref<256x256xf32, vmem>, %or: !pallas.ref<256x256xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<256x256xf32, vmem>
    %e = math.exp %v : tensor<256x256xf32>
    pallas.swap %or[...], %e : !pallas.ref<256x256xf32, vmem>, tensor<256x256xf32>
  }
  return %o : tensor<4096x4096xf32>
}
