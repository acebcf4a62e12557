// RUN: pallas-opt %s --pallas-meshes-to-loops --split-input-file | FileCheck %s
// RUN: pallas-opt %s --pallas-insert-checks --pallas-meshes-to-loops --split-input-file | FileCheck %s --check-prefix=CHECKED

!sem = !pallas.ref<!pallas.semaphore, semaphore@sc_vector>
!vmem = !pallas.ref<8xf32, vmem@sc_scalar>

// Kernels that wait for each other are tasks of one loop. Scratch belongs to the kernel whose kind
// of core its memory space names, or to the first.

// CHECK-LABEL: func.func @kernels(
// CHECK: pallas.task_scope first_axis 0 (%[[S:.*]]: !pallas.ref<!pallas.semaphore, semaphore@sc_vector> of <sc_vector, [<core "c" = 2>, <subcore "s" = 16>]>, %[[V:.*]]: !pallas.ref<8xf32, vmem@sc_scalar> of <sc_scalar, [<core "c" = 2>]>) {
// CHECK: scf.forall (%[[TASK:.*]]) in (34) {
// CHECK: %[[FIRST:.*]] = arith.subi %[[TASK]], %c0
// CHECK: arith.cmpi ult, %[[FIRST]], %c2
// CHECK: scf.if
// CHECK: %[[C:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK-NEXT: pallas.on_core <sc_scalar, [<core "c" = 2>]>(%[[C]]) first_axis 0 first_task 0 {
// CHECK-NEXT: %[[SIGNALED:.*]] = pallas.core_scratch %[[S]]
// CHECK-NEXT: pallas.core_scratch %[[V]]
// CHECK: pallas.semaphore_signal %[[SIGNALED]],
// CHECK: arith.subi %[[TASK]], %c2
// CHECK: arith.cmpi ult, %{{.*}}, %c32
// CHECK: pallas.on_core <sc_vector, [<core "c" = 2>, <subcore "s" = 16>]>(%{{.*}}, %{{.*}}) first_axis 0 first_task 2 {
// CHECK: pallas.semaphore_wait
// CHECK: } {pallas.axes = "scalars:c=2;vectors:c=2,s=16"}

// Each core reports the memory that it has for itself.

// CHECKED-LABEL: func.func @kernels(
// CHECKED: pallas.check_cores_begin
// CHECKED: pallas.task_scope first_axis 0 attributes {pallas.made_for = "pallas.mpmd_map", pallas.ref_names = ["ref 0", "ref 1"]}
// CHECKED: pallas.check_core_begin(%{{.*}}) scratch [!pallas.ref<8xf32, vmem@sc_scalar>]
// CHECKED: pallas.core_scratch %{{.*}} {pallas.ref_names = ["ref 0"]}
// CHECKED: pallas.check_core_end scratch [!pallas.ref<8xf32, vmem@sc_scalar>]
// CHECKED: pallas.check_core_begin(%{{.*}}, %{{.*}}) scratch [!pallas.ref<!pallas.semaphore, semaphore@sc_vector>]
// CHECKED: pallas.check_core_end
// CHECKED: pallas.check_cores_end
func.func @kernels() {
  pallas.mpmd_map
      kernel @scalars on <sc_scalar, [<core "c" = 2>]> (%sem: !sem, %v: !vmem) {
    %one = arith.constant 1 : i32
    %s = arith.constant 3 : i32
    pallas.semaphore_signal %sem, %one device mesh(%s) axes ["s"] : !sem
  } kernel @vectors on <sc_vector, [<core "c" = 2>, <subcore "s" = 16>]> (%sem: !sem, %v: !vmem) {
    %one = arith.constant 1 : i32
    pallas.semaphore_wait %sem, %one : !sem
  }
  return
}

// -----

!barrier = !pallas.ref<!pallas.barrier<numArrivals = 2>, smem>
!smem = !pallas.ref<8xf32, smem>

// Nothing waits across the grid, so blocks run one after the other. Threads share the memory of
// their block.

// CHECK-LABEL: func.func @threads(
// CHECK: scf.for %{{.*}} to %c64{{.*}} {
// CHECK: %[[B:.*]] = arith.index_cast
// CHECK-NEXT: pallas.task_scope first_axis 1
// CHECK: scf.forall (%{{.*}}) in (2) {
// CHECK: pallas.on_core <gpu, [<grid "b" = 64>, <thread "t" = 2>]>(%[[B]], %{{.*}}) first_axis 1 first_task 0 {
// CHECK: } {pallas.axes = "t=2"}

// CHECKED-LABEL: func.func @threads(
// CHECKED: pallas.check_core_begin(%{{.*}}, %{{.*}}) scratch []
func.func @threads() {
  pallas.core_map <gpu, [<grid "b" = 64>, <thread "t" = 2>]> (%b: !barrier, %s: !smem) {
    pallas.barrier_arrive %b : !barrier
    pallas.barrier_wait %b : !barrier
  }
  return
}

// -----

!sem = !pallas.ref<!pallas.semaphore, semaphore>
!hbm = !pallas.ref<8xf32, hbm>

// Arrays have names on other devices while the kernels run.

// CHECK-LABEL: func.func @shared(
// CHECK: %[[X:.*]] = pallas.operand_ref
// CHECK: %[[O:.*]] = pallas.result_ref
// CHECK: pallas.share_refs %[[X]], %[[O]]
// CHECK-NOT: task_scope
// CHECK: scf.forall
// CHECK: pallas.unshare_refs %[[X]], %[[O]]
// CHECK-NEXT: pallas.ref_value %[[O]]

// CHECKED-LABEL: func.func @shared(
// CHECKED: pallas.check_cores_end
// CHECKED-NEXT: pallas.check_barrier_end 0 by "pallas.mpmd_map"
// CHECKED-NEXT: pallas.check_output "output 0" %{{.*}} block [] by "pallas.mpmd_map"
func.func @shared(%x: tensor<8xf32>) -> tensor<8xf32> {
  %o = pallas.mpmd_map
      in(%x : tensor<8xf32>)
      out(tensor<8xf32>)
      kernel on <tensorcore, [<core "c" = 2>]> (%xr: !hbm, %or: !hbm) {
    %one = arith.constant 1 : i32
    %b = pallas.get_barrier_semaphore : !sem
    pallas.semaphore_signal %b, %one device logical(%one) : !sem
    pallas.semaphore_wait %b, %one : !sem
  }
  return %o : tensor<8xf32>
}

// -----

!smem = !pallas.ref<8xi32, smem>

// Blocks leave a scope together whose memory others of the cluster name; with all of their threads, if
// the scope is one of theirs together. Nothing waits behind other scopes.

// CHECK-LABEL: func.func @named(
// CHECK: pallas.cluster_ref
// CHECK-NEXT: pallas.cluster_sync{{$}}
// CHECK-NEXT: }
// CHECK: pallas.cluster_ref
// CHECK-NEXT: pallas.cluster_sync threads
// CHECK-NEXT: }
// CHECK: pallas.run_scoped
// CHECK-NOT: cluster_sync
// CHECK: return
func.func @named() {
  pallas.core_map <gpu, [<cluster "c" = 2>, <thread "t" = 2>]> () {
    %i = pallas.axis_index "c"
    pallas.run_scoped (%s: !smem) {
      %r = pallas.cluster_ref %s, "c" = %i : !smem
    }
    pallas.run_scoped (%s: !smem) collective ["t"] {
      %r = pallas.cluster_ref %s, "c" = %i : !smem
    }
    pallas.run_scoped (%s: !smem) {
    }
  }
  return
}

// -----

// Threads that share memory run at the same time, even if nothing makes them wait for each other, and
// so do subcores. With memory of their own they are a loop.

// CHECK-LABEL: func.func @in_common(
// CHECK: scf.for
// CHECK: scf.forall (%{{.*}}) in (2)
// CHECK: scf.forall (%{{.*}}) in (4)
// CHECK-LABEL: func.func @alone(
// CHECK-NOT: forall
// CHECK: return
func.func @in_common() {
  pallas.core_map <gpu, [<grid "g" = 3>, <thread "t" = 2>]> () {
    pallas.run_scoped (%s: !pallas.ref<8xi32, smem>) collective ["t"] {
    }
  }
  pallas.mpmd_map
      kernel on <sc_vector, [<core "c" = 2>, <subcore "s" = 2>]> (%s: !pallas.ref<8xi32, vmem_shared>) {
  }
  return
}

func.func @alone() {
  pallas.core_map <gpu, [<grid "g" = 3>, <thread "t" = 2>]> () {
    pallas.run_scoped (%s: !pallas.ref<8xi32, smem>) {
    }
  }
  pallas.mpmd_map
      kernel on <sc_vector, [<core "c" = 2>, <subcore "s" = 2>]> (%s: !pallas.ref<8xi32, vmem>) {
  }
  return
}
