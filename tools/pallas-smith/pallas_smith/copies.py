# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What kernels that copy by themselves have in common: their arguments and their text, with a model in JAX beside the kernel.

Values are small integers, so no order of sums changes them.
"""
import dataclasses
import random

import numpy as np

from .kernels import HEADER, Kernel


@dataclasses.dataclass
class CopyKernel(Kernel):
  made: list

  def arrays(self):
    return self.made


class Copies:
  """A kernel in the making; `text` of a family writes it, and adds its arguments."""

  def __init__(self, seed, dtypes):
    self.seed, self.rng, self.numbers, self.made = seed, random.Random(seed), np.random.default_rng(seed), []
    self.dtype = self.rng.choice(dtypes)

  @classmethod
  def make(cls, seed):
    """The kernel with this number, always the same one."""
    kernel = cls(seed)
    return CopyKernel(seed, f"{HEADER}\nANY = pl.BlockSpec(memory_space=pl.ANY)\n{kernel.text()}", [], kernel.dtype, kernel.made)

  def array(self, *shape):
    """Adds an argument of small numbers."""
    import ml_dtypes
    self.made.append(self.numbers.integers(-4, 5, shape).astype(getattr(ml_dtypes, self.dtype, self.dtype)))

  def table(self, *shape, below):
    self.made.append(self.numbers.integers(0, below, shape).astype(np.int32))

  def vmem(self, *shape):
    return f"pltpu.VMEM({shape}, jnp.{self.dtype})"

  def call(self, names, lines, model, *, grid="()", prefetch=1, inputs, output, out_spec="ANY", scratch=(), aliases="", extra=""):
    """The text of a kernel with `names`, and of what it gives."""
    body = "".join(f"  {line}\n" for line in lines)
    wanted = "".join(f"  {line}\n" for line in model)
    arguments = ", ".join(names[:prefetch + inputs])
    return (f"def kernel({', '.join(names)}):\n{body}\ndef model({arguments}):\n{wanted}\n"
            f"def call({arguments}, interpret=False):\n  if interpret:\n    return model({arguments})\n"
            f"  spec = pltpu.PrefetchScalarGridSpec(num_scalar_prefetch={prefetch}, grid={grid}, in_specs=[{', '.join(['ANY'] * inputs)}],\n"
            f"    out_specs={out_spec}, scratch_shapes=[{', '.join(scratch)}])\n"
            f"  return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct({output}, jnp.{self.dtype}), grid_spec=spec,\n"
            f"    input_output_aliases={{{aliases}}}{extra})({arguments})\n")
