"""Random modules of refs: views of views, every access, and refs that nested control flow writes.

Indices lie inside of their refs, and every ref is written before it is read, so a module has one meaning.
"""
import math
import random

# Arrays of the call: name, shape, memory space.
INPUT = ("%x", (8, 6), "vmem")
WRITTEN = (("%o", (8, 6), "vmem"), ("%p", (3, 4), "smem"), ("%s", (2, 3, 4), "vmem"), ("%z", (), "smem"))


def tensor(shape, element="i32"):
  return f"tensor<{'x'.join(map(str, shape))}x{element}>" if shape else element


def ref(shape, space):
  return f"!pallas.ref<{''.join(f'{size}x' for size in shape)}i32, {space}>"


class RandomRefs:

  def __init__(self, seed):
    self.rng = random.Random(seed)
    self.count, self.lines, self.indent = 0, [], "    "
    self.scalars, self.refs = ["%point", "%number"], [INPUT, *WRITTEN, WRITTEN[0]]
    self.reads_only = False  # Conditions of loops write nothing.

  def emit(self, text):
    self.lines.append(self.indent + text)

  def define(self, text, results=""):
    self.count += 1
    self.emit(f"%v{self.count}{results} = {text}")
    return f"%v{self.count}"

  def constant(self, value):
    return self.define(f"arith.constant {value} : i32")

  def scalar(self):
    return self.constant(self.rng.randrange(-3, 12)) if self.rng.random() < .3 else self.rng.choice(self.scalars[-8:])

  def start(self, room):
    """A number from 0 to `room` that only the program knows."""
    return self.define(f"arith.remui {self.scalar()}, {self.constant(room + 1)} : i32")

  def indexer(self, shape):
    """An indexer and the shape that it selects."""
    if not shape or self.rng.random() < .25:
      return "[...]", shape
    entries, selected = [], []
    for size in shape:
      kind, length = self.rng.randrange(6), self.rng.randrange(1, size + 1)
      if kind == 0:
        entries.append(":")
        selected.append(size)
      elif kind < 3:
        entries.append(str(self.rng.randrange(size)) if kind == 1 else self.start(size - 1))
      elif kind < 5:
        entries.append(f"ds({self.rng.randrange(size - length + 1) if kind == 3 else self.start(size - length)}, {length})")
        selected.append(length)
      else:
        stride = self.rng.choice((2, 3))
        length = self.rng.randrange(1, (size - 1) // stride + 2)
        entries.append(f"ds({self.rng.randrange(size - (length - 1) * stride)}, {length}, {stride})")
        selected.append(length)
    return f"[{', '.join(entries)}]", tuple(selected)

  def view(self):
    name, shape, space = self.rng.choice(self.refs)
    is_dense = True
    for _ in range(self.rng.randrange(4)):
      kind, old = self.rng.random(), ref(shape, space)
      if kind < .5:
        entries, shape = self.indexer(shape)
        name = self.define(f"pallas.slice_ref {name}{entries} : {old}")
        is_dense = False
      elif kind < .75 and len(shape) > 1:
        order = self.rng.sample(range(len(shape)), len(shape))
        shape = tuple(shape[i] for i in order)
        name = self.define(f"pallas.transpose_ref {name}, {order} : {old} -> {ref(shape, space)}")
        is_dense = False
      elif shape and is_dense:
        total = math.prod(shape)
        part = self.rng.choice([n for n in range(1, total + 1) if total % n == 0])
        shape = self.rng.choice([(total,), (part, total // part), (total // part, 1, part)])
        name = self.define(f"pallas.reshape_ref {name} : {old} -> {ref(shape, space)}")
    return name, shape, space

  def value(self, shape):
    scalar = self.scalar()
    if not shape:
      return scalar
    spread = self.define(f"pallas.broadcast {scalar} : i32 -> {tensor(shape)}")
    places = self.define(f"pallas.iota {self.rng.randrange(len(shape))} : {tensor(shape)}")
    return self.define(f"arith.{self.rng.choice(('addi', 'muli', 'xori'))} {spread}, {places} : {tensor(shape)}")

  def mask(self, shape):
    return self.define(f"arith.cmpi {self.rng.choice(('sgt', 'ult', 'ne'))}, {self.value(shape)}, {self.value(shape)} : {tensor(shape)}")

  def keep(self, value, shape):
    """Lets what follows depend on a value."""
    if shape:
      value = self.define(f"pallas.reduce <add> {value} dims {list(range(len(shape)))} : {tensor(shape)}")
    self.scalars.append(value)

  def access(self):
    name, shape, space = self.view()
    entries, selected = self.indexer(shape)
    place, type_, mask_type = f"{name}{entries}", tensor(selected), tensor(selected, "i1")
    forms = ["get", "masked_load"] if self.reads_only else ["get", "masked_load", "swap", "swap", "addupdate", "masked_swap", "atomic_rmw", "atomic_cas"]
    form = self.rng.choice(forms)
    if form == "get":
      result = self.define(f"pallas.get {place} : {ref(shape, space)}")
    elif form == "masked_load":
      mask, other = self.mask(selected), self.value(selected)
      result = self.define(f"pallas.masked_load {place} mask {mask} other {other} : {ref(shape, space)}, {mask_type}, other {type_}")
    elif form == "addupdate":
      return self.emit(f"pallas.addupdate {place}, {self.value(selected)} : {ref(shape, space)}, {type_}")
    elif form == "masked_swap":
      mask, value = self.mask(selected), self.value(selected)
      result = self.define(f"pallas.masked_swap {place}, {value} mask {mask} : {ref(shape, space)}, {type_}, {mask_type}")
    elif form == "atomic_cas":
      entries = f"[{', '.join(self.start(size - 1) for size in shape)}]" if shape else "[...]"
      result, selected = self.define(f"pallas.atomic_cas {name}{entries}, {self.scalar()}, {self.scalar()} : {ref(shape, space)}, i32"), ()
    else:
      kind = f"<{self.rng.choice(('add', 'max', 'min', 'xchg', 'xor'))}> " if form == "atomic_rmw" else ""
      result = self.define(f"pallas.{form} {kind}{place}, {self.value(selected)} : {ref(shape, space)}, {type_}")
    self.keep(result, selected)

  def block(self, depth, count, end, names=()):
    """Statements that see `names`, and `end` with a number of theirs."""
    scalars, refs = list(self.scalars), list(self.refs)
    self.scalars += names
    self.indent += "  "
    for _ in range(count):
      self.statement(depth - 1)
    self.emit(end(self.scalar()))
    self.indent = self.indent[:-2]
    self.scalars, self.refs = scalars, refs

  def statement(self, depth):
    if depth <= 0 or self.rng.random() < .5:
      return self.access()
    self.rng.choice((self.loop, self.branch, self.switch, self.while_loop, self.scope))(depth, self.rng.randrange(1, 4))

  def open(self, text, results=""):
    """Starts an operation with regions and returns its result."""
    return self.define(f"{text} {{", results)

  def loop(self, depth, count):
    bounds = [self.constant(n) for n in (self.rng.randrange(3), self.rng.randrange(5), self.rng.choice((1, 2)))]
    start, tag = self.scalar(), self.count
    result = self.open(f"scf.for %i{tag} = {bounds[0]} to {bounds[1]} step {bounds[2]} iter_args(%a{tag} = {start}) -> (i32) : i32")
    self.block(depth, count, lambda v: f"scf.yield {v} : i32", [f"%i{tag}", f"%a{tag}"])
    self.emit("}")
    self.scalars.append(result)

  def branch(self, depth, count):
    result = self.open(f"scf.if {self.mask(())} -> (i32)")
    self.block(depth, count, lambda v: f"scf.yield {v} : i32")
    self.emit("} else {")
    self.block(depth, self.rng.randrange(3), lambda v: f"scf.yield {v} : i32")
    self.emit("}")
    self.scalars.append(result)

  def switch(self, depth, _):
    result = self.define(f"scf.index_switch {self.define(f'arith.index_cast {self.start(3)} : i32 to index')} -> i32")
    for case in "case 0", "case 2", "default":
      self.emit(case + " {")
      self.block(depth, self.rng.randrange(3), lambda v: f"scf.yield {v} : i32")
      self.emit("}")
    self.scalars.append(result)

  def while_loop(self, depth, count):
    start, zero, one, bound, tag = self.scalar(), self.constant(0), self.constant(1), self.constant(self.rng.randrange(4)), self.count
    result = self.open(f"scf.while (%a{tag} = {start}, %k{tag} = {zero}) : (i32, i32) -> (i32, i32)", ":2")
    self.reads_only = True
    more = f"%m{tag}"
    self.block(1, self.rng.randrange(3), lambda v: f"{more} = arith.cmpi slt, %k{tag}, {bound} : i32\nscf.condition({more}) {v}, %k{tag} : i32, i32",
               [f"%a{tag}", f"%k{tag}"])
    self.reads_only = False
    self.emit(f"}} do {{\n^bb0(%b{tag}: i32, %j{tag}: i32):")
    self.block(depth, count, lambda v: f"%n{tag} = arith.addi %j{tag}, {one} : i32\nscf.yield {v}, %n{tag} : i32, i32", [f"%b{tag}", f"%j{tag}"])
    self.emit("}")
    self.scalars.append(f"{result}#0")

  def scope(self, depth, count):
    shape, space = self.rng.choice(((), (5,), (3, 4), (2, 3, 4))), self.rng.choice(("vmem", "smem"))
    start, name = self.value(shape), f"%t{self.count}"
    result = self.open(f"pallas.run_scoped ({name}: {ref(shape, space)}) -> i32")
    self.emit(f"  pallas.swap {name}[...], {start} : {ref(shape, space)}, {tensor(shape)}")
    outer = list(self.refs)
    self.refs += [(name, shape, space)] * 2
    self.block(depth, count + 1, lambda v: f"pallas.yield {v} : i32")
    self.refs = outer
    self.emit("}")
    self.scalars.append(result)

  def module(self):
    """A function of a number and an array with two results."""
    grid, (_, whole, _), (_, part, _) = self.rng.choice((1, 2, 3)), WRITTEN[0], WRITTEN[1]
    for name, shape, space in WRITTEN:
      self.emit(f"pallas.swap {name}[...], {self.value(shape)} : {ref(shape, space)}, {tensor(shape)}")
    for _ in range(self.rng.randrange(4, 10)):
      self.statement(3)
    body, results = "\n".join(self.lines), f"{tensor((whole[0] * grid, whole[1]))}, {tensor(part)}"
    arguments = ", ".join(f"{name}: {ref(shape, space)}" for name, shape, space in (("%n", (), "smem"), INPUT, *WRITTEN))
    return f"""func.func @main(%first: tensor<i32>, %second: {tensor(whole)}) -> ({results}) {{
  %r:2 = pallas.pallas_call grid({grid})
      prefetch(%first : tensor<i32>)
      in(%second : {tensor(whole)}) block<{list(whole)}, vmem>
      out({tensor((whole[0] * grid, whole[1]))}) block<{list(whole)}, vmem> map(%i) -> (%i, 0)
      out({tensor(part)}) block<{list(part)}, smem>
      kernel({arguments}) {{
    %point = pallas.program_id 0
    %number = pallas.get %n[...] : {ref((), "smem")}
{body}
  }}
  return %r#0, %r#1 : {results}
}}
"""
