// Draws what pallas_mlir.viewing has put into the page. Strings of modules only ever become text nodes.
"use strict";
(() => {
const data = JSON.parse(document.getElementById("data").textContent);
const main = document.getElementById("main");
const MOST_CELLS = 4e6, SIDE = 320, MOST_LINES = 4000;

function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {}))
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== false) element.setAttribute(name, value === true ? "" : value);
  element.append(...children);
  return element;
}
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
    this.canvas = make("canvas", {width: this.width, height: this.height, role: "img", "aria-label": label});
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

// The walk over a grid.

class Walk {
  constructor(call, host) {
    this.grid = call.grid.length ? call.grid : [1];
    this.known = this.grid.every(size => size !== null);
    this.steps = this.known ? product(this.grid) : 0;
    this.step = 0;
    this.playing = false;
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
    const columns = this.grid[this.grid.length - 1];
    this.overview = new Picture(this.steps / columns, columns, "programs of the grid");
    const holder = make("div", {class: "operands"}, make("div", {class: "operand"}, make("h3", {}, `grid ${tuple(this.grid)}`), this.overview.canvas,
                                                         make("p", {class: "dim"}, `${number(this.steps)} program${this.steps === 1 ? "" : "s"}, the last dimension runs first`)));
    for (const operand of this.operands) {
      const {block} = operand;
      const box = make("div", {class: "operand"}, make("h3", {}, operand.title));
      if (operand.missing) {
        box.append(make("p", {}, `Not drawn: ${operand.missing}.`));
      } else {
        operand.picture = new Picture(operand.rows, operand.columns, `blocks of ${operand.title}`);
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
    this.canvas = make("canvas", {width: 1100, height: this.rows.length * 18 + 20, tabindex: 0, role: "img", id: "timeline",
      "aria-label": "timeline; plus and minus zoom, arrows move", mousemove: event => this.point(event), click: event => this.pick(event), keydown: event => this.key(event)});
    this.text = make("p", {class: "mono", "aria-live": "polite"}, "Point at a slice; + and - zoom, arrow keys move.");
    const button = (text, label, action) => make("button", {title: label, "aria-label": label, click: action}, text);
    host.append(make("div", {class: "row"}, button("+", "zoom in", () => this.zoom(0.5)), button("-", "zoom out", () => this.zoom(2)),
                     button("All", "show all of it", () => { this.view = [0, this.end]; this.paint(); })), this.canvas, this.text);
    this.paint();
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
    if (this.rows.length < 200) this.rows.push({slices, name, end: slices[slices.length - 1].to});
  }

  paint() {
    const context = this.canvas.getContext("2d"), {width, height} = this.canvas, [from, to] = this.view, left = 170;
    context.clearRect(0, 0, width, height);
    context.font = "11px ui-monospace, monospace";
    const scale = (width - left) / (to - from);
    const fill = {kernel: color("line"), program: color("once"), access: color("ragged"), copy: color("over"), signal: color("again"), wait: color("never")};
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
        hatch(context, {wait: "never", signal: "again", copy: "over"}[slice.cat] || "", x, y + 1, end - x, 15);
        if (end - x < 28) continue;
        context.fillStyle = color("text");
        context.save();
        context.beginPath();
        context.rect(x, y, end - x - 2, 17);
        context.clip();
        context.fillText(slice.name, x + 3, y + 12);
        context.restore();
      }
    });
    context.fillStyle = color("dim");
    context.fillText(`${number(Math.round(from))} us`, left, height - 5);
    context.textAlign = "right";
    context.fillText(`${number(Math.round(to))} us`, width - 2, height - 5);
    context.textAlign = "left";
  }

  find(event) {
    const box = this.canvas.getBoundingClientRect(), left = 170, width = this.canvas.width;
    const x = (event.clientX - box.left) * width / box.width, row = this.rows[Math.floor((event.clientY - box.top) * this.canvas.height / box.height / 18)];
    const time = this.view[0] + (x - left) / (width - left) * (this.view[1] - this.view[0]);
    return row && row.slices.find(slice => slice.from <= time && time < slice.to);
  }

  point(event) {
    const slice = this.find(event);
    if (slice) this.text.textContent = `${slice.cat}: ${slice.name}, ${number(Math.round(slice.from))} to ${number(Math.round(slice.to))} us` +
      (slice.args.bytes ? `, ${number(slice.args.bytes)} bytes` : "") + (slice.args.place ? `, ${slice.args.place}` : "");
  }

  pick(event) {
    const slice = this.find(event), ids = slice && /^program \(([\d, ]*)\)$/.exec(slice.name);
    if (ids && this.walk.steps) this.walk.go(ids[1].split(",").reduce((step, id, d) => step * this.walk.grid[d] + +id, 0));
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

function showMemory(call, host) {
  host.append(make("h2", {}, "Memory"));
  for (const {space, bytes, capacity, buffers} of call.memory) {
    const share = capacity ? ` of ${number(capacity)} (${(100 * bytes / capacity).toFixed(bytes * 100 < capacity ? 2 : 0)} %) on ${call.chip}` : "";
    host.append(make("p", {}, make("b", {}, space), ` ${number(bytes)} bytes${share}`));
    if (capacity) {
      const used = make("div");
      used.style.width = `${Math.min(100, 100 * bytes / capacity)}%`;
      host.append(make("div", {class: "bar share", "aria-hidden": "true"}, used));
    }
    const bar = make("div", {class: "bar", role: "img", "aria-label": `${space}: ${bytes} bytes${share}`});
    for (const buffer of buffers) {
      const label = `${buffer.role} ${buffer.index}: ${buffer.buffers > 1 ? buffer.buffers + " x " + number(buffer.bytes / buffer.buffers) : number(buffer.bytes)}`;
      const part = make("div", {title: label}, label);
      part.style.width = `${100 * buffer.bytes / Math.max(bytes, 1)}%`;
      bar.append(part);
    }
    host.append(bar, make("p", {class: "dim"}, buffers.map(b => `${b.role} ${b.index}: ${b.buffers} x ${number(b.bytes / Math.max(1, b.buffers))}`).join(", ")));
  }
  if (!call.memory.length) host.append(make("p", {}, "No window or scratch memory of a known size."));
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
    host.append(make("h2", {}, "Source and stages"), make("p", {class: "dim"}, "Click a line to mark what comes from it, or what it comes from."));
    const stages = call.stages.map(stage => stage.name);
    if (call.source.lines.length) stages.unshift(`source: ${call.source.file}`);
    const grid = make("div", {class: "panes"});
    for (const first of [0, Math.min(1, stages.length - 1)]) {
      const select = make("select", {"aria-label": "stage", change: () => this.fill(pane)}, ...stages.map((name, i) => make("option", {value: i, selected: i === first}, name)));
      const pane = {select, box: make("div", {class: "pane mono", tabindex: 0})};
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

let walk = null, timeline = null;
function show(call) {
  if (walk) walk.play(false);
  main.replaceChildren();
  timeline = null;
  main.append(make("p", {class: "dim"}, call.where));
  walk = new Walk(call, main);
  showMemory(call, main);
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
  if (timeline) timeline.paint();
}

document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA|BUTTON)$/.test(event.target.tagName) || !walk) return;
  const by = event.shiftKey ? 10 : 1;
  const action = {ArrowLeft: () => walk.go(walk.step - by), ArrowRight: () => walk.go(walk.step + by), Home: () => walk.go(0), End: () => walk.go(walk.steps - 1),
                  " ": () => walk.play(!walk.playing), d: setTheme}[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

const chooser = make("select", {"aria-label": "call", change: () => show(data.calls[+chooser.value])}, ...data.calls.map((call, i) => make("option", {value: i}, call.name)));
document.getElementById("bar").append(...(data.calls.length > 1 ? [chooser] : []), make("button", {click: setTheme, title: "dark or light (d)"}, "Dark or light"),
  make("span", {class: "dim"}, "Space plays, arrows step, Home and End jump, d changes the colours."));
document.getElementById("summary").removeAttribute("open");
show(data.calls[0]);
document.documentElement.dataset.ready = "true";
})();
