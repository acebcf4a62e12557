// RUN: pallas-opt %s --pallas-to-mosaic-gpu --split-input-file | FileCheck %s

// The call gives zeros, and gets the same words back, behind the results. Two
// names are two words, a name that comes twice is one.

// CHECK-LABEL: module @names
// CHECK: memref<2xi32> {mosaic_gpu.from_kernel_arg_idx = 1 : i32
// CHECK: %[[AT:.*]] = llvm.getelementptr %{{.*}}[2] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
// CHECK: %[[WORDS:.*]] = llvm.load %[[AT]]
// CHECK: gpu.launch
// CHECK: bar.sync
// CHECK: nvvm.elect.sync
// CHECK: "@$2 red.release.gpu.global.add.u32 [$0], $1;", "l,r,b" %[[WORDS]],
// CHECK: %[[ADDRESS:.*]] = llvm.getelementptr %[[WORDS]][1] : (!llvm.ptr) -> !llvm.ptr, i32
// CHECK: scf.if
// CHECK: scf.while (%[[EXPECTED:.*]] = %[[C3:.*]]) : (i32) -> i32
// CHECK: %[[REST:.*]] = arith.subi %[[EXPECTED]], %[[C3]]
// CHECK: llvm.inline_asm has_side_effects "atom.relaxed.gpu.global.cas.b32 $0, [$1], $2, $3;"{{.*}} %[[ADDRESS]], %[[EXPECTED]], %[[REST]]
// CHECK: arith.maxui
// CHECK: "fence.acquire.gpu;"
// CHECK: bar.sync
// CHECK: "ld.acquire.gpu.u32 $0, [$1];"
// CHECK: func.func private @names_call(tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>)
// CHECK-SAME: mosaic_gpu.aliases = array<i64: 0, 1>
// CHECK: %[[ZEROS:.*]] = arith.constant dense<0> : tensor<2xi32>
// CHECK: %[[CALL:.*]]:2 = call @names_call(%[[ZEROS]])
// CHECK: return %[[CALL]]#0
func.func @call_names() -> tensor<2xi32> {
  %0 = pallas.mpmd_map
      out(tensor<2xi32>)
      kernel @names on <gpu, [<grid "i" = 2>]> (%o: !pallas.ref<2xi32, gmem>) {
    %c3 = arith.constant 3 : i32
    %a = pallas.get_global "a" : !pallas.ref<!pallas.semaphore, gmem>
    %b = pallas.get_global "b" : !pallas.ref<!pallas.semaphore, gmem>
    %same = pallas.get_global "a" : !pallas.ref<!pallas.semaphore, gmem>
    pallas.semaphore_signal %same, %c3 : !pallas.ref<!pallas.semaphore, gmem>
    pallas.semaphore_wait %b, %c3 : !pallas.ref<!pallas.semaphore, gmem>
    %n = pallas.semaphore_read %a : !pallas.ref<!pallas.semaphore, gmem>
    pallas.swap %o[0], %n : !pallas.ref<2xi32, gmem>, i32
  }
  return %0 : tensor<2xi32>
}

// -----

// Each of 6 blocks has 4 words of its own. A wait that keeps the count loads.
// CHECK-LABEL: module @blocks
// CHECK: gpu.launch
// CHECK: %[[FIRST:.*]] = arith.muli %{{.*}}, %c4_i32 : i32
// CHECK: arith.addi %[[FIRST]], %{{.*}} : i32
// CHECK: arith.cmpi ult
// CHECK-NOT: atom.relaxed
// CHECK: func.func private @blocks_call(tensor<128xi32>, tensor<24xi32>) -> (tensor<128xi32>, tensor<24xi32>)
// CHECK-SAME: mosaic_gpu.aliases = array<i64: 1, 1>
func.func @call_blocks(%x: tensor<128xi32>) -> tensor<128xi32> {
  %0 = pallas.mpmd_map
      in(%x : tensor<128xi32>)
      out(tensor<128xi32>)
      kernel @blocks on <gpu, [<grid "i" = 2>, <grid "j" = 3>, <thread "t" = 2>]> (%g: !pallas.ref<128xi32, gmem>, %o: !pallas.ref<128xi32, gmem>) {
    pallas.run_scoped (%s: !pallas.ref<4x!pallas.semaphore, gmem>) collective ["t"] {
      %c1 = arith.constant 1 : i32
      %t = pallas.axis_index "t"
      %one = pallas.slice_ref %s[%t] : !pallas.ref<4x!pallas.semaphore, gmem>
      pallas.semaphore_wait %one, %c1 {decrement = false} : !pallas.ref<!pallas.semaphore, gmem>
      %v = pallas.get %g[...] : !pallas.ref<128xi32, gmem>
      pallas.swap %o[...], %v : !pallas.ref<128xi32, gmem>, tensor<128xi32>
    }
  }
  return %0 : tensor<128xi32>
}
