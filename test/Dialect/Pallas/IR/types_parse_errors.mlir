// RUN: pallas-opt %s --verify-diagnostics --split-input-file

// V23
// expected-error @+1 {{ref element must be a signless integer, a float, a semaphore or a barrier, but is 'ui32'}}
func.func private @unsigned(!pallas.ref<4xui32, vmem>)

// -----

// V23
// expected-error @+1 {{ref element must be a signless integer, a float, a semaphore or a barrier, but is 'i0'}}
func.func private @no_bits(!pallas.ref<4xi0, vmem>)

// -----

// expected-error @+1 {{for memory space, got: nowhere}}
func.func private @space(!pallas.ref<4xf32, nowhere>)

// -----

// expected-error @+1 {{unknown core 'gpu'; expected tensorcore, sc_scalar or sc_vector}}
func.func private @core(!pallas.ref<4xf32, vmem@gpu>)

// -----

// expected-error @+1 {{expected ','}}
func.func private @no_space(!pallas.ref<4xf32>)

// -----

// V23
// expected-error @+1 {{ref transform must be #pallas.tile, #pallas.swizzle, #pallas.transpose, #pallas.reshape, #pallas.bitcast or #pallas.tensor_memory, but is 1 : i64}}
func.func private @transform(!pallas.ref<4xf32, smem, [1]>)

// -----

// V23
// expected-error @+1 {{accumulator must have 2 static dimensions, m x n, but has the shape [4]}}
func.func private @accumulator(!pallas.accumulator<4xf32>)

// -----

// V23
// expected-error @+1 {{accumulator element must be a float or i32, but is 'i8'}}
func.func private @accumulator_element(!pallas.accumulator<4x4xi8>)

// -----

// V23
// expected-error @+1 {{barrier needs at least 1 arrival, but has 0}}
func.func private @arrivals(!pallas.ref<!pallas.barrier<numArrivals = 0>, smem>)

// -----

// V23
// expected-error @+1 {{tensor memory packs 3 elements into a column; pack 1, 2, 4 or 8}}
func.func private @packing(!pallas.ref<128x6xf16, tmem, [#pallas.tensor_memory<packing = 3>]>)

// -----

// V23
// expected-error @+1 {{collective axis must be a string, or an array of strings that count as one axis, but is 1 : i64}}
func.func private @axis(!pallas.ref<!pallas.cluster_barrier<collectiveAxes = [1], numArrivals = 1>, smem>)

// -----

// V23
// expected-error @+1 {{ref in smem has #pallas.tensor_memory<packing = 2>, which tells how tensor memory holds it; use it for refs in tmem}}
func.func private @packed_smem(!pallas.ref<128x64xf16, smem, [#pallas.tensor_memory<packing = 2>]>)

// -----

// V23
// expected-error @+1 {{collective axis must be a string, or an array of strings that count as one axis, but is [["x"], "y"]}}
func.func private @axis_group(!pallas.ref<!pallas.cluster_barrier<collectiveAxes = [[["x"], "y"]], numArrivals = 1>, smem>)

// -----

// V23
// expected-error @+1 {{collective axis must be a string, or an array of strings that count as one axis, but is []}}
func.func private @no_axis(!pallas.ref<!pallas.cluster_barrier<collectiveAxes = [[]], numArrivals = 1>, smem>)

// -----

// V23
// expected-error @+1 {{collective axis "x" is named twice; name each axis once}}
func.func private @axis_twice(!pallas.ref<!pallas.cluster_barrier<collectiveAxes = [["x", "y"], "x"], numArrivals = 1>, smem>)

// -----

// V23
// expected-error @+1 {{ref has several of [#pallas.tensor_memory<packing = 2>, #pallas.tensor_memory<>]; tensor memory holds it in one way}}
func.func private @two_ways(!pallas.ref<128x64xf16, tmem, [#pallas.tensor_memory<packing = 2>, #pallas.tensor_memory<>]>)
