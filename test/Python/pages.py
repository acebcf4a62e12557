# REQUIRES: pallas-python, browser
# RUN: rm -rf %t && mkdir %t
# RUN: %python %S/Inputs/pages.py %t 2>%t/errors.txt | FileCheck %s
# RUN: %python %s %browser %t
"""Pages about kernels, opened in a browser: what they show, how they are steered, and that they run nothing of a module."""
import os
import pathlib
import re
import sys

from playwright.sync_api import sync_playwright

# The summary has the same facts as text.
# CHECK-LABEL: -- ragged
# CHECK: mistake  | {{.*}}pages.py:[[#]]:36: padding in a result
# CHECK: warning  | output 0 (outputs): block (4, 0) is in the window of no program
# CHECK-LABEL: -- twice
# CHECK: add (1 of 2) (
# CHECK: add (2 of 2) (
# CHECK-LABEL: -- million
# CHECK: coverage | output 0: 1000000 of 1000000 blocks are visited
# CHECK-LABEL: -- refused
# CHECK: refused  | {{.*}}needs 268451840 bytes of VMEM for its windows and scratch memory, but v5e has 134217728
# CHECK-LABEL: -- endless
# CHECK: The run failed: the kernels have not ended within 3 seconds, so the timeline ends there; seconds= gives them longer
# CHECK-LABEL: -- behind_endless
# CHECK: The run failed: not run: a timeline would wait for the kernel that view() gave up

browser_path, folder = sys.argv[1], pathlib.Path(sys.argv[2])
# `./dev test` keeps the pictures, so that a person may look at them.
pictures = pathlib.Path(os.environ.get("PALLAS_TEST_PICTURES", folder)) / "pages"
pictures.mkdir(parents=True, exist_ok=True)
PAGES = ("matmul", "attention", "ragged", "ring", "grouped", "million", "markup", "refused", "overlap", "prefetched", "twice", "deadlock", "subcores", "warpgroups", "devices",
         "endless")
# Names of the colours that a picture has, by the operand and the row and column of a block.
COLOR_OF = """([title, row, column]) => {
  const box = [...document.querySelectorAll(".operand")].find(box => box.querySelector("h3").textContent.startsWith(title));
  const canvas = box.querySelector("canvas"), size = 40;
  const [r, g, b] = canvas.getContext("2d").getImageData(column * size + 8, row * size + 20, 1, 1).data;
  const probe = document.createElement("canvas").getContext("2d");
  const distance = name => {
    probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
    probe.fillRect(0, 0, 1, 1);
    const [x, y, z] = probe.getImageData(0, 0, 1, 1).data;
    return Math.abs(r - x) + Math.abs(g - y) + Math.abs(b - z);
  };
  return ["once", "again", "never", "ragged", "over"].sort((a, b) => distance(a) - distance(b))[0];
}"""


def open_page(context, name):
  page = context.new_page()
  page.problems = []
  page.on("console", lambda message: page.problems.append(message.text) if message.type == "error" else None)
  page.on("pageerror", lambda error: page.problems.append(str(error)))
  page.on("request", lambda request: page.problems.append(request.url) if not request.url.startswith("file:") else None)
  page.goto((folder / f"{name}.html").as_uri())
  page.wait_for_selector("html[data-ready]", timeout=60_000)
  return page


def status(page):
  return page.text_content("#status")


def check_steering(page):
  assert status(page) == "program (0, 0, 0), step 1 of 24", status(page)
  page.keyboard.press("ArrowRight")
  assert status(page).startswith("program (0, 0, 1)")
  page.keyboard.press("Shift+ArrowRight")
  assert "step 12 of 24" in status(page)
  page.keyboard.press("End")
  assert status(page).startswith("program (2, 3, 1)")
  assert "block (2, 3): elements 256..383 x 384..511" in page.text_content("main")
  page.keyboard.press("Home")
  page.click("text=>|")
  assert "step 24 of 24" in status(page)
  page.eval_on_selector("input[type=range]", "slider => { slider.value = 9; slider.dispatchEvent(new Event('input')); }")
  assert "step 10 of 24" in status(page)
  page.click("#play")
  page.locator("#status", has_text="step 24 of 24").wait_for(timeout=60_000)
  assert page.text_content("#play") == "Play"
  # A program of the timeline leads to its step.
  timeline = page.locator("#timeline")
  scale = timeline.bounding_box()["width"] / 1230
  timeline.click(position={"x": (170 + 535) * scale, "y": 27 * scale})
  assert "step 13 of 24" in status(page), status(page)
  # Light becomes dark.
  before = page.evaluate("getComputedStyle(document.body).backgroundColor")
  page.keyboard.press("d")
  assert page.evaluate("getComputedStyle(document.body).backgroundColor") != before


def check_colors(pages):
  color = lambda name, *at: pages[name].evaluate(COLOR_OF, list(at))
  assert color("matmul", "input 0", 2, 1) == "again"
  assert color("matmul", "output 0", 2, 3) == "once"
  assert [color("ragged", "output 0", row, 0) for row in (1, 3, 4, 5)] == ["once", "once", "never", "never"]
  assert [color("ragged", "input 0", row, 0) for row in (1, 2)] == ["once", "once"]
  # Weights of the second group come back for each of its rows, those of the first do not.
  assert [color("grouped", "input 1", row, 1) for row in range(4)] == ["once", "again", "again", "again"]


def check_clicks(page):
  """A click on a block goes to a program that has it, one on the grid or on a picture of memory to its step."""
  def click(title, column, row):
    page.locator(".operand", has_text=title).locator("canvas").click(position={"x": column * 40 + 20, "y": row * 40 + 20})

  page.keyboard.press("Home")
  click("input 1 (args[1])", 2, 1)
  assert "program (0, 2, 1), step 6 of 24" in status(page), status(page)
  click("output 0", 3, 2)
  assert "program (2, 3, 0)" in status(page), status(page)
  # Keys work behind a click on a button, too.
  page.click("text=|<")
  page.keyboard.press("ArrowRight")
  assert "step 2 of 24" in status(page), status(page)


def check_steps_of_memory(page):
  page.keyboard.press("Home")
  page.keyboard.press("ArrowRight")
  text = page.text_content("main")
  assert "Planned for v5e by pallas-check-target" in text
  # The block of the first input moves on at each step, that of the output after two.
  assert "step 2: 393,216 of 458,752 bytes in use: input 0 65,536 + 65,536 arriving, input 1 65,536 + 65,536 arriving, output 0 65,536, scratch 0 65,536" in text
  page.keyboard.press("ArrowRight")
  assert "step 3: 458,752 of 458,752 bytes in use" in page.text_content("main") and "output 0 65,536 + 65,536 leaving" in page.text_content("main")
  page.keyboard.press("End")
  assert "step 24: 262,144 of 458,752 bytes" in page.text_content("main"), page.text_content("main")
  picture = page.locator("canvas[aria-label='vmem in use per step of the grid']")
  box = picture.bounding_box()
  picture.click(position={"x": box["width"] * (170 + 1060 * 4.5 / 24) / 1230, "y": 40})
  assert "step 5 of 24" in status(page), status(page)
  assert "From the cost model for v5e" in text and " cycles to compute, " in text


def check_prediction(page):
  """What the cost model predicts as a timeline ends when its sum does, and leads to steps."""
  text = page.text_content("main")
  total = int(re.search(r"about ([\d,]+) cycles in", text)[1].replace(",", ""))
  drawn = int(re.search(r"ends after ([\d,]+)", text)[1].replace(",", ""))
  assert abs(drawn - total) < 0.1 * total, (drawn, total)
  canvas = page.locator("#predicted")
  scale = canvas.bounding_box()["width"] / 1230

  def tell(row):
    """What the first place of a row that has something tells; the core waits between its steps."""
    for x in range(500, 1200, 10):
      place = {"x": x * scale, "y": (18 * row + 9) * scale}
      canvas.hover(position=place)
      told = page.text_content("#predicted + p")
      if re.match(("program", "copy: input 0", "copy: input 1", "copy: output 0")[row], told):
        return place, told
    raise AssertionError(told)

  # Names of parts are whole, or left out where there is no room.
  names = page.eval_on_selector_all("#main .bar:not(.share) div", "parts => parts.map(part => [part.textContent, part.scrollWidth <= part.clientWidth])")
  assert names[0][0] == "copies" and names[-1][0] == "" and all(fits for name, fits in names if name), names
  place, told = tell(0)
  ids = re.match(r"program: program (\(\d, \d, \d\)), [\d,]+ to [\d,]+ cycles$", told)
  canvas.click(position=place)
  assert f"program {ids[1]}" in status(page), (told, status(page))
  assert re.match(r"copy: input 0 for step \d+, [\d,]+ to [\d,]+ cycles$", tell(1)[1])
  assert re.match(r"copy: output 0 of step \d+, [\d,]+ to [\d,]+ cycles$", tell(3)[1])


def check_memory_of_events(pages):
  """Memory follows the events of the run: scratch and windows of a grid, and what a kernel allocates for a while."""
  memory = lambda name: pages[name].evaluate("JSON.parse(document.getElementById('data').textContent).timeline.memory")
  grid, = memory("matmul")
  # Three windows and the accumulator, of 64 KiB each, from the begin to the end.
  assert (grid["device"], grid["core"], grid["space"], max(grid["values"]), grid["values"][-1]) == (0, "core", "vmem", 262144, 0), grid
  page = pages["matmul"]
  canvas = page.locator("#timeline")
  box = canvas.bounding_box()
  canvas.hover(position={"x": box["width"] / 2, "y": box["height"] - 45 * box["width"] / 1230})
  told = page.text_content("#timeline + p")
  assert re.match(r"device 0, core, vmem at [\d,]+ us: 262,144 bytes in use \+ (131,072|196,608) on their way, 458,752 allocated", told), told
  points = {counter["core"]: max(counter["values"]) for counter in memory("subcores") if counter["space"] == "vmem"}
  assert points == {f"point (0, {i})": 64 for i in range(4)}, memory("subcores")
  # What they share lasts as long as they do.
  shared, = (counter for counter in memory("subcores") if counter["space"] == "vmem_shared")
  assert shared["values"] == [256, 0] and shared["times"][0] == 0 < shared["times"][1], shared


def check_panes(page):
  """The head of an operation is linked as its end is, and the arrow keys go from line to line."""
  heads = page.locator(".pane >> nth=1").locator(".hit").all_text_contents()
  assert any("pallas.pallas_call grid" in head for head in heads), heads
  page.locator(".pane >> nth=0").focus()
  page.keyboard.press("ArrowDown")
  assert page.locator(".pane >> nth=0").locator(".hit").text_content().split(maxsplit=1)[1].startswith("@pl.when"), "the next line"
  page.keyboard.press("ArrowUp")
  assert "def matmul" in page.locator(".pane >> nth=0").locator(".hit").text_content()


def check_findings(page):
  text = page.text_content("main")
  assert "Findings (3)" in text and "padding in a result" in text and "note: mask away what lies outside" in text
  page.click(".finding .place >> nth=0")
  marked = page.locator(".pane .hit").first.text_content()
  assert "jnp.sum(x[...]" in marked, marked
  # What the line has become is marked beside it.
  assert page.locator(".pane >> nth=1").locator(".hit").count() > 1


def check_memory(page):
  text = page.text_content("main")
  assert "vmem 458,752 bytes of 134,217,728" in text and "input 0: 2 x 65,536" in text


def check_markup(page):
  assert page.title() == "markup.mlir"
  assert page.locator("main img, main script, #summary img, #summary script").count() == 0
  assert "<img src=x onerror=document.title='owned'>" in page.text_content("#summary")
  # A name of a part of the page stays what it is, too.
  assert page.locator("script").count() == 2


def check_single_program(page):
  """A grid without dimensions has one program, which the timeline leads to."""
  assert status(page) == "program (), step 1 of 1", status(page)
  main = page.text_content("main")
  assert "grid ()1 program" in main and "runs first" not in main, main
  box = page.locator("#timeline").bounding_box()
  page.locator("#timeline").click(position={"x": box["width"] / 2, "y": 27})
  assert status(page) == "program (), step 1 of 1", status(page)


def check_sections(page):
  """Calls of one name have titles and anchors of their own."""
  assert page.locator("[aria-label=call] option").all_text_contents() == ["add (1 of 2)", "add (2 of 2)"]
  assert page.text_content("#call-1 h2") == "add (1 of 2)" and status(page).endswith("of 8"), status(page)
  page.select_option("[aria-label=call]", "1")
  assert page.text_content("#call-2 h2") == "add (2 of 2)" and status(page).endswith("of 4") and page.url.endswith("#call-2"), page.url
  page.goto(page.url.replace("#call-2", "#call-1"))
  page.wait_for_selector("#call-1")
  assert page.locator("#call-2").count() == 0 and page.input_value("[aria-label=call]") == "0"


def check_meshes(pages):
  """Kernels of meshes have points instead of steps, the memory of their target, and a track for each point."""
  subcores, warpgroups = (pages[name].text_content("main") for name in ("subcores", "warpgroups"))
  assert "sc_vector core = 1, subcore = 4: 4 points" in subcores and "vmem_shared 256 bytes" in subcores, subcores
  # A subcore of v6e has 256 KiB, its TensorCore 512 times as much.
  assert "vmem 64 bytes of 262,144 (0.02 %) on v6e" in subcores and "Capacities are those of a subcore of v6e" in subcores, subcores
  assert "gpu wg = 2: 2 points" in warpgroups and "smem 4,128 bytes of 232,448 (2 %) on sm_90a" in warpgroups, warpgroups
  assert "shared memory of a block with its 4 barriers" in warpgroups
  for name, kernel in (("subcores", "def exchange(x, o, shared):"), ("warpgroups", "def produce(x, o, slots, full, empty):")):
    page = pages[name]
    assert page.locator("input[type=range]").count() == 0 and page.locator("#timeline").count() == 1
    assert kernel in page.locator(".pane .hit").first.text_content(), page.locator(".pane .hit").first.text_content()
    page.keyboard.press("ArrowRight")
  events = lambda name: pages[name].evaluate("JSON.parse(document.getElementById('data').textContent).timeline.events")
  tracks = lambda name: {e["args"]["name"]: e["tid"] for e in events(name) if e["name"] == "thread_name"}
  assert tracks("subcores").keys() >= {f"point (0, {i})" for i in range(4)}, tracks("subcores")
  # The consumer waits for the first copy, of 2048 bytes.
  assert [e["dur"] for e in events("warpgroups") if e.get("cat") == "wait" and e["tid"] == tracks("warpgroups")["point (1)"]][0] == 2048
  # Devices that do not reach each other run at the same time, whichever the check came to first.
  begins = {e["pid"]: e["ts"] for e in events("devices") if e.get("cat") == "kernel" and e["name"] == "increase"}
  assert begins == dict.fromkeys(range(4), 0), begins


def check_unfinished(page):
  """A run that was given up has the timeline that it got to."""
  events = page.evaluate("JSON.parse(document.getElementById('data').textContent).timeline.events")
  assert {e["cat"]: e["args"].get("unfinished", False) for e in events if e["ph"] == "X"} == {"kernel": True, "program": True, "access": False}, events
  assert "was still running when the run was given up" in page.text_content("main")
  box = page.locator("#timeline").bounding_box()
  page.locator("#timeline").hover(position={"x": box["width"] / 2, "y": 9})
  assert "still running" in page.text_content("#timeline + p")


def check_refusal(page):
  """What the target refuses is a finding at the line of the call, and memory that is too small shows."""
  finding = page.locator(".finding.error")
  assert "error (tpu:v5e)" in finding.text_content() and "refused.mlir:3" in finding.text_content(), finding.text_content()
  finding.locator(".place").click()
  assert "pallas.pallas_call @refused" in page.locator(".pane .hit").first.text_content()


def check_notebook(context):
  """A cell of a notebook shows the page in a frame."""
  page = context.new_page()
  page.goto((folder / "notebook.html").as_uri())
  frame = page.frame_locator("iframe")
  frame.locator("html[data-ready]").wait_for(timeout=60_000)
  frame.locator("text=>|").click()
  assert "step 4 of 4" in frame.locator("#status").text_content()


def check_time(context):
  """A million steps are there within two seconds of a processor."""
  page = context.new_page()
  session = context.new_cdp_session(page)
  session.send("Performance.enable", {"timeDomain": "threadTicks"})
  spent = lambda: {m["name"]: m["value"] for m in session.send("Performance.getMetrics")["metrics"]}["TaskDuration"]
  page.goto((folder / "million.html").as_uri())
  page.wait_for_selector("html[data-ready]", timeout=60_000)
  first = spent()
  for key in ("End", "Home", "End", "Home"):
    page.keyboard.press(key)
  later = (spent() - first) / 4
  print(f"first picture after {first:.2f} s of a processor, each step {later:.3f} s", file=sys.stderr)
  assert first < 2 and later < 0.1, (first, later)


def check_without_javascript(browser):
  context = browser.new_context(java_script_enabled=False)
  page = context.new_page()
  page.goto((folder / "ragged.html").as_uri())
  assert page.locator("#summary pre").is_visible()
  assert "block (4, 0) is in the window of no program" in page.inner_text("#summary")
  assert "draws with JavaScript, which is off" in page.inner_text("main")


with sync_playwright() as playwright:
  browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
  context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme="light")
  pages = {name: open_page(context, name) for name in PAGES}
  check_colors(pages)
  color = lambda name, *at: pages[name].evaluate(COLOR_OF, list(at))
  check_steering(pages["matmul"])
  check_clicks(pages["matmul"])
  check_steps_of_memory(pages["matmul"])
  check_prediction(pages["matmul"])
  check_memory_of_events(pages)
  check_panes(pages["matmul"])
  # Index maps that read prefetched scalars are evaluated for the arguments.
  assert [color("prefetched", "input 1", row, 1) for row in range(4)] == ["once", "again", "again", "again"]
  # A failure of the run has its line.
  assert "deadlock: this waits for a semaphore" in pages["deadlock"].text_content(".finding")
  pages["deadlock"].click(".finding .place")
  assert "pl.semaphore_wait(semaphore, 1)" in pages["deadlock"].locator(".pane .hit").first.text_content()
  check_unfinished(pages["endless"])
  check_sections(pages["twice"])
  check_meshes(pages)
  check_single_program(pages["endless"])
  check_findings(pages["ragged"])
  check_memory(pages["matmul"])
  check_markup(pages["markup"])
  check_refusal(pages["refused"])
  check_notebook(context)
  check_time(context)
  assert "in several windows" in pages["overlap"].text_content(".legend")
  assert "evaluated: (i0, i1) -> (i1, i0)" in pages["million"].text_content("main")
  assert "evaluated: a table of 16 windows" in pages["grouped"].text_content("main")
  assert all(f"device {d}, core" not in pages["matmul"].text_content("main") for d in (1, 2)) and pages["ring"].locator("#timeline").count() == 1
  # A million programs: each step is a picture, and none is an element.
  million = pages["million"]
  million.keyboard.press("End")
  assert status(million) == "program (999, 999), step 1,000,000 of 1,000,000"
  assert million.evaluate("document.querySelectorAll('*').length") < 1000
  for name, page in pages.items():
    page.screenshot(path=pictures / f"{name}.png", full_page=True)
    assert not page.problems, (name, page.problems)
  check_without_javascript(browser)
  browser.close()
print("all pages are as they should be")
