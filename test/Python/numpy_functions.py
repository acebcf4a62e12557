# REQUIRES: pallas-python
# RUN: %python %s
"""Functions of jax.numpy, jax.nn and jax.lax as kernels call them, on several shapes and types."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from numpy_arrays import *
from jax import lax, nn

t = Table()


def each(function, *arguments, **options):
  """The same function over several types."""
  name = getattr(function, "__name__", str(function))
  for array in arguments:
    t.add(f"{name}_{array.dtype.name}", lambda u: function(u, **options), array,
          tolerance=1e-5 if array.dtype == np.float32 else 2e-2)


# jax.nn
for function in (nn.relu, nn.relu6, nn.sigmoid, nn.softplus, nn.silu, nn.gelu, nn.elu, nn.selu, nn.celu, nn.leaky_relu,
                 nn.hard_tanh, nn.hard_sigmoid, nn.hard_silu, nn.log_sigmoid, nn.soft_sign, nn.mish, nn.squareplus,
                 nn.sparse_plus, nn.sparse_sigmoid):
  each(function, x, bf)
t.add("gelu_exact", lambda u: nn.gelu(u, approximate=False), x)
for function in (nn.softmax, nn.log_softmax, nn.logsumexp, nn.standardize):
  each(function, x, bf)
t.add("softmax_masked", lambda u, w: nn.softmax(u, where=w, axis=0), x, flags)
t.add("logsumexp_signed", lambda u, w: nn.logsumexp(u, b=w, axis=1, return_sign=True), x, y)
t.add("glu", lambda u: nn.glu(u[:, :8]), x)
t.add("one_hot", lambda i: [nn.one_hot(i, 7), nn.one_hot(i, 5, dtype=jnp.bfloat16), nn.one_hot(i, 6, axis=0)], small)
t.add("dot_product_attention", lambda q: nn.dot_product_attention(q, q, q, is_causal=True), floats(2, 6, 2, 8), tolerance=1e-4)
t.add("identity_and_swish", lambda u: nn.identity(nn.swish(u)), hf, tolerance=2e-3)
t.add("log1mexp", lambda u: nn.log1mexp(jnp.abs(u) + 0.1), x)

# Elementwise functions of jax.numpy
for name in ("sinc", "exp2", "square", "sign", "deg2rad", "rad2deg", "fabs", "trunc", "rint", "signbit", "isnan",
             "isinf", "isposinf", "isneginf", "isfinite", "spacing", "i0", "positive", "reciprocal", "real", "conj",
             "degrees", "nan_to_num", "round", "negative", "floor", "ceil", "expm1", "arctan", "arcsinh", "tanh"):
  t.add(name, getattr(jnp, name), x * 3, tolerance=2e-5)
for name in ("log2", "log10", "log1p", "sqrt", "cbrt"):
  t.add(name, getattr(jnp, name), np.abs(x) + 0.1)
for name in ("hypot", "logaddexp", "logaddexp2", "arctan2", "copysign", "fmod", "mod", "remainder", "floor_divide", "divmod",
             "fmax", "fmin", "maximum", "minimum", "heaviside", "nextafter", "float_power", "subtract", "true_divide", "ldexp"):
  second = b if name == "ldexp" else np.abs(y) + 0.5
  first = np.abs(x) if name == "float_power" else x
  t.add(name, getattr(jnp, name), first, second, tolerance=2e-5)
for name in ("gcd", "lcm", "bitwise_and", "left_shift", "right_shift", "floor_divide", "mod", "fmod", "divmod", "power",
             "bitwise_count", "invert", "not_equal", "logical_xor", "abs", "true_divide"):
  arity = 1 if name in ("bitwise_count", "invert", "abs") else 2
  function = getattr(jnp, name)
  t.add(f"{name}_int", lambda *u, f=function, n=arity: f(*u[:n]), a, b)
  t.add(f"{name}_int8", lambda *u, f=function, n=arity: f(*u[:n]), i8, b.astype(np.int8), tolerance=1e-2)
  t.add(f"{name}_uint8", lambda *u, f=function, n=arity: f(*u[:n]), u8, b.astype(np.uint8), tolerance=1e-2)
t.add("frexp_modf", lambda u: [*jnp.frexp(u), *jnp.modf(u)], x)
t.add("round_decimals", lambda u: jnp.round(u, 2), x)
t.add("clip", lambda u: [jnp.clip(u, -0.5), jnp.clip(u, None, 0.5), jnp.clip(u, -0.5, 0.5)], x)
t.add("clip_int8", lambda u: jnp.clip(u, -3, 9), i8)
t.add("isclose", lambda u, w: [jnp.isclose(u, w, atol=0.5), jnp.allclose(u, u).reshape(1)], x, y)
t.add("where", lambda c, u, w: [jnp.where(c, u, w), jnp.where(c, u, 0), jnp.where(c[:1], 1.0, u)], flags, x, y)
t.add("select_piecewise", lambda u: [jnp.select([u > 1, u > 0], [u, -u], 7.0), jnp.piecewise(u, [u > 1, u < 0], [lambda z: z * 2, -1.0, 0.5])], x)
t.add("interp", lambda u, p: jnp.interp(u, p, p * 2), x, ordered)
t.add("polyval", lambda u, p: jnp.polyval(p, u), x, ordered[:3])
t.add("unwrap", jnp.unwrap, x * 5)
t.add("astype_int4", lambda u: (u // 8).astype(jnp.int4).astype(jnp.int8), i8)
for dtype in (jnp.float8_e4m3fn, jnp.float8_e5m2):
  t.add(f"through_{jnp.dtype(dtype).name}", lambda u, d=dtype: u.astype(d).astype(jnp.float32), x)
  t.add(f"stays_{jnp.dtype(dtype).name}", lambda u: (u.astype(jnp.float32) * 2).astype(u.dtype), x.astype(dtype))
t.add("bool_algebra", lambda p, u: [p & (u > 0), p | (u > 0), p ^ (u > 0), ~p, p.astype(jnp.int32) + 1, p == (u > 0)], flags, x)
t.add("weak_scalars", lambda u: [u * 2, u + 1, 1 / (u.astype(jnp.float32) + 200), u // 3, -u], i8)

# Reductions
for name in ("sum", "mean", "var", "std", "prod", "max", "min", "ptp", "any", "all", "count_nonzero", "argmax", "argmin", "median"):
  function = getattr(jnp, name)
  t.add(f"{name}_all", lambda u, f=function: f(u).reshape(1), x, tolerance=1e-4)
  t.add(f"{name}_keepdims", lambda u, f=function: f(u, axis=1, keepdims=True), x, tolerance=1e-4)
  t.add(f"{name}_int8", lambda u, f=function: f(u, axis=0), i8 if name != "prod" else i8 % 3, tolerance=1e-2)
for name in ("nansum", "nanmax", "nanmin", "nanmean", "nanvar", "nanprod", "nanargmax", "nancumsum"):
  t.add(name, lambda u, f=getattr(jnp, name): f(u, axis=0), np.where(np.isnan(holes).all(0), x, holes), tolerance=1e-4)
for name in ("sum", "max", "mean", "cumsum"):
  t.add(f"{name}_bf16", lambda u, f=getattr(jnp, name): f(u, axis=1), bf, tolerance=5e-2)
t.add("sum_where", lambda u, w: [jnp.sum(u, where=w, axis=0), jnp.max(u, where=w, initial=-9.0, axis=1)], x, flags)
t.add("sum_bool", lambda w: [w.sum(axis=0), w.mean(axis=1)], flags)
t.add("average_weights", lambda u, w: jnp.average(u, axis=0, weights=w), x, np.abs(y))
t.add("quantile", lambda u: [jnp.quantile(u, 0.3, axis=1), jnp.percentile(u, 70, axis=0)], x)
t.add("norms", lambda u: [jnp.linalg.norm(u, axis=1), jnp.linalg.norm(u).reshape(1), jnp.linalg.norm(u, ord=1, axis=0)], x)
t.add("trace_diag", lambda u: [jnp.trace(u).reshape(1), jnp.diag(u), jnp.diagonal(u, 2), jnp.diag(u[0])], square)
t.add("cumulative", lambda u: [jnp.cumsum(u, 0), jnp.cumprod(u, 1), lax.cummax(u, axis=1, reverse=True), lax.cumlogsumexp(u, axis=0)], x, tolerance=1e-4)
t.add("cumsum_int8", lambda u: [jnp.cumsum(u, 0, dtype=jnp.int8), lax.cummin(u, axis=1)], i8)
t.add("diff_ediff", lambda u: [jnp.diff(u), jnp.diff(u, n=2, axis=0), jnp.ediff1d(u[0]), jnp.gradient(u[0]), jnp.trapezoid(u)], x)
t.add("bincount_histogram", lambda i, u, p: [jnp.bincount(i, length=8), jnp.histogram(u, bins=4)[0], jnp.digitize(u, p)], small, v, ordered[::4])
t.add("corr_cov", lambda u: [jnp.cov(u), jnp.corrcoef(u)], x, tolerance=1e-4)

# lax and jax.scipy
t.add("scipy", lambda u: [jax.scipy.special.erfinv(jnp.tanh(u) * 0.9), jax.scipy.special.logit(nn.sigmoid(u)), jax.scipy.special.xlogy(u, jnp.abs(u)), jax.scipy.special.ndtr(u),
                          jax.scipy.special.gammaln(jnp.abs(u) + 1), jax.scipy.special.entr(jnp.abs(u)), jax.scipy.special.expit(u), jax.scipy.special.log_ndtr(u),
                          jax.scipy.special.rel_entr(jnp.abs(u), jnp.abs(u) + 1), jax.scipy.stats.norm.logpdf(u), jax.scipy.stats.norm.cdf(u)], x, tolerance=5e-5)
t.add("gamma_bessel", lambda u: [jax.scipy.special.gamma(jnp.abs(u) + 0.5), jax.scipy.special.i1(u)], x, tolerance=1e-4)
t.add("bits", lambda u: [lax.bitcast_convert_type(u, jnp.uint32) >> 23, lax.bitcast_convert_type(lax.bitcast_convert_type(u, jnp.int32) + 1, jnp.float32)], x)
t.add("bits_16", lambda u: [lax.bitcast_convert_type(u, jnp.uint16), lax.bitcast_convert_type(u, jnp.int8)], bf)
t.add("views", lambda u: [u.view(jnp.int32), u[:, :8].view(jnp.int8)], x)
t.add("reduce_any", lambda u: [lax.reduce(u, 0.0, lax.add, (0,)), lax.reduce(u, -jnp.inf, lax.max, (1,)), lax.reduce_precision(u, 5, 3)], x, tolerance=1e-4)
t.add("associative", lambda u: [lax.associative_scan(jnp.maximum, u), lax.associative_scan(jnp.add, u, reverse=True, axis=1)], x, tolerance=1e-4)
t.add("rng_uniform_bits", lambda s: [jax.random.randint(jax.random.key(s[0]), (9,), 0, 10), jax.random.bernoulli(jax.random.key(1), 0.3, (7,)),
                                     jax.random.permutation(jax.random.key(2), 11), jax.random.categorical(jax.random.key(3), jnp.zeros((4, 5))),
                                     jax.random.gumbel(jax.random.key(4), (3,)), jax.random.truncated_normal(jax.random.key(5), -1.0, 1.0, (4,)),
                                     jax.random.exponential(jax.random.PRNGKey(6), (5,))], small, tolerance=1e-4)
t.run()
