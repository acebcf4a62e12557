# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the kernels of examples/gallery, and writes a page about each.

A kernel is a file with a `call`, its `arguments` and a `reference`, or the `FINDING` that the checked mode has to
report. A page has its source, what pallas_mlir finds and predicts, and the code for a TPU; beside it lies the page of
pallas-viz, which shows the grid, the timeline and all stages.
"""

import ast
import importlib.util
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
# As they are to be read: from the first grid to copies that kernels make themselves.
ORDER = ["add", "softmax", "layer_norm", "matmul", "flash_attention", "ragged_edge", "grouped_matmul", "paged_attention", "ring", "ragged_paged_attention"]
CHIPS = ["v5e", "v6e"]
MOST_LINES = 400

PAGE = """# {title}

{text}

[The grid, the timeline and the code of every stage](pages/{name}.html){{target=_blank}}, as `pallas_mlir.view` draws them.

## Source

```python
{source}
```

## Findings

{findings}

## Figures

{figures}

## As exported

```mlir
{exported}
```

## For a TPU

{lowered}
"""


def load(name):
  spec = importlib.util.spec_from_file_location(name, ROOT / "examples/gallery" / f"{name}.py")
  module = importlib.util.module_from_spec(spec)
  spec.loader.exec_module(module)
  return module


def check_result(name, kernel, arguments):
  import numpy as np
  found = np.asarray(kernel.call(*arguments), np.float32)
  expected = np.asarray(kernel.reference(*arguments), np.float32)
  if found.shape != expected.shape or not np.allclose(found, expected, rtol=2e-3, atol=2e-3):
    raise ValueError(f"{name}: the result is not that of its reference")


def findings_of(name, kernel, arguments):
  """What the checked mode says. Kernels have to be without a mistake, but for the one that is there to show it."""
  import jax

  import pallas_mlir
  try:
    with pallas_mlir.jax.checked():
      jax.block_until_ready(kernel.call(*arguments))
    report = ""
  except pallas_mlir.KernelError as error:
    report = str(error)
  wanted = getattr(kernel, "FINDING", "")
  if bool(report) != bool(wanted) or wanted not in report:
    raise ValueError(f"{name}: the checked mode reports {report or 'nothing'}, where {wanted or 'nothing'} is expected")
  return fence("text", report) if report else "None: the kernel runs in the checked mode without a report."


def fence(language, text):
  """A block of code, with the paths of this checkout as a reader has them."""
  return f"```{language}\n{text.replace(f'{ROOT}/', '').strip()}\n```"


def lowered(kernel, arguments):
  import pallas_mlir
  try:
    stages = pallas_mlir.show(kernel.call, *arguments, pipeline="pallas-to-mosaic-tpu{chip=v5e}")
  except pallas_mlir.PallasError as error:
    return f"It has no form for v5e:\n\n{fence('text', str(error))}"
  lines = stages.split("// -----// IR Dump After ")[-1].split("\n", 1)[1].strip().splitlines()
  note = f"\n\nThe first {MOST_LINES} of {len(lines)} lines." if len(lines) > MOST_LINES else ""
  return fence("mlir", "\n".join(lines[:MOST_LINES])) + note


def write_page(name, folder):
  """Writes the page of one kernel; returns its title and first sentence."""
  import pallas_mlir
  kernel = load(name)
  arguments = kernel.arguments()
  if hasattr(kernel, "reference"):
    check_result(name, kernel, arguments)
  (folder / "pages").mkdir(parents=True, exist_ok=True)
  drawn = folder / "pages" / f"{name}.html"
  drawn.write_text(pallas_mlir.view(kernel.call, *arguments, target="tpu:v5e", file=drawn).html.replace(f"{ROOT}/", ""))
  text = (ROOT / "examples/gallery" / f"{name}.py").read_text()
  title, _, about = ast.get_docstring(ast.parse(text)).partition("\n")
  source = text.split('"""', 2)[2].strip()
  figures = "\n\n".join(fence("text", str(pallas_mlir.explain(kernel.call, *arguments, target=f"tpu:{chip}"))) for chip in CHIPS)
  page = PAGE.format(title=title, text=about.strip(), name=name, source=source, findings=findings_of(name, kernel, arguments), figures=figures,
                     exported=pallas_mlir.export(kernel.call, *arguments).strip(), lowered=lowered(kernel, arguments))
  (folder / f"{name}.md").write_text(page)
  return title, about.strip().replace("\n", " ").split(". ")[0].rstrip(".") + "."


def write_gallery(folder):
  """Writes the pages of all kernels, and the one that lists them."""
  import jax
  jax.config.update("jax_num_cpu_devices", 4)
  import pallas_mlir.jax  # noqa: F401, compiles kernels from here on
  files = {path.stem for path in (ROOT / "examples/gallery").glob("*.py")}
  if files != set(ORDER):
    raise ValueError(f"examples/gallery and the order of the gallery differ in {', '.join(sorted(files ^ set(ORDER)))}")
  rows = [(name, *write_page(name, folder)) for name in ORDER]
  table = "\n".join(f"| [{title}]({name}.md) | {about} |" for name, title, about in rows)
  (folder / "index.md").write_text(f"""# Gallery

Kernels from the first grid to those that copy for themselves. Each page was made by running the kernel: its result is compared with
a reference, the checked mode looks for mistakes, and the figures are predictions of the cost model.

| kernel | what it shows |
| --- | --- |
{table}
""")
