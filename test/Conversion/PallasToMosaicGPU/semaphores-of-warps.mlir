// RUN: pallas-opt %s --pallas-to-mosaic-gpu | FileCheck %s

// A warp may wait for a signal. Compilers take loops without a count in code for lanes only.
// semaphores-of-warps.py executes both stages.

!s = !pallas.ref<!pallas.semaphore, gmem>

// CHECK-LABEL: module @kernel
// CHECK: "mosaic_gpu.warp_map"(
// CHECK: "@$2 red.release.gpu.global.add.u32 [$0], $1;"
// CHECK: %[[ADDRESS:.*]] = llvm.getelementptr
// CHECK: "mosaic_gpu.custom_primitive"(%[[ADDRESS]], %[[COUNT:.*]]) <{in_layouts = [], in_transforms = [], out_layouts = []}> ({
// CHECK-NEXT: ^bb0(%[[WORD:.*]]: !llvm.ptr, %[[N:.*]]: i32):
// CHECK: %[[ELECTED:.*]] = nvvm.elect.sync
// CHECK: scf.if %[[ELECTED]] {
// CHECK: scf.while (%{{.*}} = %[[N]]) : (i32) -> i32
// CHECK: "atom.relaxed.gpu.global.cas.b32 $0, [$1], $2, $3;"{{.*}} %[[WORD]]
// CHECK: "fence.acquire.gpu;"
// CHECK: nvvm.bar.warp.sync
// CHECK: mosaic_gpu.return
// CHECK: }) : (!llvm.ptr, i32) -> ()
func.func @meet() -> tensor<2xi32> {
  %0 = pallas.mpmd_map
      out(tensor<2xi32>)
      kernel @kernel on <gpu, [<grid "i" = 1>]> (%o: !pallas.ref<2xi32, gmem>) {
    %s = pallas.get_global "s" : !s
    %t = pallas.get_global "t" : !s
    pallas.core_map <warp, [<warp "w" = 4>]> () {
      %c0 = arith.constant 0 : i32
      %c2 = arith.constant 2 : i32
      %c3 = arith.constant 3 : i32
      %c5 = arith.constant 5 : i32
      %w = pallas.axis_index "w"
      %first = arith.cmpi eq, %w, %c0 : i32
      scf.if %first {
        pallas.swap %o[0], %c5 : !pallas.ref<2xi32, gmem>, i32
        pallas.semaphore_signal %s, %c5 : !s
        pallas.semaphore_wait %t, %c3 : !s
      }
      %last = arith.cmpi eq, %w, %c3 : i32
      scf.if %last {
        pallas.semaphore_wait %s, %c3 : !s
        %left = pallas.semaphore_read %s : !s
        pallas.swap %o[1], %left : !pallas.ref<2xi32, gmem>, i32
        pallas.semaphore_wait %s, %c2 : !s
        pallas.semaphore_signal %t, %c3 : !s
      }
    }
  }
  return %0 : tensor<2xi32>
}
