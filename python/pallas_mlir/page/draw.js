// What all parts of a page draw with. Strings of modules only ever become text nodes.

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
