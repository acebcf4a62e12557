// RUN: pallas-opt %s --pallas-cse | FileCheck %s
// RUN: pallas-run %s --entry=cores | FileCheck %s --check-prefix=CORES

// CHECK-LABEL: func.func @repeated
// CHECK: math.exp
// CHECK-NOT: math.exp
// CHECK: pallas.swap
func.func @repeated(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %o = pallas.pallas_call grid()
    in(%x : tensor<8x128xf32>) block<[8, 128], vmem>
    out(tensor<8x128xf32>) block<[8, 128], vmem>
    kernel(%xr: !pallas.ref<8x128xf32, vmem>, %or: !pallas.ref<8x128xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x128xf32, vmem>
    %a = math.exp %v : tensor<8x128xf32>
    %w = pallas.get %xr[...] : !pallas.ref<8x128xf32, vmem>
    %b = math.exp %w : tensor<8x128xf32>
    %s = arith.addf %a, %b : tensor<8x128xf32>
    pallas.swap %or[...], %s : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return %o : tensor<8x128xf32>
}

// What another core may have written meanwhile is read again.
// CHECK-LABEL: func.func @waits
// CHECK: pallas.get
// CHECK: pallas.semaphore_wait
// CHECK: pallas.get
func.func @waits(%x: !pallas.ref<8xi32, smem>, %s: !pallas.ref<!pallas.semaphore, semaphore>, %n: i32) -> (tensor<8xi32>, tensor<8xi32>) {
  %a = pallas.get %x[...] : !pallas.ref<8xi32, smem>
  pallas.semaphore_wait %s, %n : !pallas.ref<!pallas.semaphore, semaphore>
  %b = pallas.get %x[...] : !pallas.ref<8xi32, smem>
  return %a, %b : tensor<8xi32>, tensor<8xi32>
}

// A core asks for its own number.
// CHECK-LABEL: func.func @cores
// CHECK: pallas.core_id
// CHECK: pallas.core_map
// CHECK: pallas.core_id
// CORES: cores [10 11]
func.func @cores() {
  %z = arith.constant dense<0> : tensor<2xi32>
  %d = pallas.core_id
  pallas.debug_print "core {}" %d : i32
  %r = pallas.run_state (%o: !pallas.ref<2xi32, hbm> = %z : tensor<2xi32>) {
    pallas.core_map <tensorcore, [<core "x" = 2>]> () {
      %b = pallas.core_id
      %c10 = arith.constant 10 : i32
      %s = arith.addi %b, %c10 : i32
      pallas.swap %o[%b], %s : !pallas.ref<2xi32, hbm>, i32
    }
  }
  pallas.debug_print "cores {}" %r : tensor<2xi32>
  return
}
