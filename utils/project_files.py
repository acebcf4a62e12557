# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The files of the project, for the scripts that check and publish them."""

import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent


def tracked(*patterns):
  """Names of all files of the project, or of those that match."""
  command = ["git", "ls-files", "-co", "--exclude-standard", *patterns]
  return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
