// What indices select, and where those go that lie outside: natively, and after refs became values.
// `pallas-run --entry=NAME` runs one case.

// RUN: pallas-run %s --no-cache --entry=main | FileCheck %s
// RUN: pallas-opt %s --pallas-discharge-state | pallas-run - --no-cache --entry=main | FileCheck %s

!r = !pallas.ref<8xi32, vmem>
!t = tensor<8xi32>
!m = !pallas.ref<3x4xi32, vmem>
!tm = tensor<3x4xi32>

// Negative starts count from the end once; then a slice moves inside as a whole.
// CHECK: starts: 7 0 7 [4 5 6 7] [5 6 7]
func.func @starts() {
  %x = pallas.iota 0 : !t
  %r = pallas.new_ref %x : !t -> !r
  %far = arith.constant 20 : i32
  %last = arith.constant -1 : i32
  %front = arith.constant -20 : i32
  %three = arith.constant -3 : i32
  %a = pallas.get %r[%far] : !r
  %b = pallas.get %r[%front] : !r
  %c = pallas.get %r[%last] : !r
  %d = pallas.get %r[ds(%last, 4)] : !r
  %e = pallas.get %r[ds(%three, 3)] : !r
  pallas.debug_print "starts: {} {} {} {} {}" %a, %b, %c, %d, %e : i32, i32, i32, tensor<4xi32>, tensor<3xi32>
  return
}

// CHECK: strides: {{\[}}[4 6] [8 10]] [3 3 3]
func.func @strides() {
  %i = pallas.iota 0 : tensor<12xi32>
  %x = pallas.reshape %i : tensor<12xi32> -> !tm
  %r = pallas.new_ref %x : !tm -> !m
  %a = pallas.get %r[ds(1, 2), ds(0, 2, 2)] : !m
  %b = pallas.get %r[0, ds(3, 3, 0)] : !m
  pallas.debug_print "strides: {} {}" %a, %b : tensor<2x2xi32>, tensor<3xi32>
  return
}

// An empty slice is one wherever it starts.
// CHECK: empty_slices: 0 [0 1 2 3 4 5 6 7]
func.func @empty_slices() {
  %x = pallas.iota 0 : !t
  %r = pallas.new_ref %x : !t -> !r
  %nothing = pallas.get %r[ds(8, 0)] : !r
  pallas.swap %r[ds(9, 0)], %nothing : !r, tensor<0xi32>
  %sum = pallas.reduce <add> %nothing dims [0] : tensor<0xi32>
  %o = pallas.freeze %r : !r
  pallas.debug_print "empty_slices: {} {}" %sum, %o : i32, !t
  return
}

// An index array counts from the end once, and its elements move inside where they are read.
// CHECK: arrays_read: [5 7 0 0 7]
func.func @arrays_read() {
  %x = pallas.iota 0 : !t
  %r = pallas.new_ref %x : !t -> !r
  %at = arith.constant dense<[5, -1, -8, -9, 30]> : tensor<5xi32>
  %v = pallas.get %r[gather(%at : tensor<5xi32>)] : !r
  pallas.debug_print "arrays_read: {}" %v : tensor<5xi32>
  return
}

// Where it is written, elements outside are dropped, and the last one of a place stays.
// CHECK: arrays_written: [0 1 2 3 4 60 6 20] [5 7 7 0 5]
func.func @arrays_written() {
  %x = pallas.iota 0 : !t
  %r = pallas.new_ref %x : !t -> !r
  %at = arith.constant dense<[5, -1, 30, -9, 5]> : tensor<5xi32>
  %y = arith.constant dense<[10, 20, 30, 40, 60]> : tensor<5xi32>
  %old = pallas.swap %r[gather(%at : tensor<5xi32>)], %y : !r, tensor<5xi32>
  %o = pallas.freeze %r : !r
  pallas.debug_print "arrays_written: {} {}" %o, %old : !t, tensor<5xi32>
  return
}

// CHECK: arrays_accumulated: [0 1 2 3 4 75 6 27]
func.func @arrays_accumulated() {
  %x = pallas.iota 0 : !t
  %r = pallas.new_ref %x : !t -> !r
  %at = arith.constant dense<[5, -1, 30, -9, 5]> : tensor<5xi32>
  %y = arith.constant dense<[10, 20, 30, 40, 60]> : tensor<5xi32>
  pallas.addupdate %r[gather(%at : tensor<5xi32>)], %y : !r, tensor<5xi32>
  %o = pallas.freeze %r : !r
  pallas.debug_print "arrays_accumulated: {}" %o : !t
  return
}

// Dimensions of index arrays come first, unless the arrays are neighbours.
// CHECK: arrays_and_slices: {{\[}}[2 10] [1 9]] {{\[}}[6 2] [7 3]] [1 10]
func.func @arrays_and_slices() {
  %i = pallas.iota 0 : tensor<12xi32>
  %x = pallas.reshape %i : tensor<12xi32> -> !tm
  %r = pallas.new_ref %x : !tm -> !m
  %columns = arith.constant dense<[2, 1]> : tensor<2xi32>
  %rows = arith.constant dense<[1, 0]> : tensor<2xi32>
  %apart = arith.constant dense<[0, 2]> : tensor<2xi32>
  %ends = arith.constant dense<[1, 2]> : tensor<2xi32>
  %t = pallas.transpose_ref %r, [1, 0] : !m -> !pallas.ref<4x3xi32, vmem>
  %a = pallas.get %t[gather(%columns : tensor<2xi32>), ds(0, 2, 2)] : !pallas.ref<4x3xi32, vmem>
  %b = pallas.get %t[ds(2, 2), gather(%rows : tensor<2xi32>)] : !pallas.ref<4x3xi32, vmem>
  %c = pallas.get %r[gather(%apart : tensor<2xi32>), gather(%ends : tensor<2xi32>)] : !m
  pallas.debug_print "arrays_and_slices: {} {} {}" %a, %b, %c : tensor<2x2xi32>, tensor<2x2xi32>, tensor<2xi32>
  return
}

// Elements of masked accesses stay in place where others lie outside.
// CHECK: masks: [6 7 -1 -1] [0 1 2 3 4 5 6 10]
func.func @masks() {
  %x = pallas.iota 0 : !t
  %r = pallas.new_ref %x : !t -> !r
  %six = pallas.get %r[6] : !r
  %seven = pallas.get %r[7] : !r
  %mask = arith.constant dense<[true, true, false, false]> : tensor<4xi1>
  %first = arith.constant dense<[true, false, false, false]> : tensor<4xi1>
  %other = arith.constant dense<-1> : tensor<4xi32>
  %ten = arith.constant dense<10> : tensor<4xi32>
  %v = pallas.masked_load %r[ds(%six, 4)] mask %mask other %other : !r, tensor<4xi1>, other tensor<4xi32>
  pallas.masked_swap %r[ds(%seven, 4)], %ten mask %first : !r, tensor<4xi32>, tensor<4xi1>
  %o = pallas.freeze %r : !r
  pallas.debug_print "masks: {} {}" %v, %o : tensor<4xi32>, !t
  return
}

// Atomic updates go one after the other, and each sees the one before.
// CHECK: atomics: [1 11 31 20 30] [0 31 2 3 4 5 6 7] [0 30 -1]
func.func @atomics() {
  %x = pallas.iota 0 : !t
  %r = pallas.new_ref %x : !t -> !r
  %at = arith.constant dense<[1, 1, 1, 9, -9]> : tensor<5xi32>
  %y = arith.constant dense<[10, 20, 0, 20, 30]> : tensor<5xi32>
  %old = pallas.atomic_rmw <add> %r[gather(%at : tensor<5xi32>)], %y : !r, tensor<5xi32>
  %o = pallas.freeze %r : !r
  // Without a sign negative numbers are the greatest.
  %s = pallas.new_ref %x : !t -> !r
  %first = arith.constant dense<0> : tensor<3xi32>
  %z = arith.constant dense<[30, -1, 5]> : tensor<3xi32>
  %maxima = pallas.atomic_rmw <umax> %s[gather(%first : tensor<3xi32>)], %z : !r, tensor<3xi32>
  pallas.debug_print "atomics: {} {} {}" %old, %o, %maxima : tensor<5xi32>, !t, tensor<3xi32>
  return
}

// CHECK: unit_dimensions: {{\[}}[0 1 2 3] [4 5 6 70] [8 70 10 11]]
func.func @unit_dimensions() {
  %i = pallas.iota 0 : tensor<12xi32>
  %x = pallas.reshape %i : tensor<12xi32> -> !tm
  %r = pallas.new_ref %x : !tm -> !m
  %one = arith.constant dense<70> : tensor<1xi32>
  %a = pallas.slice_ref %r[ds(1, 1, 3), 3] : !m
  pallas.swap %a[...], %one : !pallas.ref<1xi32, vmem>, tensor<1xi32>
  %t = pallas.transpose_ref %r, [1, 0] : !m -> !pallas.ref<4x3xi32, vmem>
  %b = pallas.slice_ref %t[1, ds(2, 1, 2)] : !pallas.ref<4x3xi32, vmem>
  pallas.swap %b[...], %one : !pallas.ref<1xi32, vmem>, tensor<1xi32>
  %o = pallas.freeze %r : !m
  pallas.debug_print "unit_dimensions: {}" %o : !tm
  return
}

// Views of other widths: the low half of a word is the row in front.
// CHECK: halves: {{\[}}[1 2] [0 0] [3 4] [0 0]] {{\[}}[1 2] [65539 65540]]
func.func @halves() {
  %x = arith.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %ones = arith.constant dense<1> : tensor<2xi16>
  %r = pallas.new_ref %x : tensor<2x2xi32> -> !pallas.ref<2x2xi32, vmem>
  %h = pallas.bitcast_ref %r : !pallas.ref<2x2xi32, vmem> -> !pallas.ref<4x2xi16, vmem>
  %v = pallas.get %h[...] : !pallas.ref<4x2xi16, vmem>
  pallas.swap %h[3, :], %ones : !pallas.ref<4x2xi16, vmem>, tensor<2xi16>
  %o = pallas.freeze %r : !pallas.ref<2x2xi32, vmem>
  pallas.debug_print "halves: {} {}" %v, %o : tensor<4x2xi16>, tensor<2x2xi32>
  return
}

func.func @main() {
  call @starts() : () -> ()
  call @strides() : () -> ()
  call @empty_slices() : () -> ()
  call @arrays_read() : () -> ()
  call @arrays_written() : () -> ()
  call @arrays_accumulated() : () -> ()
  call @arrays_and_slices() : () -> ()
  call @masks() : () -> ()
  call @atomics() : () -> ()
  call @unit_dimensions() : () -> ()
  call @halves() : () -> ()
  return
}
