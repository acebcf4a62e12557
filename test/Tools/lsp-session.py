# RUN: %python %s | FileCheck %s
"""An editor's session with the language server."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent / "Inputs"))

from lsp_client import Client

KERNEL = (pathlib.Path(__file__).parents[2] / "examples/matmul.mlir").read_text().replace("512x256xf32", "500x256xf32")
LINES = KERNEL.splitlines()


def find(text):
  """Line and column of a text."""
  line = next(n for n, content in enumerate(LINES) if text in content)
  return line, LINES[line].index(text)


client = Client()
capabilities = client.initialize()["capabilities"]
# CHECK: True True True True True
print(*[bool(capabilities.get(f"{name}Provider")) for name in ("hover", "definition", "completion", "codeAction", "inlayHint")])

uri = "test:///matmul.mlir"
# CHECK: diagnostics: []
print("diagnostics:", client.open(uri, KERNEL))

# A hover has the page of an operation beside what MLIR tells.
hover = client.ask("hover", uri, *find("pallas.dot_general"))["contents"]["value"]
# CHECK: True True
print("Generic Form" in hover, "operation ::= `pallas.dot_general`" in hover)
# CHECK: 4 x 2 windows of 128 x 128 in an array of 500 x 256; the last one along dimension 0 has 116 of 128 elements in the array
print(client.ask("hover", uri, *find("block<[128, 128], vmem> map(%i, %j, %k) -> (%i, %k)"))["contents"]["value"])
# CHECK: 32 programs, the last dimension of the grid fastest
print(client.ask("hover", uri, *find("grid(4, 4, 2)"))["contents"]["value"])

# CHECK: [{{.*}}'label': '32 programs'
# CHECK-SAME: 'label': '4 x 2 windows'
# CHECK-SAME: 'label': '2 x 4 windows'
# CHECK-SAME: 'label': '4 x 4 windows'
everything = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
print(client.request("textDocument/inlayHint", textDocument={"uri": uri}, range=everything)["result"])
# CHECK: hints of the first two lines: 1
print("hints of the first two lines:", len(client.request("textDocument/inlayHint", textDocument={"uri": uri}, range={
    "start": {"line": 0, "character": 0}, "end": {"line": 2, "character": 0}})["result"]))

# The definition of a value, and where it is used.
line, column = find("%old contract")
definition = client.ask("definition", uri, line, column + 1)
# CHECK: definition: [{{[0-9]+}}] %old = pallas.get
print("definition:", [d["range"]["start"]["line"] for d in definition], LINES[definition[0]["range"]["start"]["line"]].strip())

# Completion of attributes.
half = "func.func private @f() attributes {a = #pallas.}"
client.open("test:///half.mlir", half)
# CHECK: completion: True True
names = [item["label"] for item in client.ask("completion", "test:///half.mlir", 0, half.index("}"))["items"]]
print("completion:", "block" in names, "memory_space" in names)
client.close("test:///half.mlir")

# A misspelled operation has a quick fix, and so has what the parser expects.
wrong = KERNEL.replace("pallas.dot_general", "pallas.dot_generel")
found = client.open(uri, wrong)
# CHECK: custom op 'pallas.dot_generel' is unknown
print(found[0]["message"])
fixes = client.request("textDocument/codeAction", textDocument={"uri": uri}, range=found[0]["range"], context={"diagnostics": found})["result"]
# CHECK: write pallas.dot_general [{'newText': 'pallas.dot_general', 'range': {'end': {'character': 29,
print(fixes[0]["title"], fixes[0]["edit"]["changes"][uri])
found = client.open(uri, KERNEL.replace("%k = pallas.program_id 2", "%k pallas.program_id 2"))
fixes = client.request("textDocument/codeAction", textDocument={"uri": uri}, range=found[0]["range"], context={"diagnostics": found})["result"]
# CHECK: expected '='{{.*}} -> insert '='
print(found[0]["message"], "->", fixes[0]["title"])

# A diagnostic has the number of its rule, and a hover tells the rule.
wrong = KERNEL.replace("%b = pallas.get %yr[...]", "%b = pallas.get %yr[0]", 1)
assert wrong != KERNEL
found = client.open(uri, wrong)
# CHECK: N1: {{.*}} has 1 index entries, but the ref has rank 2
print(f"{found[0]['code']}: {found[0]['message']}")
at = found[0]["range"]["start"]
# CHECK: **Rule N1**: an indexer has one entry per dimension
print(client.ask("hover", uri, at["line"], at["character"])["contents"]["value"])

# Some checks share a helper, which gets their part of the message.
# CHECK: D6, E1 {{.*}}is the block of input 0
found = client.open(uri, KERNEL.replace("block<[128, 128]", "block<[100, 128]", 1))
print(", ".join(sorted(found[0]["code"].split(", "))), found[0]["message"])

# The name of an operation that is half there.
half = "func.func @f(%r: !pallas.ref<8xf32>) {\n  %v = pallas.sw"
client.open("test:///half.mlir", half)
items = client.ask("completion", "test:///half.mlir", 1, len(half.splitlines()[1]))["items"]
# CHECK: ['pallas.swap'] {'end': {'character': 16, 'line': 1}, 'start': {'character': 7, 'line': 1}} True
print([item["label"] for item in items], items[0]["textEdit"]["range"], "yields what was there" in items[0]["documentation"]["value"])
client.close("test:///half.mlir")

# Words of enums where an attribute of the operation is one, and nowhere else.
def complete(line):
  text = "func.func @f(%r: !pallas.ref<16xi32, gmem>, %v: i32) {\n  " + line
  client.open("test:///half.mlir", text)
  found = client.ask("completion", "test:///half.mlir", 1, len(line) + 2)
  client.close("test:///half.mlir")
  return (found or {}).get("items", [])


# CHECK: ['xchg', 'add', 'max', 'min', 'umax', 'umin', 'and', 'or', 'xor'] `kind`: Atomic update
items = complete("%o = pallas.atomic_rmw <")
print([item["label"] for item in items], items[0]["documentation"]["value"])
# CHECK: ['umax', 'umin']
print([item["label"] for item in complete("%o = pallas.atomic_rmw <u")])
# CHECK: ['highest'] ['sum'] ['smin', 'smax']
print(*([item["label"] for item in complete(line)] for line in (
    "%c = pallas.dot_general %a, %b contract [1] x [0] precision highe", "%s = tpu.all_reduce %x {kind = #tpu.reduction_kind<su", "mosaic_gpu.async_store %a, %b {reduction_op = #mosaic_gpu.y<sm")))
# CHECK: [] []
print(complete("%o = arith.addi <"), complete("%o = pallas.atomic_rmw <nothing"))

# Inside of types and attributes, the words of their parameters; a bracket may only announce the first of these.
# CHECK: ['vmem', 'vmem_shared'] ['squeezed', 'smem', 'semaphore'] 15 [] ['core', 'cluster']
words = lambda line: [item["label"] for item in complete(line)]
print(words("%0 = f : !pallas.ref<8x128xf32, vm"), words("pallas.pallas_call in(%x : tensor<8xf32>) block<[8], s"), len(words("%0 = f : !pallas.ref<8xf32, ")),
      words("%0 = f : !pallas.ref<"), words("attributes {a = #pallas.axis<c"))
# CHECK: 5 ['parallel'] ['arbitrary'] [] []
call = "pallas.pallas_call grid(2, 2) semantics "
print(len(words(f"{call}[")), words(f"{call}[parallel, par"), words(f"{call}[parallel, arb"), words(f"{call}[parallel "), words("pallas.pallas_call grid ["))
# CHECK: ['!pallas.ref'] True ['#pallas.tile', '#pallas.triton_params']
print(words("%0 = f : !pallas.re"), "Mutable memory" in complete("%0 = f : !pallas.re")[0]["documentation"]["value"],
      [name for name in words("%0 = f : !pallas.ref<8xf32, smem, [#pallas.t") if name in ("#pallas.tile", "#pallas.triton_params", "pallas.transpose_ref")])
# A hover over a word tells whose it is, and has the page of the type.
# CHECK: `vmem`: memorySpace of `!pallas.ref` (Memory space)
# CHECK: True True
hover = lambda what, shift: client.ask("hover", uri, find(what)[0], find(what)[1] + shift)["contents"]["value"]
ref = "!pallas.ref<128x128xf32, vmem>"
print(hover(ref, len(ref) - 3))
print("_Mutable memory that only pallas operations can touch_" in hover(ref, len(ref) - 3), "_Mutable memory" in hover(ref, 9))

# A hover works in a text that does not parse.
# CHECK: True
print("operation ::= `pallas.dot_general`" in client.ask("hover", uri, *find("pallas.dot_general"))["contents"]["value"])

# The parser ends: the text that it had is blamed, the others go on, and so does it after the next change.
other = "test:///softmax.mlir"
client.open(other, (pathlib.Path(__file__).parents[2] / "examples/softmax.mlir").read_text())
client.open(uri, KERNEL)
client.end_parser()
# CHECK: the parser ended on this text, which must not happen: please report it
print(client.diagnostics(uri)[0]["message"])
# CHECK: diagnostics: [] []
print("diagnostics:", client.diagnostics(other), client.open(uri, KERNEL + "\n"))
# CHECK: definition: 1
print("definition:", len(client.ask("definition", uri, line, column + 1)))

# What is no message is passed over, and so are messages without what they need.
client.send_bytes(b"nonsense\r\n\r\nContent-Length: x\r\n\r\nContent-Length: 3\r\n\r\n{]}")
client.send(method="textDocument/didChange", params={})
client.send(method="textDocument/didOpen")
# CHECK: no hints: []
print("no hints:", client.request("textDocument/inlayHint")["result"])
# CHECK: ends with 0
client.close(uri)
print("ends with", client.shut_down())
