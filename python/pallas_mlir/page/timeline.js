// Timelines: what a run recorded, and what the cost model predicts, drawn in the same way.

const FILL = {kernel: "line", program: "once", access: "ragged", copy: "over", signal: "again", wait: "never"};
const PATTERN = {wait: "waits", signal: "again", copy: "over"};
const ROW = 18, STRIP = 46, BARS = 32, MOST_STRIPS = 12;

// Slices in the order of time. They are numbered and made when they are drawn or pointed at: there may be a million.
class Row {
  constructor(name, count, from, to, slice) {
    Object.assign(this, {name, count, from, to, slice});
  }
  static of(name, slices) {
    return new Row(name, slices.length, i => slices[i].from, i => slices[i].to, i => slices[i]);
  }
  // The first slice that ends behind a time.
  first(time) {
    let low = 0, high = this.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.to(middle) > time) high = middle;
      else low = middle + 1;
    }
    return low;
  }
  at(time) {
    const i = this.first(time);
    return i < this.count && this.from(i) <= time ? this.slice(i) : null;
  }
}

// Bytes that a core has in use, and those that are on their way at the same time.
class Strip {
  constructor({device, core, space, times, values}, title) {
    Object.assign(this, {device, core, space, times, values, title, moving: [], allocated: 0, capacity: 0});
    this.peak = Math.max(0, ...values);
  }
  used(time) {
    let low = 0, high = this.times.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.times[middle] <= time) low = middle + 1;
      else high = middle;
    }
    return low ? this.values[low - 1] : 0;
  }
  underWay(time) {
    let low = 0, high = this.moving.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.moving[middle].to > time) high = middle;
      else low = middle + 1;
    }
    const found = this.moving[low];
    return found && found.from <= time ? found.bytes : 0;
  }
  // The most bytes of each column of a picture.
  columns(from, to, count) {
    const used = new Float64Array(count), under = new Float64Array(count), at = time => (time - from) / (to - from) * count;
    const mark = (into, begin, end, value) => {
      const last = Math.min(count - 1, Math.max(Math.floor(at(begin)), Math.ceil(at(end)) - 1));
      for (let column = Math.max(0, Math.floor(at(begin))); column <= last; ++column) into[column] = Math.max(into[column], value);
    };
    this.times.forEach((time, i) => {
      const end = i + 1 < this.times.length ? this.times[i + 1] : time;
      if (end > time && end > from && time < to) mark(used, time, end, this.values[i]);
    });
    for (const slice of this.moving) if (slice.to > from && slice.from < to) mark(under, slice.from, slice.to, slice.bytes);
    return {used, under};
  }
}

class TimelineView {
  // `unit` is that of time; `mark` tells where a step of the walk lies, if that is known.
  constructor({rows, strips, unit, id, label, mark}, walk, host) {
    Object.assign(this, {unit, walk, mark});
    this.rows = rows.slice(0, MOST_ROWS);
    this.strips = strips.slice(0, MOST_STRIPS);
    this.end = 1;
    for (const row of rows) if (row.count) this.end = Math.max(this.end, row.to(row.count - 1));
    this.view = [0, this.end];
    const height = this.rows.length * ROW + this.strips.length * STRIP + 20;
    this.canvas = make("canvas", {width: WIDE, height, tabindex: 0, role: "img", id, "aria-label": `${label}; plus and minus zoom, arrows move`,
      mousemove: event => this.point(event), click: event => this.pick(event), keydown: event => this.key(event)});
    this.base = make("canvas", {width: WIDE, height});
    this.text = make("p", {class: "mono", "aria-live": "polite"}, "Point at a slice; + and - zoom, arrow keys move.");
    const button = (text, label, action) => make("button", {title: label, "aria-label": label, click: action}, text);
    host.append(make("div", {class: "row"}, button("+", "zoom in", () => this.zoom(0.5)), button("-", "zoom out", () => this.zoom(2)),
                     button("All", "show all of it", () => this.move(0, this.end))), this.canvas, this.text);
    for (const [all, shown, what] of [[rows, this.rows, "rows"], [strips, this.strips, "pictures of memory"]])
      if (all.length > shown.length) host.append(make("p", {class: "dim"}, `${number(all.length - shown.length)} more ${what} are not shown.`));
    const kinds = new Set(), row = make("p", {class: "legend"});
    for (const {count, slice} of this.rows) for (let i = 0; i < Math.min(count, 2000); ++i) kinds.add(slice(i).cat);
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

  paint() {
    const context = this.base.getContext("2d"), {width, height} = this.canvas, [from, to] = this.view;
    context.clearRect(0, 0, width, height);
    context.font = "11px ui-monospace, monospace";
    this.legend();
    const fill = Object.fromEntries(Object.entries(FILL).map(([category, name]) => [category, color(name)]));
    this.rows.forEach((row, i) => this.paintRow(context, row, i * ROW, fill));
    this.strips.forEach((strip, i) => this.paintStrip(context, strip, this.rows.length * ROW + i * STRIP));
    context.fillStyle = color("dim");
    context.fillText(`${number(Math.round(from))} ${this.unit}`, LEFT, height - 5);
    context.textAlign = "right";
    context.fillText(`${number(Math.round(to))} ${this.unit}`, width - 2, height - 5);
    context.textAlign = "left";
    this.follow(this.walk.step);
  }

  x(time) {
    return LEFT + (time - this.view[0]) / (this.view[1] - this.view[0]) * (WIDE - LEFT);
  }

  paintRow(context, row, y, fill) {
    const text = color("text"), [from, to] = this.view;
    context.fillStyle = text;
    context.fillText(row.name.slice(0, 26), 2, y + 12);
    let drawn = -1;
    for (let i = row.first(from); i < row.count && row.from(i) <= to; ++i) {
      const x = Math.max(LEFT, this.x(row.from(i))), end = Math.min(WIDE, this.x(row.to(i)));
      // Slices of one pixel are drawn once.
      if (Math.floor(end) === drawn && end - x < 1) continue;
      drawn = Math.floor(end);
      const slice = row.slice(i);
      context.fillStyle = fill[slice.cat] || color("line");
      context.fillRect(x, y + 1, Math.max(1, end - x), 15);
      hatch(context, PATTERN[slice.cat] || "", x, y + 1, end - x, 15);
      if (slice.cat === "kernel" || slice.cat === "program") {
        // Neighbours of one colour have a line between them.
        context.fillStyle = color("back");
        if (end - x >= 4) context.fillRect(end - 1, y + 1, 1, 15);
      }
      // A name that does not fit, up to a slice that overlaps, is told by what differs, or not at all.
      const next = i + 1 < row.count ? this.x(row.from(i + 1)) : WIDE;
      const room = Math.min(end, next) - x - 6, short = slice.name.replace(/^program /, "");
      if (room < 6) continue;
      const running = slice.args.unfinished ? ", still running" : "";
      const name = [slice.name + running, short + running, short].find(name => context.measureText(name).width <= room);
      if (!name) continue;
      context.fillStyle = fill[slice.cat] || color("line");
      context.fillRect(x + 2, y + 2, context.measureText(name).width + 3, 13);
      context.fillStyle = text;
      context.fillText(name, x + 3, y + 12);
    }
  }

  paintStrip(context, strip, y) {
    const count = WIDE - LEFT, {used, under} = strip.columns(...this.view, count), bottom = y + STRIP - 4;
    const scale = BARS / Math.max(1, strip.allocated, strip.peak);
    const bar = (begin, end, above, bytes, state) => {
      if (!bytes) return;
      context.fillStyle = color("once");
      context.globalAlpha = state ? 0.6 : 1;
      context.fillRect(LEFT + begin, bottom - (above + bytes) * scale, end - begin, bytes * scale);
      context.globalAlpha = 1;
      if (state) hatch(context, state, LEFT + begin, bottom - (above + bytes) * scale, end - begin, bytes * scale);
    };
    for (let begin = 0, end = 0; begin < count; begin = end) {
      while (end < count && used[end] === used[begin] && under[end] === under[begin]) ++end;
      bar(begin, end, 0, used[begin], "");
      bar(begin, end, used[begin], under[begin], "over");
    }
    context.fillStyle = context.strokeStyle = color("text");
    context.fillText(strip.title.slice(0, 26), 2, y + 14);
    context.fillText(`${strip.space}: peak ${number(strip.peak)}`.slice(0, 26), 2, y + 27);
    if (strip.capacity) context.fillText(`of ${number(strip.capacity)} bytes`, 2, y + 40);
    if (!strip.allocated) return;
    const line = Math.round(bottom - strip.allocated * scale) + 0.5;
    context.setLineDash([4, 3]);
    context.beginPath();
    context.moveTo(LEFT, line);
    context.lineTo(WIDE, line);
    context.stroke();
    context.setLineDash([]);
  }

  // Marks where the step of the walk lies.
  follow(step) {
    const context = this.canvas.getContext("2d"), span = this.mark && this.mark(step);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    context.drawImage(this.base, 0, 0);
    if (!span || span[1] < this.view[0] || span[0] > this.view[1]) return;
    const x = Math.max(LEFT, this.x(span[0])), end = Math.min(WIDE, this.x(span[1]));
    context.strokeStyle = color("now");
    context.lineWidth = 2;
    context.strokeRect(Math.round(x), 1, Math.max(2, Math.round(end - x)), this.canvas.height - 20);
    context.lineWidth = 1;
  }

  locate(event) {
    const box = this.canvas.getBoundingClientRect(), x = (event.clientX - box.left) * WIDE / box.width;
    const y = (event.clientY - box.top) * this.canvas.height / box.height, [from, to] = this.view;
    const strip = this.strips[Math.floor((y - this.rows.length * ROW) / STRIP)];
    return {time: from + (x - LEFT) / (WIDE - LEFT) * (to - from), row: this.rows[Math.floor(y / ROW)], strip, inside: x >= LEFT};
  }

  point(event) {
    const {time, row, strip, inside} = this.locate(event);
    if (!inside) return;
    if (strip) {
      const under = strip.underWay(time);
      this.text.textContent = `${strip.title}, ${strip.space} at ${number(Math.round(time))} ${this.unit}: ${number(strip.used(time))} bytes in use` +
        (under ? ` + ${number(under)} on their way` : "") + (strip.allocated ? `, ${number(strip.allocated)} allocated` : "");
      return;
    }
    const slice = row && row.at(time);
    if (slice) this.text.textContent = `${slice.cat}: ${slice.name}, ${number(Math.round(slice.from))} to ${number(Math.round(slice.to))} ${this.unit}` +
      (slice.args.bytes ? `, ${number(slice.args.bytes)} bytes` : "") + (slice.args.place ? `, ${slice.args.place}` : "") + (slice.args.unfinished ? ", still running" : "");
  }

  pick(event) {
    const {time, row} = this.locate(event), slice = row && row.at(time);
    if (!slice || !this.walk.steps) return;
    const step = slice.step === undefined ? stepOf(slice, this.walk) : slice.step;
    if (step !== null) this.walk.go(step);
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

// The step that a program of a trace is; null for what is none of this grid.
function stepOf(slice, walk) {
  const ids = /^program \(([\d, ]*)\)$/.exec(slice.name);
  if (!ids || !walk.steps) return null;
  const found = ids[1] ? ids[1].split(",").map(Number) : [];
  if (found.length < walk.grid.length || walk.grid.some((size, d) => found[d] >= size)) return null;
  return walk.grid.reduce((step, size, d) => step * size + found[d], 0);
}

// What a checked run recorded: devices and cores below each other, copies on rows of their own, memory of each core under them.

class Recorded {
  constructor(timeline, call, walk, memory) {
    this.rows = [];
    const names = new Map(), threads = new Map();
    for (const event of timeline.events) {
      const key = event.pid + ":" + event.tid;
      if (event.ph === "M" && event.name === "thread_name") names.set(key, event.args.name);
      if (event.ph === "X" || event.ph === "b") {
        if (!threads.has(key)) threads.set(key, {slices: [], copies: new Map()});
        const entry = {name: event.name, cat: event.cat, from: event.ts, to: event.ph === "X" ? event.ts + event.dur : 0, args: event.args || {}};
        if (event.ph === "X") threads.get(key).slices.push(entry);
        else threads.get(key).copies.set(event.id, entry);
      }
      if (event.ph === "e") threads.get(key).copies.get(event.id).to = event.ts;
    }
    for (const [key, {slices, copies}] of threads) {
      this.stack(slices, `device ${key.split(":")[0]}, ${names.get(key) || key}`);
      if (copies.size) this.lanes([...copies.values()], "copies");
    }
    this.strips = (timeline.memory || []).map(counter => {
      const strip = new Strip(counter, `device ${counter.device}, ${counter.core}`);
      const view = memory.find(view => view.space.space === counter.space);
      if (view) Object.assign(strip, {allocated: view.space.bytes, capacity: view.space.capacity || 0});
      const key = [...names].find(([key, name]) => key.startsWith(counter.device + ":") && name === counter.core);
      if (view && view.known && key && threads.has(key[0])) strip.moving = this.underWay(threads.get(key[0]).slices, call, walk, view);
      return strip;
    });
  }

  // Windows with a second buffer that arrive or leave while a program of the call runs.
  underWay(slices, call, walk, view) {
    const spans = slices.filter(slice => slice.cat === "kernel" && slice.name === call.name), found = [];
    for (const slice of slices) {
      if (slice.cat !== "program" || !spans.some(span => span.from <= slice.from && slice.to <= span.to)) continue;
      const step = stepOf(slice, walk), bytes = step === null ? 0 : view.moving(step);
      // Programs of a pipeline in the kernel lie in one of the grid, which comes first.
      if (bytes && !(found.length && found[found.length - 1].to > slice.from)) found.push({from: slice.from, to: slice.to, bytes});
    }
    return found;
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
    rows.forEach((row, depth) => this.rows.push(Row.of(depth ? "" : name, row)));
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
    rows.forEach((row, lane) => this.rows.push(Row.of(lane ? "" : name, row)));
  }
}

// What the cost model predicts: two blocks of each window are held. A step begins when its windows are there and what was written
// two blocks ago has left; then the next block is fetched. Each step takes the average time.

class Predicted {
  constructor(cycles, walk) {
    const {steps} = walk, windows = cycles.copies.map(copy => ({...copy, operand: (walk.operands || [])[copy.window], block: -1, fetched: 0}));
    this.missing = !steps || cycles.steps !== steps ? "its steps are not those of the grid" :
      windows.some(({operand}) => !operand || operand.missing) ? "not all of its windows are known" : "";
    if (this.missing) return;
    for (const window of windows) {
      const count = window.operand.moves.reduce((sum, moves) => sum + moves, 0);
      Object.assign(window, {count, begins: new Float64Array(count), steps: new Uint32Array(count)});
    }
    this.step = cycles.compute_cycles / steps;
    this.begins = new Float64Array(steps);
    this.run(windows, cycles.call_cycles, steps);
    this.rows = [new Row("core", steps, i => this.begins[i], i => this.begins[i] + this.step,
                         i => ({name: `program ${tuple(walk.ids(i))}`, cat: "program", from: this.begins[i], to: this.begins[i] + this.step, args: {}, step: i}))];
    for (const {operand, output, cycles: length, count, begins, steps: at} of windows) {
      const title = `${operand.block.kind} ${operand.block.index}`;
      this.rows.push(new Row(`${title} ${output ? "leaves" : "arrives"}`, count, i => begins[i], i => begins[i] + length,
                             i => ({name: `${title} ${output ? "of" : "for"} step ${number(at[i] + 1)}`, cat: "copy", from: begins[i], to: begins[i] + length, args: {}, step: at[i]})));
    }
    this.end = Math.max(...this.rows.filter(row => row.count).map(row => row.to(row.count - 1)));
  }

  run(windows, begin, steps) {
    const inputs = windows.filter(window => !window.output), outputs = windows.filter(window => window.output);
    for (const window of windows)
      for (let step = 0, block = 0; step < steps; ++step) if (window.operand.moves[step]) window.steps[block++] = step;
    for (const window of inputs)
      for (; window.fetched < Math.min(2, window.count); ++window.fetched) window.begins[window.fetched] = begin;
    let now = begin;
    for (let step = 0; step < steps; ++step) {
      for (const window of windows) {
        if (!window.operand.moves[step]) continue;
        ++window.block;
        const awaited = window.output ? window.block - 2 : window.block;
        if (awaited >= 0) now = Math.max(now, window.begins[awaited] + window.cycles);
      }
      this.begins[step] = now;
      now += this.step;
      let free = now;
      for (const window of outputs) {
        if (step + 1 < steps && !window.operand.moves[step + 1]) continue;
        if (window.block > 0) free = Math.max(free, window.begins[window.block - 1] + window.cycles);
        window.begins[window.block] = now;
        // The last step of the block is the one that it leaves behind.
        window.steps[window.block] = step;
      }
      for (const window of inputs)
        if (step + 1 < steps && window.operand.moves[step + 1] && window.fetched < window.count) window.begins[window.fetched++] = free;
    }
  }
}
