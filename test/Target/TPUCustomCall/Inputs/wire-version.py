# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the version of the kernel's bytes in each module of calls."""

import base64
import re
import subprocess
import sys

for path in sys.argv[1:]:
  body = re.search(r"body\\22:\\22([A-Za-z0-9+/=]+)", open(path).read())[1]
  text = subprocess.run(["pallas-opt", "--allow-unregistered-dialect", "-"], input=base64.b64decode(body),
                        capture_output=True, check=True).stdout.decode()
  print(re.search(r"stable_mosaic.version = (\d+)", text)[1])
