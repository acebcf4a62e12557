# REQUIRES: listed-jax, pallas-python, gpu-compiler
# RUN: %gpu_compiler %python %s %root %t %cc

"""A package of GPU kernels has all that it takes to run them on another machine, and running them there checks them.

A mock of the driver notes what the host code of a kernel does, and what replaying it does: the two differ in addresses
only. Kernels do nothing on the mock, which has to be noticed.
"""

import json
import os
import subprocess
import sys

root, work, cc = sys.argv[1:4]
sys.path[:0] = [os.path.join(root, "benchmarks"), os.path.join(root, "test", "Inputs")]
import gpu_assembler as assembler
import gpu_package
import mosaic_gpu as m
import zipfile

NAMES = "add", "matmul"
os.makedirs(work, exist_ok=True)
driver = assembler.build_driver(cc, work)
path, notes = f"{work}/package.zip", f"{work}/notes"
gpu_package.write(path, [(name, *m.KERNELS[name]) for name in NAMES], work, driver)
kernels = json.loads(zipfile.ZipFile(path).read("kernels.json"))


def replay():
  if os.path.exists(notes):
    os.remove(notes)
  environment = {**os.environ, "LD_LIBRARY_PATH": driver, "GPU_LAUNCH": notes,
                 "GPU_PARAMETERS": ",".join(str(len(text) // 2) for text in kernel["ours"]["parameters"])}
  done = subprocess.run([sys.executable, f"{root}/benchmarks/gpu_replay.py", path, kernel["name"]], env=environment,
                        capture_output=True, text=True)
  with open(notes) as file:
    return done, [json.loads(line) for line in file]


def check_parameters(packed, replayed, maps):
  """Words are the same, but that maps and arrays lie where they are now."""
  before, after = bytes.fromhex(packed), bytes.fromhex(replayed)
  assert len(before) == len(after)
  for at in range(0, len(before), 8):
    word, now = before[at:at + 8], after[at:at + 8]
    number = int.from_bytes(word, "little")
    if number >= assembler.PLACES and word != b"tensorma":
      assert int.from_bytes(now, "little") % 256 == 0 and now != word, (word, now)
    else:
      assert word == now, (at, word, now)
  assert before.count(b"tensormap"[:8]) == after.count(b"tensormap"[:8]) <= maps


for kernel in kernels:
  done, calls = replay()
  assert done.returncode == 1 and "array 2 was not written" in done.stdout, done
  packed = kernel["ours"]
  launch, = [call for call in calls if call["call"] == "launch"]
  maps = [call for call in calls if call["call"] == "map"]
  for name in "grid", "block", "cluster", "shared":
    assert launch[name] == packed[name], (name, launch[name], packed[name])
  assert len(maps) == len(packed["maps"]) > 0
  for one, other in zip(maps, packed["maps"]):
    assert {**one, "address": 0} == {**other, "address": 0}, (one, other)
    assert other["address"] >= assembler.PLACES > one["address"] or one["address"] % 16 == 0
  assert len(launch["parameters"]) == len(packed["parameters"]) > 0
  for one, other in zip(packed["parameters"], launch["parameters"]):
    check_parameters(one, other, len(maps))
  print(kernel["name"], "is replayed as it was packed")
