"""How large a wheel of these files is, against a bound.

  wheel_size.py FOLDER MEGABYTES
"""
import pathlib
import sys
import zlib

folder, bound = pathlib.Path(sys.argv[1]), float(sys.argv[2])
files = [path for path in folder.rglob("*") if path.is_file() and "cache" not in path.parts and "__pycache__" not in path.parts]
sizes = {path.relative_to(folder): len(zlib.compress(path.read_bytes())) for path in files}
total = sum(sizes.values()) / 1e6
largest = ", ".join(f"{path} {size / 1e6:.1f}" for path, size in sorted(sizes.items(), key=lambda item: -item[1])[:3])
assert total <= bound, f"a wheel would take {total:.1f} MB, of which there may be {bound}: {largest}"
print(f"a wheel takes {total:.1f} MB: {largest}")
