"""What the kernels of the corpus compute, in NumPy.

Each function takes a random generator and returns inputs and expected results
of the function in the corpus that has its name.
"""

import ml_dtypes
import numpy as np

CASES = {}


def case(module):
  def register(function):
    CASES.setdefault(module, {})[function.__name__.strip("_")] = function
    return function
  return register


def f32(rng, *shape):
  return rng.standard_normal(shape).astype(np.float32)


def i32(*values):
  return np.array(values, np.int32)


def f16(rng, *shape):
  return (rng.standard_normal(shape) / 4).astype(np.float16)


def softmax_of(scores):
  e = np.exp(scores - scores.max(-1, keepdims=True))
  return e / e.sum(-1, keepdims=True)


# ------------------------------------------------------------ one block at a time
@case("elementwise")
def double(rng):
  x = f32(rng, 8, 128)
  return [x], [x + x]


@case("elementwise")
def add_one_ragged(rng):
  x = f32(rng, 100)
  return [x], [x + 1]


@case("elementwise")
def program_ids(rng):
  return [], [(10 * np.arange(4)[:, None] + np.arange(6)).astype(np.int32)]


@case("elementwise")
def sliding_sum(rng):
  x = f32(rng, 16, 128)
  return [x], [np.stack([x[2 * i:2 * i + 8].sum(0) for i in range(5)])]


@case("elementwise")
def iota_table(rng):
  return [], [np.arange(16 * 128, dtype=np.int32).reshape(16, 128)]


@case("dynamic_grid")
def first_blocks(rng):
  x = f32(rng, 64, 128)
  expected = x.copy()
  expected[:5 * 8] += 2 * 5
  return [i32(5), x], [expected]


@case("prefetch_gather")
def gather(rng):
  x, idx = f32(rng, 64, 128), i32(7, 0, 3, 3)
  return [idx, x], [np.concatenate([x[8 * i:8 * i + 8] for i in idx])]


@case("scalar_prefetch")
def two_tables(rng):
  rows, cols, scale, x = i32(3, 0, 2), i32(1, 1, 0), f32(rng, 3), f32(rng, 32, 256)
  blocks = [x[8 * r:8 * r + 8, 128 * c:128 * c + 128] * s for r, c, s in zip(rows, cols, scale)]
  return [rows, cols, scale, x], [np.concatenate(blocks)]


@case("scalar_prefetch")
def narrow_table(rng):
  table, x = np.array([2, 0, 3, 2], np.int8), f32(rng, 32, 128)
  return [table, x], [np.concatenate([x[8 * b:8 * b + 8] for b in table])]


@case("scalar_prefetch")
def update_some_blocks(rng):
  table, x = i32(3, 1), f32(rng, 32, 128)
  expected = x.copy()
  for b in table:
    expected[8 * b:8 * b + 8] *= 2
  return [table, x], [expected]


# ------------------------------------------------------------ control flow
@case("control_flow")
def branches(rng):
  flags, x = i32(0, 1, 2, 0), f32(rng, 32, 128)
  blocks = x.reshape(4, 8, 128)
  return [flags, x], [np.concatenate([-b if f == 0 else b + b + (f >= 2) for f, b in zip(flags, blocks)]).astype(np.float32)]


@case("control_flow")
def three_way(rng):
  x = f32(rng, 8, 128)
  return [i32(1), x], [x * x]


@case("control_flow")
def dynamic_bounds(rng):
  x = f32(rng, 32, 128)
  return [i32(3, 20), x], [x[3:20].sum(0, keepdims=True)]


@case("control_flow")
def while_carry(rng):
  return [i32(48)], [i32(3, 4)]


@case("control_flow")
def while_ref(rng):
  return [np.array([20], np.float32)], [np.array([0.625], np.float32)]


@case("control_flow")
def loop_over_ref(rng):
  x = f32(rng, 8, 128)
  before = np.concatenate([np.zeros((1, 128), np.float32), x[:-1]])
  return [x], [np.cumsum(x * before, axis=0)]


# ------------------------------------------------------------ indexing
@case("indexing")
def view_of_view(rng):
  x = f32(rng, 16, 128)
  return [x], [x[6:14, 32:96]]


@case("indexing")
def strides(rng):
  x = f32(rng, 16, 128)
  return [x], [x[::2], np.repeat(x[3:4], 4, axis=0)]


@case("indexing")
def arrays(rng):
  x, idx = f32(rng, 2, 16, 128), i32(4, 0, 15, 4, 7)
  return [x, idx], [x[1, idx], x[0, :, idx]]


@case("indexing")
def scatter_add(rng):
  idx, v = i32(3, 5, 3, 0, 15, 3, 5, 1), f32(rng, 8)
  expected = np.zeros(16, np.float32)
  np.add.at(expected, idx, v)
  return [idx, v], [expected]


@case("indexing")
def dynamic_rows(rng):
  x = f32(rng, 16, 128)
  expected = x.copy()
  expected[2:6] = x[9:13]
  return [i32(9, 2), x], [expected]


@case("indexing")
def views(rng):
  x = f32(rng, 16, 128)
  return [x], [x.reshape(2, 8, 128), x.T.copy(), x.view(np.int32)]


# ------------------------------------------------------------ norms
@case("softmax")
def softmax(rng):
  x = f32(rng, 6, 100)
  return [x], [softmax_of(x)]


@case("layer_norm")
def layer_norm(rng):
  x, w, b = f32(rng, 4, 256), f32(rng, 256), f32(rng, 256)
  mean = x.mean(1)
  rstd = 1 / np.sqrt(x.var(1) + 1e-5)
  return [x, w, b], [(x - mean[:, None]) * rstd[:, None] * w + b, mean, rstd]


@case("layer_norm")
def layer_norm_dx(rng):
  x, w, dy, mean, rstd = f32(rng, 4, 256), f32(rng, 256), f32(rng, 4, 256), f32(rng, 4), f32(rng, 4)
  xhat, g = (x - mean[:, None]) * rstd[:, None], dy * w
  dx = (g - g.mean(1, keepdims=True) - xhat * (g * xhat).mean(1, keepdims=True)) * rstd[:, None]
  return [x, w, dy, mean, rstd], [dx]


@case("layer_norm")
def layer_norm_dw_db(rng):
  x, dy, mean, rstd = f32(rng, 8, 256), f32(rng, 8, 256), f32(rng, 8, 1), f32(rng, 8, 1)
  return [x, dy, mean, rstd], [(dy * (x - mean) * rstd).sum(0), dy.sum(0)]


@case("rms_norm")
def rms_norm(rng):
  x, w = f32(rng, 4, 256), f32(rng, 256)
  rstd = 1 / np.sqrt((x * x).mean(1) + 1e-5)
  return [x, w], [x * rstd[:, None] * w, rstd]


@case("rms_norm")
def rms_norm_dx(rng):
  x, w, dy, rstd = f32(rng, 4, 256), f32(rng, 256), f32(rng, 4, 256), f32(rng, 4)
  xhat, wdy = x * rstd[:, None], w * dy
  return [x, w, dy, rstd], [(wdy - xhat * (wdy * xhat).mean(1, keepdims=True)) * rstd[:, None]]


@case("rms_norm")
def rms_norm_dw(rng):
  x, dy, rstd = f32(rng, 5, 256), f32(rng, 5, 256), f32(rng, 5)
  return [x, dy, rstd], [(x * dy * rstd[:, None]).sum(0)]


# ------------------------------------------------------------ random bits
@case("philox")
def philox(rng):
  key = rng.integers(-2**31, 2**31, 2).astype(np.int32)
  k = [int(v) for v in key.view(np.uint32)]
  x = [np.arange(16 * 128, dtype=np.uint64)] + [np.zeros(16 * 128, np.uint64)] * 3
  for _ in range(10):
    p, q = x[0] * np.uint64(0xD2511F53), x[2] * np.uint64(0xCD9E8D57)
    low = np.uint64(2**32 - 1)
    x = [(q >> np.uint64(32)) ^ x[1] ^ np.uint64(k[0]), q & low, (p >> np.uint64(32)) ^ x[3] ^ np.uint64(k[1]), p & low]
    k = [(k[0] + 0x9E3779B9) % 2**32, (k[1] + 0xBB67AE85) % 2**32]
  return [key], [x[0].astype(np.uint32).view(np.int32).reshape(16, 128)]


@case("threefry")
def threefry(rng):
  key = rng.integers(-2**31, 2**31, 2).astype(np.int32)
  k0, k1 = key.view(np.uint32)
  keys = [k0, k1, k0 ^ k1 ^ np.uint32(466688986)]
  x0 = np.full(20 * 128, k0, np.uint32)
  x1 = np.arange(20 * 128, dtype=np.uint32) + k1
  with np.errstate(over="ignore"):
    for group in range(5):
      for r in ((13, 15, 26, 6), (17, 29, 16, 24))[group % 2]:
        x0 = x0 + x1
        x1 = (x1 << np.uint32(r) | x1 >> np.uint32(32 - r)) ^ x0
      x0 = x0 + keys[(group + 1) % 3]
      x1 = x1 + keys[(group + 2) % 3] + np.uint32(group + 1)
  return [key], [(x0 ^ x1).view(np.int32).reshape(20, 128)]


# ------------------------------------------------------------ products
@case("matmul")
def matmul(rng):
  x, y = f32(rng, 512, 256), f32(rng, 256, 512)
  return [x, y], [x @ y]


@case("block_sparse_matmul")
def block_sparse_matmul(rng):
  rows, cols = i32(0, 0, 1, 3, 3, 3), i32(0, 2, 1, 0, 1, 2)
  blocks, y = f32(rng, 6, 128, 128), f32(rng, 384, 256)
  dense = np.zeros((512, 384), np.float32)
  for r, c, b in zip(rows, cols, blocks):
    dense[128 * r:128 * r + 128, 128 * c:128 * c + 128] = b
  return [rows, cols, blocks, y], [dense @ y]


OFFSETS, GROUPS, TILES = i32(0, 20, 40, 64), i32(0, 0, 1, 1, 2, 2), i32(0, 1, 1, 2, 2, 3)


def grouped(lhs, rhs):
  return np.concatenate([lhs[a:b].astype(np.float32) @ m.astype(np.float32) for a, b, m in zip(OFFSETS, OFFSETS[1:], rhs)])


@case("gmm")
def gmm(rng):
  lhs, rhs = f32(rng, 64, 200), f32(rng, 3, 200, 200)
  return [i32(6)[0], OFFSETS, GROUPS, TILES, i32(0), lhs, rhs], [grouped(lhs, rhs)]


@case("gmm")
def gmm_transposed_bf16(rng):
  lhs, rhs = f32(rng, 64, 200).astype(ml_dtypes.bfloat16), f32(rng, 3, 200, 200).astype(ml_dtypes.bfloat16)
  return [i32(6)[0], OFFSETS, GROUPS, TILES, i32(0), lhs, rhs], [grouped(lhs, rhs.transpose(0, 2, 1))]


@case("gmm")
def gmm_existing_out(rng):
  lhs, rhs, existing = f32(rng, 64, 200).astype(ml_dtypes.bfloat16), f32(rng, 3, 200, 200), f32(rng, 64, 200)
  expected = grouped(lhs, rhs)
  expected[40:] = existing[40:]
  return [i32(4)[0], OFFSETS, GROUPS, TILES, i32(0), lhs, rhs, existing], [expected]


def transposed_tables(rng):
  offsets, groups, tiles = i32(0, 20, 20, 64), i32(0, 0, 1, 2, 2, 2), i32(0, 1, 1, 1, 2, 3)
  lhs, rhs = f32(rng, 64, 200), f32(rng, 64, 200)
  expected = np.stack([lhs[a:b].T @ rhs[a:b] for a, b in zip(offsets, offsets[1:])])
  return [i32(6)[0], offsets, groups, tiles, i32(0), lhs, rhs], expected


@case("tgmm")
def tgmm(rng):
  inputs, expected = transposed_tables(rng)
  return inputs, [expected]


@case("tgmm")
def tgmm_existing_out(rng):
  inputs, expected = transposed_tables(rng)
  existing = f32(rng, 3, 200, 200)
  return inputs + [existing], [expected + existing]


@case("hopper_matmul")
def hopper_matmul(rng):
  a, b = f16(rng, 128, 256), f16(rng, 256, 256)
  return [a, b], [a.astype(np.float32) @ b.astype(np.float32)]


@case("blackwell_matmul")
def blackwell_matmul(rng):
  a, b = f16(rng, 256, 192), f16(rng, 192, 256)
  return [a, b], [(a.astype(np.float32) @ b.astype(np.float32)).astype(np.float16)]


@case("hopper_ragged_dot")
def ragged_dot(rng):
  sizes, lhs, rhs = i32(70, 40, 82), f16(rng, 192, 128), f16(rng, 3, 128, 128)
  ends = np.cumsum(sizes)
  parts = [lhs[e - s:e].astype(np.float32) @ m.astype(np.float32) for s, e, m in zip(sizes, ends, rhs)]
  return [sizes, lhs, rhs], [np.concatenate(parts)]


# ------------------------------------------------------------ attention
SCALE = 0.08838834764


def causal(rng):
  q, k, v = (f32(rng, 2, 256, 128) for _ in range(3))
  s = np.where(np.tri(256, dtype=bool), q @ k.transpose(0, 2, 1) * SCALE, -1e30)
  top = s.max(-1, keepdims=True)
  return q, k, v, s, top + np.log(np.exp(s - top).sum(-1, keepdims=True))


@case("flash_attention")
def flash_attention(rng):
  q, k, v, s, lse = causal(rng)
  return [q, k, v], [(np.exp(s - lse) @ v).astype(np.float32), lse.astype(np.float32)]


def gradients(rng):
  q, k, v, s, lse = causal(rng)
  do, p = f32(rng, 2, 256, 128), np.exp(s - lse)
  di = ((p @ v) * do).sum(-1, keepdims=True)
  ds = p * (do @ v.transpose(0, 2, 1) - di) * SCALE
  return [q, k, v, do, lse.astype(np.float32), di.astype(np.float32)], p, ds


@case("flash_attention_bwd")
def flash_attention_dq(rng):
  inputs, _, ds = gradients(rng)
  return inputs, [(ds @ inputs[1]).astype(np.float32)]


@case("flash_attention_bwd")
def flash_attention_dkv(rng):
  inputs, p, ds = gradients(rng)
  return inputs, [(ds.transpose(0, 2, 1) @ inputs[0]).astype(np.float32), (p.transpose(0, 2, 1) @ inputs[3]).astype(np.float32)]


@case("splash_attention")
def splash_attention(rng):
  kind, data, mask = i32(2, 1, 0, 1).reshape(2, 2), i32(3, 0, 1, 2).reshape(2, 2), i32(0, 1, 1, 2).reshape(2, 2)
  q, k, v = f32(rng, 2, 256, 128), f32(rng, 2, 512, 128), f32(rng, 2, 512, 128)
  pieces = rng.integers(0, 2, (3, 128, 128)).astype(np.int8)
  expected = np.zeros_like(q)
  for h in range(2):
    for i in range(2):
      rows, scores, values = q[h, 128 * i:128 * i + 128], [], []
      for j in range(2):
        if kind[i, j] == 0:
          continue
        block = slice(128 * data[i, j], 128 * data[i, j] + 128)
        s = 30 * np.tanh(rows @ k[h, block].T / 30)
        scores.append(np.where((kind[i, j] == 2) | (pieces[mask[i, j]] != 0), s, -1e30))
        values.append(v[h, block])
      expected[h, 128 * i:128 * i + 128] = softmax_of(np.concatenate(scores, 1)) @ np.concatenate(values)
  return [kind, data, mask, q, k, v, pieces], [expected]


@case("splash_attention")
def splash_attention_unreduced_dq(rng):
  kind, ds = i32(1, 0, 2, 1).reshape(2, 2), f32(rng, 256, 256)
  k, q = f32(rng, 256, 128), f32(rng, 256, 128)
  seen = ds * np.repeat(np.repeat(kind != 0, 128, 0), 128, 1)
  return [kind, ds, k, q], [seen.T @ q, seen @ k]


@case("paged_attention")
def paged_attention(rng):
  lengths, table = i32(50, 0, 64), i32(3, 0, 7, 11, 1, 1, 1, 1, 4, 5, 2, 9).reshape(3, 4)
  q, k, v = f32(rng, 3, 8, 128), f32(rng, 12, 16, 128), f32(rng, 12, 16, 128)
  expected = np.zeros_like(q)
  for b, n in enumerate(lengths):
    if n:
      keys, values = (pages[table[b]].reshape(64, 128)[:n] for pages in (k, v))
      expected[b] = softmax_of(q[b] @ keys.T) @ values
  return [lengths, table, q, k, v], [expected]


@case("ragged_paged_attention")
def ragged_paged_attention(rng):
  lengths, table, starts = i32(20, 4, 31), i32(3, 0, 5, 1, 2, 4).reshape(3, 2), i32(0, 5, 9, 16)
  q, pages = f32(rng, 16, 128), (f32(rng, 6, 32, 128) / 4).astype(ml_dtypes.bfloat16)
  expected = np.zeros_like(q)
  for s, n in enumerate(lengths):
    rows = pages[table[s]].reshape(64, 128).astype(np.float32)
    keys, values = rows[0::2][:n], rows[1::2][:n]
    for place, token in enumerate(range(starts[s], starts[s + 1])):
      seen = n - (starts[s + 1] - starts[s]) + place + 1
      expected[token] = softmax_of(q[token] @ keys[:seen].T) @ values[:seen]
  return [lengths, table, starts, i32(3), q, pages], [expected]


@case("gpu_attention")
def attention(rng):
  q, k, v = (f16(rng, 2, 256, 64) for _ in range(3))
  p = softmax_of(q.astype(np.float32) @ k.astype(np.float32).transpose(0, 2, 1) * 0.125)
  return [q, k, v], [(p @ v.astype(np.float32)).astype(np.float16)]


# ------------------------------------------------------------ several cores
@case("sparsecore")
def double_and_fetch(rng):
  ids, x = rng.integers(0, 32, 256).astype(np.int32), f32(rng, 64, 16)
  return [ids, x], [2 * x[2 * ids], 2 * ids]


# ------------------------------------------------------------ several devices
# How many devices run a module; arrays are cut and joined along their first dimension.
DEVICES = {"all_gather": 4, "collective_matmul": 4}


@case("all_gather")
def all_gather(rng):
  x = f32(rng, 32, 128)
  return [x], [np.tile(x, (4, 1)).reshape(16, 8, 128)]


@case("collective_matmul")
def collective_matmul(rng):
  lhs, rhs = f16(rng, 256, 64), f16(rng, 256, 128)
  products = [lhs.astype(np.float32) @ part for part in rhs.astype(np.float32).reshape(4, 64, 128)]
  # What a device hands on stays where it came, but its own rows, which it never sends to itself.
  return [lhs, rhs], [np.concatenate(products), None]
