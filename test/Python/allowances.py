# REQUIRES: pallas-python
# RUN: %python %s
# RUN: env PALLAS_MLIR_CHECKED=1 not %python %s rows 2>&1 | FileCheck %s --check-prefix=FOUND
# RUN: env PALLAS_MLIR_CHECKED=1 PALLAS_MLIR_ALLOW=data-race,output-not-written@allowances.py %python %s rows
# RUN: env PALLAS_MLIR_CHECKED=1 PALLAS_MLIR_ALLOW=output-not-written@others.py not %python %s rows 2>&1 | FileCheck %s --check-prefix=FOUND
# RUN: env PALLAS_MLIR_ALLOW=rows not %python %s rows 2>&1 | FileCheck %s --check-prefix=KIND
"""Mistakes of checked kernels are allowed by kind, place or comment; that changes no result."""
import contextlib
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

import pallas_mlir
from pallas_mlir import jax as compiled

# FOUND: error: output not written
# FOUND: note: to allow it here, write '# pallas: allow(output-not-written)'
# KIND: ValueError: 'rows' is no kind of mistake; the kinds are uninitialised-read,

x = np.arange(20 * 128, dtype=np.float32).reshape(20, 128)
block = pl.BlockSpec((8, 128), lambda i: (i, 0))


def double(x, o):
  o[...] = 2 * x[...]


def rows(kernel, count, **scratch):
  """Blocks of which only `count` are written."""
  return jax.jit(lambda x: pl.pallas_call(kernel, grid=(count,), in_specs=[block], out_specs=block, out_shape=x, **scratch)(x))


if sys.argv[1:]:
  np.testing.assert_array_equal(rows(double, 2)(x)[:16], 2 * x[:16])
  sys.exit()


@contextlib.contextmanager
def finds(*rules):
  try:
    yield
  except pallas_mlir.KernelError as error:
    assert tuple(rule for _, rule, *_ in error.findings) == rules, error
  else:
    assert not rules, f"found nothing of {rules}"


NOT_WRITTEN, UNINITIALISED = "output not written", "uninitialised read"
short = rows(double, 2)
line = double.__code__.co_firstlineno


def written(allow=(), count=2, function=short):
  with compiled.checked(allow=allow):
    result = function(x)
  np.testing.assert_array_equal(result[:count * 8], 2 * x[:count * 8])


with finds(NOT_WRITTEN):
  written()
for allow in ("output-not-written", "output-not-written@allowances.py", f"output-not-written@{__file__}",
              f"data-race, output-not-written@Python/allowances.py:{line}", ["data-race", "output-not-written"]):
  written(allow)
for allow in ("data-race", "output-not-written@lowances.py", f"output-not-written@allowances.py:{line + 1}"):
  with finds(NOT_WRITTEN):
    written(allow)

# What is allowed around a block stays allowed in it, and not behind it.
with compiled.checked(allow="output-not-written"):
  written("data-race")
  written()
with finds(NOT_WRITTEN):
  written()
compiled.install(allow="output-not-written")
written()
written("data-race")
compiled.install(allow="")
with finds(NOT_WRITTEN):
  written()


def commented(x, o):  # pallas: allow(output-not-written)
  o[...] = 2 * x[...]


def forgetful(x, o, s):  # pallas: allow(output-not-written)
  # The first one is there.
  # pallas: allow(uninitialised-read)
  o[...] = 2 * x[...] + 0 * s[...]


def careless(x, o, s):  # pallas: allow(output-not-written)
  o[...] = 2 * x[...] + s[...]


scratch = dict(scratch_shapes=[pltpu.VMEM((8, 128), jnp.float32)])
written(function=rows(commented, 2))
with compiled.checked():
  rows(forgetful, 2, **scratch)(x)
with finds(UNINITIALISED):
  written(function=rows(careless, 2, **scratch))


# Results are those of plain code: NaN where a sum meets padding.
def total(x, o):
  o[...] = jnp.sum(x[...], axis=0)


@jax.jit
def sums(x):
  return pl.pallas_call(total, grid=(3,), in_specs=[block], out_specs=pl.BlockSpec((pl.squeezed, 128), lambda i: (i, 0)),
                        out_shape=jax.ShapeDtypeStruct((3, 128), jnp.float32))(x)


plain = sums(x)
with finds("padding in a result"):
  with compiled.checked():
    sums(x)
with compiled.checked(allow="padding-in-a-result"):
  checked = sums(x)
assert np.isnan(plain[2]).all()
np.testing.assert_array_equal(checked, plain)

for call in (lambda: compiled.checked(allow="rows").__enter__(), lambda: compiled.install(allow=["data-race", "rows"])):
  try:
    call()
  except ValueError as error:
    assert "'rows' is no kind of mistake; the kinds are uninitialised-read, padding-in-a-result" in str(error), error
  else:
    raise AssertionError("'rows' is taken for a kind of mistake")
