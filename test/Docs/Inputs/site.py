"""Opens the site in a browser, as files: pages, the search, and what the gallery shows.

  site.py BROWSER SITE [PICTURES]
"""
import pathlib
import sys

from playwright.sync_api import sync_playwright

browser_path, site, *pictures = sys.argv[1:]
site = pathlib.Path(site)


def open_page(context, name):
  page = context.new_page()
  page.problems = []
  page.on("console", lambda message: page.problems.append(message.text) if message.type == "error" else None)
  page.on("pageerror", lambda error: page.problems.append(str(error)))
  page.on("request", lambda request: page.problems.append(request.url) if not request.url.startswith(("file:", "data:", "blob:", "about:")) else None)
  page.goto((site / name).as_uri())
  return page


def shot(page, name):
  if pictures:
    page.screenshot(path=pathlib.Path(pictures[0]) / f"{name}.png")


with sync_playwright() as play:
  browser = play.chromium.launch(executable_path=browser_path)
  context = browser.new_context(viewport={"width": 1280, "height": 900})
  home = open_page(context, "index.html")
  assert "pallas-mlir" in home.title()
  assert home.locator("article img").first.evaluate("image => image.naturalWidth") > 0
  shot(home, "home")
  home.keyboard.press("/")
  home.keyboard.type("scalar prefetch")
  first = home.locator(".md-search-result__item a").first
  first.wait_for(timeout=30_000)
  assert home.locator(".md-search-result__item").count() > 2
  shot(home, "search")
  print("the search finds pages")

  gallery = open_page(context, "gallery/index.html")
  kernels = gallery.locator("article table tbody tr a")
  names = [kernels.nth(i).get_attribute("href") for i in range(kernels.count())]
  assert len(names) == 10, names
  gallery.get_by_role("link", name="A ragged edge, with a mistake").last.click()
  gallery.wait_for_url("**/gallery/ragged_edge.html")
  text = gallery.text_content("article")
  assert "padding in a result" in text and "tpu.vector_store" in text and "examples/gallery/ragged_edge.py" in text
  shot(gallery, "ragged_edge")
  with context.expect_page() as opened:
    gallery.get_by_role("link", name="The grid, the timeline").click()
  viz = opened.value
  viz.wait_for_selector("html[data-ready]", timeout=60_000)
  assert "ragged_edge" in viz.text_content("body")
  print(f"the gallery has {len(names)} kernels")

  reference = open_page(context, "Passes/Pallas.html")
  shot(reference, "passes")
  dialect = open_page(context, "Dialects/Pallas.html")
  shot(dialect, "dialect")
  for page in (home, gallery, reference, dialect):
    assert not page.problems, page.problems
  browser.close()
