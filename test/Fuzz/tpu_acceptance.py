# REQUIRES: libtpu, pallas-python
# RUN: %python %s --first=20 --kernels=40
# RUN: %python %s --first=4000020 --kernels=12
# RUN: %python %s --families=contractions --kernels=16
# RUN: %python %s --families=device --kernels=8
# RUN: %python %s --families=parts --kernels=60
# RUN: %python %s --families=views --kernels=40
# RUN: %python %s --families=loops --first=170 --kernels=30
# RUN: %python %s --families=shapes --kernels=24
# RUN: %python %s --families=repeats --kernels=24 --chip=v6e
# RUN: %python %s --families=places --kernels=24 --chip=v6e
# RUN: %python %s --families=sparse-core --kernels=40 --chip=v6e
# RUN: %python %s --families=edges,subcores --first=500 --kernels=40 --chip=v6e
# RUN: %python %s --families=joins --first=500 --kernels=16 --chip=v6e
# RUN: %python %s --families=scalars --kernels=24
# RUN: %python %s --families=functions,control --first=91000 --kernels=24 --chip=v6e
# RUN: %python %s --families=again --kernels=40 --chip=v6e
# RUN: %python %s --families=functions,reductions --first=94000 --kernels=36 --chip=v4
# RUN: %python %s --seeds=19097055,28091025,28093056,28478950,34048500,39120014
# RUN: %python %s --seeds=34099014,42200037 --chip=v6e
"""What passes for legal on a TPU is legal: the compiler for TPUs takes every random kernel that is not refused before."""
import argparse
import json
import os
import pathlib
import subprocess
import sys

here = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(here.parent / "Inputs"), str(here.parents[1] / "tools/pallas-smith")]
os.environ.setdefault("JAX_PLATFORMS", "cpu")

from jax._src.pallas.mosaic import tpu_info
from pallas_smith.families import TILES, add_arguments, chosen, family_of


def draw(seed, chip):
  # Pipelines inside of kernels ask for the chip while they are traced.
  names = {"v5e": "TPU v5 lite", "v5p": "TPU v5", "v6e": "TPU v6 lite", "tpu7x": "TPU7x"}
  tpu_info.get_device_kind, tpu_info.get_num_device_cores = (lambda: names.get(chip, "TPU v4")), (lambda: 1)
  family = family_of(seed)
  return family.draw(seed, TILES if family.make_sized else None)


# What JAX says where nothing is left for a TPU, or this one lacks the cores.
NO_KERNEL = ("reaches no pallas_call", "does not have SparseCores")


def export(seed, chip):
  """The kernel and its module; none where there is nothing to compile."""
  import pallas_mlir
  kernel = draw(seed, chip)
  try:
    return kernel, pallas_mlir.export(kernel.load(), *kernel.arrays())
  except RuntimeError as error:
    if not any(text in str(error) for text in NO_KERNEL):
      raise
    return kernel, None


def serve(topology):
  """Compiles the modules whose paths come in; a line of JSON for each says what is wrong, or null."""
  import tpu_compiler
  for line in sys.stdin:
    try:
      tpu_compiler.compile_stablehlo(pathlib.Path(line.strip()).read_text(), topology)
      message = None
    except Exception as error:
      message = str(error)
    print("result " + json.dumps(message), flush=True)


class Compiler:
  """The compiler in a process of its own, since it may abort."""

  def __init__(self, topology):
    self.topology, self.process = topology, None

  def compile(self, path):
    if self.process is None:
      self.process = subprocess.Popen([sys.executable, __file__, f"--serve={self.topology}"], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    print(path, file=self.process.stdin, flush=True)
    for line in self.process.stdout:
      if line.startswith("result "):
        return json.loads(line.removeprefix("result "))
    self.process = None
    return "the compiler aborted"


def shorten(message):
  return " ".join(line for line in message.splitlines() if line and "report a bug" not in line)[:400]


def main():
  parser = argparse.ArgumentParser()
  add_arguments(parser)
  parser.add_argument("--print", action="store_true", help="print kernels that fail")
  parser.add_argument("--chip", default="v5e")
  parser.add_argument("--serve", help=argparse.SUPPRESS)
  options = parser.parse_args()
  if options.serve:
    return serve(options.serve)

  import tempfile
  import tpu_compiler
  compiler = Compiler(options.chip + (":2x2" if options.chip in ("v5e", "v6e") else ":2x2x1"))
  counts = {"compiled": 0, "refused": 0, "failed": 0, "without a kernel": 0}
  with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "call.mlir"
    for seed in chosen(options):
      kernel, module = export(seed, options.chip)
      if module is None:
        counts["without a kernel"] += 1
        continue
      lowered = subprocess.run(["pallas-translate", "--to-tpu-custom-call", f"--libtpu={tpu_compiler.RELEASE}",
                                "--chip", options.chip, "-o", path, "-"],
                               input=module, capture_output=True, text=True)
      if lowered.returncode == 0:
        message = compiler.compile(path)
        outcome = "failed" if message else "compiled"
      else:
        # A refusal says why, at a place.
        outcome = "refused" if "error: " in lowered.stderr else "failed"
        message = lowered.stderr
      counts[outcome] += 1
      if message:
        print(f"kernel {seed} {outcome}: {shorten(message)}", flush=True)
      if outcome == "failed" and options.print:
        print(kernel.source, flush=True)
  print(", ".join(f"{count} {outcome}" for outcome, count in counts.items()))
  # A sweep that judges nothing shows nothing.
  return counts["failed"] != 0 or counts["compiled"] + counts["refused"] == 0


sys.exit(main())
