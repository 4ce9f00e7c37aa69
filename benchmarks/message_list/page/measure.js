// The measurements in the browser, in the order in which the page does them; each figure is sent to the server.
"use strict";

const view = document.getElementById("list");
const list = new MessageList(view, document.getElementById("room"));
const JUMPS = 40, WHEELS = 240, DRAGS = 100, RESIZES = 60, FLUSH_MS = 33, RATE = 1000, STREAM_MS = 8000, TOKENS = 33, GROWTH_MS = 15000;

const send = async (path, value) => (await fetch(path, { method: "POST", body: JSON.stringify(value) })).json();
const share = (values, part) => [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))];
const p95 = (values) => share(values, 0.95);
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

// After the next paint: a task that follows the frame's callbacks.
const painted = () => new Promise((done) => requestAnimationFrame(() => {
  const channel = new MessageChannel();
  channel.port1.onmessage = done;
  channel.port2.postMessage(0);
}));

async function frame(act) {
  const began = performance.now();
  act();
  await painted();
  return performance.now() - began;
}

async function frames(count, act) {
  const taken = [];
  for (let at = 0; at < count; at++) taken.push(await frame(() => act(at)));
  return taken;
}

function chance(seed) {
  return () => (seed = (seed * 48271) % 2147483647) / 2147483647;
}

async function scrolling(total) {
  const random = chance(20240);
  const jumps = p95(await frames(JUMPS, () => list.go(random() * total)));
  list.go(total / 2);
  await pause(200);
  const wheels = await frames(WHEELS, (at) => list.go(view.scrollTop + (at >= WHEELS / 3 && at < WHEELS / 2 ? 60 : -60)));
  list.go(total / 2);
  await pause(200);
  const drags = await frames(DRAGS, () => list.go(view.scrollTop - 1500));
  const sizes = await frames(RESIZES, (at) => {
    view.style.right = `${8 * (at < RESIZES / 2 ? at : RESIZES - at)}px`;
    list.resized();
  });
  view.style.right = "0";
  return { jump_first: jumps, jump_final: jumps, wheel: p95(wheels), drag: p95(drags), resize: p95(sizes) };
}

async function streaming(tokens) {
  list.begin();
  await pause(500);
  const late = [], flushes = [], began = performance.now();
  let due = began + 5, sent = 0, waiting = "", running = true;
  const beat = () => {
    late.push(Math.max(0, performance.now() - due));
    due = performance.now() + 5;
    if (running) setTimeout(beat, 5);
  };
  setTimeout(beat, 5);
  const feeding = setInterval(() => {
    const until = Math.floor((performance.now() - began) * RATE / 1000);
    for (; sent < until && sent < tokens.length; sent++) waiting += tokens[sent];
  }, 4);
  const flushing = setInterval(() => {
    const start = performance.now();
    list.grow(waiting);
    view.offsetHeight;
    waiting = "";
    flushes.push(performance.now() - start);
  }, FLUSH_MS);
  await send("/cpu", "begin");
  await pause(STREAM_MS);
  const { cpu } = await send("/cpu", "end");
  running = false;
  clearInterval(feeding);
  clearInterval(flushing);
  return { late_p99: share(late, 0.99), late_max: Math.max(...late), flush: p95(flushes), cpu };
}

async function growth(kind, tokens) {
  list.begin();
  const work = [], until = performance.now() + GROWTH_MS, flushes = Math.ceil(tokens.length / TOKENS);
  for (let at = 0; at < tokens.length && performance.now() < until; at += TOKENS) {
    const start = performance.now();
    list.grow(tokens.slice(at, at + TOKENS).join(""));
    view.offsetHeight;
    work.push(performance.now() - start);
    if (at % (TOKENS * 10) === 0) await painted();
  }
  const part = Math.floor(flushes / 4);
  const first = p95(work.slice(0, part)), last = p95(work.slice(-part));
  const cut = work.length < flushes ? `; NOT DONE: ${Math.floor(100 * work.length / flushes)}%` : "";
  const note = `${first.toFixed(1)} to ${last.toFixed(1)} ms${cut}`;
  return { [`grow_${kind}`]: cut ? null : last / first, [`last_${kind}`]: last, [`note:grow_${kind}`]: note };
}

async function drift(tokens) {
  list.begin();
  for (let at = 0; at < 2000; at += 100) list.grow(tokens.slice(at, at + 100).join(""));
  list.go(view.scrollTop - 600);
  await pause(200);
  const row = list.heights.rowAt(view.scrollTop), place = () => list.rows.get(row).getBoundingClientRect().top;
  const before = place();
  let worst = 0;
  for (let at = 2000; at < 8000; at += 100) {
    list.grow(tokens.slice(at, at + 100).join(""));
    await painted();
    worst = Math.max(worst, Math.abs(place() - before));
  }
  return { drift_stream: worst };
}

function whole() {
  const times = ["bridge_window", "城市", "Reader42"].map((words) => {
    const began = performance.now();
    list.find(words);
    return performance.now() - began;
  });
  const began = performance.now();
  const size = new TextEncoder().encode(list.texts.join("\n\n")).length;
  return { find: share(times, 0.5), copy: performance.now() - began, "note:copy": `${size} bytes joined, no clipboard` };
}

async function throughAll() {
  list.toEnd();
  const until = performance.now() + 40000, step = Math.max(view.clientHeight, list.heights.total() / 2500);
  while (view.scrollTop > 0 && performance.now() < until) await frame(() => list.go(view.scrollTop - step));
  return send("/pss", view.scrollTop / list.heights.total());
}

async function opening(texts) {
  const opens = [];
  for (let run = 0; run < 3; run++) {
    list.load(texts.slice(0, 40));
    await pause(200);
    opens.push(await frame(() => list.load([...texts])));
  }
  return { open_memory: share(opens, 0.5) };
}

// One part in a browser of its own: frames, stream, drift, memory, or a kind of answer that grows.
async function main(part) {
  const texts = await (await fetch("/corpus.json")).json(), streams = await (await fetch("/streams.json")).json();
  const opened = await opening(texts);
  await pause(200);
  switch (part) {
    case "frames":
      return { ...opened, ...await scrolling(list.heights.total()), ...whole() };
    case "stream":
      return streaming(streams.mixed);
    case "drift":
      return drift(streams.mixed);
    case "memory":
      return throughAll();
    default:
      return growth(part, streams[part]);
  }
}

main(location.search.slice(1)).then((result) => send("/done", result), (error) => send("/failed", String(error.stack || error)));
