# REQUIRES: jax
# RUN: %python %s %root

"""Kernels of the corpus run as written, with their refs as values, and lowered,
and give what NumPy gives. Discharged, they are modules that stock mlir-opt takes.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent / "Inputs"))

import numpy as np
from corpus import CASES
from executing import compare, run_module

# What may fail, and why. A kernel that runs must be right all the same.
DEVICES = "needs four devices"
CANNOT = {
    "all_gather": {"written": DEVICES, "lowered": DEVICES, "discharged": DEVICES},
    "collective_matmul": {"written": DEVICES, "lowered": DEVICES, "discharged": DEVICES},
    "gpu_attention": {"written": "warpgroups that wait for each other", "lowered": "warpgroups that wait for each other",
                      "discharged": "points of a mesh that wait for each other are no loop"},
    "ragged_paged_attention": {"written": "a view of bf16 as i32", "lowered": "a view of bf16 as i32"},
    "sparsecore": {"written": "copies through index arrays", "lowered": "copies through index arrays",
                   "discharged": "cores that signal each other are no loop"},
}
PASSES = {"written": [], "discharged": ["--pallas-discharge-state", "--convert-pallas-to-linalg"], "lowered": ["--pallas-to-llvm"]}


def transform(path, stage):
    if not PASSES[stage]:
        return path.read_text()
    text = subprocess.run(["pallas-opt", str(path), *PASSES[stage]], check=True, capture_output=True, text=True).stdout
    if stage == "discharged":
        if "pallas." in text:
            raise ValueError("still holds " + re.search(r"\S*pallas\.\w+", text).group())
        text = subprocess.run(["mlir-opt", "--canonicalize", "--cse"], input=text, check=True, capture_output=True, text=True).stdout
    return text


def results_of(text, entry, inputs, expected):
    found = run_module(text, inputs, len(expected), [f"--entry={entry}"])
    messages = [compare(f, np.asarray(e, order="C"), exact=False) for f, e in zip(found, expected)]
    return next((m for m in messages if m), None)


def check(path, stage, entries):
    """Yields what is wrong."""
    reason = CANNOT.get(path.stem, {}).get(stage)
    try:
        text = transform(path, stage)
        for entry, make in entries.items():
            inputs, expected = make(np.random.default_rng(5))
            if message := results_of(text, entry, inputs, expected):
                yield f"@{entry}: {message}"
    except subprocess.CalledProcessError as error:
        if reason is None:
            yield error.stderr[-500:]
        else:
            print(f"{path.stem}, {stage}: does not run: {reason}", flush=True)
    except ValueError as error:
        yield str(error)


folder = pathlib.Path(sys.argv[1]) / "test/Dialect/Pallas/IR/kernels"
names = sys.argv[2:] or sorted(path.stem for path in folder.glob("*.mlir"))
failures = 0
for name in names:
    for stage in PASSES:
        for message in check(folder / f"{name}.mlir", stage, CASES.get(name, {})):
            failures += 1
            print(f"{name}, {stage}: {message}", flush=True)
print(f"{len(names)} kernels, {failures} failures")
sys.exit(bool(failures))
