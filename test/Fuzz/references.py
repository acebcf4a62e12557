# REQUIRES: jax
# RUN: %python %s --modules=25
# RUN: %python %s --first=221 --modules=1
"""Random modules of refs mean the same before and after their refs become values, all or some of them."""
import argparse
import pathlib
import subprocess
import sys

here = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(here / "Inputs"), str(here.parents[1] / "tools/pallas-smith")]

import numpy as np
from pallas_smith.families import add_arguments, chosen, find
from sweep import check_here, sweep

REFS = find("refs")[0]
STAGES = {
    "simplified": ["--canonicalize", "--cse"],
    "discharged": ["--pallas-discharge-state", "--canonicalize", "--cse"],
    "discharged in vector memory": ["--pallas-discharge-state=memory-spaces=vmem"],
    "discharged in scalar memory": ["--pallas-discharge-state=memory-spaces=smem"],
}


def run(folder, text):
  (folder / "module.mlir").write_text(text)
  outputs = [folder / "first.npy", folder / "second.npy"]
  subprocess.run(["pallas-run", folder / "module.mlir", "--no-cache", f"--in={folder}/n.npy", f"--in={folder}/x.npy", *[f"--out={path}" for path in outputs]],
                 check=True, capture_output=True, text=True)
  return [np.load(path) for path in outputs]


def check(seed, folder):
  """What is wrong with a module, if anything is."""
  text, stage = REFS.draw(REFS.first + seed).module(), "as written"
  rng = np.random.default_rng(seed)
  np.save(folder / "n.npy", np.array(rng.integers(-9, 10), np.int32))
  np.save(folder / "x.npy", rng.integers(-9, 10, (8, 6)).astype(np.int32))
  try:
    expected = run(folder, text)
    for stage, passes in STAGES.items():
      changed = subprocess.run(["pallas-opt", "-", *passes], input=text, check=True, capture_output=True, text=True).stdout
      if wrong := sum((a != b).sum() for a, b in zip(run(folder, changed), expected)):
        return f"{stage}: {wrong} elements differ"
  except subprocess.CalledProcessError as error:
    return f"{stage}: {error.stderr[:600]}"
  return None


parser = argparse.ArgumentParser()
add_arguments(parser, "module")
parser.add_argument("--print", action="store_true", help="print modules that fail")
options = parser.parse_args()
show = (lambda seed: REFS.draw(REFS.first + seed).module()) if options.print else None
sys.exit(sweep("module", chosen(options), lambda seed: check_here(check, seed), show))
