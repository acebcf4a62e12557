"""Says which imports of the Python sources nobody uses.

What is imported for its effect stands as `import a.b`, which counts as used, and
files that others take everything from may import more than they use.
"""

import ast
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def sources():
    command = ["git", "ls-files", "-co", "--exclude-standard", "*.py"]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    return {name: (ROOT / name).read_text() for name in names if (ROOT / name).exists()}


def imports(tree):
    """Names that the import statements of a file bind, and the lines."""
    for node in ast.walk(tree):
        if not isinstance(node, (ast.Import, ast.ImportFrom)) or getattr(node, "module", None) == "__future__":
            continue
        for alias in node.names:
            name = alias.asname or alias.name
            if "." not in name and name != "*":
                yield name, node.lineno


def unused(text):
    tree = ast.parse(text)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    # What a package offers is used by others.
    offered = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return [(name, line) for name, line in imports(tree) if name not in used | offered]


def main():
    texts = sources()
    shared = {name for text in texts.values() for name in re.findall(r"^from (\w+) import \*", text, re.MULTILINE)}
    failures = [f"{path}:{line}: nobody uses {name}" for path, text in texts.items()
                if pathlib.Path(path).stem not in shared for name, line in unused(text)]
    print("\n".join([*failures, f"{len(texts)} files, {len(failures)} failures"]))
    return bool(failures) or not texts


if __name__ == "__main__":
    sys.exit(main())
