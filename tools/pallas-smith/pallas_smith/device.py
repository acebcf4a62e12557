"""Random Pallas kernels with what only the device has, where there is nothing to compare with: random bits, rounding
by chance, checks, starts known to be multiples, and numbers of buffers. Around it are the forms of `random_forms`."""
import dataclasses

from . import forms
from .forms import FormBody, FormWindows, FormWriter

# Numbers of kernels of these forms.
FIRST = 8000000


class DeviceWindows(FormWindows):
  """Inputs choose how many buffers they have."""

  def input(self, dtype):
    operand = super().input(dtype)
    if self.rng.random() < .4 and operand.spec.endswith(")") and "pipeline_mode" not in operand.spec:
      count = self.rng.choice((2, 3) if self.inside else (1, 2, 3))
      return dataclasses.replace(operand, spec=f"{operand.spec[:-1]}, pipeline_mode=pl.Buffered({count}))")
    return operand


class DeviceBody(FormBody):

  def step(self):
    if self.rng.random() < .35:
      return self.rng.choice((self.bits, self.rounded, self.checked, self.multiple))()
    return super().step()

  def _point(self):
    return "pl.program_id(0)" if self.windows.grid else "jnp.int32(1)"

  def _draw_bits(self):
    self.lines += [f"pltpu.prng_seed({self.rng.choice(('3', self._point(), f'5, {self._point()}'))})",
                   f"bits = lax.bitcast_convert_type(pltpu.prng_random_bits({self.shape}), jnp.uint32)"]

  def bits(self):
    a = self.pick(full=True)
    self._draw_bits()
    noise = self.rng.choice(("(bits & 7)", "(bits >> 29)", "(bits % 5)"))
    return self.define(f"{a.name} + {noise}.astype(jnp.int32).astype(jnp.{self.dtype})", self.shape, False)

  def rounded(self):
    a = self.pick(full=True)
    self._draw_bits()
    return self.define(f"pltpu.stochastic_round({a.name}.astype(jnp.float32), bits, target_dtype=jnp.bfloat16).astype(jnp.float32).astype(jnp.{self.dtype})",
                       self.shape, False)

  def checked(self):
    a = self.pick(full=True)
    self.lines += [f"point = jnp.int32({self._point()})", "with pl.enable_debug_checks(True):", "  pl.debug_check(point >= 0, 'no program has this number')",
                   f"@pl.when(point > {self.rng.randrange(3)})", "def _():", "  with pl.enable_debug_checks(True):",
                   "    pl.debug_check(point < 1000, 'there are fewer programs')"]
    return self.define(f"{a.name} + point.astype(jnp.{self.dtype})", self.shape, False)

  def multiple(self):
    """A part of scratch memory whose start is known to be a multiple."""
    a = self.pick(full=True)
    axis = self.rng.randrange(len(self.shape))
    step = self.rng.choice([k for k in (1, 8, 16, 128) if k <= self.shape[axis]])
    room = self.shape[axis] // step
    size = self.rng.choice((1, step))
    part = [":"] * len(self.shape)
    part[axis] = f"pl.ds(pl.multiple_of(start % {room} * {step}, {step}), {size})"
    part = ", ".join(part)
    scale = "* 0.5" if self.float else "+ 3"
    self.lines += [f"start = {self._point()}", "def change(buffer):", f"  buffer[...] = {a.name}", f"  buffer[{part}] = buffer[{part}] {scale}", "  return buffer[...]"]
    return self.define(f"pl.run_scoped(change, pltpu.VMEM({self.shape}, jnp.{self.dtype}))", self.shape, False)


def make(seed: int, tiles):
  """The kernel with this number, always the same one."""
  return forms.make(seed, tiles, (DeviceWindows, DeviceBody, FormWriter))
