"""Modules of one kernel on blocks of arrays, from the text of its body."""

from module_execution import type_of


def ref(element, *block):
    return f"!pallas.ref<{'x'.join(map(str, block))}x{element}, vmem>"


def value(element, *block):
    return f"tensor<{'x'.join(map(str, block))}x{element}>"


def write_kernel(body, inputs, results, grid, blocks, scratch=()):
    """Operands are called x0, x1 and so on, results o0 and so on, and their refs x0r. Each block comes with its
    index map, its results or its body in braces."""
    names = [f"x{i}" for i in range(len(inputs))] + [f"o{i}" for i in range(len(results))]
    indices = ", ".join(f"%{d}" for d in "ijk"[:len(grid)])
    operands, refs = [], []
    for name, array, (block, places) in zip(names, [*inputs, *results], blocks):
        operand = f"%{name} : " if name[0] == "x" else ""
        index_map = places if places.startswith("{") else f"-> ({places})"
        operands.append(f"  {'in' if operand else 'out'}({operand}{type_of(array)}) block<{list(block)}, vmem> "
                        f"map({indices}) {index_map}")
        element = type_of(array)[7:-1].rsplit("x", 1)[1]
        refs.append(f"%{name}r: {ref(element, *block)}")
    arguments = ", ".join(f"%{n}: {type_of(a)}" for n, a in zip(names, inputs))
    types = ", ".join(type_of(r) for r in results)
    values = ", ".join(f"%r#{i}" for i in range(len(results))) if len(results) > 1 else "%r"
    count = f":{len(results)}" if len(results) > 1 else ""
    lines = "\n".join(operands)
    return f"""func.func @f({arguments}) -> ({types}) {{
  %r{count} = pallas.pallas_call @k grid({', '.join(map(str, grid))})
{lines}
  kernel({', '.join([*refs, *scratch])}) {{
{body}
  }}
  return {values} : {types}
}}"""
