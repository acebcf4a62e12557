# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Applies the patches of a page of the tutorial, builds, and runs the page's commands.

  utils/run-tutorial.py PAGE TARGET...
"""

import pathlib
import re
import subprocess
import sys
import tempfile

from layered import BUILD, ROOT, layered


def main():
  page, targets = ROOT / sys.argv[1], sys.argv[2:]
  patches = re.findall(r"^```diff\n(.*?)^```", page.read_text(), re.M | re.S)
  if not patches:
    raise SystemExit(f"{page} has no patch")
  with tempfile.TemporaryDirectory(prefix="tutorial-") as folder:
    patch = pathlib.Path(folder) / "page.patch"
    patch.write_text("".join(patches))
    run = [sys.executable, "utils/run-doc-examples.py", str(ROOT / BUILD), str(page.relative_to(ROOT))]
    return subprocess.run(layered(patch, folder, targets, run)).returncode


if __name__ == "__main__":
  sys.exit(main())
