# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Start-up of pallas-opt, and how parsing and verifying grow with the module.

Prints the time that pallas-opt and the stock mlir-opt take for an empty module
(goal: at most half), and the time for 1,000 kernels against 100, start-up left
out (goal: at most 11 times).
"""

import pathlib
import statistics
import subprocess
import tempfile
import time

STOCK = "/usr/lib/llvm-22/bin/mlir-opt"
KERNEL = pathlib.Path(__file__).parent.parent / "examples" / "matmul.mlir"


def run(tool, path):
  start = time.perf_counter()
  subprocess.run([tool, path, "-o", "/dev/null"], check=True)
  return (time.perf_counter() - start) * 1e3


def medians(jobs, rounds):
  """Runs the jobs in turn, so that a busy machine is unfair to none."""
  times = [[run(*job) for job in jobs] for _ in range(rounds + 1)][1:]
  return [statistics.median(column) for column in zip(*times)]


def module_of(count):
  text = KERNEL.read_text()
  return "\n".join(text.replace("@matmul(", f"@matmul{i}(") for i in range(count))


def main():
  with tempfile.TemporaryDirectory() as folder:
    paths = {}
    for count in (0, 100, 1000):
      paths[count] = f"{folder}/{count}.mlir"
      pathlib.Path(paths[count]).write_text(module_of(count) if count else "module {}\n")
    ours, stock = medians([("pallas-opt", paths[0]), (STOCK, paths[0])], 31)
    print(f"empty module: pallas-opt {ours:.1f} ms, mlir-opt {stock:.1f} ms, ratio {ours / stock:.2f}")
    few, many = medians([("pallas-opt", paths[100]), ("pallas-opt", paths[1000])], 7)
    print(
        f"parse and verify: 100 kernels {few - ours:.1f} ms, 1000 kernels {many - ours:.1f} ms,"
        f" ratio {(many - ours) / (few - ours):.1f}"
    )


if __name__ == "__main__":
  main()
