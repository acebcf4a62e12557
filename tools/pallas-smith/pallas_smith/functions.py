# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random functions of `jax.numpy` and `jax.lax` on values of several element types.

Any function may be given the result of any other, so shapes and element types are what the ones before have left:
axes of one element, scalars, booleans and small integers come up everywhere.
"""
import dataclasses
import math

import numpy as np
from .values import LARGEST, Draft, Term, shortened

FIRST = 28_000_000

SIZES = (1, 1, 2, 3, 4, 5, 7, 8, 8, 16, 16, 17, 24, 32, 33, 64, 128)
INTEGERS = ("int32", "int32", "int32", "int8", "uint8", "int16", "uint16", "uint32")
# More elements than these make kernels slow to interpret.
MOST = 20000

# Text, bound of the result (none: that of the operand), and whether results have no rounding.
OF_FLOATS = (("jnp.tanh({})", 1, False), ("jnp.exp(jnp.clip({}, -2, 2))", 8, False), ("jax.nn.sigmoid({})", 1, False), ("jnp.sin({})", 1, False),
             ("jnp.cos({})", 1, False), ("jnp.sqrt(jnp.abs({}) + 1)", None, False), ("lax.rsqrt(jnp.abs({}) + 1)", 1, False), ("jnp.log1p(jnp.abs({}))", None, False),
             ("lax.erf({})", 1, False), ("jax.nn.softplus({})", None, False), ("jnp.expm1(jnp.clip({}, -2, 2))", 8, False), ("jnp.abs({})", None, True), ("(-{})", None, True),
             ("jax.nn.relu({})", None, True), ("jnp.square(jnp.tanh({}))", 1, False), ("jax.grad(lambda v: jnp.sum(jnp.tanh(v) * v))({})", None, False),
             ("jax.jvp(jnp.sin, ({0},), (jnp.cos({0}),))[1]", 1, False), ("jax.vmap(jnp.tanh)({})", 1, False))
# Where rounding before may not decide: these jump.
OF_EXACT_FLOATS = (("jnp.sign({})", 1), ("jnp.floor({} * 0.5)", None), ("jnp.round({})", None), ("jnp.trunc({} * 0.5)", None), ("jnp.ceil({})", None))
OF_INTEGERS = ("(~{})", "lax.population_count({})", "lax.clz({})", "({} >> 1)", "({} & 31)", "({0} % {1}(7))", "({0} // {1}(3))", "lax.rem({0}, {1}(5))",
               "lax.shift_right_logical({0}, {1}(2))", "jnp.clip({}, 2, 9)", "(-{})", "jnp.abs({})", "({0} * {0})")


def limits_of(dtype):
  """The largest magnitude of an element type of integers."""
  info = np.iinfo(dtype)
  return max(-int(info.min), int(info.max))


class Functions(Draft):
  """Inputs of all element types, and functions of whatever there is."""

  def __init__(self, seed):
    super().__init__(seed)
    self.whole = self.rng.random() < .3
    self.float = self.rng.choice(("float32", "float32", "float32", "bfloat16", "float16"))
    self.dtype, self.lengths, self.values = self.float, [self.rng.choice(SIZES) for _ in range(3)], []

  # Which values a function takes.

  def pick(self, fits=lambda v: True):
    """A value that fits, rather one of the last."""
    fitting = [v for v in self.values if fits(v)]
    return self.rng.choice(fitting[-5:] if self.rng.random() < .6 else fitting) if fitting else None

  def is_float(self, v: Term) -> bool:
    return v.dtype == self.float

  def is_integer(self, v: Term) -> bool:
    return v.dtype in INTEGERS

  def floats(self, v):
    """A value as floats of this kernel; small integers and booleans have no rounding as such."""
    if self.is_float(v):
      return v
    text = f"{v.text}.astype(jnp.{self.float})"
    if v.bound > 100:
      return Term(f"({v.text} % jnp.{v.dtype}(17)).astype(jnp.{self.float})", v.shape, self.float, 17, True)
    return Term(text, v.shape, self.float, v.bound, True)

  def integers(self, v, dtype):
    """A value as integers, if no rounding decides which."""
    if v.dtype == dtype:
      return v
    if self.is_float(v):
      if not v.exact:
        return None
      v = dataclasses.replace(v, text=f"jnp.clip({v.text}, 0, 100)", bound=min(v.bound, 100))
    return Term(f"{v.text}.astype(jnp.{dtype})", v.shape, dtype, min(v.bound, limits_of(dtype)), True)

  def kept(self, text, like, bound, exact=True, shape=None):
    """A value of the element type of another. Integers wrap, so theirs are no larger than the type has them."""
    if like.dtype in INTEGERS:
      bound, exact = min(bound, limits_of(like.dtype)), True
    elif like.dtype == "bool":
      bound, exact = 1, True
    else:
      exact = exact and like.exact and bound < 128
    return Term(text, like.shape if shape is None else tuple(shape), like.dtype, bound, exact)

  # The functions. Each yields a value, or none where nothing fits.

  def unary(self, v=None):
    v = v or self.pick()
    if v.dtype == "bool":
      return self.kept(f"(~{v.text})", v, 1)
    if self.is_integer(v):
      text = self.rng.choice(OF_INTEGERS)
      return self.kept(text.format(v.text, f"jnp.{v.dtype}"), v, limits_of(v.dtype))
    if v.exact and self.rng.random() < .3:
      text, bound = self.rng.choice(OF_EXACT_FLOATS)
      return self.kept(text.format(v.text), v, bound or v.bound + 1)
    text, bound, exact = self.rng.choice(OF_FLOATS)
    if "vmap" in text and not v.shape:
      return None
    return self.kept(text.format(v.text), v, bound or v.bound + 1, exact)

  def cast(self):
    v, dtype = self.pick(), self.rng.choice((self.float, self.float, *INTEGERS, "bool"))
    if dtype == self.float:
      return self.floats(v)
    if dtype == "bool":
      return Term(f"({v.text} != 0)", v.shape, "bool", 1, True) if v.exact else None
    return self.integers(v, dtype)

  def pair(self):
    """Two values of one element type that broadcast to each other."""
    a = self.pick()

    def fits(v):
      try:
        return math.prod(np.broadcast_shapes(a.shape, v.shape)) <= MOST
      except ValueError:
        return False
    b = self.pick(fits)
    if a.dtype != b.dtype:
      a, b = (self.floats(a), self.floats(b)) if self.is_float(a) or self.is_float(b) or "bool" in (a.dtype, b.dtype) else (a, self.integers(b, a.dtype))
    return a, b, np.broadcast_shapes(a.shape, b.shape)

  def combine(self):
    a, b, shape = self.pair()
    if a.dtype == "bool":
      return self.kept(f"({a.text} {self.rng.choice('&|^')} {b.text})", a, 1, shape=shape)
    exact = b.exact
    if self.rng.random() < .2 and a.exact and b.exact:
      return Term(f"({a.text} {self.rng.choice(('<', '>=', '==', '!='))} {b.text})", shape, "bool", 1, True)
    kind = self.rng.choice(("{} + {}", "{} - {}", "{} * {}", "jnp.maximum({}, {})", "jnp.minimum({}, {})", "{0} // (jnp.abs({1}) + 1)", "{0} % (jnp.abs({1}) + 1)"))
    if "%" in kind or "//" in kind:
      if self.is_float(a):
        return self.kept(f"({a.text} / (jnp.abs({b.text}) + 1))", a, a.bound, False, shape)
      # The sum wraps to zero where the type ends there.
      kind = kind.replace("jnp.abs({1}) + 1", "({1} & 15) + 1")
    bound = a.bound * b.bound if "*" in kind else a.bound + b.bound
    return self.kept(f"({kind.format(a.text, b.text)})", a, bound, exact, shape)

  def choose(self):
    a, b, shape = self.pair()

    def fits(v):
      try:
        return v.dtype == "bool" and math.prod(np.broadcast_shapes(shape, v.shape)) <= MOST
      except ValueError:
        return False
    c = self.pick(fits)
    if not c:
      return None
    return self.kept(f"jnp.where({c.text}, {a.text}, {b.text})", a, max(a.bound, b.bound), b.exact, np.broadcast_shapes(shape, c.shape))

  def reduction(self):
    """Along any axes, those of one element included."""
    v = self.pick(lambda v: v.shape)
    if not v:
      return None
    axes = tuple(sorted(self.rng.sample(range(len(v.shape)), self.rng.randrange(1, len(v.shape) + 1))))
    keep, length = self.rng.random() < .5, math.prod(v.shape[i] for i in axes)
    shape = [1 if i in axes else n for i, n in enumerate(v.shape) if keep or i not in axes]
    options = f"axis={axes}, keepdims={keep}"
    kinds = ["max", "min"] if v.dtype != "bool" else ["any", "all"]
    kinds += ["count"] if v.exact else []
    kinds += ["argmax", "argmin"] if v.exact and len(axes) == 1 else []
    kinds += ["sum", "sum", "sum", "sum of products"] if v.dtype != "bool" else []
    kinds += ["mean", "logsumexp", "var"] if self.is_float(v) else []
    kind = self.rng.choice(kinds)
    if kind == "count":
      return Term(f"jnp.count_nonzero({v.text}, {options})", shape, "int32", length, True)
    if kind.startswith("arg"):
      return Term(f"jnp.{kind}({v.text}, axis={axes[0]}, keepdims={keep})", shape, "int32", length, True)
    if kind == "logsumexp":
      return self.kept(f"jax.nn.logsumexp({v.text}, {options})", v, v.bound + 8, False, shape)
    text, bound = (f"{v.text} * {v.text}", v.bound**2) if kind == "sum of products" else (v.text, v.bound)
    if kind.startswith("sum"):
      if self.is_integer(v):
        return self.kept(f"jnp.sum({text}, {options}, dtype=jnp.{v.dtype})", v, bound * length, shape=shape)
      # Sums of many halves in halves depend on their order; and floats stay small.
      scale = f" * {1 / length:.3g}" if bound * length > LARGEST else ""
      return self.kept(f"(jnp.sum({text}, {options}, dtype=jnp.float32){scale}).astype(jnp.{v.dtype})", v, bound if scale else bound * length, not scale, shape)
    if kind in ("mean", "var"):
      text = f"{text}.astype(jnp.float32)"
    return self.kept(f"jnp.{kind}({text}, {options}).astype(jnp.{v.dtype})", v, bound if kind != "var" else bound**2, kind not in ("mean", "var"), shape)

  def along(self):
    """Functions of the rows along one axis."""
    v = self.pick(lambda v: v.shape and v.dtype != "bool")
    if not v:
      return None
    axis = self.rng.randrange(len(v.shape))
    length, reverse = v.shape[axis], self.rng.random() < .3
    texts = [(f"lax.cummax({v.text}, axis={axis}, reverse={reverse})", v.bound, True), (f"lax.cummin({v.text}, axis={axis}, reverse={reverse})", v.bound, True),
             (f"jnp.flip({v.text}, axis={axis})", v.bound, True), (f"jnp.roll({v.text}, 3, axis={axis})", v.bound, True), (f"jnp.sort({v.text}, axis={axis})", v.bound, True),
             (f"lax.associative_scan(jnp.maximum, {v.text}, axis={axis})", v.bound, True)]
    if not self.is_float(v) or v.bound * length <= LARGEST:
      wide = "float32" if self.is_float(v) else v.dtype
      texts.append((f"lax.cumsum({v.text}.astype(jnp.{wide}), axis={axis}, reverse={reverse}).astype(jnp.{v.dtype})", v.bound * length, True))
    if self.is_float(v):
      texts += [(f"jax.nn.softmax({v.text}, axis={axis})", 1, False), (f"lax.cumlogsumexp(jnp.tanh({v.text}).astype(jnp.float32), axis={axis}).astype(jnp.{v.dtype})", 8, False),
                (f"({v.text} * lax.rsqrt(jnp.mean(jnp.square({v.text}), axis={axis}, keepdims=True) + 1))", v.bound, False)]
    elif v.exact:
      texts.append((f"jnp.argsort({v.text}, axis={axis}).astype(jnp.{v.dtype})", length, True))
    text, bound, exact = self.rng.choice(texts)
    return self.kept(text, v, bound, exact)

  def moved(self):
    """The elements of a value under another shape."""
    v = self.pick(lambda v: v.shape)
    if not v:
      return None
    shape, rank = list(v.shape), len(v.shape)
    axis, count = self.rng.randrange(rank), math.prod(v.shape)
    kind = self.rng.choice(("transpose", "reshape", "expand", "squeeze", "slice", "repeat", "broadcast", "take", "pad", "update"))
    text = None
    if kind == "transpose":
      order = self.rng.sample(range(rank), rank)
      text, shape = f"jnp.transpose({v.text}, {tuple(order)})", [shape[i] for i in order]
    elif kind == "reshape":
      rows = self.rng.choice([n for n in (1, 2, 3, 4, 8, 16) if count % n == 0])
      shape = [rows, count // rows] if self.rng.random() < .5 else [count // rows, rows]
      text = f"jnp.reshape({v.text}, {tuple(shape)})"
    elif kind == "expand" and rank < 4:
      shape.insert(axis, 1)
      text = f"jnp.expand_dims({v.text}, {axis})"
    elif kind == "squeeze":
      text, shape = f"jnp.squeeze({v.text})", [n for n in shape if n > 1]
    elif kind == "slice":
      start, stride = self.rng.randrange(shape[axis]), self.rng.choice((1, 1, 2, 3))
      stop = self.rng.randrange(start, shape[axis]) + 1
      text = f"lax.slice_in_dim({v.text}, {start}, {stop}, {stride}, {axis})"
      shape[axis] = -(-(stop - start) // stride)
    elif kind == "repeat" and count <= MOST // 2:
      shape[axis] *= 2
      text = f"{self.rng.choice(('jnp.repeat({}, 2, axis={})', 'jnp.concatenate([{0}, {0}], axis={1})'))}".format(v.text, axis)
    elif kind == "broadcast" and rank < 4 and count <= MOST // 8:
      shape.insert(0, self.rng.choice((1, 2, 3, 8)))
      text = f"jnp.broadcast_to({v.text}, {tuple(shape)})"
    elif kind == "take":
      places = [self.rng.randrange(shape[axis]) for _ in range(self.rng.randrange(1, 6))]
      text = f"jnp.stack([lax.index_in_dim({v.text}, k, {axis}, False) for k in {places}], {axis})"
      shape[axis] = len(places)
    elif kind == "pad" and shape[axis] <= 64:
      low, high = self.rng.randrange(4), self.rng.randrange(4)
      text = f"jnp.pad({v.text}, {[(low, high) if i == axis else (0, 0) for i in range(rank)]}, constant_values={'True' if v.dtype == 'bool' else 1})"
      shape[axis] += low + high
    elif kind == "update":
      text = f"lax.dynamic_update_slice_in_dim({v.text}, lax.slice_in_dim({v.text}, 0, 1, 1, {axis}), {shape[axis] - 1}, {axis})"
    if not text or math.prod(shape) > MOST or v.dtype == "bool" and kind in ("repeat", "take"):
      return None
    return self.kept(text, v, max(v.bound, 1), shape=shape)

  def product(self):
    """A matmul, plain or batched, of floats or of integers."""
    a = self.pick(lambda v: len(v.shape) in (2, 3) and v.dtype != "bool")
    if not a:
      return None
    batch = a.shape[:-2]
    b = self.pick(lambda v: len(v.shape) == len(a.shape) and v.shape[:-2] == batch and v.dtype != "bool" and a.shape[-1] in v.shape[-2:])
    b = b or a
    side = -2 if b.shape[-2] == a.shape[-1] else -1
    if b.shape[side] != a.shape[-1]:
      return None
    if self.is_float(a) or self.is_float(b) or a.dtype != b.dtype:
      a, b = self.floats(a), self.floats(b)
    wide, length, rank = ("float32" if self.is_float(a) else "int32"), a.shape[-1], len(a.shape)
    shape = (*batch, a.shape[-2], b.shape[-1 if side == -2 else -2])
    if math.prod(shape) > MOST:
      return None
    bound = a.bound * b.bound * length
    dims = f"((({rank - 1},), ({rank + side},)), ({tuple(range(rank - 2))}, {tuple(range(rank - 2))}))"
    text = f"lax.dot_general({a.text}, {b.text}, {dims}, preferred_element_type=jnp.{wide})"
    if wide == "int32":
      return Term(text, shape, "int32", min(bound, 1 << 31), True)
    scale = f" * {1 / length:.3g}" if bound > LARGEST else ""
    return Term(f"({text}{scale}).astype(jnp.{self.float})", shape, self.float, bound / length if scale else bound, not scale and a.exact and b.exact and bound < 128)

  def controlled(self):
    """Loops and branches that carry a value."""
    v = self.pick(lambda v: v.dtype != "bool")
    if not v:
      return None
    zero = f"jnp.{v.dtype}({self.rng.choice((0, 1))})"
    steps = [f"jnp.maximum(c, {zero})", "c", f"(c - {zero})"] + (["jnp.roll(c, 1, -1)", "jnp.flip(c, 0)"] if v.shape else [])
    step, other = self.rng.choice(steps), self.rng.choice(steps)
    decided = [t for t in self.values if t.dtype in ("int32", "bool")]
    condition = f"jnp.any({self.rng.choice(decided).text} > 0)" if decided else "jnp.max(jnp.abs(" + v.text + ")) >= 0"
    texts = [f"lax.fori_loop(0, 3, lambda i, c: {step}, {v.text})", f"lax.while_loop(lambda s: s[0] < 4, lambda s: (s[0] + 1, (lambda c: {step})(s[1])), (0, {v.text}))[1]",
             f"lax.cond({condition}, lambda c: {step}, lambda c: {other}, {v.text})",
             f"lax.switch(jnp.int32({condition}), [lambda c: c, lambda c: {step}, lambda c: {other}], {v.text})"]
    if v.shape and v.shape[0] <= 16:
      texts.append(f"lax.scan(lambda c, r: (jnp.maximum(c, r), c), jnp.zeros_like({v.text}[0]), {v.text})[1]")
      texts.append(f"jax.vmap(lambda r: {step.replace('c', 'r') if len(v.shape) > 1 and step == 'jnp.flip(c, 0)' else 'jnp.sort(r.ravel())[::-1].reshape(r.shape)'})({v.text})")
    return self.kept(self.rng.choice(texts), v, v.bound + 4)

  def looked_up(self):
    """Rows that integers name, and numbers of rows."""
    places = self.pick(lambda v: v.dtype == "int32" and len(v.shape) == 1 and v.shape[0] <= 64)
    if not places or self.rng.random() < .3:
      v = self.pick(lambda v: v.shape and v.dtype != "bool")
      return v and self.kept(f"({v.text} + lax.broadcasted_iota(jnp.int32, {v.shape}, {self.rng.randrange(len(v.shape))}).astype(jnp.{v.dtype}))", v, v.bound + max(v.shape))
    v = self.pick(lambda v: v.shape and v.dtype != "bool")
    if not v:
      return None
    axis = self.rng.randrange(len(v.shape))
    shape = [places.shape[0] if i == axis else n for i, n in enumerate(v.shape)]
    return self.kept(f"jnp.take({v.text}, {places.text}, axis={axis}, mode='clip')", v, v.bound, shape=shape) if math.prod(shape) <= MOST else None

  def draw(self):
    for _ in range(self.rng.choice((1, 2, 2, 3, 4))):
      shape = shortened(self.rng, [self.rng.choice(self.lengths) for _ in range(self.rng.choice((1, 2, 2, 2, 3)))], MOST)
      self.dtype = self.rng.choice((self.float,) * 3 + INTEGERS)
      v = self.input(shape, self.dtype, bound=2 if self.dtype == self.float else 50)
      # Negative numbers wrap where there are none.
      self.values.append(dataclasses.replace(v, bound=limits_of(v.dtype)) if v.dtype.startswith("u") else v)
    self.dtype = self.float
    makers = [self.unary] * 4 + [self.cast] * 2 + [self.combine] * 5 + [self.choose] * 2 + [self.reduction] * 4 + [self.along] * 2 + [self.moved] * 4 + \
             [self.product] * 2 + [self.controlled] * 2 + [self.looked_up]
    unread = []
    for _ in range(self.rng.randrange(3, 15)):
      term = self.rng.choice(makers)()
      if not term:
        continue
      if self.is_float(term) and term.bound > LARGEST:
        term = self.kept(f"jnp.clip({term.text}, -4, 4)", term, 4)
      value = self.define(term.text, term.shape, term.bound, term.exact, term.dtype)
      self.values.append(value)
      unread = [v for v in unread if v.text not in term.text] + [value]
    for term in (unread or self.values)[-4:]:
      self.store(term)
    return self.kernel()

  def store(self, term):
    text = term.text
    if not term.shape:
      text, term = f"jnp.reshape({text}, (1,))", dataclasses.replace(term, shape=(1,))
    self.add(f"{self.output(term.shape, term.dtype)}[...] = {text}")
