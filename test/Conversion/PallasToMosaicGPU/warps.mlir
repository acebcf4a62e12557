// RUN: pallas-opt %s --convert-pallas-to-mosaic-gpu | FileCheck %s
// RUN: pallas-opt %s --pallas-to-mosaic-gpu -o /dev/null

// The second warp copies. What its code takes from around it are operands.
// CHECK-LABEL: module @copies_0
// CHECK: "mosaic_gpu.warp_map"(%{{.*}}) ({
// CHECK: ^bb0(%{{.*}}: {{.*}}):
// CHECK: gpu.thread_id x
// CHECK: arith.shrui
// CHECK: nvvm.shfl.sync idx
// CHECK: arith.remui
// CHECK: scf.index_switch
// CHECK: mosaic_gpu.async_load
// CHECK: mosaic_gpu.vector_load
func.func @copies(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = pallas.mpmd_map
      in(%x : tensor<64x64xf32>)
      out(tensor<64x64xf32>)
      kernel @copies on <gpu, [<grid "i" = 1>]> (%g: !pallas.ref<64x64xf32, gmem>, %o: !pallas.ref<64x64xf32, gmem>) {
    pallas.run_scoped (%s: !pallas.ref<64x64xf32, smem>, %b: !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>) {
      pallas.core_map <warp, [<warp "w" = 4>]> () {
        %w = pallas.axis_index "w"
        %n = pallas.axis_size "w"
        %c3 = arith.constant 3 : i32
        %second = arith.subi %n, %c3 : i32
        %copies = arith.cmpi eq, %w, %second : i32
        scf.if %copies {
          pallas.copy_gmem_to_smem %g to %s signals %b : !pallas.ref<64x64xf32, gmem>, !pallas.ref<64x64xf32, smem>, !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
        }
      }
      pallas.barrier_wait %b : !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>
      %v = pallas.get %s[...] : !pallas.ref<64x64xf32, smem>
      %w = arith.addf %v, %v : tensor<64x64xf32>
      pallas.swap %o[...], %w : !pallas.ref<64x64xf32, gmem>, tensor<64x64xf32>
    }
  }
  return %0 : tensor<64x64xf32>
}

// CHECK-LABEL: module @waits{{.*}}mosaic_gpu.uses_pdl
// CHECK: nvvm.griddepcontrol {{ *}}wait
// CHECK: llvm.inline_asm has_side_effects "nanosleep.u32 $0;", "r"
// CHECK: nvvm.griddepcontrol {{ *}}launch_dependents
func.func @waits(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = pallas.mpmd_map
      in(%x : tensor<64x64xf32>)
      out(tensor<64x64xf32>)
      kernel @waits on <gpu, [<grid "i" = 1>]> (%g: !pallas.ref<64x64xf32, gmem>, %o: !pallas.ref<64x64xf32, gmem>) {
    %ns = arith.constant 100 : i32
    pallas.grid_dependency
    pallas.delay %ns
    %v = pallas.get %g[...] : !pallas.ref<64x64xf32, gmem>
    %w = arith.addf %v, %v : tensor<64x64xf32>
    pallas.swap %o[...], %w : !pallas.ref<64x64xf32, gmem>, tensor<64x64xf32>
    pallas.grid_dependency launch
  }
  return %0 : tensor<64x64xf32>
}
