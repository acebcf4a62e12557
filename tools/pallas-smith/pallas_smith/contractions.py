"""Random Pallas kernels around a contraction of operands of different element types.

Operands and result are of any types that JAX takes together, each operand in either layout, perhaps with a
batch dimension; the sum may run over steps of the grid, and scales, a bias or another function may follow.
"""
import dataclasses
import random

import numpy as np
from .kernels import HEADER, Kernel

# Numbers of kernels of this form.
FIRST = 6000000
FLOATS = ("float32", "bfloat16", "float16")
NARROW_FLOATS = ("float8_e4m3fn", "float8_e5m2")
WORDS = ("int16", "uint16", "int32", "uint32")
# Nibbles and booleans come as bytes, which the kernel converts.
BYTES = ("int8", "int8", "int8", "uint8", "uint8", "int4", "uint4", "bool")
STORED = {"int4": "int8", "uint4": "uint8", "bool": "int8"}


@dataclasses.dataclass
class ContractionKernel(Kernel):

  def arrays(self):
    import ml_dtypes
    rng = np.random.default_rng(self.seed)
    made = []
    for shape, dtype, bound in self.inputs:
      if dtype.startswith("float8") or dtype in FLOATS:
        # Quarters, so that products are exact and sums nearly so.
        made.append((rng.integers(-6, 7, shape) / 4).astype(getattr(ml_dtypes, dtype, dtype)))
      else:
        low = 0 if dtype.startswith("uint") else -bound
        made.append(rng.integers(low, bound, shape).astype(dtype))
    return made


def _draw_types(rng):
  """Types of the operands, and of the sum."""
  groups = [FLOATS, FLOATS, NARROW_FLOATS, BYTES, BYTES, BYTES, WORDS]
  while True:
    lhs, rhs = (rng.choice(rng.choice(groups)) for _ in range(2))
    # Of nibbles of one type, JAX's interpreter has no sum.
    if lhs != rhs or lhs not in ("int4", "uint4"):
      break
  if any(t.startswith(("float", "bfloat")) for t in (lhs, rhs)):
    return lhs, rhs, rng.choice(("float32", "float32", "float32", "bfloat16", "float16"))
  return lhs, rhs, rng.choice(("int32", "int32", "float32"))


def _bound(dtype, other):
  """Integers below it, so that sums of floats stay small."""
  if dtype in ("int4", "uint4"):
    return 8
  if dtype == "bool":
    return 2
  return 4 if other.startswith("float8") else 100


def _operand(rng, names, sizes, blocks, tiles):
  """Names of the dimensions in some order, the shape, and the text of the BlockSpec."""
  axes = list(names)
  if rng.random() < .35:
    axes[-1], axes[-2] = axes[-2], axes[-1]
  # A window is a multiple of a tile, or the whole array.
  shape = tuple(sizes[a] for a in axes)
  window = []
  for position, axis in enumerate(axes):
    tile = tiles[position - len(axes)] if len(axes) - position <= 2 else 1
    window.append(blocks[axis] if blocks[axis] % tile == 0 else sizes[axis])
  return axes, shape, window


def _sizes(rng, tiles):
  """Sizes of all dimensions, and of their blocks."""
  big = max(tiles)
  sizes, blocks = {}, {}
  for axis, unit in (("m", tiles[0]), ("n", big), ("k", big)):
    blocks[axis] = unit * rng.choice((1, 1, 2, 3) if axis == "m" else (1, 1, 2))
    sizes[axis] = blocks[axis] * rng.choice((1, 1, 2))
  sizes["b"], blocks["b"] = rng.choice((1, 2, 3)), 1
  return sizes, blocks


def _steps(sizes, windows):
  """Into how many blocks each dimension is cut, where all windows of it agree."""
  counts = {}
  for axes, window in windows:
    for axis, length in zip(axes, window):
      counts.setdefault(axis, set()).add(length)
  return {axis: sizes[axis] // lengths.pop() if len(lengths) == 1 else 1 for axis, lengths in counts.items()}


def make(seed: int, tiles=(8, 16)) -> Kernel:
  """The kernel with this number, always the same one."""
  rng = random.Random(seed)
  lhs, rhs, total = _draw_types(rng)
  sizes, blocks = _sizes(rng, tiles)
  batch = "b" if rng.random() < .25 else ""
  left, left_shape, left_window = _operand(rng, batch + "mk", sizes, blocks, tiles)
  right, right_shape, right_window = _operand(rng, batch + "kn", sizes, blocks, tiles)
  out = list(batch + "mn")
  out_window = [blocks[a] for a in out]
  steps = _steps(sizes, [(left, left_window), (right, right_window), (out, out_window)])
  for axes, window in ((left, left_window), (right, right_window), (out, out_window)):
    for i, axis in enumerate(axes):
      if steps[axis] == 1:
        window[i] = sizes[axis]
  # Sums over steps are kept in 32 bits.
  sums = total if steps["k"] == 1 else "int32" if total == "int32" else "float32"
  result = rng.choice((total, total, "float32", "bfloat16")) if total != "int32" else rng.choice(("int32", "int32", "float32"))
  inputs = [(left_shape, STORED.get(lhs, lhs), _bound(lhs, rhs)), (right_shape, STORED.get(rhs, rhs), _bound(rhs, lhs))]
  after = rng.choice(("none", "scale", "bias", "clip", "twice"))
  if after in ("scale", "bias"):
    inputs.append(((1, sizes["n"]), "float32", 0))
  grid_axes = [a for a in (*batch, "m", "n", "k") if a in steps]
  grid = [steps[a] for a in grid_axes]

  def spec(axes, window):
    at = ", ".join(f"i_{a}" if a in grid_axes else "0" for a in axes)
    return f"pl.BlockSpec({tuple(window)}, lambda {', '.join(f'i_{a}' for a in grid_axes)}: ({at}{',' if len(axes) == 1 else ''}))"

  specs = [spec(left, left_window), spec(right, right_window)]
  if after in ("scale", "bias"):
    specs.append(spec(["_", "n"], [1, out_window[out.index("n")]]))
  numbers = (((left.index("k"),), (right.index("k"),)), ((left.index("b"),), (right.index("b"),)) if batch else ((), ()))
  precision = rng.choice(("", "", ", precision=lax.Precision.HIGHEST"))
  lines = _body(rng, lhs, rhs, numbers, precision, sums, result, after, steps["k"], grid_axes.index("k"), len(out))
  window = tuple(out_window)
  source = (f"{HEADER}\ndef kernel(x, w, {'v, ' if after in ('scale', 'bias') else ''}o{', acc' if steps['k'] > 1 else ''}):\n"
            + "".join(f"  {line}\n" for line in lines)
            + "\ndef call(*arrays, interpret=False):\n"
            f"  return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct({tuple(sizes[a] for a in out)}, jnp.{result}), grid={tuple(grid)},\n"
            f"    in_specs=[{', '.join(specs)}],\n    out_specs={spec(out, out_window)},\n"
            f"    scratch_shapes=[{f'pltpu.VMEM({window}, jnp.{sums})' if steps['k'] > 1 else ''}], interpret=interpret)(*arrays)\n")
  return ContractionKernel(seed, source, inputs, result)


def _body(rng, lhs, rhs, numbers, precision, sums, result, after, steps, axis, rank):
  def read(ref, dtype):
    return f"{ref}[...].astype(jnp.{dtype.replace('bool', 'bool_')})" if dtype in STORED else f"{ref}[...]"

  lines = [f"a, b = {read('x', lhs)}, {read('w', rhs)}",
           f"s = lax.dot_general(a, b, {numbers}, preferred_element_type=jnp.{sums}{precision})"]
  if steps > 1:
    lines = [f"step = pl.program_id({axis})", "@pl.when(step == 0)", "def _():", "  acc[...] = jnp.zeros_like(acc)", *lines, "acc[...] += s",
             f"@pl.when(step == {steps - 1})", "def _():", "  s = acc[...]"]
  spread = f"v[...].reshape({'1, ' * (rank - 1)}-1)" if rank == 3 else "v[...]"
  finish = {"none": f"s.astype(jnp.{result})", "scale": f"(s.astype(jnp.float32) * {spread}).astype(jnp.{result})",
            "bias": f"(s.astype(jnp.float32) + {spread}).astype(jnp.{result})", "clip": f"jnp.clip(s, -50, 50).astype(jnp.{result})",
            "twice": f"(s + s).astype(jnp.{result})"}[after]
  # What a float is between two integers depends on how it was summed up.
  if result == "int32" and after in ("scale", "bias"):
    finish = f"s + {spread}.astype(jnp.int32)"
  return lines + [("  " if steps > 1 else "") + f"o[...] = {finish}"]
