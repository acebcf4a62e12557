# RUN: %python %s %S/Inputs/few-dialects.mlir | FileCheck %s
# CHECK: {{[2-9][0-9]}} passes, 0 end the process

"""Every pass runs on its own on modules that hold few dialects.

What a pass creates it must have loaded, or the process ends."""

import re
import subprocess
import sys

text = subprocess.run(["pallas-opt", "--help"], capture_output=True, text=True).stdout
names = sorted(set(re.findall(
    r"^ +--((?:convert-pallas|convert-mosaic|pallas|tpu)-[\w-]+)", text, re.M)))
ended = 0
for name in names:
  # Passes on kernels change modules that are for some chip.
  wanted = "=target=tpu" if name == "pallas-check-target" else "=chip=v4" if name.startswith("tpu-") else ""
  option = "--" + name + ("" if name == "tpu-strip-target" else wanted)
  done = subprocess.run(["pallas-opt", "--split-input-file", option, sys.argv[1]],
                        capture_output=True, text=True)
  if done.returncode not in (0, 1):
    ended += 1
    print(f"{name}:\n{done.stderr[:2000]}")
print(f"{len(names)} passes, {ended} end the process")
