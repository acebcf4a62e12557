// RUN: pallas-opt %s --split-input-file --verify-diagnostics

func.func @matmul(%a: vector<16x128xf32>, %b: vector<128x256xf32>, %c: vector<16x256xf32>) {
  // expected-error @below {{gives 'vector<16x256xbf16>' for an accumulator of type 'vector<16x256xf32>'; both are equal}}
  %0 = tpu.matmul %a, %b, %c {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>, transpose_lhs_hint = false} : vector<16x128xf32>, vector<128x256xf32>, vector<16x256xf32> -> vector<16x256xbf16>
  return
}

// -----

func.func @matmul(%a: vector<16x128xi8>, %b: vector<128x256xbf16>, %c: vector<16x256xi32>) {
  // expected-error @below {{accumulates 'i32' elements of 'bf16' operands; use an f32 accumulator}}
  %0 = tpu.matmul %a, %b, %c {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>, transpose_lhs_hint = false} : vector<16x128xi8>, vector<128x256xbf16>, vector<16x256xi32> -> vector<16x256xi32>
  return
}

// -----

func.func @matmul(%a: vector<16x128xf32>, %b: vector<128x256xf32>, %c: vector<16x256xbf16>) {
  // expected-error @below {{accumulates 'bf16' elements; use f32 or i32 and convert the result}}
  %0 = tpu.matmul %a, %b, %c {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>, transpose_lhs_hint = false} : vector<16x128xf32>, vector<128x256xf32>, vector<16x256xbf16> -> vector<16x256xbf16>
  return
}

// -----

func.func @matmul(%a: vector<16x128xf32>, %b: vector<128x256xf32>, %c: vector<16x256xf32>) {
  // expected-error @below {{has transpose_lhs set, which is not supported; use dimension_numbers instead}}
  %0 = tpu.matmul %a, %b, %c {transpose_lhs = true, transpose_lhs_hint = false} : vector<16x128xf32>, vector<128x256xf32>, vector<16x256xf32> -> vector<16x256xf32>
  return
}

// -----

func.func @matmul(%a: vector<16x128xf32>, %b: vector<128x256xf32>, %c: vector<16x256xf32>) {
  // expected-error @below {{has contracting dimension 1 of lhs of size 128 and dimension 1 of rhs of size 256; they are equal}}
  %0 = tpu.matmul %a, %b, %c {dimension_numbers = #tpu.dot_dimension_numbers<[1], [1], [0], [0], [0, 0, 1, 0], [], []>, transpose_lhs_hint = false} : vector<16x128xf32>, vector<128x256xf32>, vector<16x256xf32> -> vector<16x256xf32>
  return
}

// -----

func.func @matmul(%a: vector<16x128xf32>, %b: vector<128x256xf32>, %c: vector<16x256xf32>) {
  // expected-error @below {{does not list dimension 0 of lhs; contracting, non-contracting and batch dimensions cover the operand}}
  %0 = tpu.matmul %a, %b, %c {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [], [1], [1, 1], [], []>, transpose_lhs_hint = false} : vector<16x128xf32>, vector<128x256xf32>, vector<16x256xf32> -> vector<16x256xf32>
  return
}

// -----

func.func @matmul(%a: vector<16x128xf32>, %b: vector<128x256xf32>, %c: vector<16x256xf32>) {
  // expected-error @below {{names dimension 1 of lhs twice}}
  %0 = tpu.matmul %a, %b, %c {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [1], [1], [0, 0, 1, 1], [], []>, transpose_lhs_hint = false} : vector<16x128xf32>, vector<128x256xf32>, vector<16x256xf32> -> vector<16x256xf32>
  return
}

// -----

func.func @matmul(%a: vector<16x128xf32>, %b: vector<128x256xf32>, %c: vector<16x256xf32>) {
  // expected-error @below {{has output order [1, 1, 0, 0]; batch, lhs and rhs dimensions make [0, 0, 1, 1]}}
  %0 = tpu.matmul %a, %b, %c {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [1, 1, 0, 0], [], []>, transpose_lhs_hint = false} : vector<16x128xf32>, vector<128x256xf32>, vector<16x256xf32> -> vector<16x256xf32>
  return
}

// -----

func.func @matmul(%a: vector<16x128xf32>, %b: vector<128x256xf32>, %c: vector<16x256xf32>) {
  // expected-error @below {{has dimension 2 of lhs, which is not in [0, 2)}}
  %0 = tpu.matmul %a, %b, %c {dimension_numbers = #tpu.dot_dimension_numbers<[2], [0], [0], [1], [0, 0, 1, 1], [], []>, transpose_lhs_hint = false} : vector<16x128xf32>, vector<128x256xf32>, vector<16x256xf32> -> vector<16x256xf32>
  return
}

// -----

func.func @matmul(%a: vector<16x128xf32>, %b: vector<128x256xf32>, %c: vector<8x256xf32>) {
  // expected-error @below {{has an accumulator of type 'vector<8x256xf32>', but the product is 'vector<16x256xf32>'}}
  %0 = tpu.matmul %a, %b, %c {dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>, transpose_lhs_hint = false} : vector<16x128xf32>, vector<128x256xf32>, vector<8x256xf32> -> vector<8x256xf32>
  return
}

// -----

func.func @matmul(%a: vector<16x128xf32>, %b: vector<256x128xf32>, %c: vector<16x256xf32>) {
  // expected-error @below {{has contracting dimension 1 of lhs of size 128 and dimension 0 of rhs of size 256; they are equal}}
  %0 = tpu.matmul %a, %b, %c {transpose_rhs = true, dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>, transpose_lhs_hint = false} : vector<16x128xf32>, vector<256x128xf32>, vector<16x256xf32> -> vector<16x256xf32>
  return
}

// -----

func.func @matmul(%a: vector<4x16x128xf32>, %b: vector<4x128x256xf32>, %c: vector<4x16x256xf32>) {
  // expected-error @below {{does not list dimension 0 of rhs; contracting, non-contracting and batch dimensions cover the operand}}
  %0 = tpu.matmul %a, %b, %c {dimension_numbers = #tpu.dot_dimension_numbers<[2], [1], [1], [2], [0, 0, 0, 1, 1, 2], [0], []>, transpose_lhs_hint = false} : vector<4x16x128xf32>, vector<4x128x256xf32>, vector<4x16x256xf32> -> vector<4x16x256xf32>
  return
}

// -----

func.func @matmul(%a: vector<3x16x128xf32>, %b: vector<4x128x256xf32>, %c: vector<4x16x256xf32>) {
  // expected-error @below {{has batch dimension 0 of lhs of size 3 and dimension 0 of rhs of size 4; they are equal}}
  %0 = tpu.matmul %a, %b, %c {dimension_numbers = #tpu.dot_dimension_numbers<[2], [1], [1], [2], [0, 0, 0, 1, 1, 2], [0], [0]>, transpose_lhs_hint = false} : vector<3x16x128xf32>, vector<4x128x256xf32>, vector<4x16x256xf32> -> vector<4x16x256xf32>
  return
}

// -----

func.func @matmul(%a: vector<4x16x128xf32>, %b: vector<4x128x256xf32>, %c: vector<4x16x256xf32>) {
  // expected-error @below {{has non-contracting dimensions of lhs out of order; sort them}}
  %0 = tpu.matmul %a, %b, %c {dimension_numbers = #tpu.dot_dimension_numbers<[2], [1], [1, 0], [2, 0], [0, 0, 0, 1, 1, 2], [], []>, transpose_lhs_hint = false} : vector<4x16x128xf32>, vector<4x128x256xf32>, vector<4x16x256xf32> -> vector<4x16x256xf32>
  return
}

// -----

func.func @matmul(%a: vector<4x16x128xf32>, %b: vector<128x256xf32>, %c: vector<4x16x256xf32>) {
  // expected-error @below {{has 1 batch dimensions of lhs and 0 of rhs; they pair up}}
  %0 = tpu.matmul %a, %b, %c {dimension_numbers = #tpu.dot_dimension_numbers<[2], [0], [1], [1], [0, 0, 0, 1, 1, 1], [0], []>, transpose_lhs_hint = false} : vector<4x16x128xf32>, vector<128x256xf32>, vector<4x16x256xf32> -> vector<4x16x256xf32>
  return
}
