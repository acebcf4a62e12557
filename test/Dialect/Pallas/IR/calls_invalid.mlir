// RUN: pallas-opt %s --verify-diagnostics --split-input-file --allow-unregistered-dialect

// The ids beside the errors are those of docs/Rules.md.

func.func @grid_size(%x: tensor<8xf32>) {
  // A7
  // expected-error @+1 {{grid dimension 0 has size -1; a size must be at least 0, or dynamic with an operand}}
  pallas.pallas_call grid(-1) in(%x : tensor<8xf32>) block<[8], vmem> kernel(%r: !pallas.ref<8xf32, vmem>) {}
  return
}

// -----

func.func @grid_operands(%n: i32) {
  // A7, B6, C1
  // expected-error @+1 {{grid has 1 dynamic dimensions, but 0 sizes are given; pass one i32 or index per dynamic dimension}}
  "pallas.pallas_call"() <{grid = array<i64: -9223372036854775808>, blockMappings = [], operandSegmentSizes = array<i32: 0, 0, 0, 0>}> ({
    pallas.yield
  }) : () -> ()
  return
}

// -----

func.func @grid_operand_type(%n: f32) {
  // A5
  // expected-error @+1 {{operand #0 must be variadic of i32 or index, but got 'f32'}}
  "pallas.pallas_call"(%n) <{grid = array<i64: -9223372036854775808>, blockMappings = [], operandSegmentSizes = array<i32: 0, 1, 0, 0>}> ({
    pallas.yield
  }) : (f32) -> ()
  return
}

// -----

func.func @names_twice() {
  // A7
  // expected-error @+1 {{grid name "i" appears twice; name each dimension once}}
  pallas.pallas_call grid(2, 2) names ["i", "i"] kernel() {}
  return
}

// -----

func.func @names_count() {
  // J6
  // expected-error @+1 {{has 1 grid names, but the grid has rank 2; name every dimension or none}}
  pallas.pallas_call grid(2, 2) names ["i"] kernel() {}
  return
}

// -----

func.func @names_kind() {
  // J6
  // expected-error @+1 {{grid name must be a string, or unit for a dimension without name, but is 1 : i64}}
  pallas.pallas_call grid(2) names [1] kernel() {}
  return
}

// -----

func.func @vmapped_range() {
  // J5
  // expected-error @+1 {{vmapped dimension 2 is out of range for a grid of rank 2; name a dimension from 0 to 1}}
  pallas.pallas_call grid(2, 2) vmapped [2] kernel() {}
  return
}

// -----

func.func @vmapped_more_than_rank() {
  // J5
  // expected-error @+1 {{vmapped dimension 1 is out of range for a grid of rank 1}}
  pallas.pallas_call grid(2) vmapped [0, 1, 2] kernel() { %0 = pallas.program_id 0 }
  return
}

// -----

func.func @vmapped_order() {
  // J8
  // expected-error @+1 {{vmapped dimension 0 follows 1; list them in ascending order, each once}}
  pallas.pallas_call grid(2, 2) vmapped [1, 0] kernel() {}
  return
}

// -----

func.func @semantics_count() {
  // V1
  // expected-error @+1 {{has 2 dimension semantics, but 1 grid dimensions that are not vmapped; give one for each}}
  pallas.pallas_call grid(2, 2) semantics [parallel, parallel] vmapped [0] kernel() {}
  return
}

// -----

func.func @index_operand_shape(%t: tensor<?xi32>) {
  // C7
  // expected-error @+1 {{index operand 0 has type 'tensor<?xi32>', but scalar memory needs a ranked tensor of static shape}}
  pallas.pallas_call grid() prefetch(%t : tensor<?xi32>) kernel(%r: !pallas.ref<?xi32, smem>) {}
  return
}

// -----

func.func @index_ref_type(%t: tensor<4xi32>) {
  // C6
  // expected-error @+1 {{kernel argument 0 is for an index operand, so it must have type '!pallas.ref<4xi32, smem>', but has type '!pallas.ref<4xi32, vmem>'}}
  pallas.pallas_call grid() prefetch(%t : tensor<4xi32>)
    // expected-note @+1 {{declared here}}
    kernel(%r: !pallas.ref<4xi32, vmem>) {}
  return
}

// -----

func.func @mapping_count(%x: tensor<8xf32>) {
  // J1, C3
  // expected-error @+1 {{has 0 block mappings, but 1 inputs and 0 outputs; give one block mapping for each of them}}
  "pallas.pallas_call"(%x) <{grid = array<i64>, blockMappings = [], operandSegmentSizes = array<i32: 0, 0, 0, 1>}> ({
    pallas.yield
  }) : (tensor<8xf32>) -> ()
  return
}

// -----

func.func @mapping_count_outputs() {
  // J1, C4
  // expected-error @+1 {{has 0 block mappings, but 0 inputs and 1 outputs}}
  %0 = "pallas.pallas_call"() <{grid = array<i64>, blockMappings = [], operandSegmentSizes = array<i32: 0, 0, 0, 0>}> ({
    pallas.yield
  }) : () -> tensor<8xf32>
  return
}

// -----

func.func @index_map_count(%x: tensor<8xf32>) {
  // J1
  // expected-error @+1 {{has 1 block mappings, but 0 index maps; give one index map for each}}
  "pallas.pallas_call"(%x) <{grid = array<i64>, blockMappings = [#pallas.block<[8], vmem>], operandSegmentSizes = array<i32: 0, 0, 0, 1>}> ({
    pallas.yield
  }) : (tensor<8xf32>) -> ()
  return
}

// -----

func.func @no_shape(%x: tensor<*xf32>) {
  // D1
  // expected-error @+1 {{operand #0 must be variadic of array, but got 'tensor<*xf32>'}}
  "pallas.pallas_call"(%x) <{grid = array<i64>, blockMappings = [#pallas.block<[8], vmem>], operandSegmentSizes = array<i32: 0, 0, 0, 1>}> ({
    pallas.yield
  }, { pallas.yield }) : (tensor<*xf32>) -> ()
  return
}

// -----

func.func @output_type() {
  // B7
  // expected-error @+1 {{result #0 must be variadic of array, but got 'memref<8xf32>'}}
  %0 = "pallas.pallas_call"() <{grid = array<i64>, blockMappings = [#pallas.block<[8], vmem>], operandSegmentSizes = array<i32: 0, 0, 0, 0>}> ({
    pallas.yield
  }, { pallas.yield }) : () -> memref<8xf32>
  return
}

// -----

func.func @element_type(%x: tensor<8xcomplex<f32>>) {
  // V2
  // expected-error @+1 {{input 0 has elements of type 'complex<f32>', which no ref can hold; use signless integers or floats}}
  pallas.pallas_call grid() in(%x : tensor<8xcomplex<f32>>) block<[8], vmem> kernel() {}
  return
}

// -----

func.func @block_rank(%x: tensor<8x8xf32>) {
  // D2, E2
  // expected-error @+1 {{block shape for input 0 (x["w"]) has 1 dimensions, but the array 'tensor<8x8xf32>' has 2; give one block dimension per array dimension}}
  pallas.pallas_call grid() in(%x : tensor<8x8xf32>) block<[8], vmem, origin = "x[\22w\22]"> kernel() {}
  return
}

// -----

func.func @bounded_in_call(%x: tensor<8xf32>) {
  // D9
  // expected-error @+1 {{block dimension 0 of input 0 is bounded, which only pallas.emit_pipeline supports}}
  pallas.pallas_call grid() in(%x : tensor<8xf32>) block<[bounded<4>], vmem> kernel() {}
  return
}

// -----

func.func @indirect_in_call(%x: tensor<8xf32>) {
  // D12
  // expected-error @+1 {{block dimension 0 of input 0 is indirect, which only pallas.emit_pipeline supports}}
  pallas.pallas_call grid() in(%x : tensor<8xf32>) block<[indirect<4>], vmem> kernel() {}
  return
}

// -----

func.func @alias_input(%x: tensor<8xf32>) {
  // B12, K1
  // expected-error @+1 {{alias 1 -> 0 names an input that does not exist: the call has 1 index operands and inputs, counted from 0}}
  %0 = pallas.pallas_call grid() in(%x : tensor<8xf32>) out(tensor<8xf32>) aliases [1 -> 0]
    kernel(%a: !pallas.ref<8xf32, default>, %b: !pallas.ref<8xf32, default>) {}
  return
}

// -----

func.func @alias_output(%x: tensor<8xf32>) {
  // B13
  // expected-error @+1 {{alias 0 -> 1 names an output that does not exist: the call has 1 outputs, counted from 0}}
  %0 = pallas.pallas_call grid() in(%x : tensor<8xf32>) out(tensor<8xf32>) aliases [0 -> 1]
    kernel(%a: !pallas.ref<8xf32, default>, %b: !pallas.ref<8xf32, default>) {}
  return
}

// -----

func.func @alias_types(%x: tensor<8xf32>) {
  // B14, K3
  // expected-error @+1 {{alias 0 -> 0 joins arrays of different types, 'tensor<8xf32>' and 'tensor<8xi32>'; both must have the same shape and element type}}
  %0 = pallas.pallas_call grid() in(%x : tensor<8xf32>) out(tensor<8xi32>) aliases [0 -> 0]
    kernel(%a: !pallas.ref<8xf32, default>, %b: !pallas.ref<8xi32, default>) {}
  return
}

// -----

func.func @alias_index_operand(%t: tensor<8xi32>) {
  // B15
  // expected-error @+1 {{alias 0 -> 0 names an index operand; only inputs can share memory with an output, from position 1 on}}
  %0 = pallas.pallas_call grid() prefetch(%t : tensor<8xi32>) out(tensor<8xi32>) aliases [0 -> 0]
    kernel(%a: !pallas.ref<8xi32, smem>, %b: !pallas.ref<8xi32, default>) {}
  return
}

// -----

func.func @alias_input_twice(%x: tensor<8xf32>) {
  // B15
  // expected-error @+1 {{alias 0 -> 1 names an input that is aliased already; alias each input once}}
  %0:2 = pallas.pallas_call grid() in(%x : tensor<8xf32>) out(tensor<8xf32>) out(tensor<8xf32>) aliases [0 -> 0, 0 -> 1]
    kernel(%a: !pallas.ref<8xf32, default>, %b: !pallas.ref<8xf32, default>, %c: !pallas.ref<8xf32, default>) {}
  return
}

// -----

func.func @alias_output_twice(%x: tensor<8xf32>) {
  // B15
  // expected-error @+1 {{alias 1 -> 0 names an output that is aliased already; alias each output once}}
  %0 = pallas.pallas_call grid() in(%x : tensor<8xf32>) in(%x : tensor<8xf32>) out(tensor<8xf32>) aliases [0 -> 0, 1 -> 0]
    kernel(%a: !pallas.ref<8xf32, default>, %b: !pallas.ref<8xf32, default>, %c: !pallas.ref<8xf32, default>) {}
  return
}

// -----

func.func @alias_pairs(%x: tensor<8xf32>) {
  // V4
  // expected-error @+1 {{aliases must be pairs of an input and an output, but has 1 positions; give an even number}}
  "pallas.pallas_call"() <{grid = array<i64>, blockMappings = [], aliases = array<i64: 0>, operandSegmentSizes = array<i32: 0, 0, 0, 0>}> ({
    pallas.yield
  }) : () -> ()
  return
}

// -----

func.func @pinned(%x: !pallas.pinned<tensor<8xf32>>) {
  // K2
  // expected-error @+1 {{input 0 is pinned, so it must be aliased to an output; add the alias 0 -> <output>}}
  pallas.pallas_call grid() in(%x : !pallas.pinned<tensor<8xf32>>) kernel(%a: !pallas.ref<8xf32, default>) {}
  return
}

// -----

func.func @captured_twice(%r: !pallas.ref<8xf32, vmem>) {
  // W4
  // expected-error @+1 {{captured value 1 is a ref that is captured already; capture each ref once and use its argument twice}}
  pallas.pallas_call grid() captures(%r, %r : !pallas.ref<8xf32, vmem>, !pallas.ref<8xf32, vmem>)
    kernel(%a: !pallas.ref<8xf32, vmem>, %b: !pallas.ref<8xf32, vmem>) {}
  return
}

// -----

func.func @map_blocks(%x: tensor<8xf32>) {
  // V3
  // expected-error @+1 {{index map of input 0 must have exactly one block, but has 0}}
  "pallas.pallas_call"(%x) <{grid = array<i64>, blockMappings = [#pallas.block<[8], vmem>], operandSegmentSizes = array<i32: 0, 0, 0, 1>}> ({
  ^bb0(%a: !pallas.ref<8xf32, vmem>):
    pallas.yield
  }, {}) : (tensor<8xf32>) -> ()
  return
}

// -----

func.func @map_arity(%x: tensor<8xf32>) {
  // J2, J3, B17
  // expected-error @+1 {{index map of input 0 takes 0 arguments, but needs 1: 1 program ids, 0 index refs and 0 captured values}}
  "pallas.pallas_call"(%x) <{grid = array<i64: 2>, blockMappings = [#pallas.block<[8], vmem>], operandSegmentSizes = array<i32: 0, 0, 0, 1>}> ({
  ^bb0(%a: !pallas.ref<8xf32, vmem>):
    pallas.yield
  }, {
    %0 = arith.constant 0 : i32
    pallas.yield %0 : i32
  }) : (tensor<8xf32>) -> ()
  return
}

// -----

func.func @map_argument(%x: tensor<8xf32>) {
  // J4, J7
  // expected-error @+1 {{argument 0 of the index map of input 0 has type 'i64', but must be 'i32'}}
  "pallas.pallas_call"(%x) <{grid = array<i64: 2>, blockMappings = [#pallas.block<[8], vmem>], operandSegmentSizes = array<i32: 0, 0, 0, 1>}> ({
  ^bb0(%a: !pallas.ref<8xf32, vmem>):
    pallas.yield
  }, {
  // expected-note @+1 {{declared here}}
  ^bb0(%i: i64):
    pallas.yield %i : i64
  }) : (tensor<8xf32>) -> ()
  return
}

// -----

func.func @map_results(%x: tensor<8x8xf32>) {
  // D8
  // expected-error @+1 {{index map of input 0 must return 2 values, but returns 1; return one per block dimension}}
  pallas.pallas_call grid(2) in(%x : tensor<8x8xf32>) block<[8, 8], vmem> map(%i) {
      // expected-note @+1 {{returned here}}
      pallas.yield %i : i32
    } kernel(%a: !pallas.ref<8x8xf32, vmem>) {}
  return
}

// -----

func.func @map_result_type(%x: tensor<8xf32>) {
  // D11, E3
  // expected-error @+1 {{index map of input 0 must return integer scalars, but result 0 has type 'f32'; return i32, i64 or index}}
  pallas.pallas_call grid(2) in(%x : tensor<8xf32>) block<[8], vmem> map(%i) {
      %f = arith.sitofp %i : i32 to f32
      // expected-note @+1 {{returned here}}
      pallas.yield %f : f32
    } kernel(%a: !pallas.ref<8xf32, vmem>) {}
  return
}

// -----

func.func @map_terminator(%x: tensor<8xf32>) {
  // V3
  // expected-error @+1 {{index map of input 0 must end with pallas.yield}}
  "pallas.pallas_call"(%x) <{grid = array<i64>, blockMappings = [#pallas.block<[8], vmem>], operandSegmentSizes = array<i32: 0, 0, 0, 1>}> ({
  ^bb0(%a: !pallas.ref<8xf32, vmem>):
    pallas.yield
  }, {
    "test.end"() : () -> ()
  }) : (tensor<8xf32>) -> ()
  return
}

// -----

func.func @map_effects(%t: tensor<4xi32>, %x: tensor<8xf32>) {
  // expected-note @+1 {{in the index map of input 0}}
  pallas.pallas_call grid(2) prefetch(%t : tensor<4xi32>) in(%x : tensor<8xf32>) block<[8], vmem> map(%i, %r) {
      // D13
      // expected-error @+1 {{may not be in an index map, which may only compute and read index refs: it runs ahead of the kernel, any number of times}}
      pallas.swap %r[0], %i : !pallas.ref<4xi32, smem>, i32
      pallas.yield %i : i32
    } kernel(%r: !pallas.ref<4xi32, smem>, %a: !pallas.ref<8xf32, vmem>) {}
  return
}

// -----

func.func @map_program_id(%x: tensor<8xf32>) {
  // expected-note @+1 {{in the index map of input 0}}
  pallas.pallas_call grid(2) in(%x : tensor<8xf32>) block<[8], vmem> map(%i) {
      // D13
      // expected-error @+1 {{may not be in an index map, which takes all program ids as arguments; use the argument instead}}
      %p = pallas.program_id 0
      pallas.yield %p : i32
    } kernel(%a: !pallas.ref<8xf32, vmem>) {}
  return
}

// -----

func.func @map_captures(%x: tensor<8xf32>, %n: i32) {
  // expected-note @+1 {{required by region isolation constraints}}
  pallas.pallas_call grid(2) in(%x : tensor<8xf32>) block<[8], vmem> map(%i) {
      // D10
      // expected-error @+1 {{using value defined outside the region}}
      %p = arith.addi %i, %n : i32
      pallas.yield %p : i32
    } kernel(%a: !pallas.ref<8xf32, vmem>) {}
  return
}

// -----

func.func @kernel_captures(%x: tensor<8xf32>, %v: tensor<8xf32>) {
  // expected-note @+1 {{required by region isolation constraints}}
  pallas.pallas_call grid() in(%x : tensor<8xf32>) block<[8], vmem> kernel(%a: !pallas.ref<8xf32, vmem>) {
      // B10
      // expected-error @+1 {{using value defined outside the region}}
      pallas.swap %a[...], %v : !pallas.ref<8xf32, vmem>, tensor<8xf32>
    }
  return
}

// -----

func.func @kernel_blocks() {
  // V3
  // expected-error @+1 {{kernel must have exactly one block, but has 0}}
  "pallas.pallas_call"() <{grid = array<i64>, blockMappings = [], operandSegmentSizes = array<i32: 0, 0, 0, 0>}> ({}) : () -> ()
  return
}

// -----

func.func @kernel_arity(%x: tensor<8xf32>) {
  // B16, J8
  // expected-error @+1 {{kernel takes 0 arguments, but needs at least 1: 0 captured values, 0 indices, 0 index refs, 1 inputs and 0 outputs}}
  pallas.pallas_call grid() in(%x : tensor<8xf32>) block<[8], vmem> kernel() {}
  return
}

// -----

func.func @captured_type(%n: i32) {
  // B11
  // expected-error @+1 {{kernel argument 0 is for a captured value, so it must have type 'i32', but has type 'i64'}}
  pallas.pallas_call grid() captures(%n : i32)
    // expected-note @+1 {{declared here}}
    kernel(%a: i64) {}
  return
}

// -----

func.func @block_type(%x: tensor<8x4xf32>) {
  // E1, D6
  // expected-error @+1 {{kernel argument 0 is the block of input 0, so it must have type '!pallas.ref<4xf32, vmem>', but has type '!pallas.ref<1x4xf32, vmem>'}}
  pallas.pallas_call grid(8) in(%x : tensor<8x4xf32>) block<[squeezed, 4], vmem> map(%i) -> (%i, 0)
    // expected-note @+1 {{declared here}}
    kernel(%a: !pallas.ref<1x4xf32, vmem>) {}
  return
}

// -----

func.func @scratch_type() {
  // A8
  // expected-error @+1 {{scratch argument 0 of the kernel must be a ref, but has type 'tensor<8xf32>'; pass values as inputs}}
  pallas.pallas_call grid() kernel(%a: tensor<8xf32>) {}
  return
}

// -----

func.func @scratch_shape() {
  // J8
  // expected-error @+1 {{scratch argument 0 of the kernel has type '!pallas.ref<?xf32, vmem>', but memory of unknown size cannot be reserved}}
  pallas.pallas_call grid() kernel(%a: !pallas.ref<?xf32, vmem>) {}
  return
}

// -----

func.func @scratch_space() {
  // J8
  // expected-error @+1 {{scratch argument 0 of the kernel has type '!pallas.ref<8xf32, semaphore>', but semaphore memory holds semaphores only}}
  pallas.pallas_call grid() kernel(%a: !pallas.ref<8xf32, semaphore>) {}
  return
}

// -----

func.func @mutable_index_ref(%t: tensor<4xi32>, %x: tensor<8xf32>) {
  // J8
  // expected-error @+1 {{index map of input 0 reads index operand 0, which the kernel writes: maps run ahead of the kernel}}
  pallas.pallas_call grid(2) prefetch(%t : tensor<4xi32>) in(%x : tensor<8xf32>) block<[8], vmem> map(%i, %r) {
      %b = pallas.get %r[%i] : !pallas.ref<4xi32, smem>
      pallas.yield %b : i32
    } kernel(%r: !pallas.ref<4xi32, smem>, %a: !pallas.ref<8xf32, vmem>) {
      %c = arith.constant 1 : i32
      %s = pallas.slice_ref %r[ds(0, 2)] : !pallas.ref<4xi32, smem>
      // expected-note @+1 {{written here}}
      pallas.swap %s[0], %c : !pallas.ref<2xi32, smem>, i32
    }
  return
}

// -----

func.func @kernel_results() {
  // B9
  // expected-error @+1 {{kernel must return nothing, but returns 1 values; write results through output refs}}
  pallas.pallas_call grid() kernel() {
    %c = arith.constant 1 : i32
    // expected-note @+1 {{yielded here}}
    pallas.yield %c : i32
  }
  return
}

// -----

// B21: a ref is no value, so operations on values do not take it.
func.func @ref_in_arithmetic(%r: !pallas.ref<8xf32, vmem>) {
  // expected-error @+1 {{'arith.addf' op operand #0 must be floating-point-like, but got '!pallas.ref<8xf32, vmem>'}}
  %0 = "arith.addf"(%r, %r) : (!pallas.ref<8xf32, vmem>, !pallas.ref<8xf32, vmem>) -> !pallas.ref<8xf32, vmem> // B21
  return
}

// -----

func.func @pipeline_size(%x: !pallas.ref<8xf32, hbm>) {
  // V6
  // expected-error @+1 {{grid dimension 0 has size 0; a pipeline needs sizes of at least 1}}
  pallas.emit_pipeline grid(0) kernel(%i: i32) {}
  return
}

// -----

func.func @pipeline_index_maps(%x: !pallas.ref<8xf32, hbm>) {
  // J1
  // expected-error @+1 {{has 1 block mappings, but 0 index maps}}
  "pallas.emit_pipeline"(%x) <{grid = array<i64: 1>, blockMappings = [#pallas.block<[8], vmem>], operandSegmentSizes = array<i32: 0, 1, 0, 0>}> ({
    pallas.yield
  }) : (!pallas.ref<8xf32, hbm>) -> ()
  return
}

// -----

func.func @pipeline_carry(%c: i32) {
  // V7
  // expected-error @+1 {{carries values of types 'i32', but has results 'i64'}}
  %0 = "pallas.emit_pipeline"(%c) <{grid = array<i64: 1>, blockMappings = [], operandSegmentSizes = array<i32: 0, 0, 0, 1>}> ({
  ^bb0(%i: i32, %a: i32):
    pallas.yield %a : i32
  }) : (i32) -> i64
  return
}

// -----

func.func @pipeline_index() {
  // V7
  // expected-error @+1 {{kernel argument 0 is a grid index, so it must have type i32, but has type 'index'}}
  pallas.emit_pipeline grid(2) kernel(%i: index) {}
  return
}

// -----

func.func @pipeline_carried_argument(%c: i32) {
  // V7
  // expected-error @+1 {{kernel argument 1 is carried, so it must have type 'i32', but has type 'i64'}}
  %0 = pallas.emit_pipeline grid(2) carry(%c : i32) kernel(%i: i32, %a: i64) {
    pallas.yield %c : i32
  }
  return
}

// -----

func.func @pipeline_yield(%c: i32) {
  // V3
  // expected-error @+1 {{kernel must yield values of types 'i32', but yields}}
  %0 = pallas.emit_pipeline grid(2) carry(%c : i32) kernel(%i: i32, %a: i32) {
    // expected-note @+1 {{yielded here}}
    pallas.yield
  }
  return
}

// -----

func.func @pipeline_output_twice(%x: !pallas.ref<8xf32, hbm>) {
  // W4
  // expected-error @+1 {{output 1 is a ref that is an output already; two windows of one ref would overwrite each other}}
  pallas.emit_pipeline grid(1) out(%x : !pallas.ref<8xf32, hbm>) block<[8], vmem> out(%x : !pallas.ref<8xf32, hbm>) block<[8], vmem>
    kernel(%i: i32, %a: !pallas.ref<8xf32, vmem>, %b: !pallas.ref<8xf32, vmem>) {}
  return
}

// -----

func.func @pipeline_steps() {
  // V8
  // expected-error @+1 {{max_concurrent_steps must be at least 1, but is 0}}
  pallas.emit_pipeline grid(1) attributes {maxConcurrentSteps = 0 : i64} kernel(%i: i32) {}
  return
}

// -----

func.func @pipeline_warpgroups() {
  // V8
  // expected-error @+1 {{needs at least 1 compute warpgroup, but has -1}}
  pallas.emit_pipeline grid(1) attributes {numComputeWarpgroups = -1 : i64} kernel(%i: i32) {}
  return
}

// -----

func.func @pipeline_release(%x: !pallas.ref<8xf32, hbm>) {
  // V8
  // expected-error @+1 {{block 0 is released 2 steps late, but only 2 steps run at once; delay_release must be smaller}}
  pallas.emit_pipeline grid(1) in(%x : !pallas.ref<8xf32, hbm>) block<[8], smem, pipeline = <2, delay_release 2>>
    attributes {maxConcurrentSteps = 2 : i64} kernel(%i: i32, %a: !pallas.ref<8xf32, smem>) {}
  return
}

// -----

func.func @pipeline_lookahead(%x: !pallas.ref<8xf32, hbm>) {
  // V8
  // expected-error @+1 {{output 0 has lookahead, but only inputs are fetched ahead}}
  pallas.emit_pipeline grid(1) out(%x : !pallas.ref<8xf32, hbm>) block<[8], vmem, pipeline = <2, lookahead>>
    kernel(%i: i32, %a: !pallas.ref<8xf32, vmem>) {}
  return
}

// -----

func.func @pipeline_indirect(%x: !pallas.ref<8xf32, hbm>) {
  // D12
  // expected-error @+1 {{index map of input 0 must return 4 indices for an indirect dimension, but result 0 has type 'i32'; return a tensor or a ref of that many integers}}
  pallas.emit_pipeline grid(1) in(%x : !pallas.ref<8xf32, hbm>) block<[indirect<4>], vmem> map(%i) {
      // expected-note @+1 {{returned here}}
      pallas.yield %i : i32
    } kernel(%i: i32, %a: !pallas.ref<4xf32, vmem>) {}
  return
}

// -----

func.func @pipeline_bounded(%x: !pallas.ref<8xf32, hbm>) {
  // D9
  // expected-error @+1 {{index map of input 0 must return 2 values, but returns 1; return one per block dimension, and a start and a size for a bounded one}}
  pallas.emit_pipeline grid(1) in(%x : !pallas.ref<8xf32, hbm>) block<[bounded<4>], vmem> map(%i) {
      // expected-note @+1 {{returned here}}
      pallas.yield %i : i32
    } kernel(%i: i32, %a: !pallas.ref<4xf32, vmem>) {}
  return
}
