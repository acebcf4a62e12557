// RUN: pallas-opt %s --pallas-to-mosaic-gpu | FileCheck %s

// Each block waits until the next one of the cluster has stored its row.
// cluster-refs.py executes both stages.

!bar = !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>

// CHECK-LABEL: module @kernel
// CHECK: llvm.inline_asm has_side_effects "{ .reg .b32 there; mapa.shared::cluster.u32 there, $0, $1; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there]; }", "r,r" %{{.*}}, %{{.*}} : (!llvm.ptr<3>, i32) -> !llvm.void
func.func @turns(%x: tensor<3x128xf32>) -> tensor<3x128xf32> {
  %0 = pallas.mpmd_map
      in(%x : tensor<3x128xf32>)
      out(tensor<3x128xf32>)
      kernel @kernel on <gpu, [<cluster "c" = 3>]> (%g: !pallas.ref<3x128xf32, gmem>, %o: !pallas.ref<3x128xf32, gmem>) {
    pallas.run_scoped (%b: !bar) {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c2 = arith.constant 2 : i32
      %i = pallas.axis_index "c"
      %waits = arith.cmpi sgt, %i, %c0 : i32
      scf.if %waits {
        pallas.barrier_wait %b : !bar
      }
      %v = pallas.get %g[%i, :] : !pallas.ref<3x128xf32, gmem>
      pallas.swap %o[%i, :], %v : !pallas.ref<3x128xf32, gmem>, tensor<128xf32>
      %tells = arith.cmpi slt, %i, %c2 : i32
      scf.if %tells {
        %next = arith.addi %i, %c1 : i32
        %theirs = pallas.cluster_ref %b, "c" = %next : !bar
        pallas.barrier_arrive %theirs : !bar
      }
    }
  }
  return %0 : tensor<3x128xf32>
}
