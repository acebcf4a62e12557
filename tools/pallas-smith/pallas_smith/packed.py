# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random views of refs whose elements have another width, so that several rows are one row, or one row is several.

Parts of such views are read, written and copied, with starts that are constants or known at run time, and pipelines run over views.
"""
import numpy as np

from .copies import Copies

FIRST = 50_000_000
WIDTHS = {"int8": 8, "uint8": 8, "int16": 16, "bfloat16": 16, "int32": 32, "uint32": 32, "float32": 32}

# Bodies of kernels: `copy` moves a ref, `part` is what the view selects; the output starts as a copy of `y`. The last two
# go row by row.
WAYS = (
    ["copy(part(x), small)", "copy(small, part(o))"],
    ["copy(x, buf)", "copy(o, out)", "value = part(buf)[...]", "part(out)[...] = value", "copy(out, o)"],
    ["copy(x, buf)", "copy(o, out)", "small[...] = part(buf)[...]", "part(out)[...] = small[...]", "copy(out, o)"],
    ["copy(x, buf)", "copy(part(buf), small)", "copy(small, part(o))"],
    ["copy(x, buf)", "copy(o, out)", "@pl.loop(0, ROWS)", "def _(i):", "  part(out)[row(i)] = part(buf)[row(i)]", "copy(out, o)"],
    ["@pl.loop(0, ROWS)", "def _(i):", "  copy(part(x).at[row(i)], small.at[row(i)])", "copy(small, part(o))"],
)

# What the view of an array holds, by JAX outside of kernels.
MODEL = """def packed(a, dtype, count):
  *lead, rows, lanes = a.shape
  if count < 1:
    return jnp.swapaxes(lax.bitcast_convert_type(a, dtype), -1, -2).reshape(*lead, -1, lanes)
  return lax.bitcast_convert_type(jnp.swapaxes(a.reshape(*lead, rows // count, count, lanes), -1, -2), dtype)
"""


class Packed(Copies):
  """A kernel in the making: the part `index` of the view of an array of `shape` replaces the same part of the output."""

  def __init__(self, seed):
    super().__init__(seed, tuple(WIDTHS))
    rng = self.rng
    # Of integers, as moving floats may change those that are no numbers.
    self.other = rng.choice([d for d in WIDTHS if "int" in d and WIDTHS[d] != WIDTHS[self.dtype]])
    self.ratio = WIDTHS[self.other] / WIDTHS[self.dtype]
    self.shape = [*rng.choice(((), (), (3,), (2, 2))), rng.choice((8, 16, 24, 32, 40, 64)), rng.choice((64, 128, 128, 200))]
    self.view = [*self.shape[:-2], int(self.shape[-2] / self.ratio), self.shape[-1]]
    self.table_of_numbers = [0]

  def number(self, value):
    """A constant, or an element of the table."""
    if self.rng.random() < .5:
      return str(value)
    self.table_of_numbers.append(value)
    return f"t[{len(self.table_of_numbers) - 1}]"

  def index(self):
    """Parts of the leading dimensions, of rows and of lanes: the text of each, how the model spells it, and its length, none for one element."""
    rng, parts = self.rng, []
    for dim, n in enumerate(self.view):
      lanes, rows = dim == len(self.view) - 1, dim == len(self.view) - 2
      kind = rng.choice(("all", "all", "some", "last" if lanes else "some" if rows else "one"))
      size = {"all": n, "last": 64}.get(kind) or rng.choice([k for k in (1, 2, 3, 4, 8) if k <= n])
      start = rng.choice((0, n - size, rng.randrange(n - size + 1)))
      if kind == "all":
        parts.append((":", ":", n))
      elif kind == "one":
        parts.append((self.number(start), str(start), None))
      else:
        parts.append((f"pl.ds({self.number(start)}, {size})", f"{start}:{start + size}", size))
    return parts

  def pipeline(self):
    """Blocks of whole rows of the array, the last of them partial at times, that a pipeline copies from view to view. JAX moves elements,
    and partial blocks, by whole tiles."""
    rng, rows, lanes = self.rng, *self.view[-2:]
    size = rng.choice([k for k in (1, 2, 4, 8, 16) if k <= rows and k * self.ratio % 1 == 0 and (k % 8 == 0 or rows % k == 0)] or [rows])
    kind = rng.choice(("blocked", "blocked", "squeezed" if size == 1 else "element" if size == 8 and lanes == 128 else "blocked"))
    extent, start = {"squeezed": ("None", "i"), "blocked": (size, "i"), "element": (f"pl.Element({size})", f"jnp.minimum(i * {size}, {rows - size})")}[kind]
    lead = [f"j{d}" for d in range(len(self.view) - 2)]
    block = ", ".join([*["None"] * len(lead), str(extent), f"pl.Element({lanes})" if kind == "element" else str(lanes)])
    spec = f"pl.BlockSpec(({block}), lambda {', '.join([*lead, 'i'])}: ({', '.join([*lead, start])}, 0))"
    grid = ", ".join(map(str, [*self.view[:-2], -(-rows // size)]))
    views = ", ".join(f"{array}.bitcast(jnp.{self.other})" for array in "xo")
    return ["def body(a, b): b[...] = a[...]", f"pltpu.emit_pipeline(body, grid=({grid},), in_specs=[{spec}], out_specs=[{spec}])({views})"]

  def text(self):
    parts = self.index()
    shape = [size for _, _, size in parts if size]
    place = ", ".join(model for _, model, _ in parts)
    row = ", ".join(["slice(None)"] * (len(shape) - 2) + ["pl.ds(i, 1)"])
    body = [line.replace("ROWS", str(shape[-2])) for line in self.rng.choice(WAYS)]
    if self.rng.random() < .25:
      place, body = "...", self.pipeline()
    lines = ["def copy(a, b):", "  moved = pltpu.make_async_copy(a, b, sem)", "  moved.start()", "  moved.wait()",
             f"part = lambda a: a.bitcast(jnp.{self.other}).at[{', '.join(text for text, _, _ in parts)}]",
             f"row = lambda i: ({row},)", *body]
    count = f"{self.ratio:g}" if self.ratio < 1 else f"{self.ratio:.0f}"
    back = f"{1 / self.ratio:g}"
    model = [f"v, w = (packed(a, jnp.{self.other}, {count}) for a in (x, y))",
             f"return packed(w.at[{place}].set(v[{place}]), jnp.{self.dtype}, {back})"]
    self.made.append(np.array(self.table_of_numbers, np.int32))
    self.array(*self.shape)
    self.array(*self.shape)
    small = f"pltpu.VMEM({tuple(shape)}, jnp.{self.other})"
    return MODEL + "\n\n" + self.call(["t", "x", "y", "o", "buf", "out", "small", "sem"], lines, model, inputs=2, output=tuple(self.shape), aliases="2: 0",
                                      scratch=[self.vmem(*self.shape)] * 2 + [small, "pltpu.SemaphoreType.DMA"])
