# RUN: %python %s %root

"""No object needs a function that the process which loads it may lack.

Kernels of the corpus, the examples, and conversions between all element types,
for levels that this machine need not have: objects are made and not run.
"""

import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent / "Inputs"))
sys.path.insert(0, str(pathlib.Path(sys.argv[1]) / "utils"))

from levels import LEVELS
from object_symbols import foreign_symbols

ROOT = pathlib.Path(sys.argv[1])
FLOATS = ["f64", "f32", "f16", "bf16", "f8E4M3FN", "f8E5M2", "f8E8M0FNU", "f4E2M1FN"]
INTEGERS = ["i64", "i32", "i16", "i8", "i1"]
WIDTHS = {name: int(name[1:].split("E")[0]) if name != "bf16" else 16 for name in FLOATS + INTEGERS}


def conversions():
  """Text per conversion, from a type to another."""
  for source in FLOATS:
    for target in FLOATS:
      if WIDTHS[source] != WIDTHS[target]:
        yield source, target, "arith.extf" if WIDTHS[source] < WIDTHS[target] else "arith.truncf"
    for integer in INTEGERS:
      for sign in "su":
        yield source, integer, f"arith.fpto{sign}i"
        yield integer, source, f"arith.{sign}itofp"


def arithmetic():
  binary = ["addf", "subf", "mulf", "divf", "remf", "maximumf", "minimumf", "maxnumf", "minnumf"]
  for kind in FLOATS[:6]:
    for name in binary:
      yield kind, f"%r = arith.{name} %x, %x : TYPE"
    for name in ["absf", "copysign", "fma", "exp", "log", "sqrt", "rsqrt", "tanh", "sin", "floor", "round", "roundeven", "cbrt", "erf"]:
      operands = {"copysign": "%x, %x", "fma": "%x, %x, %x"}.get(name, "%x")
      yield kind, f"%r = math.{name} {operands} : TYPE"
    yield kind, "%n = arith.negf %x : TYPE\n  %r = arith.addf %n, %x : TYPE"
  for kind in INTEGERS[:4]:
    for name in ["muli", "divsi", "divui", "remsi", "remui"]:
      yield kind, f"%r = arith.{name} %x, %x : TYPE"


def functions(suffix, shape):
  """One function per case, on scalars or on arrays whose rows leave a rest."""
  def kind(element):
    return f"{shape}{element}>" if shape else element
  for number, (source, target, op) in enumerate(conversions()):
    yield (f"func.func @convert_{suffix}_{number}(%x: {kind(source)}) -> {kind(target)} {{\n"
           f"  %r = {op} %x : {kind(source)} to {kind(target)}\n  return %r : {kind(target)}\n}}\n")
  for number, (element, text) in enumerate(arithmetic()):
    text = text.replace("TYPE", kind(element))
    yield f"func.func @compute_{suffix}_{number}(%x: {kind(element)}) -> {kind(element)} {{\n  {text}\n  return %r : {kind(element)}\n}}\n"


def modules():
  for path in sorted([*ROOT.glob("test/Dialect/Pallas/IR/kernels/*.mlir"), *ROOT.glob("examples/*.mlir")]):
    if path.stem != "broken":
      yield path.stem, path.read_text()
  yield "scalars", "".join(functions("scalar", ""))
  yield "arrays", "".join(functions("array", "tensor<3x37x"))


def main():
  failures = 0
  found = {name: text for name, text in modules()}
  with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "module.o"
    for level in LEVELS:
      for name, text in found.items():
        result = subprocess.run(["pallas-run", "-", "--emit=obj", "-o", str(path), f"--cpu={level}"], input=text, capture_output=True, text=True)
        message = result.stderr[-500:] if result.returncode else ", ".join(foreign_symbols(path))
        failures += bool(message)
        if message:
          print(f"{level}, {name}: {message}", flush=True)
  print(f"{len(found)} modules for {len(LEVELS)} levels, {failures} failures")
  sys.exit(bool(failures))


main()
