// RUN: pallas-run %s --no-cache --entry=main | FileCheck %s
// RUN: pallas-opt %s --pallas-discharge-state | pallas-run - --no-cache --entry=main | FileCheck %s

// The bug: loops were refused ("Yield operand #0 is not equivalent to the
// corresponding iter bbArg") whose carried value is read after the next one was
// computed from it, since that was expected to happen in place.

!t = tensor<4xi32>
!pair = tensor<2xi32>
!matrix = tensor<2x2xi32>
!row = tensor<1x2xi32>

// CHECK: stored_behind_the_update: [1 1 1 1] [2 2 2 2]
func.func @stored_behind_the_update() {
  %x = arith.constant dense<[1, 2, 3, 4]> : !t
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %r = pallas.new_ref %x : !t -> !pallas.ref<4xi32, vmem>
  %last = scf.for %i = %c0 to %c3 step %c1 iter_args(%carried = %x) -> (!t) {
    %first = tensor.extract_slice %carried[0] [2] [1] : !t to !pair
    %at = arith.addi %i, %c1 : index
    %in = arith.minsi %at, %c2 : index
    %next = tensor.insert_slice %first into %carried[%in] [2] [1] : !pair into !t
    %sum = arith.addi %carried, %next : !t
    pallas.swap %r[...], %sum : !pallas.ref<4xi32, vmem>, !t
    scf.yield %next : !t
  }
  %o = pallas.freeze %r : !pallas.ref<4xi32, vmem>
  pallas.debug_print "stored_behind_the_update: {} {}" %last, %o : !t, !t
  return
}

// CHECK: product_beside_the_old_value: {{\[}}[15 22] [33 48]] {{\[}}[22 29] [48 63]]
func.func @product_beside_the_old_value() {
  %x = arith.constant dense<[[1, 2], [3, 4]]> : !matrix
  %y = arith.constant dense<[[2, 3], [4, 5]]> : !matrix
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %last:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %x, %b = %y) -> (!matrix, !matrix) {
    %sum = pallas.dot_general %x, %b acc %a contract [1] x [0] : !matrix, !matrix, !matrix -> !matrix
    %twice = arith.addi %a, %a : !matrix
    %next = arith.subi %twice, %b : !matrix
    scf.yield %sum, %next : !matrix, !matrix
  }
  pallas.debug_print "product_beside_the_old_value: {} {}" %last#0, %last#1 : !matrix, !matrix
  return
}

// What one branch yields lies where the other one updates a carried value.
// CHECK: exchanged_by_branches: [5 7 8 8] [2 6 8 8]
func.func @exchanged_by_branches() {
  %x = arith.constant dense<[1, 2, 3, 4]> : !t
  %y = arith.constant dense<[5, 6, 7, 8]> : !t
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %last:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x, %b = %y) -> (!t, !t) {
    %is = arith.cmpi eq, %i, %c1 : index
    %v:2 = scf.if %is -> (!t, !t) {
      %twice = arith.addi %a, %a : !t
      scf.yield %twice, %b : !t, !t
    } else {
      %end = tensor.extract_slice %a[2] [2] [1] : !t to !pair
      %moved = tensor.insert_slice %end into %a[1] [2] [1] : !pair into !t
      scf.yield %b, %moved : !t, !t
    }
    scf.yield %v#1, %v#0 : !t, !t
  }
  pallas.debug_print "exchanged_by_branches: {} {}" %last#0, %last#1 : !t, !t
  return
}

// Only copies of all that is yielded leave a place for everything here.
// CHECK: turned_or_moved: {{\[}}[7 8] [7 8]] {{\[}}[3 3] [4 4]]
func.func @turned_or_moved() {
  %x = arith.constant dense<[[1, 2], [3, 4]]> : !matrix
  %y = arith.constant dense<[[5, 6], [7, 8]]> : !matrix
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %last:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x, %b = %y) -> (!matrix, !matrix) {
    %is = arith.cmpi eq, %i, %c1 : index
    %v:2 = scf.if %is -> (!matrix, !matrix) {
      %turned = pallas.transpose %a, [1, 0] : !matrix
      scf.yield %turned, %b : !matrix, !matrix
    } else {
      %end = tensor.extract_slice %a[1, 0] [1, 2] [1, 1] : !matrix to !row
      %moved = tensor.insert_slice %end into %a[0, 0] [1, 2] [1, 1] : !row into !matrix
      scf.yield %b, %moved : !matrix, !matrix
    }
    scf.yield %v#1, %v#0 : !matrix, !matrix
  }
  pallas.debug_print "turned_or_moved: {} {}" %last#0, %last#1 : !matrix, !matrix
  return
}

func.func @main() {
  func.call @stored_behind_the_update() : () -> ()
  func.call @product_beside_the_old_value() : () -> ()
  func.call @exchanged_by_branches() : () -> ()
  func.call @turned_or_moved() : () -> ()
  return
}
