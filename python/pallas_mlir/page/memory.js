// Memory, and what the cost model predicts.

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

  // Bytes that arrive or leave while a step runs.
  moving(step) {
    let sum = 0;
    for (const part of this.parts) if (part.operand && this.isMoving(part, step)) sum += part.one;
    return sum;
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

// What the cost model predicts, and in the order of time: the core, and the copies of each window beside it.
function showCycles({cycles, estimate}, walk, host) {
  if (!cycles && !estimate) return null;
  host.append(make("h2", {}, "Predicted time"));
  if (estimate) host.append(make("p", {}, make("b", {}, `${estimate.by}: ${estimate.missing || number(estimate.cycles) + " cycles"}`), estimate.missing ? "" : ", as the compiler of the chip estimates"));
  if (!cycles) return null;
  const whole = Math.max(cycles.cycles, 1), share = value => `${number(value)} (${percent(value / whole)})`;
  host.append(make("p", {class: "dim"}, `From the cost model for ${cycles.chip} (tpu-analyze-cost), as the grid is written; nothing has run on a chip.`),
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
  // A name that does not fit would be cut; the line below has it.
  for (const part of bar.children) if (part.scrollWidth > part.clientWidth) part.textContent = "";
  const predicted = new Predicted(cycles, walk);
  if (predicted.missing) {
    host.append(make("p", {class: "dim"}, `There is no predicted timeline: ${predicted.missing}.`));
    return null;
  }
  host.append(make("p", {class: "dim"}, `Predicted timeline, in cycles of ${cycles.chip}: a step takes ${number(Math.round(predicted.step))} on average and the last copy ends after ${number(Math.round(predicted.end))}; ` +
                   `the core is busy for ${percent(predicted.step * walk.steps / predicted.end)} of the time. While it computes, the next block of each window arrives and the last one leaves.`));
  return new TimelineView({rows: predicted.rows, strips: [], unit: "cycles", id: "predicted", label: `predicted timeline on ${cycles.chip}`,
                           mark: step => [predicted.begins[step], predicted.begins[step] + predicted.step]}, walk, host);
}
