"""Grouped matrix products as modules for any shape, and the tables that they read."""

import numpy as np


def tables(sizes, m, tm, start=0, local=None, visit_empty=False):
  """How many programs the groups from `start` on need, the offsets of all
  groups, and the group and the tile of rows of each program."""
  groups = len(sizes)
  local = groups - start if local is None else local
  off = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
  length = m // tm + groups - 1
  visits = []
  for g in range(groups):
    if sizes[g]:
      visits += [(g, t) for t in range(off[g] // tm, -(-off[g + 1] // tm))]
    elif visit_empty:
      visits.append((g, min(off[g] // tm, m // tm - 1)))
  mine = [v for v in visits if start <= v[0] < start + local]
  padded = (mine + [(groups - 1, m // tm - 1)] * length)[:length]
  gid, mid = np.array(padded, np.int32).reshape(length, 2).T
  return np.int32(len(mine)), off, gid.copy(), mid.copy()


def operand(name, shape, dtype, block, ids, body, origin):
  arguments = f"{ids}, %off_ref, %gid_ref, %mid_ref, %goff_ref"
  return (f"in(%{name} : tensor<{shape}x{dtype}>) block<[{block}], vmem, origin = \"{origin}\"> "
          f"map({arguments}) {{\n{body}\n}}")


def converted(source, shape, start, end):
  """Text and name of `source` in another element type."""
  if start == end:
    return "", source
  op = "extf" if end == "f32" else "truncf"
  return f"{source}_c = arith.{op} {source} : tensor<{shape}x{start}> to tensor<{shape}x{end}>", f"{source}_c"


GROUP = """%group = pallas.get %gid_ref[%g] : !tiles
%first_group = pallas.get %goff_ref[0] : !one
%b = arith.subi %group, %first_group : i32"""
TILE = "%m = pallas.get %mid_ref[%g] : !tiles"


def bounds(tm):
  """%mine: which rows of the tile belong to %group."""
  return f"""
    %one_more = arith.addi %group, %c1 : i32
    %begin = pallas.get %off_ref[%group] : !off
    %finish = pallas.get %off_ref[%one_more] : !off
    %tm = arith.constant {tm} : i32
    %base = arith.muli %m, %tm : i32
    %bases = pallas.broadcast %base : i32 -> tensor<{tm}x1xi32>
    %rows = pallas.iota 0 : tensor<{tm}x1xi32>
    %at = arith.addi %rows, %bases : tensor<{tm}x1xi32>
    %begins = pallas.broadcast %begin : i32 -> tensor<{tm}x1xi32>
    %finishes = pallas.broadcast %finish : i32 -> tensor<{tm}x1xi32>
    %above = arith.cmpi sge, %at, %begins : tensor<{tm}x1xi32>
    %below = arith.cmpi slt, %at, %finishes : tensor<{tm}x1xi32>
    %mine = arith.andi %above, %below : tensor<{tm}x1xi1>"""


def spread(name, tm, width):
  return f"%mine_{name} = pallas.broadcast %mine dims [0, 1] : tensor<{tm}x1xi1> -> tensor<{tm}x{width}xi1>"


def header(groups, length):
  return f"""!off = !pallas.ref<{groups + 1}xi32, smem>
!tiles = !pallas.ref<{length}xi32, smem>
!one = !pallas.ref<1xi32, smem>
"""


TABLE_REFS = "%off_ref: !off, %gid_ref: !tiles, %mid_ref: !tiles, %goff_ref: !one"


def signature(name, groups, length, arrays, result):
  arguments = ", ".join(f"%{n}: tensor<{t}>" for n, t in arrays)
  return (f"func.func @{name}(%num_tiles: i32, %off: tensor<{groups + 1}xi32>, %gid: tensor<{length}xi32>, "
          f"%mid: tensor<{length}xi32>, %goff: tensor<1xi32>, {arguments}) -> tensor<{result}> {{")


def prefetch(groups, length):
  return (f"prefetch(%off, %gid, %mid, %goff : tensor<{groups + 1}xi32>, tensor<{length}xi32>, "
          f"tensor<{length}xi32>, tensor<1xi32>)")


def gmm(m, k, n, groups, local, tiling, lhs, rhs, out, transposed=False, existing=False):
  """Rows of each group times the matrix of the group."""
  (tm, tk, tn), length = tiling, m // tiling[0] + groups - 1
  matrix = f"{n}x{k}" if transposed else f"{k}x{n}"
  matrix_block = f"{tn}, {tk}" if transposed else f"{tk}, {tn}"
  block_r, place = matrix_block.replace(", ", "x"), "%n, %k" if transposed else "%k, %n"
  dot = "bf16" if lhs == rhs == "bf16" else "f32"
  contract = "[1] x [1]" if transposed else "[1] x [0]"
  to_l, l = converted("%l", f"{tm}x{tk}", lhs, dot)
  to_r, r = converted("%r", block_r, rhs, dot)
  to_f32, others = converted("%others", f"{tm}x{tn}", out, "f32")
  to_out, merged = converted("%merged", f"{tm}x{tn}", "f32", out)
  ids, arrays = "%n, %g, %k", [("lhs", f"{m}x{k}x{lhs}"), ("rhs", f"{local}x{matrix}x{rhs}")]
  inputs = [operand("lhs", f"{m}x{k}", lhs, f"{tm}, {tk}", ids, f"{TILE}\npallas.yield %m, %k : i32, i32", "lhs"),
            operand("rhs", f"{local}x{matrix}", rhs, f"squeezed, {matrix_block}", ids,
                    f"{GROUP}\npallas.yield %b, {place} : i32, i32, i32", "rhs")]
  refs, take_over, aliases = "", "", ""
  if existing:
    arrays.append(("existing", f"{m}x{n}x{out}"))
    inputs.append(operand("existing", f"{m}x{n}", out, f"{tm}, {tn}", ids,
                          f"{TILE}\npallas.yield %m, %n : i32, i32", "existing_out"))
    refs, aliases = "%er: !out, ", "aliases [6 -> 0]"
    take_over = f"""
    %g_before = arith.subi %g, %c1 : i32
    %g_clamped = arith.maxsi %g_before, %c0 : i32
    %m_before = pallas.get %mid_ref[%g_clamped] : !tiles
    %at_start = arith.cmpi eq, %g, %c0 : i32
    %moved = arith.cmpi ne, %m, %m_before : i32
    %new_tile = arith.ori %at_start, %moved : i1
    scf.if %new_tile {{
      %e = pallas.get %er[...] : !out
      pallas.swap %or[...], %e : !out, tensor<{tm}x{tn}x{out}>
    }}"""
  mask = ""
  if k % tk:
    # What hangs over may be NaN, so it goes before the product.
    axis = 1 if transposed else 0
    mask = f"""
    %rest = arith.constant {k % tk} : i32
    %full = arith.constant {tk} : i32
    %limit = arith.select %last, %rest, %full : i32
    %limit_l = pallas.broadcast %limit : i32 -> tensor<{tm}x{tk}xi32>
    %limit_r = pallas.broadcast %limit : i32 -> tensor<{block_r}xi32>
    %col = pallas.iota 1 : tensor<{tm}x{tk}xi32>
    %row = pallas.iota {axis} : tensor<{block_r}xi32>
    %keep_l = arith.cmpi slt, %col, %limit_l : tensor<{tm}x{tk}xi32>
    %keep_r = arith.cmpi slt, %row, %limit_r : tensor<{block_r}xi32>
    %zero_l = arith.constant dense<0.0> : tensor<{tm}x{tk}x{dot}>
    %zero_r = arith.constant dense<0.0> : tensor<{block_r}x{dot}>
    %l_kept = arith.select %keep_l, {l}, %zero_l : tensor<{tm}x{tk}xi1>, tensor<{tm}x{tk}x{dot}>
    %r_kept = arith.select %keep_r, {r}, %zero_r : tensor<{block_r}xi1>, tensor<{block_r}x{dot}>"""
    l, r = "%l_kept", "%r_kept"
  newline = "\n"
  return f"""{header(groups, length)}!out = !pallas.ref<{tm}x{tn}x{out}, vmem>
!acc = !pallas.ref<{tm}x{tn}xf32, vmem>
{signature("gmm", groups, length, arrays, f"{m}x{n}x{out}")}
  %o = pallas.pallas_call @gmm grid({-(-n // tn)}, %num_tiles, {-(-k // tk)})
      {prefetch(groups, length)}
      {newline.join(inputs)}
      out(tensor<{m}x{n}x{out}>) block<[{tm}, {tn}], vmem> map({ids}, %off_ref, %gid_ref, %mid_ref, %goff_ref) {{
        {TILE}
        pallas.yield %m, %n : i32, i32
      }}
      {aliases}
      semantics [parallel, arbitrary, arbitrary]
      kernel({TABLE_REFS}, %lr: !pallas.ref<{tm}x{tk}x{lhs}, vmem>, %rr: !pallas.ref<{block_r}x{rhs}, vmem>,
             {refs}%or: !out, %acc: !acc) {{
    %g = pallas.program_id 1
    %k = pallas.program_id 2
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %first = arith.cmpi eq, %k, %c0 : i32
    scf.if %first {{
      %zero = arith.constant dense<0.0> : tensor<{tm}x{tn}xf32>
      pallas.swap %acc[...], %zero : !acc, tensor<{tm}x{tn}xf32>
    }}
    {TILE}{take_over}
    %programs = pallas.num_programs 2
    %end = arith.subi %programs, %c1 : i32
    %last = arith.cmpi eq, %k, %end : i32
    %l = pallas.get %lr[...] : !pallas.ref<{tm}x{tk}x{lhs}, vmem>
    %r = pallas.get %rr[...] : !pallas.ref<{block_r}x{rhs}, vmem>
    {to_l}
    {to_r}{mask}
    %old = pallas.get %acc[...] : !acc
    %new = pallas.dot_general {l}, {r} acc %old contract {contract}
        : tensor<{tm}x{tk}x{dot}>, tensor<{block_r}x{dot}>, tensor<{tm}x{tn}xf32> -> tensor<{tm}x{tn}xf32>
    pallas.swap %acc[...], %new : !acc, tensor<{tm}x{tn}xf32>
    scf.if %last {{
    %group = pallas.get %gid_ref[%g] : !tiles{bounds(tm)}
    {spread("out", tm, tn)}
    %others = pallas.get %or[...] : !out
    {to_f32}
    %merged = arith.select %mine_out, %new, {others} : tensor<{tm}x{tn}xi1>, tensor<{tm}x{tn}xf32>
    {to_out}
    pallas.swap %or[...], {merged} : !out, tensor<{tm}x{tn}x{out}>
    }}
  }}
  return %o : tensor<{m}x{n}x{out}>
}}
"""


def tgmm(m, k, n, groups, local, tiling, lhs, rhs, out, existing=False):
  """For each group, its columns of the first factor times its rows of the second; the first comes transposed."""
  (tm, tk, tn), length = tiling, m // tiling[0] + groups - 1
  dot = "bf16" if lhs == rhs == "bf16" else "f32"
  to_l, l = converted("%l", f"{tm}x{tk}", lhs, dot)
  to_r, r = converted("%r", f"{tm}x{tn}", rhs, dot)
  ids, arrays = "%n, %k, %g", [("lhs", f"{m}x{k}x{lhs}"), ("rhs", f"{m}x{n}x{rhs}")]
  inputs = [operand("lhs", f"{m}x{k}", lhs, f"{tm}, {tk}", ids, f"{TILE}\npallas.yield %m, %k : i32, i32", "lhs"),
            operand("rhs", f"{m}x{n}", rhs, f"{tm}, {tn}", ids, f"{TILE}\npallas.yield %m, %n : i32, i32", "rhs")]
  refs, aliases, add, total = "", "", "", "%v"
  if existing:
    arrays.append(("existing", f"{local}x{k}x{n}x{out}"))
    inputs.append(operand("existing", f"{local}x{k}x{n}", out, f"squeezed, {tk}, {tn}", ids,
                          f"{GROUP}\npallas.yield %b, %k, %n : i32, i32, i32", "existing_out"))
    to_f32, e = converted("%e", f"{tk}x{tn}", out, "f32")
    refs, aliases, total = "%er: !out, ", "aliases [6 -> 0]", "%s"
    add = f"%e = pallas.get %er[...] : !out\n{to_f32}\n%s = arith.addf %v, {e} : tensor<{tk}x{tn}xf32>"
  to_out, stored = converted(total, f"{tk}x{tn}", "f32", out)
  newline = "\n"
  return f"""{header(groups, length)}!out = !pallas.ref<{tk}x{tn}x{out}, vmem>
!acc = !pallas.ref<{tk}x{tn}xf32, vmem>
{signature("tgmm", groups, length, arrays, f"{local}x{k}x{n}x{out}")}
  %o = pallas.pallas_call @tgmm grid({-(-n // tn)}, {-(-k // tk)}, %num_tiles)
      {prefetch(groups, length)}
      {newline.join(inputs)}
      out(tensor<{local}x{k}x{n}x{out}>) block<[squeezed, {tk}, {tn}], vmem> map({ids}, %off_ref, %gid_ref, %mid_ref, %goff_ref) {{
        {GROUP}
        pallas.yield %b, %k, %n : i32, i32, i32
      }}
      {aliases}
      semantics [parallel, arbitrary, arbitrary]
      kernel({TABLE_REFS}, %lr: !pallas.ref<{tm}x{tk}x{lhs}, vmem>, %rr: !pallas.ref<{tm}x{tn}x{rhs}, vmem>,
             {refs}%or: !out, %acc: !acc) {{
    %g = pallas.program_id 2
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %group = pallas.get %gid_ref[%g] : !tiles
    %g_before = arith.subi %g, %c1 : i32
    %g_low = arith.maxsi %g_before, %c0 : i32
    %before = pallas.get %gid_ref[%g_low] : !tiles
    %at_start = arith.cmpi eq, %g, %c0 : i32
    %from_other = arith.cmpi ne, %group, %before : i32
    %enter = arith.ori %at_start, %from_other : i1
    scf.if %enter {{
      %zero = arith.constant dense<0.0> : tensor<{tk}x{tn}xf32>
      pallas.swap %acc[...], %zero : !acc, tensor<{tk}x{tn}xf32>
    }}
    {TILE}{bounds(tm)}
    %has_rows = arith.cmpi sgt, %finish, %begin : i32
    scf.if %has_rows {{
      {spread("l", tm, tk)}
      {spread("r", tm, tn)}
      %l = pallas.get %lr[...] : !pallas.ref<{tm}x{tk}x{lhs}, vmem>
      %r = pallas.get %rr[...] : !pallas.ref<{tm}x{tn}x{rhs}, vmem>
      {to_l}
      {to_r}
      %zero_l = arith.constant dense<0.0> : tensor<{tm}x{tk}x{dot}>
      %zero_r = arith.constant dense<0.0> : tensor<{tm}x{tn}x{dot}>
      %l_kept = arith.select %mine_l, {l}, %zero_l : tensor<{tm}x{tk}xi1>, tensor<{tm}x{tk}x{dot}>
      %r_kept = arith.select %mine_r, {r}, %zero_r : tensor<{tm}x{tn}xi1>, tensor<{tm}x{tn}x{dot}>
      %lt = pallas.transpose %l_kept, [1, 0] : tensor<{tm}x{tk}x{dot}>
      %old = pallas.get %acc[...] : !acc
      %new = pallas.dot_general %lt, %r_kept acc %old contract [1] x [0]
          : tensor<{tk}x{tm}x{dot}>, tensor<{tm}x{tn}x{dot}>, tensor<{tk}x{tn}xf32> -> tensor<{tk}x{tn}xf32>
      pallas.swap %acc[...], %new : !acc, tensor<{tk}x{tn}xf32>
    }}
    %programs = pallas.num_programs 2
    %end = arith.subi %programs, %c1 : i32
    %at_end = arith.cmpi eq, %g, %end : i32
    %g_after = arith.addi %g, %c1 : i32
    %bound = arith.constant {length - 1} : i32
    %g_high = arith.minsi %g_after, %bound : i32
    %after = pallas.get %gid_ref[%g_high] : !tiles
    %to_other = arith.cmpi ne, %group, %after : i32
    %leave = arith.ori %at_end, %to_other : i1
    scf.if %leave {{
      %v = pallas.get %acc[...] : !acc
      {add}
      {to_out}
      pallas.swap %or[...], {stored} : !out, tensor<{tk}x{tn}x{out}>
    }}
  }}
  return %o : tensor<{local}x{k}x{n}x{out}>
}}
"""
