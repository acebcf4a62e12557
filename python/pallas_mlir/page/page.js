// The sections of a page, and what steers them.

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
    this.call = {source: data.source[call.source], stages: data.stages[call.stages]};
    host.append(make("h2", {}, "Source and stages"), make("p", {class: "dim"}, "Click a line, or move with the up and down keys, to mark what comes from it, or what it comes from."));
    const stages = this.call.stages.map(stage => stage.name);
    if (this.call.source.lines.length) stages.unshift(`source: ${this.call.source.file}`);
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

let walk = null, timelines = [], memory = [];
function show(call) {
  if (walk) walk.play(false);
  main.replaceChildren();
  // Of one call there is one section; its anchor chooses it, as the menu does.
  main.append(make("section", {id: call.id, "aria-label": call.name}, ...(data.calls.length > 1 ? [make("h2", {}, call.name)] : []), make("p", {class: "dim"}, call.where)));
  walk = new Walk(call, main);
  memory = showMemory(call, walk, main);
  for (const view of memory) view.paint();
  timelines = [showCycles(call, walk, main)];
  const findings = make("div");
  main.append(findings);
  main.append(make("h2", {}, "Timeline"), make("p", {class: "dim"}, data.timeline ? data.timeline.note : data.noTimeline));
  if (data.timeline) {
    const {rows, strips} = new Recorded(data.timeline, call, walk, memory);
    timelines.push(new TimelineView({rows, strips, unit: "us", id: "timeline", label: "timeline of a checked run"}, walk, main));
    if (strips.length) main.append(make("p", {class: "dim"}, "Below the slices: bytes of each core's memory in use, by the events of the run and in the sizes that the kernel names" +
      (strips.some(strip => strip.moving.length) ? "; hatched, windows with a second buffer that arrive or leave meanwhile on a chip" : "") +
      (strips.some(strip => strip.allocated) ? "; dashed, what is allocated, as above" : "") + "."));
  }
  timelines = timelines.filter(Boolean);
  walk.followers.push(...timelines.map(view => step => view.follow(step)));
  const texts = new Texts(call, main);
  showFindings(call, findings, line => { texts.mark(line); texts.panes[0].box.scrollIntoView({block: "center"}); });
}

function setTheme() {
  const root = document.documentElement, dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  walk.paint();
  for (const view of memory) view.paint();
  for (const view of timelines) view.paint();
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
