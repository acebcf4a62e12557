// Semaphores that tasks allocate together began with what malloc left there in
// code with checks, and nothing looked at what was left of them.
// RUN: pallas-run %s --no-cache --entry=balanced --check | FileCheck %s
// RUN: not pallas-run %s --no-cache --entry=left --check 2>&1 | FileCheck %s --check-prefix=LEFT
// RUN: pallas-run %s --no-cache --entry=left 2>&1 | FileCheck %s --check-prefix=LEFT

// CHECK-COUNT-12: left: 0
// CHECK-NOT: left
func.func @balanced() {
  pallas.mpmd_map
      kernel @balanced on <gpu, [<grid "i" = 2>, <grid "j" = 3>, <thread "wg" = 2>]> () {
    %c1 = arith.constant 1 : i32
    pallas.run_scoped (%all: !pallas.ref<3x!pallas.semaphore, gmem>) collective ["wg"] {
      %s = pallas.slice_ref %all[2] : !pallas.ref<3x!pallas.semaphore, gmem>
      pallas.semaphore_signal %s, %c1 : !pallas.ref<!pallas.semaphore, gmem>
      pallas.semaphore_wait %s, %c1 : !pallas.ref<!pallas.semaphore, gmem>
      %first = pallas.slice_ref %all[0] : !pallas.ref<3x!pallas.semaphore, gmem>
      %n = pallas.semaphore_read %first : !pallas.ref<!pallas.semaphore, gmem>
      pallas.debug_print "left: {}" %n : i32
    }
  }
  return
}

// LEFT: element 1 of this semaphore is 2 when its scope ends; every signal and every copy needs a wait
func.func @left() {
  pallas.mpmd_map
      kernel @left on <gpu, [<grid "i" = 1>, <thread "wg" = 2>]> () {
    %c1 = arith.constant 1 : i32
    pallas.run_scoped (%all: !pallas.ref<3x!pallas.semaphore, gmem>) collective ["wg"] {
      %s = pallas.slice_ref %all[1] : !pallas.ref<3x!pallas.semaphore, gmem>
      pallas.semaphore_signal %s, %c1 : !pallas.ref<!pallas.semaphore, gmem>
    }
  }
  return
}
