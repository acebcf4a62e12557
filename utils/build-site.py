#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the documentation as a site that works from files, without a network.

  build-site.py FOLDER

Pages are those of the checkout; what they link to outside of docs becomes a page with its source, and the kernels of
examples/gallery get pages of their own. A link that leads nowhere is an error.
"""

import html.parser
import logging
import os
import pathlib
import posixpath
import re
import shutil
import sys
import urllib.parse

from project_files import ROOT, tracked
from site_gallery import ORDER, write_gallery

LANGUAGES = {".py": "python", ".cpp": "cpp", ".h": "cpp", ".c": "c", ".td": "tablegen", ".cmake": "cmake", ".sh": "bash", ".toml": "toml",
             ".json": "json", ".yml": "yaml", ".js": "javascript"}
ASSETS = {".svg", ".png"}
# Marks a folder whose pages this script may replace.
MARK = ".pallas-site"


def page_of(path):
  """Where a Markdown page of the checkout stands in the site."""
  path = path.removeprefix("docs/")
  return re.sub(r"(^|/)README\.md$", r"\1index.md", path)


class Pages:
  """The pages of the site, put together in a folder."""

  def __init__(self, folder):
    self.folder, self.files = folder, set(tracked())
    self.done = set()

  def write(self, name, text):
    path = self.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)

  def target(self, path):
    """The name in the site of what a link leads to; its page is made if it has none."""
    if f"{path}/README.md" in self.files:
      path = f"{path}/README.md"
    if path.endswith(".md"):
      self.add(path)
      return page_of(path)
    if pathlib.Path(path).suffix in ASSETS:
      copy = self.folder / "source" / path
      copy.parent.mkdir(parents=True, exist_ok=True)
      shutil.copyfile(ROOT / path, copy)
      return f"source/{path}"
    name = f"source/{path}.md"
    if name not in self.done:
      self.done.add(name)
      self.write(name, self.source(path))
    return name

  def source(self, path):
    """A page with a file, or with the names in a folder; the search leaves it out."""
    if path in self.files:
      language = LANGUAGES.get(pathlib.Path(path).suffix, "text")
      text = (ROOT / path).read_text()
      fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
      body = f"{fence}{language}\n{text}\n{fence}"
    else:
      names = sorted(file.removeprefix(f"{path}/") for file in self.files if file.startswith(f"{path}/"))
      if not names:
        raise ValueError(f"a page links to {path}, which is no file of the checkout")
      body = "\n".join(f"- `{name}`" for name in names)
    return f"---\nsearch:\n  exclude: true\n---\n# {path}\n\n{body}\n"

  def add(self, path):
    """Puts a page of the checkout and all that it leads to into the site."""
    if path in self.done:
      return
    self.done.add(path)
    here = page_of(path)

    def link(match):
      target, _, anchor = match[2].partition("#")
      if not target or "://" in target or target.startswith("mailto:"):
        return match[0]
      found = self.target(posixpath.normpath(posixpath.join(posixpath.dirname(path), target)))
      return f"{match[1]}({posixpath.relpath(found, posixpath.dirname(here) or '.')}{'#' + anchor if anchor else ''})"

    # Code between fences keeps what looks like a link.
    parts = re.split(r"(^```.*?^```$)", (ROOT / path).read_text(), flags=re.MULTILINE | re.DOTALL)
    parts[::2] = [re.sub(r"(\])\(([^()\s]+)\)", link, part) for part in parts[::2]]
    self.write(here, "".join(parts))


class Links(html.parser.HTMLParser):
  """What a page defines and refers to."""

  def __init__(self, text):
    super().__init__()
    self.ids, self.targets, self.loads = set(), [], []
    self.feed(text)

  def handle_starttag(self, tag, attributes):
    attributes = dict(attributes)
    self.ids |= {attributes[name] for name in ("id", "name") if attributes.get(name)}
    for name in ("href", "src"):
      if name in attributes:
        (self.targets if tag == "a" else self.loads).append(attributes[name] or "")


def check_links(site):
  """Links between pages of a site that lead nowhere, and what a page loads from elsewhere."""
  pages = {path: Links(path.read_text()) for path in site.rglob("*.html")}
  for path, page in sorted(pages.items()):
    for target in page.targets + page.loads:
      if "://" in target or target.startswith(("mailto:", "data:")):
        if target in page.loads and not target.startswith("data:"):
          yield f"{path.relative_to(site)} loads {target}"
        continue
      name, _, anchor = target.partition("#")
      # The page for what is not found stands anywhere, so its links start at the root.
      start = site if name.startswith("/") else path.parent
      found = pathlib.Path(os.path.normpath(start / urllib.parse.unquote(name.lstrip("/")))) if name else path
      if not found.exists():
        yield f"{path.relative_to(site)} leads to {target}, which does not exist"
      elif anchor and found in pages and urllib.parse.unquote(anchor) not in pages[found].ids:
        yield f"{path.relative_to(site)} leads to {target}, a section that does not exist"


def build(folder):
  from mkdocs.commands.build import build as build_pages
  from mkdocs.config import load_config
  logging.basicConfig(format="%(levelname)s: %(message)s", level=logging.WARNING)
  staged, site = folder / "pages", folder / "site"
  for old in (staged, site):
    if old.exists():
      if not (folder / MARK).exists():
        sys.exit(f"build-site.py: {old} was not made by this script; choose another folder")
      shutil.rmtree(old)
  folder.mkdir(parents=True, exist_ok=True)
  (folder / MARK).touch()
  pages = Pages(staged)
  for path in sorted(pages.files):
    if path.endswith(".md") and (path.startswith("docs/") or path in ("README.md", "CHANGELOG.md")):
      pages.add(path)
  pages.write("assets/iframe-worker.js", (ROOT / "utils/site-worker.js").read_text())
  write_gallery(staged / "gallery")
  config = load_config(str(ROOT / "mkdocs.yml"), docs_dir=str(staged), site_dir=str(site), strict=True)
  gallery = next(entry["Gallery"] for entry in config.nav if "Gallery" in entry)
  gallery += [f"gallery/{name}.md" for name in ORDER]
  config.plugins.on_startup(command="build", dirty=False)
  build_pages(config)
  if broken := list(check_links(site)):
    sys.exit("\n".join(broken))
  print(f"{sum(1 for _ in site.rglob('*.html'))} pages in {site}; index.html is the first")


if __name__ == "__main__":
  if len(sys.argv) != 2:
    sys.exit(__doc__)
  build(pathlib.Path(sys.argv[1]).resolve())
