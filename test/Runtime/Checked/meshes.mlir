// Points of meshes run at the same time, whatever the order that they run in
// here.

// RUN: not pallas-run %s --no-cache --check --entry same_element 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: pallas-run %s --no-cache --check --entry same_element_repaired
// RUN: pallas-run %s --no-cache --check --entry same_element_atomic
// RUN: not pallas-run %s --no-cache --check --entry not_written 2>&1 | FileCheck %s --check-prefix=WRITTEN
// RUN: not pallas-run %s --no-cache --check --entry no_barrier 2>&1 | FileCheck %s --check-prefix=BARRIER
// RUN: pallas-run %s --no-cache --check --entry no_barrier_repaired
// RUN: not pallas-run %s --no-cache --check --entry no_barrier_at_all 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not pallas-run %s --no-cache --check --entry no_subcore_barrier 2>&1 | FileCheck %s --check-prefix=SUBCORES
// RUN: not pallas-run %s --no-cache --check --entry barrier_too_late 2>&1 | FileCheck %s --check-prefix=LATE
// RUN: not pallas-run %s --no-cache --check --entry earlier_reader 2>&1 | FileCheck %s --check-prefix=READER
// RUN: not pallas-run %s --no-cache --check --entry core_map 2>&1 | FileCheck %s --check-prefix=CORE
// RUN: not pallas-run %s --no-cache --check --entry arrival_missing 2>&1 | FileCheck %s --check-prefix=MISSING

!out = !pallas.ref<2x64xf32, gmem>
!half = !pallas.ref<64xf32, smem>
!both = !pallas.ref<!pallas.barrier<numArrivals = 1>, smem>

// All points count in the same place.
func.func @same_element() -> tensor<1xi32> {
  %zero = arith.constant dense<0> : tensor<1xi32>
  %o = pallas.mpmd_map in(%zero : tensor<1xi32>) out(tensor<1xi32>) aliases [0 -> 0]
      kernel @count on <gpu, [<grid "x" = 4>]> (%z: !pallas.ref<1xi32, gmem>, %or: !pallas.ref<1xi32, gmem>) {
    %c1 = arith.constant 1 : i32
    %v = pallas.get %or[0] : !pallas.ref<1xi32, gmem>
    %w = arith.addi %v, %c1 : i32
    // SAME: meshes.mlir:[[@LINE+1]]:5: error: data race: 'pallas.swap' writes element [0] of output 0 at grid point (1), while 'pallas.swap' at {{.*}} at grid point (0), may still be writing it
    pallas.swap %or[0], %w : !pallas.ref<1xi32, gmem>, i32
  }
  return %o : tensor<1xi32>
}

func.func @same_element_repaired() -> tensor<4xi32> {
  %o = pallas.mpmd_map out(tensor<4xi32>)
      kernel @count on <gpu, [<grid "x" = 4>]> (%or: !pallas.ref<4xi32, gmem>) {
    %x = pallas.axis_index "x"
    pallas.swap %or[%x], %x : !pallas.ref<4xi32, gmem>, i32
  }
  return %o : tensor<4xi32>
}

func.func @same_element_atomic() -> tensor<1xi32> {
  %zero = arith.constant dense<0> : tensor<1xi32>
  %o = pallas.mpmd_map in(%zero : tensor<1xi32>) out(tensor<1xi32>) aliases [0 -> 0]
      kernel @count on <gpu, [<grid "x" = 4>]> (%z: !pallas.ref<1xi32, gmem>, %or: !pallas.ref<1xi32, gmem>) {
    %c1 = arith.constant 1 : i32
    %old = pallas.atomic_rmw <add> %or[0], %c1 : !pallas.ref<1xi32, gmem>, i32
  }
  return %o : tensor<1xi32>
}

func.func @not_written() -> tensor<4xi32> {
  // WRITTEN: meshes.mlir:[[@LINE+1]]:8: error: output not written: 'pallas.mpmd_map' returns element [3] of output 0, which no program has written; result 0 depends on it at [3]
  %o = pallas.mpmd_map out(tensor<4xi32>)
      kernel @count on <gpu, [<grid "x" = 3>]> (%or: !pallas.ref<4xi32, gmem>) {
    %x = pallas.axis_index "x"
    pallas.swap %or[%x], %x : !pallas.ref<4xi32, gmem>, i32
  }
  return %o : tensor<4xi32>
}

// The second thread reads what the first one writes, and nothing is between.
func.func @no_barrier() -> tensor<2x64xf32> {
  %o = pallas.mpmd_map out(tensor<2x64xf32>)
      kernel @pass on <gpu, [<thread "wg" = 2>]> (%og: !out, %t: !half) {
    %wg = pallas.axis_index "wg"
    %c0 = arith.constant 0 : i32
    %first = arith.cmpi eq, %wg, %c0 : i32
    %one = arith.constant dense<1.0> : tensor<64xf32>
    scf.if %first {
      pallas.swap %t[...], %one : !half, tensor<64xf32>
      pallas.swap %og[0, :], %one : !out, tensor<64xf32>
    } else {
      // BARRIER: meshes.mlir:[[@LINE+1]]:12: error: data race: 'pallas.get' reads element [{{.*}}0] of {{.*}} at grid point (1), while 'pallas.swap' at {{.*}} at grid point (0), may still be writing it
      %v = pallas.get %t[...] : !half
      pallas.swap %og[1, :], %v : !out, tensor<64xf32>
    }
  }
  return %o : tensor<2x64xf32>
}

func.func @no_barrier_repaired() -> tensor<2x64xf32> {
  %o = pallas.mpmd_map out(tensor<2x64xf32>)
      kernel @pass on <gpu, [<thread "wg" = 2>]> (%og: !out, %t: !half, %full: !both) {
    %wg = pallas.axis_index "wg"
    %c0 = arith.constant 0 : i32
    %first = arith.cmpi eq, %wg, %c0 : i32
    %one = arith.constant dense<1.0> : tensor<64xf32>
    scf.if %first {
      pallas.swap %t[...], %one : !half, tensor<64xf32>
      pallas.barrier_arrive %full : !both
      pallas.swap %og[0, :], %one : !out, tensor<64xf32>
    } else {
      pallas.barrier_wait %full : !both
      %v = pallas.get %t[...] : !half
      pallas.swap %og[1, :], %v : !out, tensor<64xf32>
    }
  }
  return %o : tensor<2x64xf32>
}

// The barrier says that the second half is there before it is.
func.func @barrier_too_late() -> tensor<2x64xf32> {
  %o = pallas.mpmd_map out(tensor<2x64xf32>)
      kernel @pass on <gpu, [<thread "wg" = 2>]> (%og: !out, %t: !half, %full: !both) {
    %wg = pallas.axis_index "wg"
    %c0 = arith.constant 0 : i32
    %first = arith.cmpi eq, %wg, %c0 : i32
    %one = arith.constant dense<1.0> : tensor<64xf32>
    %part = arith.constant dense<1.0> : tensor<32xf32>
    scf.if %first {
      pallas.swap %t[ds(0, 32)], %part : !half, tensor<32xf32>
      pallas.barrier_arrive %full : !both
      pallas.swap %t[ds(32, 32)], %part : !half, tensor<32xf32>
      pallas.swap %og[0, :], %one : !out, tensor<64xf32>
    } else {
      pallas.barrier_wait %full : !both
      // LATE: meshes.mlir:[[@LINE+1]]:12: error: data race: 'pallas.get' reads element [{{.*}}32] of {{.*}} at grid point (1), while 'pallas.swap'
      %v = pallas.get %t[...] : !half
      pallas.swap %og[1, :], %v : !out, tensor<64xf32>
    }
  }
  return %o : tensor<2x64xf32>
}

// Two threads read; the third one waits for the second only before it writes.
func.func @earlier_reader() -> tensor<3x64xf32> {
  %o = pallas.mpmd_map out(tensor<3x64xf32>)
      kernel @pass on <gpu, [<thread "wg" = 3>]> (%og: !pallas.ref<3x64xf32, gmem>, %t: !half, %full: !both) {
    %wg = pallas.axis_index "wg"
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %first = arith.cmpi eq, %wg, %c0 : i32
    %second = arith.cmpi eq, %wg, %c1 : i32
    %one = arith.constant dense<1.0> : tensor<64xf32>
    pallas.swap %og[%wg, :], %one : !pallas.ref<3x64xf32, gmem>, tensor<64xf32>
    scf.if %first {
      %v = pallas.get %t[...] : !half
    } else {
      scf.if %second {
        %v = pallas.get %t[...] : !half
        pallas.barrier_arrive %full : !both
      } else {
        pallas.barrier_wait %full : !both
        // READER: meshes.mlir:[[@LINE+1]]:9: error: data race: 'pallas.swap' writes element [{{.*}}0] of {{.*}} at grid point (2), while 'pallas.get' at {{.*}} at grid point (0), may still be reading it
        pallas.swap %t[...], %one : !half, tensor<64xf32>
      }
    }
  }
  return %o : tensor<3x64xf32>
}

func.func @core_map() -> tensor<8xf32> {
  %o = pallas.pallas_call grid(1) out(tensor<8xf32>) block<[8], any> kernel(%or: !pallas.ref<8xf32, any>) {
    pallas.core_map <tensorcore, [<core "core" = 2>]> () {
      %one = arith.constant dense<1.0> : tensor<8xf32>
      // CORE: meshes.mlir:[[@LINE+1]]:7: error: data race: 'pallas.swap' writes element [0] of output 0 at grid point (0), step (1), while 'pallas.swap' at {{.*}} at grid point (0), step (0), may still be writing it
      pallas.swap %or[...], %one : !pallas.ref<8xf32, any>, tensor<8xf32>
    }
  }
  return %o : tensor<8xf32>
}

func.func @arrival_missing() -> tensor<2x64xf32> {
  %o = pallas.mpmd_map out(tensor<2x64xf32>)
      kernel @pass on <gpu, [<thread "wg" = 2>]>
          (%og: !out, %all: !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>) {
    %wg = pallas.axis_index "wg"
    %c0 = arith.constant 0 : i32
    %first = arith.cmpi eq, %wg, %c0 : i32
    %one = arith.constant dense<1.0> : tensor<64xf32>
    pallas.swap %og[%wg, :], %one : !out, tensor<64xf32>
    scf.if %first {
      pallas.barrier_arrive %all : !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>
    } else {
      // MISSING: meshes.mlir":[[@LINE+1]]:7){{.*}}deadlock: nothing is left to signal what is waited for
      pallas.barrier_wait %all : !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>
    }
  }
  return %o : tensor<2x64xf32>
}

// Threads that have nothing to wait for run at the same time, too.
func.func @no_barrier_at_all() -> tensor<2xi32> {
  %o = pallas.mpmd_map out(tensor<2xi32>)
      kernel @swapped on <gpu, [<thread "wg" = 2>]> (%or: !pallas.ref<2xi32, gmem>) {
    pallas.run_scoped (%s: !pallas.ref<2xi32, smem>) collective ["wg"] {
      %w = pallas.axis_index "wg"
      %c1 = arith.constant 1 : i32
      %other = arith.subi %c1, %w : i32
      // NONE: meshes.mlir:[[@LINE+1]]:7: error: data race: 'pallas.swap' writes element [1] of scoped ref 0 at grid point (1), while 'pallas.get' at {{.*}}:[[@LINE+3]]:12 at grid point (0), may still be reading it
      pallas.swap %s[%w], %w : !pallas.ref<2xi32, smem>, i32
      // NONE: meshes.mlir:[[@LINE+1]]:12: error: data race: 'pallas.get' reads element [0] of scoped ref 0 at grid point (1), while 'pallas.swap' at {{.*}}:[[@LINE-1]]:7 at grid point (0), may still be writing it
      %v = pallas.get %s[%other] : !pallas.ref<2xi32, smem>
      pallas.swap %or[%w], %v : !pallas.ref<2xi32, gmem>, i32
    }
  }
  return %o : tensor<2xi32>
}

func.func @no_subcore_barrier() -> tensor<2xi32> {
  %o = pallas.mpmd_map out(tensor<2xi32>)
      kernel on <sc_vector, [<core "c" = 1>, <subcore "s" = 2>]> (%or: !pallas.ref<2xi32, hbm>, %s: !pallas.ref<2xi32, vmem_shared>) {
    %w = pallas.axis_index "s"
    %c1 = arith.constant 1 : i32
    %other = arith.subi %c1, %w : i32
    // SUBCORES: meshes.mlir:[[@LINE+1]]:5: error: data race: 'pallas.swap' writes element [1] of scratch 0 at grid point (0, 1), while 'pallas.get' at {{.*}}:[[@LINE+2]]:10 at grid point (0, 0), may still be reading it
    pallas.swap %s[%w], %w : !pallas.ref<2xi32, vmem_shared>, i32
    %v = pallas.get %s[%other] : !pallas.ref<2xi32, vmem_shared>
    pallas.swap %or[%w], %v : !pallas.ref<2xi32, hbm>, i32
  }
  return %o : tensor<2xi32>
}
