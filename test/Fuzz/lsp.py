# RUN: %python %s --edits=400
"""No text and no half-typed operation ends the language server."""
import argparse
import pathlib
import random
import sys

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent / "Tools/Inputs"))

from lsp_client import Client

FOLDERS = ("examples", "test/Dialect/Pallas", "test/Conversion/PallasToCPU")
WORDS = ("pallas.", "pallas.get %", "#pallas.", "!pallas.ref<", "tensor<", "block<[", "grid(", "map(%i) -> (", "{", "}", "(", ")", ">", "[", "%x", "\"", "//",
         "\u00e9\U0001f600", "loc(", "9999999999999999999", "-1", "?x", ":", "->", "kernel(", "scf.for", "dense<", "\n", "\0")


def modules():
  root = here.parents[1]
  return [path.read_text() for folder in FOLDERS for path in sorted((root / folder).rglob("*.mlir")) if path.stat().st_size < 6000]


def mutate(text, rng):
  """A text as it is while somebody types, or what a cat makes of it."""
  at = rng.randrange(len(text) + 1)
  end = min(len(text), at + rng.choice((1, 1, 3, 10, 60)))
  kind = rng.randrange(6)
  if kind == 0:
    return text[:at] + text[end:]
  if kind == 1:
    return text[:at] + rng.choice(WORDS) + text[at:]
  if kind == 2:
    return text[:at] + rng.choice(WORDS) + text[end:]
  if kind == 3:
    return text[:at] + text[at:end] * 2 + text[end:]
  if kind == 4:
    to = rng.randrange(len(text) + 1)
    return text[:to] + text[at:end] + text[to:]
  return text[:at]


def ask(client, uri, text, rng):
  """Something that an editor asks by itself."""
  line = rng.randrange(text.count("\n") + 2)
  column = rng.randrange(80)
  place = {"line": line, "character": column}
  kind = rng.choice(("hover", "definition", "completion", "references", "inlayHint", "codeAction"))
  more = {"references": {"context": {"includeDeclaration": True}}, "codeAction": {"context": {"diagnostics": [
      {"message": rng.choice(("expected ')'", "custom op 'pallas.gat' is unknown")), "range": {"start": place, "end": place}}]}}}.get(kind, {})
  client.request(f"textDocument/{kind}", textDocument={"uri": uri}, position=place, range={"start": place, "end": place}, **more)


def main():
  parser = argparse.ArgumentParser()
  parser.add_argument("--edits", type=int, default=1000)
  parser.add_argument("--first", type=int, default=0, help="number of the first edit")
  options = parser.parse_args()
  sources, client, uri, crashes = modules(), Client(), "test:///kernel.mlir", 0
  client.initialize()
  # Runs of 25 edits start from a module, so that a number alone gives its edit again.
  for start in range(options.first - options.first % 25, options.first + options.edits, 25):
    rng = random.Random(start)
    text = rng.choice(sources)
    for number in range(start, start + 25):
      text = mutate(text, rng) or rng.choice(sources)
      for finding in client.open(uri, text):
        if "which must not happen" in finding["message"]:
          crashes += 1
          print(f"edit {number}: {finding['message']}\n{text}\n", flush=True)
      if rng.random() < 0.2:
        ask(client, uri, text, rng)
  status = client.shut_down()
  print(f"{options.edits} edits, {crashes} crashes of the parser; the server ends with {status}")
  return status or crashes != 0


sys.exit(main())
