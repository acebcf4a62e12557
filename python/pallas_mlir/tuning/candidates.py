# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is tried: configurations of a function, or coarsening factors of the grids of a module."""
from __future__ import annotations

import dataclasses
import itertools
import math
import re
from typing import Any, Callable

# The largest products of coarsening factors beyond these are left out.
MOST_FACTORS = 400


@dataclasses.dataclass
class Candidate:
  """A configuration, its module, and what is known of it."""
  config: Any
  # The module in the pallas dialect; empty where there is none.
  text: str = ""
  # The function, its arguments and keyword arguments, for judges that run it.
  call: tuple | None = None
  refused: str = ""
  predicted: int | None = None
  vmem: int | None = None
  # From the judge: cycles, or seconds with quartiles.
  measured: float | None = None
  low: float | None = None
  high: float | None = None
  program: str = dataclasses.field(default="", repr=False)

  @property
  def name(self) -> str:
    if isinstance(self.config, dict):
      return ", ".join(f"{key}={value}" for key, value in self.config.items()) or "as written"
    return str(self.config)


def of_function(make: Callable, configs, args, kwargs) -> list[Candidate]:
  """A candidate per configuration. What `make` or JAX refuses is no error: it is a configuration that does not work."""
  import pallas_mlir
  found = []
  for config in configs:
    candidate = Candidate(config)
    try:
      function = make(**config) if isinstance(config, dict) else make(config)
      candidate.call = (function, args, kwargs)
      candidate.text = pallas_mlir.export(function, *args, **kwargs)
    except Exception as error:
      lines = str(error).strip().splitlines()
      candidate.refused = f"{type(error).__name__}: {lines[0] if lines else ''}"
    found.append(candidate)
  return found


_GRID = re.compile(r"pallas\.pallas_call.*? grid\(([^)]*)\)")


def _divisors(size: int) -> list[int]:
  return [f for f in range(1, size + 1) if size % f == 0]


def choose_factors(text: str) -> list[dict[str, int]]:
  """Coarsening factors for the dimensions of all grids of a module, those that divide them; the grid as written is the first."""
  grids = [[s.strip() for s in sizes.split(",")] for sizes in _GRID.findall(text)]
  sizes = [math.gcd(*(int(s) for s in column if s.isdigit()))
           for column in itertools.zip_longest(*grids, fillvalue="0")]
  choices = [_divisors(size) or [1] for size in sizes]
  # Large grids have many divisors: powers of two are near all of them.
  if math.prod(map(len, choices)) > MOST_FACTORS:
    choices = [[f for f in column if f & (f - 1) == 0 or f == column[-1]] for column in choices]
  products = sorted(itertools.product(*choices), key=math.prod)[:MOST_FACTORS]
  return [{f"d{dim}": factor for dim, factor in enumerate(product) if factor > 1} for product in products]


def of_module(text: str, reassociate: bool = False) -> list[Candidate]:
  """A candidate for each choice of coarsening factors that gives another module; `reassociate` joins steps of sums into longer contractions."""
  from .. import _native
  from ..explanation import pass_with
  builder = _native.ModuleBuilder()
  messages = builder.parse(text, "module")
  if messages:
    raise ValueError(f"{messages[0].file}:{messages[0].line}: {messages[0].text}")
  found, known = [], set()
  # As it is printed, whatever the form of the text.
  for factors in choose_factors(builder.print()):
    if factors:
      listed = ",".join(f"{dim}={count}" for dim, count in factors.items())
      try:
        joined = _native.run_pipeline(builder, pass_with("pallas-coarsen-grid", factors=listed, reassociate=reassociate))
      except Exception as error:
        found.append(Candidate(factors, refused=str(error).splitlines()[0]))
        continue
    else:
      joined = _native.run_pipeline(builder, "canonicalize{max-iterations=0}")
    if joined not in known:
      known.add(joined)
      found.append(Candidate(factors, joined))
  return found


# Element types of arguments of modules, as JAX calls them.
_DTYPES = {"i1": "bool", "bf16": "bfloat16", "f16": "float16", "f32": "float32", "f64": "float64", "f8E4M3FN": "float8_e4m3fn", "f8E5M2": "float8_e5m2",
           **{f"i{width}": f"int{width}" for width in (4, 8, 16, 32, 64)}}
_FUNCTION = re.compile(r"func\.func (?:public )?@([\w.$-]+)\((.*?)\)(?: -> (.*?))? (?:attributes .*)?\{$", re.M)


def _arrays(types: str, count: int | None = None):
  import jax
  import jax.numpy as jnp
  found = []
  for dims, dtype in re.findall(r"(?:tensor<)((?:\d+x)*)(\w+)>", types):
    if dtype not in _DTYPES:
      raise ValueError(f"an array of {dtype} cannot be made here; the element types are {', '.join(_DTYPES)}")
    found.append(jax.ShapeDtypeStruct(tuple(int(d) for d in dims.split("x")[:-1]), getattr(jnp, _DTYPES[dtype], None) or jnp.dtype(_DTYPES[dtype])))
  if count is not None and len(found) != count:
    raise ValueError(f"{count} arguments, {types}, cannot all be made here; a module that is timed takes arrays of static shape")
  return found


def as_function(text: str, arrays=None) -> tuple[Callable, list]:
  """The only function of a module, compiled for this CPU, and arguments for it: random floats, zeros for other types."""
  import hashlib

  import jax
  import numpy as np

  from .. import _native
  from .. import jax as compiled
  functions = _FUNCTION.findall(text)
  if len(functions) != 1:
    raise ValueError(f"a module that is timed has one function; this one has {', '.join(name for name, *_ in functions) or 'none'}")
  name, arguments, results = functions[0]
  wanted, results = _arrays(arguments, arguments.count("%")), _arrays(results)
  if arrays is None:
    rng = np.random.default_rng(0)
    arrays = [(rng.standard_normal(a.shape) if jax.numpy.issubdtype(a.dtype, jax.numpy.floating) else np.zeros(a.shape)).astype(a.dtype) for a in wanted]
  elif [(a.shape, a.dtype) for a in arrays] != [(a.shape, a.dtype) for a in wanted]:
    raise ValueError(f"the function takes {', '.join(f'{a.dtype}{list(a.shape)}' for a in wanted)}, not "
                     f"{', '.join(f'{a.dtype}{list(a.shape)}' for a in arrays)}")
  builder = _native.ModuleBuilder()
  builder.parse(text, "module")
  key = hashlib.sha256(text.encode()).hexdigest()
  messages = _native.compile(builder, key)
  if messages:
    raise ValueError(messages[0].text)
  attributes = dict(key=key, module=text, checked=False, allowed="", entry=name, site=np.int64(0), mesh="", elsewhere="")
  return lambda *a: jax.ffi.ffi_call(compiled.TARGET, results)(*a, **attributes), arrays
