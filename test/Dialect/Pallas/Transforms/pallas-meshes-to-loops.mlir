// RUN: pallas-opt %s --pallas-meshes-to-loops --split-input-file | FileCheck %s
// RUN: pallas-opt %s --pallas-insert-checks --pallas-meshes-to-loops --split-input-file | FileCheck %s --check-prefix=CHECKED

!hbm = !pallas.ref<8xf32, hbm>
!vmem = !pallas.ref<8xf32, vmem>

// Arrays are memory around the loops, and scratch is a scope of the core. Both coordinates and
// sizes are values; an axis that the mesh doesn't have belongs to the devices.

// CHECK-LABEL: func.func @map(
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>, %[[N:.*]]: i32)
// CHECK: %[[XR:.*]] = pallas.operand_ref "input 0" %[[X]] : tensor<8xf32> -> !pallas.ref<8xf32, hbm>
// CHECK-NEXT: %[[OR:.*]] = pallas.result_ref "output 0" : !pallas.ref<8xf32, hbm>
// CHECK-NOT: share_refs
// CHECK: scf.for %[[IV:.*]] = %c0{{.*}} to %c2{{.*}} step %c1{{.*}} {
// CHECK-NEXT: %[[C:.*]] = arith.index_cast %[[IV]] : index to i32
// CHECK: scf.for %[[JV:.*]] = %c0{{.*}} to %c16{{.*}} step %c1{{.*}} {
// CHECK-NEXT: %[[S:.*]] = arith.index_cast %[[JV]] : index to i32
// CHECK-NEXT: pallas.on_core <sc_vector, [<core "c" = 2>, <subcore "s" = 16>]>(%[[C]], %[[S]]) {
// CHECK-NEXT: pallas.run_scoped (%[[T:.*]]: !pallas.ref<8xf32, vmem>) {
// CHECK-NEXT: pallas.get %[[XR]][...]
// CHECK: %[[SIZE:.*]] = arith.constant 16 : i32
// CHECK: %[[DEVICE:.*]] = pallas.axis_index "d"
// CHECK: pallas.debug_print "{}{}{}{}{}" %[[C]], %[[S]], %[[SIZE]], %[[DEVICE]], %[[N]]
// CHECK: pallas.swap %[[T]][...]
// CHECK: pallas.swap %[[OR]][...]
// CHECK: %[[O:.*]] = pallas.ref_value %[[OR]] : !pallas.ref<8xf32, hbm> -> tensor<8xf32>
// CHECK: return %[[O]]

// Cores report where they begin and end, and scratch keeps its name.

// CHECKED-LABEL: func.func @map(
// CHECKED: pallas.operand_ref "input 0" %{{.*}} {pallas.ref_names = ["input 0"]}
// CHECKED: pallas.result_ref "output 0" {pallas.ref_names = ["output 0"]}
// CHECKED: pallas.check_cores_begin
// CHECKED: pallas.on_core
// CHECKED-NEXT: pallas.check_core_begin(%{{.*}}, %{{.*}}) scratch []
// CHECKED-NEXT: pallas.run_scoped (%{{.*}}: !pallas.ref<8xf32, vmem>) attributes {pallas.made_for = "pallas.mpmd_map", pallas.ref_names = ["scratch 0"]}
// CHECKED: pallas.check_core_end scratch []
// CHECKED: pallas.check_cores_end
// CHECKED-NEXT: pallas.check_output "output 0" %{{.*}} block [] by "pallas.mpmd_map"
func.func @map(%x: tensor<8xf32>, %n: i32) -> tensor<8xf32> {
  %o = pallas.mpmd_map
      in(%x : tensor<8xf32>)
      in(%n : i32)
      out(tensor<8xf32>)
      kernel on <sc_vector, [<core "c" = 2>, <subcore "s" = 16>]> (%xr: !hbm, %m: i32, %or: !hbm, %t: !vmem) {
    %v = pallas.get %xr[...] : !hbm
    %c = pallas.axis_index "c"
    %s = pallas.axis_index "s"
    %k = pallas.axis_size "s"
    %d = pallas.axis_index "d"
    pallas.debug_print "{}{}{}{}{}" %c, %s, %k, %d, %m : i32, i32, i32, i32, i32
    pallas.swap %t[...], %v : !vmem, tensor<8xf32>
    pallas.swap %or[...], %v : !hbm, tensor<8xf32>
  }
  return %o : tensor<8xf32>
}

// -----

!hbm = !pallas.ref<8xf32, hbm>

// Kernels run one after the other. What one writes to an input, neither the caller nor the other
// sees. An aliased output starts as its input.

// CHECK-LABEL: func.func @kernels(
// CHECK: %[[A:.*]] = pallas.operand_ref "input 0"
// CHECK-NEXT: %[[B:.*]] = pallas.operand_ref "input 1"
// CHECK-NEXT: %[[O:.*]] = pallas.result_ref "output 0" of %[[B]] as !pallas.ref<8xf32, hbm> : !pallas.ref<8xf32, hbm>
// CHECK-NEXT: %[[COPY:.*]] = pallas.pad_ref %[[A]] low [0] : !pallas.ref<8xf32, hbm> -> !pallas.ref<8xf32, hbm>
// CHECK: scf.for
// CHECK: pallas.on_core <sc_scalar,
// CHECK: pallas.swap %[[COPY]][0]
// CHECK: scf.for
// CHECK: pallas.on_core <sc_vector,
// CHECK: pallas.get %[[A]][...]
// CHECK: pallas.swap %[[O]][...]
func.func @kernels(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %o = pallas.mpmd_map
      in(%a : tensor<8xf32>)
      in(%b : tensor<8xf32>)
      out(tensor<8xf32>)
      aliases [1 -> 0]
      kernel on <sc_scalar, [<core "c" = 2>]> (%ar: !hbm, %br: !hbm, %or: !hbm) {
    %zero = arith.constant 0.0 : f32
    pallas.swap %ar[0], %zero : !hbm, f32
  } kernel on <sc_vector, [<core "c" = 2>, <subcore "s" = 16>]> (%ar: !hbm, %br: !hbm, %or: !hbm) {
    %v = pallas.get %ar[...] : !hbm
    pallas.swap %or[...], %v : !hbm, tensor<8xf32>
  }
  return %o : tensor<8xf32>
}

// -----

// A ref from outside is the memory itself, in another space a view of it.

// CHECK-LABEL: func.func @refs(
// CHECK-SAME: %[[A:.*]]: !pallas.ref<8xf32, any>, %[[B:.*]]: !pallas.ref<8xf32, hbm>)
// CHECK: %[[W:.*]] = pallas.window %[[A]][%c0{{.*}} : i32] block<[8], hbm> : !pallas.ref<8xf32, any>
// CHECK: %[[V:.*]] = pallas.get %[[W]][...]
// CHECK: pallas.swap %[[B]][...], %[[V]]
func.func @refs(%a: !pallas.ref<8xf32, any>, %b: !pallas.ref<8xf32, hbm>) {
  pallas.mpmd_map
      in(%a : !pallas.ref<8xf32, any>)
      in(%b : !pallas.ref<8xf32, hbm>)
      kernel on <tensorcore, [<core "c" = 2>]> (%ar: !pallas.ref<8xf32, hbm>, %br: !pallas.ref<8xf32, hbm>) {
    %v = pallas.get %ar[...] : !pallas.ref<8xf32, hbm>
    pallas.swap %br[...], %v : !pallas.ref<8xf32, hbm>, tensor<8xf32>
  }
  return
}

// -----

!smem = !pallas.ref<8xf32, smem>

// Threads of a block share its scratch: the scope is around their loop.

// CHECK-LABEL: func.func @threads(
// CHECK: scf.for
// CHECK: pallas.run_scoped (%[[T:.*]]: !pallas.ref<8xf32, smem>) {
// CHECK: scf.for
// CHECK: pallas.on_core <gpu, [<grid "b" = 4>, <thread "t" = 2>]>(%{{.*}}, %{{.*}}) {
// CHECK-NEXT: pallas.get %[[T]][...]
func.func @threads() {
  pallas.core_map <gpu, [<grid "b" = 4>, <thread "t" = 2>]> (%t: !smem) {
    %v = pallas.get %t[...] : !smem
  }
  return
}

// -----

// An outer mesh leaves the coordinates of an inner one.

// CHECK-LABEL: func.func @nested(
// CHECK: %[[B:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK: pallas.on_core <gpu, [<grid "b" = 4>]>(%[[B]]) {
// CHECK: %[[W:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK: pallas.on_core <warp, [<warp "w" = 4>]>(%[[W]]) {
// CHECK: pallas.debug_print "{}{}" %[[B]], %[[W]]
func.func @nested() {
  pallas.core_map <gpu, [<grid "b" = 4>]> () {
    pallas.core_map <warp, [<warp "w" = 4>]> () {
      %b = pallas.axis_index "b"
      %w = pallas.axis_index "w"
      pallas.debug_print "{}{}" %b, %w : i32, i32
    }
  }
  return
}
