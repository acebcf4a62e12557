// RUN: pallas-opt %s --verify-diagnostics --split-input-file

// D14
// expected-error @+1 {{block size must be at least 1, but is 0}}
func.func private @size() attributes {b = #pallas.block<[0], vmem>}

// -----

// D14
// expected-error @+1 {{padding must not be negative, but is (-1, 0)}}
func.func private @padding() attributes {b = #pallas.block<[element<4, -1, 0>], vmem>}

// -----

// D5, D7
// expected-error @+1 {{expected one of [blocked, squeezed, element, bounded, indirect] for kind of block dimension, got: every}}
func.func private @kind() attributes {b = #pallas.block<[every<4>], vmem>}

// -----

// expected-error @+1 {{unknown key 'color'; expected pipeline, transforms or origin}}
func.func private @key() attributes {b = #pallas.block<[4], vmem, color = 1>}

// -----

// V23
// expected-error @+1 {{ref transform must be}}
func.func private @transform() attributes {b = #pallas.block<[4], vmem, transforms = [1]>}

// -----

// V23
// expected-error @+1 {{a window needs at least 1 buffer, but has 0}}
func.func private @buffers() attributes {b = #pallas.buffered<0>}

// -----

// V23
// expected-error @+1 {{prefetched count must be between 0 and the 2 buffers, but is 3}}
func.func private @prefetched() attributes {b = #pallas.buffered<2, prefetched 3>}

// -----

// expected-error @+1 {{unknown buffering option 'fast'; expected lookahead, revisit, prefetched or delay_release}}
func.func private @option() attributes {b = #pallas.buffered<2, fast>}

// -----

// V23
// expected-error @+1 {{tile size must be at least 1, but is 0}}
func.func private @tile() attributes {b = #pallas.tile<8, 0>}

// -----

// V23
// expected-error @+1 {{swizzle must be 16, 32, 64 or 128 bytes, but is 48}}
func.func private @swizzle() attributes {b = #pallas.swizzle<48>}

// -----

// V23
// expected-error @+1 {{[0, 0] is not a permutation of 0 to 1}}
func.func private @transpose() attributes {b = #pallas.transpose<0, 0>}

// -----

// V23
// expected-error @+1 {{mesh axis "c" must have at least size 1, but has 0}}
func.func private @mesh() attributes {b = #pallas.mesh<tensorcore, [<core "c" = 0>]>}

// -----

// V23
// expected-error @+1 {{cost must not be negative, but is -1}}
func.func private @cost() attributes {b = #pallas.cost<flops = -1, transcendentals = 0, bytesAccessed = 0>}

// -----

// V23
// expected-error @+1 {{delay_release must not be negative, but is -1}}
func.func private @delay() attributes {b = #pallas.block<[8], vmem, pipeline = <2, delay_release -1>>}

// -----

// N2: an ellipsis stands alone, so there cannot be two.
// expected-error @+1 {{expected ']'}}
func.func private @ellipsis() attributes {b = #pallas.indexer<[..., 0]>} // N2
