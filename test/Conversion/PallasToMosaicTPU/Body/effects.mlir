// RUN: pallas-opt %s --pallas-to-mosaic-tpu -o %t.mlir && FileCheck %s < %t.mlir
// RUN: pallas-opt %t.mlir --convert-mosaic-tpu-to-pallas | FileCheck %s --check-prefix=RAISED

// Semaphores, copies, scopes, random bits, control flow and debugging: to a TPU
// and back.

!x = !pallas.ref<64x128xf32, hbm>
!v = !pallas.ref<8x128xf32, vmem>
!d = !pallas.ref<!pallas.dma_semaphore, semaphore>
!s = !pallas.ref<!pallas.semaphore, semaphore>

// CHECK: func.func @copies(%[[X:[a-z0-9]+]]: memref<64x128xf32, #tpu.memory_space<hbm>>, %[[O:[a-z0-9]+]]: {{.*}}, %[[S:[a-z0-9]+]]: memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>)
// CHECK-SAME: dimension_semantics = [], scalar_prefetch = 0 : i64, scratch_operands = 1 : i64
// RAISED: pallas.pallas_call @copies
func.func @copies(%x: tensor<64x128xf32>) -> tensor<8x128xf32> {
  %o = pallas.pallas_call @copies grid()
      in(%x : tensor<64x128xf32>) block<[64, 128], hbm>
      out(tensor<8x128xf32>) block<[8, 128], vmem>
      kernel(%xr: !x, %or: !v, %s: !s) {
    %c1 = arith.constant 1 : i32
    %c8 = arith.constant 8 : i32
    // CHECK: %[[ID:.*]] = tpu.device_id
    // RAISED: %[[ID:.*]] = pallas.device_id
    %id = pallas.device_id
    // CHECK: tpu.sem_signal %[[S]], %[[ONE:[a-z0-9_]+]] : memref<!tpu.semaphore
    pallas.semaphore_signal %s, %c1 : !s
    // CHECK: tpu.sem_signal %[[S]], %[[ONE]] device_id %[[ID]]
    // RAISED: pallas.semaphore_signal %{{.*}} device {{.*}}logical(%[[ID]])
    pallas.semaphore_signal %s, %c1 device logical(%id) : !s
    // CHECK: %[[COUNT:.*]] = tpu.sem_read %[[S]]
    // RAISED: pallas.semaphore_read
    %n = pallas.semaphore_read %s : !s
    // CHECK: tpu.sem_wait %[[S]], %[[COUNT]]
    pallas.semaphore_wait %s, %n : !s
    // CHECK: "tpu.region"() ({
    // CHECK: %[[BUFFER:.*]] = memref.alloca() : memref<8x128xf32, #tpu.memory_space<vmem>>
    // CHECK: %[[DONE:.*]] = tpu.sem_alloc : memref<!tpu.dma_semaphore
    // CHECK: %[[SENT:.*]] = tpu.sem_alloc
    // RAISED: pallas.run_scoped (%[[BUFFER:.*]]: !pallas.ref<8x128xf32, vmem>, %[[DONE:.*]]: !pallas.ref<!pallas.dma_semaphore, semaphore>, %[[SENT:.*]]: 
    pallas.run_scoped (%buf: !v, %done: !d, %sent: !d) {
      // CHECK: %[[PART:.*]] = tpu.memref_slice %[[X]]
      // RAISED: %[[PART:.*]] = pallas.slice_ref %{{.*}}[ds(8, 8), :]
      %part = pallas.slice_ref %xr[ds(%c8, 8), :] : !x
      // CHECK: tpu.enqueue_dma source(%[[PART]] : {{.*}}) target(%[[BUFFER]] : {{.*}}) target_semaphore(%[[DONE]] : {{[^)]*}})
      // RAISED: pallas.dma_start %[[PART]] to %[[BUFFER]] signals %[[DONE]]
      pallas.dma_start %part to %buf signals %done : !pallas.ref<8x128xf32, hbm>, !v, !d
      // CHECK: tpu.wait_dma2 semaphore(%[[DONE]] : {{.*}}) src(%[[PART]] : {{.*}}) dst(%[[BUFFER]] 
      pallas.dma_wait %part to %buf signals %done : !pallas.ref<8x128xf32, hbm>, !v, !d
      // CHECK: tpu.enqueue_dma source(%[[BUFFER]] : {{.*}}) target(%[[O]] : {{.*}}) source_semaphore(%[[SENT]] : {{.*}}) target_semaphore(%[[DONE]] : {{.*}}) device_id(%[[ID]])
      // RAISED: pallas.dma_start %[[BUFFER]] to %{{.*}} signals %[[DONE]] source_signals %[[SENT]] device {{.*}}logical(%[[ID]])
      pallas.dma_start %buf to %or signals %done source_signals %sent device logical(%id) : !v, !v, !d, !d
      // CHECK: tpu.wait_dma2 semaphore(%[[SENT]] : {{.*}}) src(%[[O]] : {{.*}}) dst(%[[BUFFER]] : {{.*}}) device_id(
      // RAISED: pallas.dma_wait %{{.*}} to %[[BUFFER]] signals %[[SENT]]
      pallas.dma_wait %buf to %or signals %done source_signals %sent device logical(%id) : !v, !v, !d, !d
      // CHECK: tpu.wait_dma2 semaphore(%[[DONE]] : {{.*}}) src(%[[BUFFER]] : {{.*}}) dst(%[[O]] 
      pallas.dma_wait %buf to %or signals %done : !v, !v, !d
    }
  }
  return %o : tensor<8x128xf32>
}

// CHECK: func.func @rest(%[[I:[a-z0-9]+]]: i32, %[[NR:[a-z0-9]+]]: memref<1xi32, #tpu.memory_space<smem>>
// RAISED: pallas.pallas_call @rest grid(4)
func.func @rest(%n: tensor<1xi32>, %x: tensor<8x128xf32>) -> tensor<8x128xi32> {
  %o = pallas.pallas_call @rest grid(4)
      in(%n : tensor<1xi32>) block<[1], smem> map(%i) -> (0)
      in(%x : tensor<8x128xf32>) block<[8, 128], vmem> map(%i) -> (0, 0)
      out(tensor<8x128xi32>) block<[8, 128], vmem> map(%i) -> (0, 0)
      kernel(%nr: !pallas.ref<1xi32, smem>, %xr: !v, %or: !pallas.ref<8x128xi32, vmem>) {
    // RAISED: %[[I:.*]] = pallas.program_id 0
    %i = pallas.program_id 0
    %count = pallas.num_programs 0
    // CHECK: %[[N:.*]] = memref.load %[[NR]]
    // RAISED: %[[N:.*]] = pallas.get %{{.*}}[0]
    %n0 = pallas.get %nr[0] : !pallas.ref<1xi32, smem>
    // CHECK: "tpu.prng_set_seed_32"(%[[N]], %[[I]])
    // RAISED: pallas.prng_seed %[[N]], %[[I]]
    pallas.prng_seed %n0, %i
    // CHECK: %[[BITS:.*]] = "tpu.prng_random_bits"() : () -> vector<8x128xi32>
    // RAISED: pallas.prng_random_bits : tensor<8x128xi32>
    %bits = pallas.prng_random_bits : tensor<8x128xi32>
    // CHECK: tpu.delay %{{.*}}
    // RAISED: pallas.delay
    pallas.delay %count
    // CHECK: "tpu.trace_start"() <{level = 10 : i32, message = "span"}>
    // RAISED: pallas.trace_start "span"
    pallas.trace_start "span"
    // CHECK: tpu.log "n = $s0" {formatted = true} : [%[[N]]] : i32
    // RAISED: pallas.debug_print "n = {}" %[[N]] : i32
    pallas.debug_print "n = {}" %n0 : i32
    // Only the dialect takes {} for a place.
    // CHECK: tpu.log "{n} $s0 {}" {formatted = true} : [%[[N]]] : i32
    // RAISED: pallas.debug_print "{{[{][{]n[}][}] [{][}] [{][{][}][}]}}" %[[N]] : i32
    pallas.debug_print "{n} {} {{}}" %n0 : i32
    // Texts have no places for floats.
    // CHECK: %[[REAL:.*]] = arith.sitofp %[[N]]
    // CHECK: tpu.log "part" : [%[[REAL]]] : f32
    // CHECK: tpu.log " of $s0" {formatted = true} : [%[[N]]] : i32
    // CHECK: tpu.log " in all"
    // RAISED: pallas.debug_print "part {}"
    // RAISED: pallas.debug_print " of {}" %[[N]] : i32
    // RAISED: pallas.debug_print " in all"
    %real = arith.sitofp %n0 : i32 to f32
    pallas.debug_print "part {} of {} in all" %real, %n0 : f32, i32
    // Unsigned numbers stay so between floats, and as they are widened.
    // CHECK: tpu.log "of $u0" {formatted = true} : [%[[N]]] : i32
    // CHECK: tpu.log ":" : [%[[REAL]]] : f32
    // RAISED: pallas.debug_print "of {}" %[[N]] : i32 {unsignedValues = array<i1: true>}
    pallas.debug_print "of {}: {}" %n0, %real : i32, f32 {unsignedValues = array<i1: true, false>}
    // CHECK: %[[WIDE:.*]] = arith.andi %[[N]], %c255_i32 : i32
    // CHECK: tpu.log "byte $u0" {formatted = true} : [%[[WIDE]]] : i32
    %byte = arith.trunci %n0 : i32 to i8
    pallas.debug_print "byte {}" %byte : i8 {unsignedValues = array<i1: true>}
    // CHECK: tpu.trace_value %[[N]], "n" : i32
    // RAISED: pallas.trace_value "n", %[[N]] : i32
    pallas.trace_value "n", %n0 : i32
    // CHECK: "tpu.trace_stop"()
    // RAISED: pallas.trace_stop
    pallas.trace_stop
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // CHECK: %[[LAST:.*]] = arith.cmpi eq, %[[I]]
    %last = arith.cmpi eq, %i, %c0 : i32
    // CHECK: cf.assert %[[LAST]], "must hold"
    // RAISED: pallas.check %{{.*}}, "must hold"
    pallas.check %last, "must hold"
    // CHECK: scf.if %[[LAST]] -> (vector<8x128xi32>)
    // RAISED: scf.if %{{.*}} -> (tensor<8x128xi32>)
    %r = scf.if %last -> tensor<8x128xi32> {
      scf.yield %bits : tensor<8x128xi32>
    } else {
      // CHECK: scf.for %{{.*}} to %[[N]] step %{{.*}} iter_args(%{{.*}} = %[[BITS]]) -> (vector<8x128xi32>)
      %sum = scf.for %k = %c0 to %n0 step %c1 iter_args(%a = %bits) -> tensor<8x128xi32> : i32 {
        %b = arith.addi %a, %bits : tensor<8x128xi32>
        scf.yield %b : tensor<8x128xi32>
      }
      scf.yield %sum : tensor<8x128xi32>
    }
    // CHECK: scf.while
    %w = scf.while (%a = %c0) : (i32) -> i32 {
      %go = arith.cmpi slt, %a, %n0 : i32
      scf.condition(%go) %a : i32
    } do {
    ^bb0(%a: i32):
      %b = arith.addi %a, %c1 : i32
      scf.yield %b : i32
    }
    %index = arith.index_cast %w : i32 to index
    // CHECK: %[[IS:.*]] = arith.cmpi eq
    // CHECK: scf.if %[[IS]] -> (i32)
    // RAISED: scf.if %{{.*}} -> (i32)
    %which = scf.index_switch %index -> i32
    case 0 {
      scf.yield %c1 : i32
    }
    default {
      scf.yield %c0 : i32
    }
    %splat = pallas.broadcast %which : i32 -> tensor<8x128xi32>
    %all = arith.addi %r, %splat : tensor<8x128xi32>
    // CHECK: tpu.vector_store
    // RAISED: pallas.swap
    pallas.swap %or[...], %all : !pallas.ref<8x128xi32, vmem>, tensor<8x128xi32>
  }
  return %o : tensor<8x128xi32>
}


// CHECK-LABEL: func.func @dead_scopes
// CHECK-NOT: tpu.region
// CHECK: return
func.func @dead_scopes(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %o = pallas.pallas_call @dead_scopes grid()
      in(%x : tensor<8x128xf32>) block<[8, 128], vmem>
      out(tensor<8x128xf32>) block<[8, 128], vmem>
      kernel(%xr: !pallas.ref<8x128xf32, vmem>, %or: !pallas.ref<8x128xf32, vmem>) {
    pallas.run_scoped (%a: !pallas.ref<8x128xf32, vmem>) {
      pallas.run_scoped (%b: !pallas.ref<8x128xf32, vmem>) {
        %v = pallas.get %b[...] : !pallas.ref<8x128xf32, vmem>
      }
    }
    %v = pallas.get %xr[...] : !pallas.ref<8x128xf32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return %o : tensor<8x128xf32>
}

// Each case is compared where the ones before do not hold, and a default alone
// runs.
// CHECK-LABEL: func.func @switches
// CHECK-NOT: scf.if
// CHECK: %[[ZERO:.*]] = arith.cmpi eq
// CHECK: scf.if %[[ZERO]] {
// CHECK: } else {
// CHECK:   %[[FIVE:.*]] = arith.cmpi eq
// CHECK:   scf.if %[[FIVE]] {
// CHECK-NOT: scf.if
// CHECK: return
func.func @switches() {
  pallas.pallas_call @switches grid(4) kernel(%a: !pallas.ref<1xi32, smem>) {
    %i = pallas.program_id 0
    %c1 = arith.constant 1 : i32
    %c5 = arith.constant 5 : i32
    %at = arith.index_cast %i : i32 to index
    scf.index_switch %at
    default {
      pallas.swap %a[0], %i : !pallas.ref<1xi32, smem>, i32
      scf.yield
    }
    scf.index_switch %at
    case 0 {
      pallas.swap %a[0], %c1 : !pallas.ref<1xi32, smem>, i32
      scf.yield
    }
    case 5 {
      pallas.swap %a[0], %c5 : !pallas.ref<1xi32, smem>, i32
      scf.yield
    }
    default {
      pallas.swap %a[0], %i : !pallas.ref<1xi32, smem>, i32
      scf.yield
    }
  }
  return
}
