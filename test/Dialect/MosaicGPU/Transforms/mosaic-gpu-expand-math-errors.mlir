// RUN: pallas-opt %s --mosaic-gpu-expand-math --split-input-file --verify-diagnostics

func.func @powf(%x: vector<128xf32>) -> vector<128xf32> {
  // expected-error @below {{'math.powf' op has no form on vectors in jaxlib 0.10.2; compute it by operations of arith and by math.exp, exp2, log, rsqrt, sin, cos and tanh}}
  %0 = math.powf %x, %x : vector<128xf32>
  return %0 : vector<128xf32>
}

// -----

func.func @half(%x: vector<128xf16>) -> vector<128xf16> {
  // expected-error @below {{'math.sqrt' op has no form on vectors in jaxlib 0.10.2}}
  %0 = math.sqrt %x : vector<128xf16>
  return %0 : vector<128xf16>
}

// -----

func.func @remainder(%x: vector<128xf32>) -> vector<128xf32> {
  // expected-error @below {{'arith.remf' op has no form on vectors in jaxlib 0.10.2}}
  %0 = arith.remf %x, %x : vector<128xf32>
  return %0 : vector<128xf32>
}

// -----

func.func @nibbles(%x: vector<128xi4>) -> vector<128xi4> {
  // expected-error @below {{'arith.addi' op has no form on vectors in jaxlib 0.10.2}}
  %0 = arith.addi %x, %x : vector<128xi4>
  return %0 : vector<128xi4>
}
