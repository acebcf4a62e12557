"""The words of a module that each pattern of a grammar finds.

  highlight.py GRAMMAR MODULE
"""
import collections
import json
import pathlib
import re
import sys

grammar, text = json.loads(pathlib.Path(sys.argv[1]).read_text()), pathlib.Path(sys.argv[2]).read_text()
text = re.sub(r"//.*", "", text)
words = collections.defaultdict(set)
for pattern in grammar["patterns"]:
  words[pattern["name"]] |= set(re.findall(pattern["match"], text))
for name in sorted(words):
  print(f"{name}: {' '.join(sorted(words[name]))}")
