"""Whether the workflows call what is there: commands of `./dev`, and the folders that these write.

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
steps = yaml.safe_load((root / ".github/workflows/test.yml").read_text())["jobs"]["test"]["steps"]
assert any(step.get("run") == ".ci/run" for step in steps) and (root / ".ci/run").exists(), steps
# What a failed run leaves is worth most.
kept, = (step for step in steps if "upload-artifact" in step.get("uses", ""))
assert kept["if"] == "always()" and kept["with"]["path"] == "build-release/test-results", kept
assert "PALLAS_TEST_PICTURES=$results/pictures" in (root / "dev").read_text() and "results=$PWD/$tree/test-results" in (root / "dev").read_text()
print(f"the workflow runs ./dev {' '.join(commands)} and publishes {folder}")
