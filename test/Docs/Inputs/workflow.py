"""Whether the workflow that publishes the site calls what is there: commands of `./dev`, and the folder that these write.

  workflow.py ROOT
"""
import pathlib
import subprocess
import sys

import yaml

root = pathlib.Path(sys.argv[1])
jobs = yaml.safe_load((root / ".github/workflows/site.yml").read_text())["jobs"]
steps = jobs["build"]["steps"]
known = subprocess.run([root / "dev", "help"], capture_output=True, text=True, check=False).stdout
commands = [step["run"].split()[1] for step in steps if step.get("run", "").startswith("./dev ")]
assert commands and all(f"\n  {command} " in known for command in commands), (commands, known)
folder = next(step["with"]["path"] for step in steps if "upload-pages-artifact" in step.get("uses", ""))
assert f"{folder}/index.html is the first" in (root / "dev").read_text(), folder
assert jobs["publish"]["needs"] == "build"
print(f"the workflow runs ./dev {' '.join(commands)} and publishes {folder}")
