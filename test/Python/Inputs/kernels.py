"""Runs small kernels compiled and compares them with JAX's interpreter."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Inputs"))

import cases
import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax.experimental import pallas as pl

import pallas_mlir
import pallas_mlir.jax


def whole(function, *arrays, interpret=False):
  """`function` as a kernel of one program on whole arrays."""
  out = jax.eval_shape(function, *arrays)
  flat, tree = jax.tree_util.tree_flatten(out)

  def kernel(*refs):
    inputs, outputs = refs[:len(arrays)], refs[len(arrays):]
    for ref, value in zip(outputs, jax.tree_util.tree_leaves(function(*(r[...] for r in inputs)))):
      ref[...] = value

  results = pl.pallas_call(kernel, out_shape=flat, interpret=interpret)(*arrays)
  return jax.tree_util.tree_unflatten(tree, results)


def widen(array):
  array = np.asarray(array)
  if array.dtype == bool or np.issubdtype(array.dtype, np.integer):
    return array
  if array.dtype.name in ("int4", "uint4"):
    return array.astype(np.int32)
  return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def same(got, want, tolerance):
  """`tolerance` is one for all results, or one for each type by its name; results of others are equal then."""
  got, want = jax.tree_util.tree_leaves(got), jax.tree_util.tree_leaves(want)
  assert len(got) == len(want)
  for g, w in zip(got, want):
    assert g.shape == w.shape and g.dtype == w.dtype, (g.shape, g.dtype, w.shape, w.dtype)
    allowed = tolerance.get(g.dtype.name, 0) if isinstance(tolerance, dict) else tolerance
    np.testing.assert_allclose(widen(g), widen(w), rtol=allowed, atol=allowed, err_msg=f"of type {g.dtype.name}")


def has_release(release):
  """Whether the installed JAX is of this release or a newer one."""
  return jax.__version_info__ >= tuple(map(int, release.split(".")))


class Table:
  """Cases under test, each with a name; `run` says which fail and ends the process."""

  def __init__(self):
    self.cases = []
    self.skipped = []

  def add(self, name, function, *arrays, tolerance=1e-5, whole_arrays=True, want=None, since=None, until=None):
    """A function of arrays that becomes a kernel, or one that calls its own: `f(*arrays, interpret=...)`.

    Without `want` the interpreter says what is right. What JAX has only `since` a release, or had only `until` one, is
    left out with others.
    """
    if since and not has_release(since):
      self.skipped.append(f"{name} needs jax {since}")
      return
    if until and has_release(until):
      self.skipped.append(f"{name} is no more since jax {until}")
      return
    call = (lambda *a, interpret=False: whole(function, *a, interpret=interpret)) if whole_arrays else function
    self.cases.append((name, call, arrays, tolerance, want))

  def calls(self):
    """Name, function without interpret mode, and arrays of each case."""
    return [(name, call, arrays) for name, call, arrays, *_ in self.cases]

  def run(self):
    names = cases.name_all(name for name, *_ in self.cases)
    # A name alone asks for a case, too.
    arguments = [a if a.startswith("--") else f"--case={a}" for a in sys.argv[1:]]
    chosen = cases.select(dict(zip(names, self.cases)), arguments)
    failed = []
    for name, (_, function, arrays, tolerance, want) in chosen.items():
      try:
        want = function(*arrays, interpret=True) if want is None else want
        same(jax.jit(lambda *a: function(*a, interpret=False))(*arrays), want, tolerance)
      except Exception as error:
        failed.append(name)
        print(f"{name}: {type(error).__name__}: {str(error)[:600]}")
    if self.skipped and not arguments:
      print(f"left out with jax {jax.__version__}: {', '.join(self.skipped)}")
    cases.finish(len(chosen) or len(self.skipped), failed)


def floats(*shape, seed=0, dtype=np.float32, scale=1.0):
  return (np.random.default_rng(seed).standard_normal(shape) * scale).astype(dtype)


def integers(low, high, *shape, seed=0, dtype=np.int32):
  return np.random.default_rng(seed).integers(low, high, shape).astype(dtype)
