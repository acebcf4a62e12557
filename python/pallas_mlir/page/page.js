// Draws what pallas_mlir.viewing has put into the page. Strings of modules only ever become text nodes.
"use strict";
(() => {
const data = JSON.parse(document.getElementById("data").textContent);
const main = document.getElementById("main");
const MOST_CELLS = 4e6, SIDE = 320, MOST_LINES = 4000, MOST_ROWS = 200, LEFT = 170, WIDE = 1230;

function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {}))
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== false) element.setAttribute(name, value === true ? "" : value);
  element.append(...children);
  return element;
}
// A part that rounds to nothing is there all the same.
const percent = part => part > 0 && part < 5e-5 ? "less than 0.01 %" : `${(100 * part).toFixed(part < 0.01 ? 2 : 0)} %`;
const color = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
const tuple = ids => "(" + ids.join(", ") + ")";
const product = sizes => sizes.reduce((a, b) => a * b, 1);
const number = value => value.toLocaleString("en");

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
  }

  // What the index map yields for a program.
  indices(ids) {
    const {dims, base, strides, table} = this.block.walk, found = new Array(this.rank);
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
    return table.slice(position * this.rank, (position + 1) * this.rank);
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
    const indices = this.indices(ids);
    let moved = !this.before;
    for (let d = 0; !moved && d < this.rank; ++d) moved = indices[d] !== this.before[d];
    this.moves[step] = moved ? 1 : 0;
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

// Patterns tell the states apart where colours do not.
function hatch(context, state, x, y, w, h) {
  if (w < 6 || h < 6) return;
  context.save();
  context.beginPath();
  context.rect(x, y, w, h);
  context.clip();
  context.strokeStyle = context.fillStyle = color("text");
  context.globalAlpha = 0.55;
  context.beginPath();
  if (state === "never") {
    context.moveTo(x, y); context.lineTo(x + w, y + h); context.moveTo(x + w, y); context.lineTo(x, y + h);
  } else if (state === "again") {
    context.arc(x + w / 2, y + h / 2, Math.min(w, h) / 6, 0, 7); context.fill();
  } else if (state === "over") {
    for (let at = x + 3; at < x + w; at += 4) { context.moveTo(at, y); context.lineTo(at, y + h); }
  } else if (state === "waits") {
    for (let at = x - h; at < x + w; at += 7) { context.moveTo(at, y + h); context.lineTo(at + h, y); }
  } else if (state === "ragged") {
    for (let at = y + 3; at < y + h; at += 4) { context.moveTo(x, at); context.lineTo(x + w, at); }
  }
  context.stroke();
  context.restore();
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

const FILL = {kernel: "line", program: "once", access: "ragged", copy: "over", signal: "again", wait: "never"};
const PATTERN = {wait: "waits", signal: "again", copy: "over"};

// The timeline: devices and cores below each other, copies on rows of their own.

class TimelineView {
  constructor(timeline, walk, host) {
    host.append(make("h2", {}, "Timeline"), make("p", {class: "dim"}, timeline.note));
    this.walk = walk;
    this.rows = [];
    const names = new Map(), threads = new Map();
    for (const event of timeline.events) {
      const key = event.pid + ":" + event.tid;
      if (event.ph === "M" && event.name === "thread_name") names.set(key, `device ${event.pid}, ${event.args.name}`);
      if (event.ph === "X" || event.ph === "b") {
        if (!threads.has(key)) threads.set(key, {slices: [], copies: new Map()});
        const entry = {name: event.name, cat: event.cat, from: event.ts, to: event.ph === "X" ? event.ts + event.dur : 0, args: event.args || {}};
        if (event.ph === "X") threads.get(key).slices.push(entry);
        else threads.get(key).copies.set(event.id, entry);
      }
      if (event.ph === "e") threads.get(key).copies.get(event.id).to = event.ts;
    }
    for (const [key, {slices, copies}] of threads) {
      this.stack(slices, names.get(key) || key);
      if (copies.size) this.lanes([...copies.values()], "copies");
    }
    this.end = Math.max(1, ...this.rows.map(row => row.end));
    this.view = [0, this.end];
    this.canvas = make("canvas", {width: WIDE, height: this.rows.length * 18 + 20, tabindex: 0, role: "img", id: "timeline",
      "aria-label": "timeline; plus and minus zoom, arrows move", mousemove: event => this.point(event), click: event => this.pick(event), keydown: event => this.key(event)});
    this.text = make("p", {class: "mono", "aria-live": "polite"}, "Point at a slice; + and - zoom, arrow keys move.");
    const button = (text, label, action) => make("button", {title: label, "aria-label": label, click: action}, text);
    host.append(make("div", {class: "row"}, button("+", "zoom in", () => this.zoom(0.5)), button("-", "zoom out", () => this.zoom(2)),
                     button("All", "show all of it", () => { this.view = [0, this.end]; this.paint(); })), this.canvas, this.text);
    const kinds = new Set(timeline.events.map(event => event.cat)), row = make("p", {class: "legend"});
    this.swatches = Object.keys(FILL).filter(category => kinds.has(category)).map(category => {
      const canvas = make("canvas", {width: 18, height: 18, "aria-hidden": "true"});
      row.append(make("span", {}, canvas, category));
      return [category, canvas];
    });
    host.append(row);
    this.paint();
  }

  legend() {
    for (const [category, canvas] of this.swatches) {
      const context = canvas.getContext("2d");
      context.fillStyle = color(FILL[category]);
      context.fillRect(0, 0, 18, 18);
      hatch(context, PATTERN[category] || "", 0, 0, 18, 18);
    }
  }

  // Slices that lie in each other get rows by their depth.
  stack(slices, name) {
    slices.sort((a, b) => a.from - b.from || b.to - a.to);
    const open = [], rows = [];
    for (const slice of slices) {
      while (open.length && open[open.length - 1] <= slice.from) open.pop();
      (rows[open.length] = rows[open.length] || []).push(slice);
      open.push(slice.to);
    }
    rows.forEach((row, depth) => this.add(row, depth ? "" : name));
  }

  // Copies that overlap get rows of their own.
  lanes(copies, name) {
    copies.sort((a, b) => a.from - b.from);
    const rows = [];
    for (const copy of copies) {
      const row = rows.find(row => row[row.length - 1].to <= copy.from);
      if (row) row.push(copy);
      else rows.push([copy]);
    }
    rows.forEach((row, lane) => this.add(row, lane ? "" : name));
  }

  add(slices, name) {
    if (this.rows.length < MOST_ROWS) this.rows.push({slices, name, end: slices[slices.length - 1].to});
  }

  paint() {
    const context = this.canvas.getContext("2d"), {width, height} = this.canvas, [from, to] = this.view, left = LEFT;
    context.clearRect(0, 0, width, height);
    context.font = "11px ui-monospace, monospace";
    const scale = (width - left) / (to - from);
    const fill = Object.fromEntries(Object.entries(FILL).map(([category, name]) => [category, color(name)]));
    this.legend();
    this.rows.forEach((row, number) => {
      const y = number * 18;
      context.fillStyle = color("text");
      context.fillText(row.name.slice(0, 26), 2, y + 12);
      let drawn = -1;
      for (const slice of row.slices) {
        if (slice.to < from || slice.from > to) continue;
        const x = Math.max(left, left + (slice.from - from) * scale), end = Math.min(width, left + (slice.to - from) * scale);
        // Slices of one pixel are drawn once.
        if (Math.floor(end) === drawn && end - x < 1) continue;
        drawn = Math.floor(end);
        context.fillStyle = fill[slice.cat] || color("line");
        context.fillRect(x, y + 1, Math.max(1, end - x), 15);
        hatch(context, PATTERN[slice.cat] || "", x, y + 1, end - x, 15);
        // A name that does not fit is told by what differs, or not at all.
        const room = end - x - 6, short = slice.name.replace(/^program /, "");
        const running = slice.args.unfinished ? ", still running" : "";
        const name = [slice.name + running, short + running, short].find(name => context.measureText(name).width <= room);
        if (!name) continue;
        context.fillStyle = fill[slice.cat] || color("line");
        context.fillRect(x + 2, y + 2, context.measureText(name).width + 3, 13);
        context.fillStyle = color("text");
        context.fillText(name, x + 3, y + 12);
      }
    });
    context.fillStyle = color("dim");
    context.fillText(`${number(Math.round(from))} us`, left, height - 5);
    context.textAlign = "right";
    context.fillText(`${number(Math.round(to))} us`, width - 2, height - 5);
    context.textAlign = "left";
  }

  find(event) {
    const box = this.canvas.getBoundingClientRect(), left = LEFT, width = this.canvas.width;
    const x = (event.clientX - box.left) * width / box.width, row = this.rows[Math.floor((event.clientY - box.top) * this.canvas.height / box.height / 18)];
    const time = this.view[0] + (x - left) / (width - left) * (this.view[1] - this.view[0]);
    return row && row.slices.find(slice => slice.from <= time && time < slice.to);
  }

  point(event) {
    const slice = this.find(event);
    if (slice) this.text.textContent = `${slice.cat}: ${slice.name}, ${number(Math.round(slice.from))} to ${number(Math.round(slice.to))} us` +
      (slice.args.bytes ? `, ${number(slice.args.bytes)} bytes` : "") + (slice.args.place ? `, ${slice.args.place}` : "") + (slice.args.unfinished ? ", still running" : "");
  }

  pick(event) {
    const slice = this.find(event), ids = slice && /^program \(([\d, ]*)\)$/.exec(slice.name);
    if (ids && this.walk.steps) this.walk.go(ids[1].split(",").slice(0, this.walk.grid.length).reduce((step, id, d) => step * this.walk.grid[d] + +id, 0));
  }

  zoom(factor) {
    const middle = (this.view[0] + this.view[1]) / 2, half = Math.max(4, (this.view[1] - this.view[0]) / 2 * factor);
    this.move(Math.max(0, middle - half), Math.min(this.end, middle + half));
  }
  move(from, to) {
    this.view = [from, to];
    this.paint();
  }
  key(event) {
    const width = this.view[1] - this.view[0], shift = {ArrowLeft: -0.2, ArrowRight: 0.2}[event.key];
    if (event.key === "+" || event.key === "=") this.zoom(0.5);
    else if (event.key === "-") this.zoom(2);
    else if (shift) {
      const from = Math.min(Math.max(0, this.view[0] + shift * width), this.end - width);
      this.move(from, from + width);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

// Memory, findings, source and stages.

// Bytes in use while a grid runs: a window that moves is fetched ahead or written back beside the one in use, where it has a second buffer.

const SHADES = ["once", "ragged", "over", "again"];

class MemoryView {
  constructor(space, call, walk, host) {
    Object.assign(this, {space, walk});
    this.parts = space.buffers.map(buffer => this.describe(buffer, call));
    this.known = walk.steps > 1 && this.parts.some(part => part.operand);
    if (!this.known) return;
    this.canvas = make("canvas", {width: WIDE, height: 104, role: "img", click: event => {
      const box = this.canvas.getBoundingClientRect(), at = ((event.clientX - box.left) * WIDE / box.width - LEFT) / (WIDE - LEFT);
      if (at >= 0) walk.go(Math.floor(at * walk.steps));
    }, "aria-label": `${space.space} in use per step of the grid`});
    this.text = make("p", {class: "mono"});
    host.append(this.canvas, this.text);
    this.columns = Math.min(WIDE - LEFT, walk.steps);
    this.base = make("canvas", {width: WIDE, height: 104});
  }

  describe(buffer, call) {
    const index = call.blocks.findIndex(block => block.kind === buffer.role && block.index === buffer.index);
    const operand = index >= 0 && this.walk.operands ? this.walk.operands[index] : null;
    const known = operand && !operand.missing ? operand : null;
    return {buffer, operand: known, name: `${buffer.role} ${buffer.index}`, one: buffer.bytes / Math.max(1, buffer.buffers), ahead: buffer.buffers > 1 ? buffer.role : ""};
  }

  // Bytes of one buffer at a step: those in use, and those on their way.
  at(part, step) {
    if (!part.operand) return [part.buffer.bytes, 0];
    return [part.one, this.isMoving(part, step) ? part.one : 0];
  }

  isMoving(part, step) {
    const {moves} = part.operand;
    return part.ahead === "input" ? step + 1 < this.walk.steps && moves[step + 1] === 1 : part.ahead === "output" && step > 0 && moves[step] === 1;
  }

  // Of a million steps, so nothing is allocated.
  total(step) {
    let sum = 0;
    for (const part of this.parts) sum += part.operand ? this.isMoving(part, step) ? 2 * part.one : part.one : part.buffer.bytes;
    return sum;
  }

  // The step of a column with the most bytes in use.
  peak(column) {
    const from = Math.floor(column * this.walk.steps / this.columns), to = Math.max(from + 1, Math.floor((column + 1) * this.walk.steps / this.columns));
    let best = from, most = -1;
    for (let step = from; step < to; ++step) {
      const bytes = this.total(step);
      if (bytes > most) [best, most] = [step, bytes];
    }
    return best;
  }

  paint() {
    this.swatches.forEach((canvas, i) => {
      const context = canvas.getContext("2d");
      context.fillStyle = color(SHADES[i % SHADES.length]);
      context.fillRect(0, 0, 18, 18);
    });
    if (!this.known) return;
    const context = this.base.getContext("2d"), height = 80, width = (WIDE - LEFT) / this.columns, scale = height / this.space.bytes;
    context.clearRect(0, 0, WIDE, 104);
    context.font = "11px ui-monospace, monospace";
    const fill = SHADES.map(color), dim = color("dim"), back = color("back");
    for (let column = 0; column < this.columns; ++column) {
      const step = this.peak(column), x = LEFT + column * width;
      let y = 12 + height;
      this.parts.forEach((part, i) => {
        const [used, moving] = this.at(part, step);
        for (const [bytes, state] of [[used, ""], [moving, "over"]]) {
          if (!bytes) continue;
          context.fillStyle = fill[i % SHADES.length];
          context.globalAlpha = state ? 0.6 : 1;
          context.fillRect(x, y - bytes * scale, Math.max(1, width), bytes * scale);
          context.globalAlpha = 1;
          if (state) hatch(context, "over", x, y - bytes * scale, width, bytes * scale);
          y -= bytes * scale;
        }
      });
      if (width >= 6) {
        context.strokeStyle = back;
        context.strokeRect(x + 0.5, y + 0.5, width, 12 + height - y);
      }
    }
    context.setLineDash([4, 3]);
    context.strokeStyle = color("text");
    context.beginPath();
    context.moveTo(LEFT, 12.5);
    context.lineTo(WIDE, 12.5);
    context.stroke();
    context.setLineDash([]);
    context.fillStyle = color("text");
    context.fillText("allocated", 2, 12);
    context.fillText(number(this.space.bytes), 2, 26);
    context.fillStyle = dim;
    context.fillText("step 1", LEFT, 102);
    context.textAlign = "right";
    context.fillText(`step ${number(this.walk.steps)}`, WIDE - 2, 102);
    context.textAlign = "left";
    this.follow(this.walk.step);
  }

  follow(step) {
    if (!this.known) return;
    const context = this.canvas.getContext("2d"), x = LEFT + (step + 0.5) / this.walk.steps * (WIDE - LEFT);
    context.clearRect(0, 0, WIDE, 104);
    context.drawImage(this.base, 0, 0);
    context.fillStyle = color("now");
    context.fillRect(Math.round(x) - 1, 6, 2, 86);
    const parts = this.parts.map(part => {
      const [used, moving] = this.at(part, step), way = part.ahead === "output" ? "leaving" : "arriving";
      return `${part.name} ${number(used)}` + (moving ? ` + ${number(moving)} ${way}` : "");
    });
    this.text.textContent = `step ${number(step + 1)}: ${number(this.total(step))} of ${number(this.space.bytes)} bytes in use: ${parts.join(", ")}`;
  }
}

function showMemory(call, walk, host) {
  host.append(make("h2", {}, "Memory"), make("p", {class: "dim"}, call.memorySource));
  const views = [];
  for (const space of call.memory) {
    const {bytes, capacity, buffers} = space;
    const share = capacity ? ` of ${number(capacity)} (${percent(bytes / capacity)}) on ${call.chip}` : "";
    host.append(make("p", {}, make("b", {}, space.space), ` ${number(bytes)} bytes${share}`));
    if (capacity) {
      const used = make("div", {class: bytes > capacity ? "full" : ""});
      used.style.width = `${Math.min(100, 100 * bytes / capacity)}%`;
      host.append(make("div", {class: "bar share", role: "img", "aria-label": `${space.space}: ${bytes} bytes${share}`}, used));
    }
    const view = new MemoryView(space, call, walk, host), legend = make("p", {class: "legend dim"}, view.known ? "allocated, from the bottom up: " : "allocated: ");
    view.swatches = buffers.map(b => {
      const canvas = make("canvas", {width: 18, height: 18, "aria-hidden": "true"});
      legend.append(make("span", {}, canvas, `${b.role} ${b.index}: ${b.buffers} x ${number(b.bytes / Math.max(1, b.buffers))}`));
      return canvas;
    });
    host.append(legend);
    views.push(view);
  }
  if (!call.memory.length) host.append(make("p", {}, "No window or scratch memory of a known size."));
  walk.followers = views.map(view => step => view.follow(step));
  return views;
}

// What the cost model predicts.
function showCycles(cycles, host) {
  if (!cycles) return;
  const whole = Math.max(cycles.cycles, 1), share = value => `${number(value)} (${Math.round(100 * value / whole)} %)`;
  host.append(make("h2", {}, "Predicted time"), make("p", {class: "dim"}, `From the cost model for ${cycles.chip} (tpu-analyze-cost), as the grid is written; nothing has run on a chip.`),
              make("p", {}, make("b", {}, `about ${number(cycles.cycles)} cycles`), ` in ${number(cycles.steps)} step${cycles.steps === 1 ? "" : "s"}; waits for ${cycles.waits_for} most`));
  const parts = Object.entries(cycles.parts).sort((a, b) => b[1] - a[1]);
  const bar = make("div", {class: "bar", role: "img", "aria-label": parts.map(([name, value]) => `${name} ${share(value)}`).join(", ")});
  for (const [name, value] of parts) {
    const part = make("div", {title: `${name}: ${share(value)}`}, name);
    part.style.width = `${100 * value / whole}%`;
    bar.append(part);
  }
  host.append(bar, make("p", {class: "dim"}, parts.map(([name, value]) => `${name}: ${share(value)}`).join(", ")),
              make("p", {class: "dim"}, `side by side: ${number(cycles.compute_cycles)} cycles to compute, ${number(cycles.copy_cycles)} to copy ${number(cycles.bytes_copied)} bytes of windows`));
}

function showFindings(call, host, goToLine) {
  host.append(make("h2", {}, `Findings (${call.findings.length})`));
  if (!call.findings.length) host.append(make("p", {}, call.checked ? "Neither the check nor the target has found anything." : "The target accepts it; it has not been run checked."));
  for (const finding of call.findings) {
    const box = make("div", {class: `finding ${finding.severity}`}, make("b", {}, `${finding.severity} (${finding.by})`), " ");
    if (finding.line) box.append(make("button", {class: "place", click: () => goToLine(finding.line)}, `${finding.file}:${finding.line}`));
    box.append(make("div", {}, finding.text), ...finding.notes.map(note => make("div", {class: "dim"}, `note: ${note}`)));
    host.append(box);
  }
}

class Texts {
  constructor(call, host) {
    this.panes = [];
    this.call = call;
    host.append(make("h2", {}, "Source and stages"), make("p", {class: "dim"}, "Click a line, or move with the up and down keys, to mark what comes from it, or what it comes from."));
    const stages = call.stages.map(stage => stage.name);
    if (call.source.lines.length) stages.unshift(`source: ${call.source.file}`);
    const grid = make("div", {class: "panes"});
    for (const first of [0, Math.min(1, stages.length - 1)]) {
      const select = make("select", {"aria-label": "stage", change: () => this.fill(pane)}, ...stages.map((name, i) => make("option", {value: i, selected: i === first}, name)));
      const pane = {select, box: make("div", {class: "pane mono", tabindex: 0, "aria-label": "lines; up and down mark the linked ones", keydown: event => this.key(event, pane)})};
      this.panes.push(pane);
      grid.append(make("div", {}, select, pane.box));
    }
    host.append(grid);
    this.panes.forEach(pane => this.fill(pane));
    const line = /:(\d+):\d+$/.exec(call.where);
    if (line) this.mark(+line[1]);
  }

  lines(index) {
    const {source, stages} = this.call;
    if (source.lines.length && index-- === 0) return source.lines.map((text, i) => [text, source.first + i, source.first + i]);
    return stages[index].lines;
  }

  fill(pane) {
    const lines = this.lines(+pane.select.value);
    pane.box.replaceChildren(...lines.slice(0, MOST_LINES).map(([text, line, shown]) => {
      const row = make("div", line ? {class: "linked", click: () => this.mark(line)} : {});
      if (shown) row.append(make("span", {class: "number"}, String(shown).padStart(5) + " "));
      row.append(text);
      row.line = line;
      return row;
    }));
    if (lines.length > MOST_LINES) pane.box.append(make("div", {}, `... ${number(lines.length - MOST_LINES)} more lines are not shown`));
    if (this.line) this.mark(this.line, pane);
  }

  // The next line with another origin.
  key(event, pane) {
    const by = {ArrowDown: 1, ArrowUp: -1}[event.key];
    if (!by) return;
    event.preventDefault();
    const rows = [...pane.box.children], end = by > 0 ? rows.length : -1;
    const hits = rows.flatMap((row, i) => row.line === this.line ? [i] : []);
    for (let i = (hits.length ? hits[by > 0 ? hits.length - 1 : 0] : by > 0 ? -1 : rows.length) + by; i !== end; i += by)
      if (rows[i].line && rows[i].line !== this.line) return this.mark(rows[i].line);
  }

  mark(line, only) {
    this.line = line;
    for (const pane of only ? [only] : this.panes) {
      let first = null;
      for (const row of pane.box.children) {
        const hit = row.line === line;
        row.classList.toggle("hit", hit);
        if (hit && !first) first = row;
      }
      if (first) pane.box.scrollTop = first.offsetTop - pane.box.offsetTop - pane.box.clientHeight / 3;
    }
  }
}

let walk = null, timeline = null, memory = [];
function show(call) {
  if (walk) walk.play(false);
  main.replaceChildren();
  timeline = null;
  // Of one call there is one section; its anchor chooses it, as the menu does.
  main.append(make("section", {id: call.id, "aria-label": call.name}, ...(data.calls.length > 1 ? [make("h2", {}, call.name)] : []), make("p", {class: "dim"}, call.where)));
  walk = new Walk(call, main);
  memory = showMemory(call, walk, main);
  for (const view of memory) view.paint();
  showCycles(call.cycles, main);
  const findings = make("div");
  main.append(findings);
  if (data.timeline) timeline = new TimelineView(data.timeline, walk, main);
  else main.append(make("h2", {}, "Timeline"), make("p", {}, data.noTimeline));
  const texts = new Texts(call, main);
  showFindings(call, findings, line => { texts.mark(line); texts.panes[0].box.scrollIntoView({block: "center"}); });
}

function setTheme() {
  const root = document.documentElement, dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  walk.paint();
  for (const view of memory) view.paint();
  if (timeline) timeline.paint();
}

document.addEventListener("keydown", event => {
  // Buttons have the space key, panes the arrows.
  const isButton = event.target.tagName === "BUTTON" && /^( |Enter)$/.test(event.key);
  if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA|SUMMARY)$/.test(event.target.tagName) || isButton || !walk) return;
  if (event.target.closest(".pane") && event.key !== "d") return;
  const by = event.shiftKey ? 10 : 1;
  const action = {ArrowLeft: () => walk.go(walk.step - by), ArrowRight: () => walk.go(walk.step + by), Home: () => walk.go(0), End: () => walk.go(walk.steps - 1),
                  " ": () => walk.play(!walk.playing), d: setTheme}[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

const chooser = make("select", {"aria-label": "call", change: () => choose(+chooser.value)}, ...data.calls.map((call, i) => make("option", {value: i}, call.name)));
document.getElementById("bar").append(...(data.calls.length > 1 ? [chooser] : []), make("button", {click: setTheme, title: "dark or light (d)"}, "Dark or light"),
  make("span", {class: "dim"}, "Space plays, arrows step, with Shift by ten, Home and End jump; a click on a block goes to the next program that has it; d changes the colours."));
document.getElementById("summary").removeAttribute("open");
let chosen = -1;
function choose(number) {
  if (number === chosen) return;
  chosen = +(chooser.value = number);
  show(data.calls[number]);
  if (number || location.hash) location.hash = data.calls[number].id;
}
// An anchor that is none of a call shows the first one.
const follow = () => choose(Math.max(0, data.calls.findIndex(call => "#" + call.id === location.hash)));
addEventListener("hashchange", follow);
follow();
document.documentElement.dataset.ready = "true";
})();
