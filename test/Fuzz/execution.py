# REQUIRES: pallas-python
# RUN: %python %s --first=100 --kernels=90 --and --first=10000 --kernels=10 --and --first=20000 --kernels=12 \
# RUN:   --and --first=100000 --kernels=25 --and --seeds=29,336,611,1010,1192,1748,10010 \
# RUN:   --and --family=contractions,edges --kernels=50 --and --family=reductions,broadcasts,columns,carries,lanes --kernels=30 \
# RUN:   --and --family=times --kernels=20 --and --family=maps --kernels=12 --and --family=control,transforms --kernels=24 \
# RUN:   --and --family=functions --kernels=24 --and --family=places --kernels=12 --and --family=links --kernels=40 \
# RUN:   --and --family=streams --kernels=12 --and --family=groups,again,packed --kernels=48 \
# RUN:   --and --stages=short-functions --family=all --kernels=30 \
# RUN:   --and --stages=lowered-for-gpus --family=columns,joins,control --kernels=30 \
# RUN:   --and --stages=exported,checked,lowered-for-gpus --family=gpus --kernels=24 \
# RUN:   --and --stages=exported,checked,lowered-for-gpus --family=pointers --kernels=24 \
# RUN:   --and --stages=checked,tpu-passes --family=subcores,sparse-core --kernels=12
# RUN: not %python %s --family=nonsense 2>&1 | FileCheck %s
# CHECK: there is no family nonsense; there are kernels, forms, contractions, device, edges
"""Random kernels give one answer: in JAX's interpreter, compiled, with their refs as values, and lowered.

With `--stages=passes` also after every pass of the pipelines that take them there, with `sanitized` under
AddressSanitizer. `--and` separates sweeps, each with options of its own, that share what checks their kernels."""
import argparse
import math
import os
import pathlib
import random
import re
import subprocess
import sys
import traceback

os.environ.setdefault("JAX_PLATFORMS", "cpu")
here = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(here / "Inputs"), str(here.parent / "Inputs"), str(here.parents[1] / "tools/pallas-smith")]

import gpu_stage
from reference_flags import reference_flags, strict_options

os.environ.setdefault("XLA_FLAGS", reference_flags())

from pallas_smith.families import TILES, add_arguments, chosen, draw, family_of
from sweep import Worker, serve, sweep

# Sums run in another order, and functions have errors of their own; values stay near 1. Narrow floats that are a step
# apart are the nearest there are.
TOLERANCE = {"float32": 2e-4, "bfloat16": 6e-2, "float16": 1e-2, "float8_e4m3fn": 0.13, "float8_e5m2": 0.26}

# Narrow floats by NumPy's name and MLIR's, and by how much of its size rounding changes a value.
HALVES = (("float16", "f16", 2**-11), ("bfloat16", "bf16", 2**-8))


def difference(found, expected, operands=(), spread=0):
  """None, or how two arrays differ by more than `spread`. A half is no more exact than the operands that it is computed
  from."""
  import numpy as np
  found, expected = np.asarray(found), np.asarray(expected)
  dtype = expected.dtype.name
  if dtype not in TOLERANCE:
    wrong = found != expected
  else:
    left, right = found.astype(np.float64), expected.astype(np.float64)
    tolerance = TOLERANCE[dtype]
    if expected.dtype.itemsize == 2:
      halves = [name for name in (np.asarray(operand).dtype.name for operand in operands) if name in ("bfloat16", "float16")]
      tolerance = max([tolerance, *map(TOLERANCE.get, halves)])
    with np.errstate(invalid="ignore"):
      wrong = ~((left == right) | (np.isnan(left) & np.isnan(right)) | (np.abs(left - right) <= tolerance * (1 + np.abs(right)) + spread))
  if not wrong.any():
    return None
  place = tuple(int(i) for i in np.argwhere(wrong)[0])
  return f"{wrong.sum()} of {wrong.size} elements differ; at {place} {found[place]} instead of {expected[place]}"


def differences(found, expected, operands=(), spreads=None):
  """None, or how two lists of arrays differ."""
  for index, (left, right, spread) in enumerate(zip(found, expected, spreads or [0] * len(expected), strict=True)):
    if message := difference(left, right, operands, spread):
      return message if len(expected) == 1 else f"result {index}: {message}"
  return None


def nudged(array, rng, step):
  """The floats of an array, up or down by `step` of their size, or by a rounding where that is more."""
  import numpy as np
  array = np.asarray(array)
  if array.dtype.name not in ("float32", "bfloat16", "float16"):
    return array
  step = max(step, {name: rounding for name, _, rounding in HALVES}.get(array.dtype.name, 0))
  return (array.astype(np.float64) * (1 + step * rng.choice([-1, 1], array.shape))).astype(array.dtype)


def drawn_factors(text, seed, op="pallas_call"):
  """Factors for the dimensions that the grids of all calls have, or of all pipelines, as an option of pallas-coarsen-grid; none for most
  grids of one step."""
  rng = random.Random(seed)
  grids = [[s.strip() for s in sizes.split(",")] for sizes in re.findall(rf"pallas\.{op}.*? grid\(([^)]*)\)", text)]
  factors = []
  for dim, sizes in enumerate(zip(*grids)):
    size = min((int(s) for s in sizes if s.isdigit()), default=1)
    divisors = [f for f in range(2, size + 1) if size % f == 0]
    # Most joins are along one dimension; a remainder is left now and then.
    if divisors and rng.random() < 0.75:
      factors.append(f"d{dim}={rng.choice(divisors) if rng.random() < 0.75 else rng.randint(2, size)}")
  return ",".join(factors)


def drawn_parts(text, seed):
  """Into how many parts the blocks of the first results of all calls fall along one or two dimensions, as an option of
  pallas-split-blocks; none where blocks have no divisors in common."""
  rng = random.Random(seed)
  blocks = []
  for call in text.split("pallas.pallas_call")[1:]:
    first = re.search(r"\bout\(tensor<((?:\d+x)*)[^>]*>[^)]*\)(?: block<\[([^\]]*)\])?", call.split("kernel(")[0])
    if not first:
      return ""
    sizes = first[1].split("x")[:-1] if first[2] is None else re.sub(r"<(\d+)[^>]*>", r"\1", first[2]).split(",")
    blocks.append([int(found[0]) if (found := re.search(r"\d+", size)) else 1 for size in sizes])
  parts = []
  for dim, sizes in enumerate(zip(*blocks)):
    common = math.gcd(*sizes)
    divisors = [count for count in range(2, common + 1) if common % count == 0]
    if divisors and rng.random() < 0.75:
      parts.append(f"d{dim}={rng.choice(divisors)}")
  return ",".join(parts)


def is_refused(error, name):
  """Whether a pass of this name, a pattern, says at a place why it does not take the module."""
  return error.returncode == 1 and "error: " in error.stderr and re.search(rf"pass \d+, {name} on builtin.module, fails$", error.stderr, re.M)


def with_bits_of(plain, found, factors):
  """What was found with these coarsening factors, if it has the bits of what is found without."""
  for index, (left, right) in enumerate(zip(found, plain, strict=True)):
    if left.tobytes() != right.tobytes():
      raise AssertionError(f"result {index} has other bits with {factors}: {difference(left, right)}")
  return found


class Case:
  """A kernel, its arguments and its results in JAX's interpreter."""

  def __init__(self, seed, folder):
    import jax
    kernel = draw(seed)
    # Accesses that leave their refs are mistakes: the checks report them, and TPUs do as they like. Nor do TPUs
    # multiply floats as exactly.
    self.left_out = {"checked", "tpu-passes"} if not getattr(kernel, "is_silent", True) else set()
    self.left_out |= {"tpu-passes"} if family_of(seed).name == "contractions" else set()
    self.is_one_call = getattr(kernel, "is_one_call", True)
    self.is_for_gpus = getattr(kernel, "is_for_gpus", False)
    if not self.is_one_call:
      self.left_out |= STAGES.keys() - {"compiled", "checked"}
    self.seed, self.folder, self.call, self.arrays = seed, folder, kernel.load(), kernel.arrays()
    self._lowered = jax.jit(lambda *a: self.call(*a, interpret=True)).lower(*self.arrays)
    self.expected = self.interpreted({})
    self._module = None

  def interpreted(self, options):
    """What the interpreter yields, compiled by XLA with these options."""
    import jax
    return jax.tree.leaves(self._lowered.compile(compiler_options=options)(*self.arrays))

  def difference_of(self, found):
    """None, or how results differ from the interpreter's, by what XLA makes of it with and without its liberties, and
    by more than roundings of the arguments make of it: some loops double them in every step."""
    message = differences(found, self.expected, self.arrays)
    if message:
      self.expected = self.interpreted(strict_options())
      message = differences(found, self.expected, self.arrays)
    if not message:
      return None
    for step in self.steps():
      message = differences(found, self.expected, self.arrays, self.spreads(step))
      if not message:
        break
    return message

  def steps(self):
    """By how much of their size arguments are nudged: in their own precision first, as the narrowest floats of a kernel
    need not have to do with all its results."""
    text = str(self._lowered.as_text())
    return [2**-23, *(rounding for _, name, rounding in HALVES if f"x{name}>" in text)]

  def spreads(self, step):
    """How far the results are from those of arguments that are `step` of their size away, or a rounding of their type."""
    import jax
    import numpy as np
    compiled = self._lowered.compile(compiler_options=strict_options())
    rng = np.random.default_rng(self.seed)
    spreads = [np.zeros(np.shape(e)) for e in self.expected]
    for _ in range(4):
      results = jax.tree.leaves(compiled(*(nudged(a, rng, step) for a in self.arrays)))
      for spread, result, expected in zip(spreads, results, self.expected):
        far = np.abs(np.asarray(result, np.float64) - np.asarray(expected, np.float64))
        np.maximum(spread, 2 * np.nan_to_num(far, posinf=0), out=spread)
    return spreads

  def tolerance_of_roundings(self):
    """How far results are apart, relative to 1 + their size, where their type and the arguments' roundings allow it."""
    import numpy as np
    tolerance = 0
    for step in self.steps():
      for spread, expected in zip(self.spreads(step), self.expected):
        if expected.dtype.name in TOLERANCE and expected.size:
          size = 1 + np.abs(np.nan_to_num(np.asarray(expected, np.float64), posinf=0, neginf=0))
          tolerance = max(tolerance, TOLERANCE[expected.dtype.name] + float((spread / size).max()))
    return tolerance

  @property
  def module(self):
    if self._module is None:
      import pallas_mlir
      self._module = pallas_mlir.export(self.call, *self.arrays)
    return self._module

  def run(self, text, *options):
    """What a module yields."""
    import numpy as np
    path = self.folder / "module.mlir"
    path.write_text(text)
    command = ["pallas-run", str(path), "--no-cache", *options]
    for index, array in enumerate(self.arrays):
      np.save(self.folder / f"in{index}.npy", array)
      command.append(f"--in={self.folder / f'in{index}.npy'}")
    outputs = [self.folder / f"out{index}.npy" for index in range(len(self.expected))]
    command += [f"--out={path}" for path in outputs]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return [np.load(path).view(wanted.dtype) for path, wanted in zip(outputs, self.expected)]

  def transformed(self, *passes):
    return subprocess.run(["pallas-opt", "-", *passes], input=self.module, check=True, capture_output=True, text=True).stdout

  def diffed(self, option="--diff-passes"):
    """What a kernel yields if no pass changes that, by more than roundings of the arguments do: passes may drop roundings
    to narrow floats, and a sum of what cancels out is as far off as all its terms."""
    try:
      return self.run(self.module, option)
    except subprocess.CalledProcessError as error:
      # Semaphores of a whole program are refs that no value can replace.
      if option == "--diff-passes" and is_refused(error, "pallas-discharge-state"):
        return self.diffed("--diff-passes=pallas-to-llvm")
      if "elements of result" not in error.stdout:
        raise
      tolerance = self.tolerance_of_roundings()
      if tolerance == 0:
        raise
      return self.run(self.module, option, f"--tolerance={tolerance}")

  def diffed_for_tpus(self):
    """The same for the passes for TPUs. They refuse some kernels, and say why at a place."""
    try:
      return self.diffed("--diff-passes=pallas-to-mosaic-tpu")
    except subprocess.CalledProcessError as error:
      if is_refused(error, r"[\w-]+"):
        return self.expected
      raise

  def coarsened(self):
    """What a kernel yields if steps of its grid are joined. That changes no bit, and brings no mistake."""
    factors = drawn_factors(self.module, self.seed)
    pipelines = drawn_factors(self.module, self.seed, "emit_pipeline")
    return self.regrouped("pallas-coarsen-grid", {"factors": factors, "pipelines": pipelines})

  def split(self):
    """The same of blocks that fall into parts. CPUs add products in an order that depends on the number of rows."""
    parts = drawn_parts(self.module, self.seed)
    return self.regrouped("pallas-split-blocks", {"parts": parts}, keeps_bits="pallas.dot_general" not in self.module)

  def regrouped(self, name, options, keeps_bits=True):
    chosen = " ".join(f"{option}={numbers}" for option, numbers in options.items() if numbers)
    if not chosen:
      return self.expected
    changed = self.transformed(f"--{name}={chosen}")
    # Checked code adds the floats of a row in another order.
    if "checked" not in self.left_out:
      self.run(changed, "--check")
    found = self.run(changed)
    return with_bits_of(self.run(self.module), found, chosen) if keeps_bits else found

  def reassociated(self):
    """What a kernel yields if its sums over joined steps may be added up in another order."""
    factors = drawn_factors(self.module, self.seed)
    if not factors:
      return self.expected
    return self.run(self.transformed(f"--pallas-coarsen-grid=factors={factors} reassociate=true"))

  def coarsened_for_tpus(self):
    """The same of modules for TPUs, with random factors and with those that the cost model chooses."""
    lower = lambda factors: self.transformed(f"--pallas-to-mosaic-tpu=chip=v6e coarsen={factors}")
    try:
      plain = self.run(lower("off"))
    except subprocess.CalledProcessError as error:
      # Kernels that TPUs refuse.
      if error.returncode == 1 and "error: " in error.stderr:
        return self.expected
      raise
    drawn = drawn_factors(self.module, self.seed)
    for factors in ["auto"] + ([drawn] if drawn else []):
      with_bits_of(plain, self.run(lower(factors)), f"coarsen={factors}")
    return self.expected

  def lowered_for_gpus(self):
    """What a kernel yields from the module that it becomes for GPUs. They refuse some kernels that are not written for
    them, and say why at a place. The module takes the contents of a result that is read, and leaves to the host which
    arrays share memory."""
    if re.search(r"^ *aliases ", self.module, re.M):
      return self.expected
    path = self.folder / "module.mlir"
    path.write_text(self.module)
    try:
      kernels = gpu_stage.kernel_modules(path)
    except subprocess.CalledProcessError as error:
      if error.returncode == 1 and "error: " in error.stderr and not self.is_for_gpus:
        return self.expected
      raise
    if len(kernels) != 1:
      return self.expected
    try:
      return self.run(kernels[0])
    except subprocess.CalledProcessError as error:
      if "inputs, but" in error.stderr:
        return self.expected
      raise

  def emulated(self):
    """What a kernel yields on an aarch64 CPU."""
    import aarch64
    path = self.folder / "module.mlir"
    path.write_text(self.module)
    entry = re.search(r"func\.func (?:public )?@(\w+)", self.module)[1]
    program = aarch64.build(self.folder, path, entry, aarch64.CPUS[self.seed % len(aarch64.CPUS)])
    return aarch64.call(self.folder, program, self.arrays, self.expected)

  def in_short_functions(self):
    """What a kernel yields in functions of a few loops each, which only long kernels become otherwise: every other one
    under the checks."""
    checks = ["--check"] if self.seed % 2 and "checked" not in self.left_out else []
    return self.run(self.module, "--pipeline-options=part-size=4", "--sanitize=address", *checks)

  def checked(self):
    import pallas_mlir.jax
    if self.is_one_call:
      return self.run(self.module, "--check")
    with pallas_mlir.jax.checked():
      return self.compiled()

  def compiled(self):
    import jax
    return jax.tree.leaves(jax.jit(self.call)(*self.arrays))


class OwnCase(Case):
  """A kernel that JAX's interpreter can't run, such as those of SparseCores: each stage yields what the exported one does."""

  def __init__(self, seed, folder):
    import jax
    family = family_of(seed)
    kernel = family.draw(seed, None if family.make else TILES)
    self.left_out, self.is_one_call = STAGES.keys() - {"exported", "checked", "sanitized", "short-functions", "tpu-passes"}, True
    self.seed, self.folder, self.call, self.arrays = seed, folder, kernel.load(), kernel.arrays()
    self._module = None
    self.expected = jax.tree.leaves(jax.eval_shape(self.call, *self.arrays))
    self.expected = self.run(self.module)

  def difference_of(self, found):
    return differences(found, self.expected, self.arrays)

  def tolerance_of_roundings(self):
    return max((TOLERANCE.get(result.dtype.name, 0) for result in self.expected), default=0)


# What yields the answer of a kernel. Of kernels that make no mistakes the checks say nothing.
STAGES = {
    "compiled": Case.compiled,
    "exported": lambda case: case.run(case.module),
    "checked": Case.checked,
    "sanitized": lambda case: case.run(case.module, "--sanitize=address"),
    "short-functions": Case.in_short_functions,
    "aarch64": Case.emulated,
    "discharged": lambda case: case.run(case.transformed("--pallas-discharge-state", "--canonicalize", "--cse")),
    "lowered": lambda case: case.run(case.transformed("--pallas-to-llvm")),
    "coarsened": Case.coarsened,
    "split": Case.split,
    "reassociated": Case.reassociated,
    "coarsened-for-tpus": Case.coarsened_for_tpus,
    "lowered-for-gpus": Case.lowered_for_gpus,
    "passes": Case.diffed,
    "tpu-passes": Case.diffed_for_tpus,
}


def check(seed, folder, stages):
  """None, or what is wrong with this kernel."""
  stage = "interpreted"
  try:
    case = (Case if family_of(seed).weight else OwnCase)(seed, folder)
    for stage in stages:
      if stage in case.left_out:
        continue
      if message := case.difference_of(STAGES[stage](case)):
        return f"{stage}: {message}"
  except subprocess.CalledProcessError as error:
    said = f"{error.stdout[-600:] if 'passes' in stage else ''}{error.stderr[-600:]}"
    return f"{stage}: {f'signal {-error.returncode}: ' if error.returncode < 0 else ''}{said}"
  except Exception as error:
    return f"{stage}: {''.join(traceback.format_exception_only(error))[-600:]}"
  return None


def prepare():
  """What kernels need to run in this process: what calls them, and the chip that they ask for while they are traced."""
  import pallas_mlir.jax


def check_and_clear(request, folder):
  import jax
  seed, stages = request
  message = check(seed, folder, stages)
  if seed % 50 == 49:
    # Executables of kernels that nobody calls again.
    jax.clear_caches()
  return message


def parse(arguments):
  parser = argparse.ArgumentParser()
  add_arguments(parser)
  parser.add_argument("--print", action="store_true", help="print kernels that fail")
  parser.add_argument("--stages", default="compiled,exported,checked,discharged,lowered", help=f"some of {', '.join(STAGES)}")
  parser.add_argument("--until-failure", action="store_true", help="stop at the first failure")
  parser.add_argument("--seconds", type=int, default=300, help="how long a kernel may take")
  options = parser.parse_args(arguments)
  return options, chosen(options), options.stages.split(",")


def main():
  arguments = sys.argv[1:]
  if arguments == ["--serve"]:
    prepare()
    return serve(check_and_clear)
  ends = [index for index, argument in enumerate(arguments) if argument == "--and"] + [len(arguments)]
  sweeps = [parse(arguments[start:end]) for start, end in zip([0] + [end + 1 for end in ends], ends)]
  worker, failed = Worker(), False
  for options, seeds, stages in sweeps:
    show = (lambda seed: draw(seed).source) if options.print else None
    failed |= sweep("kernel", seeds, lambda seed: worker.check((seed, stages), options.seconds), show, options.until_failure)
  worker.close()
  return failed


sys.exit(main())
