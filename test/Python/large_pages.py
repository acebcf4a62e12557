# REQUIRES: pallas-python
# RUN: %python %s | FileCheck %s
"""Pages of large modules: what a page prints of a stage is bounded, and so is the number of stages."""
from pallas_mlir import _native, viewing

HEAD = """func.func @f{0}(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {{
  %0 = pallas.pallas_call @kernel{0} grid(8)
      in(%x : tensor<64x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      out(tensor<64x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      kernel(%a: !pallas.ref<8x128xf32, vmem>, %o: !pallas.ref<8x128xf32, vmem>) {{
    %v0 = pallas.get %a[...] : !pallas.ref<8x128xf32, vmem>
"""


def kernel(number, length):
  lines = [f"    %v{i + 1} = arith.addf %v{i}, %v{max(i - 3, 0)} : tensor<8x128xf32>\n" for i in range(length)]
  return (HEAD.format(number) + "".join(lines) + f"    pallas.swap %o[...], %v{length} : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>\n"
          "  }\n  return %0 : tensor<64x128xf32>\n}\n")


def build(text):
  builder = _native.ModuleBuilder()
  assert not builder.parse(text, "large.mlir")
  return builder


def stages(builder, limit, pipeline="pallas-to-llvm"):
  found, failure = _native.list_stages(builder, pipeline, limit)
  assert not failure, failure
  return found


# An excerpt begins as the whole does, place for place, and ends with the terminators.
small = build(kernel(0, 400))
first, = stages(small, 100, "")
whole, lines = (viewing._link_lines(text, "large.mlir") for text in (small.print(True), first.text))
shown = next(i for i, pair in enumerate(zip(whole, lines)) if pair[0] != pair[1])
assert first.left_out and 100 < shown < 120 and lines[shown - 1][1] > 80, (shown, lines[shown - 1:shown + 1])
assert [text for text, _ in lines if "return" in text] == [text for text, _ in whole if "return" in text], lines[-5:]
assert lines[-1] == whole[-1] and len(lines) < shown + 10, lines[shown:]

# Ten times the operations are not more lines: the rest is counted. Places come on top, as a loop has those of all that it was made of.
for length in (300, 3000):
  found = stages(build(kernel(0, length)), 200)
  most = max(sum(not line.startswith("#loc") for line in stage.text.splitlines()) for stage in found)
  print(f"{length}: {'bounded' if most < 500 else most}, {len(found) > 12}, {found[0].left_out}")
# CHECK: 300: bounded, True, [[#LEFT:]]
# CHECK-NEXT: 3000: bounded, True, [[#LEFT + 2700]]

# Functions share stages: of passes on functions, those between two passes on the module are one.
counts = [len(stages(build("".join(kernel(n, 4) for n in range(count))), 200)) for count in (2, 20)]
print("stages of two functions and of twenty:", "as many" if counts[0] == counts[1] else counts)
# CHECK-NEXT: stages of two functions and of twenty: as many

# Their pages run the pipeline once, and hold each stage once.
runs = []
run = _native.list_stages
viewing._native = type("Native", (), {**vars(_native), "list_stages": staticmethod(lambda *given: runs.append(given[1]) or run(*given))})
page = viewing.view_module("".join(kernel(n, 4) for n in range(20)), "large.mlir", "tpu:v5e", "pallas-to-llvm")
print(f"20 calls, {runs.count('pallas-to-llvm')} run of the pipeline, {page.html.count('0 as exported')} text of the first stage")
# CHECK-NEXT: 20 calls, 1 run of the pipeline, 1 text of the first stage

# Passes would take longer than the rest of the page; it tells.
viewing.MOST_LOWERED, runs[:] = 4000, []
page = viewing.view_module(kernel(0, 4500), "large.mlir", "tpu:v5e", "pallas-to-llvm")
print("not lowered:", "pallas-to-llvm" not in runs, "pallas-to-llvm does not run for a page about 4504 operations" in page.html)
# CHECK-NEXT: not lowered: True True

# A pass that fails leaves the stages in front of it.
found, failure = run(build(kernel(0, 4)), "pallas-discharge-state,pallas-check-target{target=npu}", 200)
print([stage.name for stage in found][:2], "npu" in failure)
# CHECK-NEXT: ['as exported', 'PallasDischargeState'] True
