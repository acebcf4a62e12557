"""Runs operations natively and compares them with what NumPy or JAX say.

Code is for the CPU that PALLAS_CPU names. For one that this machine can't run
(PALLAS_TEST_COMPILES_ONLY), an object is made, and its symbols are looked at.
PALLAS_TEST_RUNNER is what runs modules in place of pallas-run.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "Inputs"))

import cases as named
import ml_dtypes
import numpy as np
from object_symbols import foreign_symbols

# Element types by their names in the IR.
TYPES = {
    "f64": np.float64, "f32": np.float32, "f16": np.float16,
    "bf16": ml_dtypes.bfloat16, "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2, "i64": np.int64, "i32": np.int32,
    "i16": np.int16, "i8": np.int8, "i1": np.bool_,
}
FLOATS = ["f64", "f32", "f16", "bf16", "f8E4M3FN", "f8E5M2"]
INTEGERS = ["i64", "i32", "i16", "i8"]
# How far sums may be apart; they are computed in different orders.
TOLERANCE = {"f64": 1e-10, "f32": 2e-5, "f16": 4e-3, "bf16": 2e-2,
             "f8E4M3FN": 0.13, "f8E5M2": 0.26}


def is_float(name):
  return name in FLOATS


def type_name(array):
  dtype = np.asarray(array).dtype
  for name, candidate in TYPES.items():
    if dtype == np.dtype(candidate):
      return name
  raise ValueError(f"no element type for {dtype}")


def type_of(array):
  """Tensor type of an array, or the element type of a scalar."""
  array = np.asarray(array)
  if array.ndim == 0:
    return type_name(array)
  return f"tensor<{'x'.join(map(str, array.shape))}x{type_name(array)}>"


def random_array(rng, name, shape, low=-4, high=5):
  if name == "i1":
    return rng.integers(0, 2, shape).astype(bool)
  if is_float(name):
    return rng.standard_normal(shape).astype(TYPES[name])
  return rng.integers(low, high, shape).astype(TYPES[name])


def run_and_compare(name, module, inputs, expected, options=()):
  """What is wrong with the results of a module, one message for each that is;
  a result for which None is expected may be anything."""
  try:
    found = run_module(module, inputs, len(expected), options)
  except Exception as error:
    return [f"{name}: {str(getattr(error, 'stderr', error))[-800:]}"]
  messages = (
      compare(result, np.asarray(wanted), exact=False)
      for result, wanted in zip(found, expected)
      if wanted is not None
  )
  return [f"{name}: {message}" for message in messages if message]


class Modules:
  """Modules with their inputs and results, each a case that can be run alone."""

  def __init__(self):
    self.names, self.cases = [], []

  def add(self, name, module, inputs, expected, options=()):
    self.names.append(name)
    self.cases.append((module, inputs, expected, options))

  def run(self):
    """Runs the cases that the command line asks for, and ends the process."""
    chosen = named.select(dict(zip(named.name_all(self.names), self.cases)))
    failed = []
    for name, case in chosen.items():
      if messages := run_and_compare(name, *case):
        failed.append(name)
        print("\n".join(messages))
    named.finish(len(chosen), failed)


class Suite:
  """Cases that become the body of few functions, because starting a process
  for each would take most of the time."""

  def __init__(self, per_module=40):
    self.cases, self.per_module = [], per_module
    # In front of the names of the cases that follow.
    self.family = None

  def add(self, text, inputs, expected, exact=False, label=None):
    """`text` computes %r (or %r#0, %r#1, ...) from %a, %b, ...; `{a}` stands
    for the type of %a, and `{r}` or `{r0}`, `{r1}`, ... for those of the
    results."""
    if not isinstance(expected, (list, tuple)):
      expected = [expected]
    label = label or "+".join(dict.fromkeys(re.findall(r"= (?:\w+\.)?(\w+)", text))) or "case"
    self.cases.append((text, [np.asarray(i) for i in inputs],
                       [np.asarray(e) for e in expected], exact,
                       f"{self.family}/{label}" if self.family else label))

  def named(self):
    """Cases by their names: the label, or the operations of the text."""
    return dict(zip(named.name_all(case[4] for case in self.cases), self.cases))

  def failures(self, cases=None):
    """What is wrong, by the names of the cases."""
    cases, failures = list((cases or self.named()).items()), {}
    for start in range(0, len(cases), self.per_module):
      group = cases[start:start + self.per_module]
      try:
        failures |= run_group(group)
      except (subprocess.CalledProcessError, ForeignSymbols):
        # One of them does not compile or crashes: find out which.
        for case in group:
          try:
            failures |= run_group([case])
          except (subprocess.CalledProcessError, ForeignSymbols) as error:
            failures[case[0]] = f"{spell(case[1], 0)[0]}\n{getattr(error, 'stderr', str(error))[-600:]}"
    return failures

  def run(self):
    cases = named.select(self.named())
    failures = self.failures(cases)
    for name, failure in failures.items():
      print(f"{name}: {failure}")
    named.finish(len(cases), list(failures))


def spell(case, index):
  text, inputs, expected, _, _ = case
  names = "abcdefgh"[:len(inputs)]
  types = {n: type_of(i) for n, i in zip(names, inputs)}
  types |= {f"r{k}": type_of(e) for k, e in enumerate(expected)}
  types["r"] = ", ".join(type_of(e) for e in expected)
  text = text.format_map(types)
  text = re.sub(r"%([a-z]\w*)", rf"%\1_{index}", text)
  results = ([f"%r_{index}"] if len(expected) == 1
             else [f"%r_{index}#{k}" for k in range(len(expected))])
  arguments = [f"%{n}_{index}: {types[n]}" for n in names]
  return text, arguments, results


def run_group(group):
  """Runs named cases as one module; what is wrong, by their names."""
  body, arguments, results, inputs, outputs = [], [], [], [], []
  for index, (_, case) in enumerate(group):
    text, names, values = spell(case, index)
    body.append("  " + text)
    arguments += names
    results += values
    inputs += case[1]
    outputs += case[2]
  types = ", ".join(type_of(o) for o in outputs)
  module = (f"func.func @main({', '.join(arguments)}) -> ({types}) {{\n"
            + "\n".join(body)
            + f"\n  return {', '.join(results)} : {types}\n}}\n")
  found = run_module(module, inputs, len(outputs))
  failures, place = {}, 0
  for name, case in group:
    for expected in case[2]:
      message = compare(found[place], expected, case[3])
      place += 1
      if message:
        failures[name] = f"{spell(case, 0)[0]}\n  {message}"
  return failures


class ForeignSymbols(ValueError):
  pass


def compile_module(module, options=()):
  """Raises if the object needs what a process may lack."""
  with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "module.o"
    subprocess.run(["pallas-run", "-", "--emit=obj", "-o", str(path), *options], input=module, check=True, capture_output=True, text=True)
    if foreign := foreign_symbols(path):
      raise ForeignSymbols(f"needs {', '.join(foreign)}")


def run_module(module, inputs, num_outputs, options=()):
  """The results; if the CPU is not to be had, nothing for each."""
  if os.environ.get("PALLAS_TEST_COMPILES_ONLY"):
    compile_module(module, [option for option in options if not option.startswith(("--entry", "--devices"))])
    return [None] * num_outputs
  with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    (folder / "module.mlir").write_text(module)
    runner = os.environ.get("PALLAS_TEST_RUNNER", "pallas-run").split()
    command = [*runner, str(folder / "module.mlir"), "--no-cache", *options]
    for index, array in enumerate(inputs):
      path = folder / f"in{index}.npy"
      np.save(path, array)
      command.append(f"--in={path}")
    paths = [folder / f"out{index}.npy" for index in range(num_outputs)]
    command += [f"--out={path}" for path in paths]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return [np.load(path) for path in paths]


def compare(found, expected, exact):
  if found is None:
    return None
  if found.dtype != expected.dtype:
    found = found.view(expected.dtype)
  if found.shape != expected.shape:
    return f"has shape {found.shape}, expected {expected.shape}"
  name = type_name(expected)
  if not is_float(name):
    same = found == expected
  else:
    left, right = found.astype(np.float64), expected.astype(np.float64)
    limit = 0 if exact else TOLERANCE[name]
    with np.errstate(invalid="ignore"):
      same = ((left == right) | (np.isnan(left) & np.isnan(right))
              | (np.abs(left - right) <= limit * (1 + np.abs(right))))
  if np.all(same):
    return None
  place = tuple(map(int, np.argwhere(~same)[0])) if expected.ndim else ()
  return (f"{np.sum(~same)} of {expected.size} differ; at {place} "
          f"{found[place]} instead of {expected[place]}")
