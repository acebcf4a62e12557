# REQUIRES: jax
# RUN: %python %s %root

"""Kernels give the same results as written and with their refs as values."""

import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent / "Inputs"))

import numpy as np
from executing import TYPES, compare, random_array, run_module

NAMES = sys.argv[2:] or ["layer_norm", "matmul"]
rng = np.random.default_rng(11)
failures = 0
for name in NAMES:
    path = pathlib.Path(sys.argv[1]) / "test/Dialect/Pallas/IR/kernels" / f"{name}.mlir"
    text = path.read_text()
    for entry, arguments, results in re.findall(
            r"func\.func @(\w+)\(([^)]*)\)\s*->\s*(\([^)]*\)|[^\s{]+)", text):
        inputs = []
        for shape, element in re.findall(r": tensor<((?:\d+x)*)(\w+)>", arguments):
            inputs.append(random_array(rng, element, [int(n) for n in shape.split("x")[:-1]],
                                       0, 2))
        for element in re.findall(r": ([if]\d+)\b", arguments):
            inputs.append(np.array(2, TYPES[element]))
        count = len(re.findall(r"tensor<", results))
        discharged = subprocess.run(
            ["pallas-opt", str(path), "--pallas-discharge-state", "--canonicalize"],
            check=True, capture_output=True, text=True).stdout
        options = [f"--entry={entry}"]
        try:
            expected = run_module(text, inputs, count, options)
            found = run_module(discharged, inputs, count, options)
        except subprocess.CalledProcessError as error:
            failures += 1
            print(f"{name} @{entry}: {error.stderr[-500:]}")
            continue
        for index, (left, right) in enumerate(zip(found, expected)):
            if right.dtype.kind == "V":
                right, left = (x.view(TYPES["bf16"]) for x in (right, left))
            if message := compare(left, right, exact=False):
                failures += 1
                print(f"{name} @{entry} result {index}: {message}")
print(f"{len(NAMES)} kernels, {failures} failures")
sys.exit(bool(failures))
