# The library that crashes brings an allocator of its own.
# UNSUPPORTED: asan
# RUN: %python %s %crash %t
"""However a tool crashes, it says so and ends, also where the heap is damaged or locked."""
import pathlib
import shutil
import subprocess
import sys

KINDS = ["segv", "abort", "heap", "stack", "stuck"]
TOOLS = [["pallas-run"], ["pallas-opt"], ["pallas-translate", "--to-stable-mosaic"]]
# A crash ends within a second; the machine that runs this may be busy.
PATIENCE = 30

library, folder = sys.argv[1], pathlib.Path(sys.argv[2])
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)
failures = 0
for kind in KINDS:
  path = folder / f"crash-{kind}.mlir"
  path.write_text("func.func @main() { return }\n")
  for tool in TOOLS:
    command = [*tool, str(path)]
    try:
      done = subprocess.run(["env", f"LD_PRELOAD={library}", *command], capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
      print(f"{' '.join(command)}: hangs")
      failures += 1
      continue
    said = ["crashed, which must not happen", " ".join(command)]
    for part in said:
      if done.returncode == 0 or part not in done.stderr:
        print(f"{' '.join(command)}: ends with {done.returncode} and does not say '{part}':\n{done.stderr}")
        failures += 1
print(f"{len(KINDS) * len(TOOLS)} crashes, {failures} failures")
sys.exit(bool(failures))
