// The walk over a grid, and the blocks of its operands.

// The blocks of one operand.

class Operand {
  constructor(block, grid) {
    Object.assign(this, {block, grid, title: `${block.kind} ${block.index}` + (block.origin ? ` (${block.origin})` : "")});
    const walk = block.walk || {};
    this.missing = block.unknown || walk.unknown || (block.array.some(size => size === null) ? "the size of its array is dynamic" : "");
    if (this.missing) return;
    this.rank = block.array.length;
    this.counted = block.kinds.map(kind => kind === "element");
    this.overlaps = this.counted.some(Boolean);
    // Windows at any element are shown on cells of their own.
    this.size = block.array.map((size, d) => this.counted[d] ? Math.max(1, Math.ceil(size / 128)) : block.window[d]);
    this.cells = block.array.map((size, d) => Math.max(1, Math.ceil(size / this.size[d])));
    this.columns = this.rank ? this.cells[this.rank - 1] : 1;
    this.rows = product(this.cells.slice(0, -1));
    if (this.rows * this.columns > MOST_CELLS) {
      this.missing = `it has ${number(this.rows * this.columns)} blocks, of which at most ${number(MOST_CELLS)} are drawn`;
      return;
    }
    this.tableSizes = walk.dims.map(d => grid[d]);
    this.visits = new Uint32Array(this.rows * this.columns);
    this.last = new Int32Array(this.rows * this.columns).fill(-2);
    this.returns = new Uint8Array(this.rows * this.columns);
    this.previous = "";
    // Whether a step has another window than the one before it.
    this.moves = new Uint8Array(product(grid));
    this.before = null;
    this.spare = new Array(this.rank);
  }

  // What the index map yields for a program, in an array that may be given.
  indices(ids, found = new Array(this.rank)) {
    const {dims, base, strides, table} = this.block.walk;
    if (!table) {
      for (let i = 0; i < this.rank; ++i) {
        let value = base[i];
        for (let d = 0; d < dims.length; ++d) value += strides[i][d] * ids[dims[d]];
        found[i] = value;
      }
      return found;
    }
    let position = 0;
    for (let d = 0; d < dims.length; ++d) position = position * this.tableSizes[d] + ids[dims[d]];
    for (let i = 0; i < this.rank; ++i) found[i] = table[position * this.rank + i];
    return found;
  }

  // Elements of a window along each dimension: [begin, end), outside of the array, too.
  bounds(indices) {
    const {window, padding} = this.block;
    return indices.map((index, d) => {
      const begin = index * (this.counted[d] ? 1 : window[d]) - padding[d];
      return [begin, begin + window[d]];
    });
  }

  // Cells of a window along each dimension, inside of the array.
  range(indices) {
    return this.bounds(indices).map(([begin, end], d) =>
      [Math.max(0, Math.floor(begin / this.size[d])), Math.min(this.cells[d], Math.ceil(end / this.size[d]))]);
  }

  // Rows of the picture: leading dimensions follow each other.
  forEachRow(range, body) {
    const walk = (d, row) => {
      if (d >= this.rank - 1) return body(row);
      for (let i = range[d][0]; i < range[d][1]; ++i) walk(d + 1, row * this.cells[d] + i);
    };
    walk(0, 0);
  }

  visit(step, ids) {
    if (this.missing) return;
    const indices = this.indices(ids, this.spare);
    let moved = !this.before;
    for (let d = 0; !moved && d < this.rank; ++d) moved = indices[d] !== this.before[d];
    this.moves[step] = moved ? 1 : 0;
    // Two arrays take turns: there may be a million steps.
    this.spare = this.before || new Array(this.rank);
    this.before = indices;
    if (this.overlaps) return this.visitWindow(step, indices);
    let cell = 0;
    for (let d = 0; d < this.rank; ++d) {
      if (indices[d] < 0 || indices[d] >= this.cells[d]) return;
      cell = cell * this.cells[d] + indices[d];
    }
    this.note(cell, step);
  }

  visitWindow(step, indices) {
    const key = indices.join();
    if (key === this.previous) return;
    this.previous = key;
    const range = this.range(indices), columns = this.rank ? range[this.rank - 1] : [0, 1];
    this.forEachRow(range, row => {
      for (let c = columns[0]; c < columns[1]; ++c) ++this.visits[row * this.columns + c];
    });
  }

  note(cell, step) {
    if (this.visits[cell]++ && this.last[cell] !== step - 1) this.returns[cell] = 1;
    this.last[cell] = step;
  }

  // never, once, again (comes back after another block), over (in several windows).
  state(cell) {
    if (!this.visits[cell]) return "never";
    if (this.overlaps) return this.visits[cell] > 1 ? "over" : "once";
    return this.returns[cell] ? "again" : "once";
  }

  isRagged(row, column) {
    let rest = row;
    const {array, window} = this.block;
    for (let d = this.rank - 1; d >= 0; --d) {
      const place = d === this.rank - 1 ? column : rest % this.cells[d];
      if (d < this.rank - 1) rest = Math.floor(rest / this.cells[d]);
      if (!this.counted[d] && place === this.cells[d] - 1 && array[d] % window[d]) return true;
    }
    return false;
  }
}

const RANK = {once: 0, over: 1, again: 2, never: 3};

class Picture {
  constructor(rows, columns, label) {
    this.rows = rows; this.columns = columns;
    // Blocks are as large as fits; of more than there are pixels several share one.
    const span = count => count > SIDE ? SIDE : count * Math.min(40, Math.floor(SIDE / count));
    this.width = span(columns);
    this.height = span(rows);
    this.canvas = make("canvas", {width: this.width, height: this.height, role: "img", "aria-label": label, click: event => {
      const box = this.canvas.getBoundingClientRect();
      const place = (at, from, length, count) => Math.max(0, Math.min(count - 1, Math.floor((at - from) / length * count)));
      if (this.pick) this.pick(place(event.clientY, box.top, box.height, rows), place(event.clientX, box.left, box.width, columns));
    }});
    this.base = make("canvas", {width: this.width, height: this.height});
  }
  x(column) { return Math.floor(column * this.width / this.columns); }
  y(row) { return Math.floor(row * this.height / this.rows); }

  // One rectangle per block, or the most telling state of all blocks of a pixel.
  paint(stateOf, raggedAt) {
    const context = this.base.getContext("2d");
    context.clearRect(0, 0, this.width, this.height);
    const fill = {once: color("once"), again: color("again"), never: color("never"), over: color("over"), ragged: color("ragged")};
    const rows = Math.min(this.rows, this.height), columns = Math.min(this.columns, this.width);
    for (let r = 0; r < rows; ++r)
      for (let c = 0; c < columns; ++c) {
        const r0 = Math.floor(r * this.rows / rows), r1 = Math.max(r0 + 1, Math.floor((r + 1) * this.rows / rows));
        const c0 = Math.floor(c * this.columns / columns), c1 = Math.max(c0 + 1, Math.floor((c + 1) * this.columns / columns));
        let state = "once";
        for (let i = r0; i < r1; ++i)
          for (let j = c0; j < c1; ++j) {
            const one = stateOf(i * this.columns + j);
            if (RANK[one] > RANK[state]) state = one;
          }
        const x = this.x(c0), y = this.y(r0), w = this.x(c1) - x, h = this.y(r1) - y;
        const ragged = raggedAt(r1 - 1, c1 - 1);
        context.fillStyle = state === "once" && ragged ? fill.ragged : fill[state];
        context.fillRect(x, y, w, h);
        hatch(context, state, x, y, w, h);
        if (ragged) hatch(context, "ragged", x, y, w, h);
        if (w >= 5 && h >= 5) {
          context.strokeStyle = color("back");
          context.strokeRect(x + 0.5, y + 0.5, w, h);
        }
      }
  }

  show(rectangles) {
    const context = this.canvas.getContext("2d");
    context.clearRect(0, 0, this.width, this.height);
    context.drawImage(this.base, 0, 0);
    for (const [row0, row1, column0, column1] of rectangles) {
      // Blocks that are smaller than a mark are under its middle.
      const w = Math.max(7, this.x(column1) - this.x(column0)), h = Math.max(7, this.y(row1) - this.y(row0));
      const x = Math.max(0, Math.round((this.x(column0) + this.x(column1) - w) / 2)), y = Math.max(0, Math.round((this.y(row0) + this.y(row1) - h) / 2));
      context.lineWidth = 3;
      context.strokeStyle = color("now");
      context.strokeRect(x + 1.5, y + 1.5, Math.max(1, w - 3), Math.max(1, h - 3));
      context.lineWidth = 1;
      context.strokeStyle = color("back");
      context.strokeRect(x + 0.5, y + 0.5, w - 1, h - 1);
    }
  }
}

// Kernels of a mesh have no grid that is walked, and no blocks.
function showMeshes(meshes, host) {
  host.append(make("h2", {}, "Mesh"));
  const total = meshes.reduce((sum, {axes}) => sum + product(axes.map(axis => axis.size)), 0);
  for (const {kind, axes} of meshes) {
    const points = product(axes.map(axis => axis.size));
    host.append(make("p", {}, make("b", {}, kind), ` ${axes.map(({name, size}) => `${name} = ${number(size)}`).join(", ") || "without axes"}: ${number(points)} point${points === 1 ? "" : "s"}`));
  }
  host.append(make("p", {class: "dim"}, (total > 1 ? "All points run at the same time. " : "") + "Operands have no blocks: each point copies what it needs."));
}

// The walk over a grid.

class Walk {
  constructor(call, host) {
    this.grid = call.grid;
    this.known = this.grid.every(size => size !== null);
    this.steps = this.known ? product(this.grid) : 0;
    this.step = 0;
    this.playing = false;
    if (call.meshes.length) {
      this.steps = 0;
      showMeshes(call.meshes, host);
      return;
    }
    host.append(make("h2", {}, "Grid and blocks"));
    if (!this.known || !this.steps) {
      host.append(make("p", {}, this.known ? "The grid is empty: no program runs." : "The grid has a dynamic dimension, so its programs are not known here."));
      return;
    }
    this.operands = call.blocks.map(block => new Operand(block, this.grid));
    this.scan();
    this.controls(host);
    this.pictures(host);
    this.paint();
    this.go(0);
  }

  ids(step) {
    const ids = new Array(this.grid.length);
    for (let d = this.grid.length - 1; d >= 0; --d) {
      ids[d] = step % this.grid[d];
      step = Math.floor(step / this.grid[d]);
    }
    return ids;
  }

  scan() {
    const ids = new Array(this.grid.length).fill(0);
    for (let step = 0; step < this.steps; ++step) {
      for (const operand of this.operands) operand.visit(step, ids);
      for (let d = ids.length - 1; d >= 0 && ++ids[d] === this.grid[d]; --d) ids[d] = 0;
    }
  }

  controls(host) {
    const button = (text, label, action) => make("button", {"aria-label": label, title: label, click: action}, text);
    this.slider = make("input", {type: "range", min: 0, max: this.steps - 1, value: 0, "aria-label": "program", input: () => this.go(+this.slider.value)});
    this.player = button("Play", "play or stop (space)", () => this.play(!this.playing));
    this.player.id = "play";
    this.status = make("p", {"aria-live": "polite", class: "mono", id: "status"});
    host.append(make("div", {class: "row"}, button("|<", "first program (Home)", () => this.go(0)), button("<", "program before (left arrow)", () => this.go(this.step - 1)),
                     this.player, button(">", "next program (right arrow)", () => this.go(this.step + 1)), button(">|", "last program (End)", () => this.go(this.steps - 1)),
                     this.slider), this.status);
  }

  pictures(host) {
    const rank = this.grid.length, columns = rank ? this.grid[rank - 1] : 1;
    // Only several dimensions have an order, and only more than two share rows.
    const order = (rank > 1 ? ", the last dimension runs first" : "") + (rank > 2 ? "; a row for each place in the others" : "");
    this.overview = new Picture(this.steps / columns, columns, "programs of the grid");
    const holder = make("div", {class: "operands"}, make("div", {class: "operand"}, make("h3", {}, `grid ${tuple(this.grid)}`), this.overview.canvas,
                                                         make("p", {class: "dim"}, `${number(this.steps)} program${this.steps === 1 ? "" : "s"}${order}`)));
    this.overview.pick = (row, column) => this.go(row * columns + column);
    for (const operand of this.operands) {
      const {block} = operand;
      const box = make("div", {class: "operand"}, make("h3", {}, operand.title));
      if (operand.missing) {
        box.append(make("p", {}, `Not drawn: ${operand.missing}.`));
      } else {
        operand.picture = new Picture(operand.rows, operand.columns, `blocks of ${operand.title}`);
        operand.picture.pick = (row, column) => this.goToCell(operand, row, column);
        operand.text = make("p", {class: "mono"});
        box.append(operand.picture.canvas, operand.text);
      }
      const visited = block.total === undefined ? "" : `, ${number(block.visited)} of ${number(block.total)} ${block.unit}s visited`;
      box.append(make("p", {class: "dim"}, `array ${tuple(block.array)}, block ${tuple(block.window)}${visited}`));
      if (block.map) box.append(make("details", {}, make("summary", {}, "index map"), make("pre", {}, block.map), make("pre", {}, operand.missing ? "" : this.spellMap(operand))));
      holder.append(box);
    }
    host.append(holder, this.legend());
  }

  // The values of a map as a formula of the program ids.
  spellMap(operand) {
    const {dims, base, strides, table} = operand.block.walk;
    if (table) return `evaluated: a table of ${number(table.length / Math.max(1, operand.rank))} windows`;
    const terms = base.map((value, i) => {
      const parts = dims.map((d, k) => [strides[i][k], "i" + d]).filter(([stride]) => stride).map(([stride, name]) => stride === 1 ? name : `${stride} * ${name}`);
      if (value || !parts.length) parts.push(value);
      return parts.join(" + ");
    });
    return `evaluated: (${this.grid.map((_, d) => "i" + d).join(", ")}) -> ${tuple(terms)}`;
  }

  legend() {
    const entries = [["once", "visited"], ["again", "comes back after another block"], ["over", "in several windows"], ["never", "never visited"], ["ragged", "partly outside of the array"]];
    const row = make("p", {class: "legend"});
    this.swatches = entries.map(([state, text]) => {
      const canvas = make("canvas", {width: 18, height: 18, "aria-hidden": "true"});
      row.append(make("span", {}, canvas, text));
      return [state, canvas];
    });
    const canvas = make("canvas", {width: 18, height: 18, "aria-hidden": "true"});
    this.swatches.push(["now", canvas]);
    row.append(make("span", {}, canvas, "the program shown"));
    return row;
  }

  // The next program whose window has a block in it, from the beginning behind the last one.
  goToCell(operand, row, column) {
    for (let i = 1; i <= this.steps; ++i) {
      const step = (this.step + i) % this.steps;
      if (!operand.moves[step]) continue;
      const range = operand.range(operand.indices(this.ids(step)));
      const [from, to] = operand.rank ? range[operand.rank - 1] : [0, 1];
      let hit = false;
      if (from <= column && column < to) operand.forEachRow(range, at => { hit = hit || at === row; });
      if (hit) return this.go(step);
    }
  }

  paint() {
    if (!this.steps) return;
    for (const [state, canvas] of this.swatches) {
      const context = canvas.getContext("2d");
      context.clearRect(0, 0, 18, 18);
      context.lineWidth = 4;
      context.fillStyle = context.strokeStyle = color(state);
      if (state === "now") context.strokeRect(0, 0, 18, 18);
      else context.fillRect(0, 0, 18, 18);
      context.lineWidth = 1;
      hatch(context, state, 0, 0, 18, 18);
    }
    this.overview.paint(() => "once", () => false);
    for (const operand of this.operands)
      if (operand.picture) operand.picture.paint(cell => operand.state(cell), (row, column) => operand.isRagged(row, column));
    this.go(this.step);
  }

  go(step) {
    if (!this.steps) return;
    this.step = step = Math.min(this.steps - 1, Math.max(0, Math.round(step)));
    this.slider.value = step;
    const ids = this.ids(step), columns = this.overview.columns;
    for (const follow of this.followers || []) follow(step);
    this.slider.setAttribute("aria-valuetext", `program ${tuple(ids)}`);
    this.status.textContent = `program ${tuple(ids)}, step ${number(step + 1)} of ${number(this.steps)}`;
    const row = Math.floor(step / columns), column = step % columns;
    this.overview.show([[row, row + 1, column, column + 1]]);
    for (const operand of this.operands) {
      if (!operand.picture) continue;
      const indices = operand.indices(ids), range = operand.range(indices), across = operand.rank ? range[operand.rank - 1] : [0, 1];
      const found = [];
      operand.forEachRow(range, at => { if (found.length < 4096) found.push([at, at + 1, across[0], across[1]]); });
      // Rows of one window that follow each other are one rectangle.
      const joined = [];
      for (const rectangle of found) {
        const before = joined[joined.length - 1];
        if (before && before[1] === rectangle[0]) before[1] = rectangle[1];
        else joined.push(rectangle);
      }
      operand.picture.show(joined.filter(([, , from, to]) => from < to));
      operand.text.textContent = `${operand.overlaps ? "window" : "block"} ${tuple(indices)}: elements ` +
        (operand.bounds(indices).map(([begin, end]) => `${begin}..${end - 1}`).join(" x ") || "all");
    }
  }

  play(on) {
    if (!this.steps) return;
    this.playing = on;
    this.player.textContent = on ? "Stop" : "Play";
    if (!on) return;
    if (this.step === this.steps - 1) this.go(0);
    // A long walk takes twenty seconds, a short one four steps a second.
    const rate = Math.max(4, this.steps / 20), from = this.step, start = performance.now();
    const tick = now => {
      if (!this.playing) return;
      this.go(from + Math.floor((now - start) / 1000 * rate));
      if (this.step === this.steps - 1) this.play(false);
      else requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }
}
