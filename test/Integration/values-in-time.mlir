// A value stays what it was when it was read, whatever is written to its ref later: natively, and
// after refs became values. `pallas-run --entry=NAME` runs one case.

// RUN: pallas-run %s --no-cache --entry=main | FileCheck %s
// RUN: pallas-opt %s --pallas-discharge-state | pallas-run - --no-cache --entry=main | FileCheck %s

!r = !pallas.ref<4xi32, vmem>
!t = tensor<4xi32>
!square = !pallas.ref<2x2xi32, vmem>
!matrix = tensor<2x2xi32>

// CHECK: overwritten: [11 12 13 14]
func.func @overwritten() {
  %x = arith.constant dense<[1, 2, 3, 4]> : !t
  %ten = arith.constant dense<10> : !t
  %r = pallas.new_ref %x : !t -> !r
  %v = pallas.get %r[...] : !r
  pallas.swap %r[...], %ten : !r, !t
  %w = pallas.get %r[...] : !r
  %sum = arith.addi %v, %w : !t
  pallas.debug_print "overwritten: {}" %sum : !t
  return
}

// CHECK: old_value: [1 2 3 4] [5 6 7 8]
func.func @old_value() {
  %x = arith.constant dense<[1, 2, 3, 4]> : !t
  %y = arith.constant dense<[5, 6, 7, 8]> : !t
  %r = pallas.new_ref %x : !t -> !r
  %old = pallas.swap %r[...], %y : !r, !t
  %new = pallas.freeze %r : !r
  pallas.debug_print "old_value: {} {}" %old, %new : !t, !t
  return
}

// Old values are read before any is written, also where an index is named twice.
// CHECK: old_values_of_repeated_indices: [2 2 1] [10 30 3 4]
func.func @old_values_of_repeated_indices() {
  %x = arith.constant dense<[1, 2, 3, 4]> : !t
  %y = arith.constant dense<[20, 30, 10]> : tensor<3xi32>
  %at = arith.constant dense<[1, 1, 0]> : tensor<3xi32>
  %r = pallas.new_ref %x : !t -> !r
  %old = pallas.swap %r[gather(%at : tensor<3xi32>)], %y : !r, tensor<3xi32>
  %new = pallas.freeze %r : !r
  pallas.debug_print "old_values_of_repeated_indices: {} {}" %old, %new : tensor<3xi32>, !t
  return
}

// Memory of the ref of one step is that of the next one; what was frozen stays.
// CHECK: frozen_in_turns: [8 8 8 8] [7 7 7 7]
func.func @frozen_in_turns() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %x = arith.constant dense<1> : !t
  %zero = arith.constant dense<0> : !t
  %last, %sum = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x, %b = %zero) -> (!t, !t) {
    %r = pallas.new_ref %a : !t -> !r
    %v = pallas.get %r[...] : !r
    %twice = arith.addi %v, %v : !t
    pallas.swap %r[...], %twice : !r, !t
    %frozen = pallas.freeze %r : !r
    %sums = arith.addi %a, %b : !t
    scf.yield %frozen, %sums : !t, !t
  }
  pallas.debug_print "frozen_in_turns: {} {}" %last, %sum : !t, !t
  return
}

// CHECK: transposed_in_place: {{\[}}[1 3] [2 4]]
func.func @transposed_in_place() {
  %x = arith.constant dense<[[1, 2], [3, 4]]> : !matrix
  %r = pallas.new_ref %x : !matrix -> !square
  %v = pallas.get %r[...] : !square
  %t = pallas.transpose %v, [1, 0] : !matrix
  pallas.swap %r[...], %t : !square, !matrix
  %o = pallas.freeze %r : !square
  pallas.debug_print "transposed_in_place: {}" %o : !matrix
  return
}

// CHECK: moved_onto_neighbours: [1 1 2 3]
func.func @moved_onto_neighbours() {
  %x = arith.constant dense<[1, 2, 3, 4]> : !t
  %r = pallas.new_ref %x : !t -> !r
  %v = pallas.get %r[ds(0, 3)] : !r
  pallas.swap %r[ds(1, 3)], %v : !r, tensor<3xi32>
  %o = pallas.freeze %r : !r
  pallas.debug_print "moved_onto_neighbours: {}" %o : !t
  return
}

// CHECK: row_of_itself: {{\[}}[-2 -2] [0 0]]
func.func @row_of_itself() {
  %x = arith.constant dense<[[1, 2], [3, 4]]> : !matrix
  %r = pallas.new_ref %x : !matrix -> !square
  %v = pallas.get %r[...] : !square
  %row = pallas.get %r[1, :] : !square
  %rows = pallas.broadcast %row dims [1] : tensor<2xi32> -> !matrix
  %d = arith.subi %v, %rows : !matrix
  pallas.swap %r[...], %d : !square, !matrix
  %o = pallas.freeze %r : !square
  pallas.debug_print "row_of_itself: {}" %o : !matrix
  return
}

// A product onto its own factor needs the factor as it was.
// CHECK: product_onto_factor: {{\[}}[7 10] [15 22]]
func.func @product_onto_factor() {
  %x = arith.constant dense<[[1, 2], [3, 4]]> : !matrix
  %r = pallas.new_ref %x : !matrix -> !square
  %v = pallas.get %r[...] : !square
  %p = pallas.dot_general %v, %x contract [1] x [0] : !matrix, !matrix -> !matrix
  pallas.swap %r[...], %p : !square, !matrix
  %o = pallas.freeze %r : !square
  pallas.debug_print "product_onto_factor: {}" %o : !matrix
  return
}

// An accumulator that is read again is no place for the sum.
// CHECK: product_beside_accumulator: {{\[}}[8 12] [18 26]] {{\[}}[1 2] [3 4]]
func.func @product_beside_accumulator() {
  %x = arith.constant dense<[[1, 2], [3, 4]]> : !matrix
  %r = pallas.new_ref %x : !matrix -> !square
  %v = pallas.get %r[...] : !square
  %p = pallas.dot_general %x, %x acc %v contract [1] x [0] : !matrix, !matrix, !matrix -> !matrix
  %o = pallas.freeze %r : !square
  pallas.debug_print "product_beside_accumulator: {} {}" %p, %o : !matrix, !matrix
  return
}

// CHECK: loop_over_neighbours: [1 3 6 10]
func.func @loop_over_neighbours() {
  %x = arith.constant dense<[1, 2, 3, 4]> : !t
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %r = pallas.new_ref %x : !t -> !r
  scf.for %i = %c1 to %c4 step %c1 : i32 {
    %j = arith.subi %i, %c1 : i32
    %a = pallas.get %r[%j] : !r
    pallas.addupdate %r[%i], %a : !r, i32
  }
  %o = pallas.freeze %r : !r
  pallas.debug_print "loop_over_neighbours: {}" %o : !t
  return
}

// CHECK: loop_around_an_old_value: [4 8 12 16]
func.func @loop_around_an_old_value() {
  %x = arith.constant dense<[1, 2, 3, 4]> : !t
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = pallas.new_ref %x : !t -> !r
  %v = pallas.get %r[...] : !r
  scf.for %i = %c0 to %c3 step %c1 {
    pallas.addupdate %r[...], %v : !r, !t
  }
  %o = pallas.freeze %r : !r
  pallas.debug_print "loop_around_an_old_value: {}" %o : !t
  return
}

// CHECK: carried_by_a_loop: [7 8 9 10] [2 2 2 2]
func.func @carried_by_a_loop() {
  %x = arith.constant dense<[1, 2, 3, 4]> : !t
  %two = arith.constant dense<2> : !t
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = pallas.new_ref %x : !t -> !r
  %v = pallas.get %r[...] : !r
  %w = scf.for %i = %c0 to %c3 step %c1 iter_args(%carried = %v) -> (!t) {
    pallas.swap %r[...], %two : !r, !t
    %next = arith.addi %carried, %two : !t
    scf.yield %next : !t
  }
  %o = pallas.freeze %r : !r
  pallas.debug_print "carried_by_a_loop: {} {}" %w, %o : !t, !t
  return
}

// CHECK: while_loop: 4 [1 2 4 8]
func.func @while_loop() {
  %x = arith.constant dense<[1, 0, 0, 0]> : !t
  %c1 = arith.constant 1 : i32
  %c5 = arith.constant 5 : i32
  %r = pallas.new_ref %x : !t -> !r
  // The condition reads what the body writes.
  %last = scf.while (%i = %c1) : (i32) -> i32 {
    %before = arith.subi %i, %c1 : i32
    %a = pallas.get %r[%before] : !r
    %isSmall = arith.cmpi slt, %a, %c5 : i32
    scf.condition(%isSmall) %i : i32
  } do {
  ^bb0(%i: i32):
    %before = arith.subi %i, %c1 : i32
    %a = pallas.get %r[%before] : !r
    %twice = arith.addi %a, %a : i32
    pallas.swap %r[%i], %twice : !r, i32
    %next = arith.addi %i, %c1 : i32
    scf.yield %next : i32
  }
  %o = pallas.freeze %r : !r
  pallas.debug_print "while_loop: {} {}" %last, %o : i32, !t
  return
}

// CHECK: chosen_by_a_branch: [1 2 3 4] [9 9 9 9]
func.func @chosen_by_a_branch() {
  %x = arith.constant dense<[1, 2, 3, 4]> : !t
  %nine = arith.constant dense<9> : !t
  %r = pallas.new_ref %x : !t -> !r
  %first = pallas.get %r[0] : !r
  %c5 = arith.constant 5 : i32
  %isSmall = arith.cmpi slt, %first, %c5 : i32
  %v = scf.if %isSmall -> (!t) {
    %a = pallas.get %r[...] : !r
    scf.yield %a : !t
  } else {
    scf.yield %nine : !t
  }
  pallas.swap %r[...], %nine : !r, !t
  %o = pallas.freeze %r : !r
  pallas.debug_print "chosen_by_a_branch: {} {}" %v, %o : !t, !t
  return
}

// What scopes yield outlives them, from several of them, one in the other.
// CHECK: nested_scopes: [1 2 9 4] [1 2 3 4] 7
func.func @nested_scopes() {
  %x = arith.constant dense<[1, 2, 3, 4]> : !t
  %c7 = arith.constant 7 : i32
  %c9 = arith.constant 9 : i32
  %a, %b, %c = pallas.run_scoped (%s: !r, %n: !pallas.ref<i32, smem>) -> (!t, !t, i32) {
    pallas.swap %s[...], %x : !r, !t
    pallas.swap %n[...], %c7 : !pallas.ref<i32, smem>, i32
    %before = pallas.run_scoped (%u: !r) -> !t {
      %v = pallas.get %s[...] : !r
      pallas.swap %u[...], %v : !r, !t
      pallas.swap %s[2], %c9 : !r, i32
      %w = pallas.get %u[...] : !r
      pallas.yield %w : !t
    }
    %after = pallas.get %s[...] : !r
    %number = pallas.get %n[...] : !pallas.ref<i32, smem>
    pallas.yield %after, %before, %number : !t, !t, i32
  }
  pallas.debug_print "nested_scopes: {} {} {}" %a, %b, %c : !t, !t, i32
  return
}

// A loop that starts from a value leaves the memory alone that the value was
// stored to.
// CHECK: loop_from_a_stored_value: [11 12 13 14] [44 48 52 56]
func.func @loop_from_a_stored_value() {
  %x = arith.constant dense<[1, 2, 3, 4]> : !t
  %ten = arith.constant dense<10> : !t
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %r = pallas.new_ref %x : !t -> !r
  %old = pallas.get %r[...] : !r
  %sum = arith.addi %old, %ten : !t
  pallas.swap %r[...], %sum : !r, !t
  %start = pallas.get %r[...] : !r
  %o = scf.for %i = %c0 to %c2 step %c1 iter_args(%v = %start) -> !t : i32 {
    %double = arith.addi %v, %v : !t
    scf.yield %double : !t
  }
  %new = pallas.freeze %r : !r
  pallas.debug_print "loop_from_a_stored_value: {} {}" %new, %o : !t, !t
  return
}

// A second store may not be computed over a first stored value that it reads.
// CHECK: product_of_a_stored_value: {{\[}}[277 300] [325 352]]
func.func @product_of_a_stored_value() {
  %x = arith.constant dense<[[1, 2], [3, 4]]> : !matrix
  %ten = arith.constant dense<10> : !matrix
  %r = pallas.new_ref %x : !matrix -> !square
  %old = pallas.get %r[...] : !square
  %sum = arith.addi %old, %ten : !matrix
  pallas.swap %r[...], %sum : !square, !matrix
  %v = pallas.get %r[...] : !square
  %p = pallas.dot_general %v, %v contract [1] x [0] : !matrix, !matrix -> !matrix
  pallas.swap %r[...], %p : !square, !matrix
  %new = pallas.freeze %r : !square
  pallas.debug_print "product_of_a_stored_value: {}" %new : !matrix
  return
}

// Nor does a store change a part of a value that was stored before.
// CHECK: part_of_a_stored_value: [111 112 113 114] [12 13]
func.func @part_of_a_stored_value() {
  %x = arith.constant dense<[1, 2, 3, 4]> : !t
  %ten = arith.constant dense<10> : !t
  %hundred = arith.constant dense<100> : !t
  %r = pallas.new_ref %x : !t -> !r
  %old = pallas.get %r[...] : !r
  %sum = arith.addi %old, %ten : !t
  pallas.swap %r[...], %sum : !r, !t
  %part = tensor.extract_slice %sum[1] [2] [1] : !t to tensor<2xi32>
  %again = pallas.get %r[...] : !r
  %more = arith.addi %again, %hundred : !t
  pallas.swap %r[...], %more : !r, !t
  %new = pallas.freeze %r : !r
  pallas.debug_print "part_of_a_stored_value: {} {}" %new, %part : !t, tensor<2xi32>
  return
}

// Nor a stored value that a branch yields.
// CHECK: stored_in_a_branch: [111 112 113 114] [11 12 13 14]
func.func @stored_in_a_branch() {
  %x = arith.constant dense<[1, 2, 3, 4]> : !t
  %ten = arith.constant dense<10> : !t
  %hundred = arith.constant dense<100> : !t
  %one = arith.constant 1 : i32
  %r = pallas.new_ref %x : !t -> !r
  %first = pallas.get %r[0] : !r
  %is_one = arith.cmpi eq, %first, %one : i32
  %o = scf.if %is_one -> !t {
    %old = pallas.get %r[...] : !r
    %sum = arith.addi %old, %ten : !t
    pallas.swap %r[...], %sum : !r, !t
    scf.yield %sum : !t
  } else {
    scf.yield %ten : !t
  }
  %again = pallas.get %r[...] : !r
  %more = arith.addi %again, %hundred : !t
  pallas.swap %r[...], %more : !r, !t
  %new = pallas.freeze %r : !r
  pallas.debug_print "stored_in_a_branch: {} {}" %new, %o : !t, !t
  return
}

func.func @main() {
  call @overwritten() : () -> ()
  call @old_value() : () -> ()
  call @old_values_of_repeated_indices() : () -> ()
  call @frozen_in_turns() : () -> ()
  call @transposed_in_place() : () -> ()
  call @moved_onto_neighbours() : () -> ()
  call @row_of_itself() : () -> ()
  call @product_onto_factor() : () -> ()
  call @product_beside_accumulator() : () -> ()
  call @loop_over_neighbours() : () -> ()
  call @loop_around_an_old_value() : () -> ()
  call @carried_by_a_loop() : () -> ()
  call @while_loop() : () -> ()
  call @chosen_by_a_branch() : () -> ()
  call @nested_scopes() : () -> ()
  call @loop_from_a_stored_value() : () -> ()
  call @product_of_a_stored_value() : () -> ()
  call @part_of_a_stored_value() : () -> ()
  call @stored_in_a_branch() : () -> ()
  return
}
