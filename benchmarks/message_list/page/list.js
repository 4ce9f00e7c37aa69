// The rival in a browser: a windowed list over markdown-it, as a good client would write it. Only rows near the view
// are in the document, heights are kept in a Fenwick tree, what is read keeps its place when a height proves wrong,
// and an answer that streams patches its open block only. It colours no code.
"use strict";

class Heights {
  constructor(heights) {
    this.heights = heights;
    this.tree = new Float64Array(heights.length + 1);
    heights.forEach((height, row) => this.add(row, height));
  }
  add(row, by) {
    for (let at = row + 1; at < this.tree.length; at += at & -at) this.tree[at] += by;
  }
  set(row, height) {
    this.add(row, height - this.heights[row]);
    this.heights[row] = height;
  }
  top(row) {
    let total = 0;
    for (let at = row; at > 0; at &= at - 1) total += this.tree[at];
    return total;
  }
  total() {
    return this.top(this.heights.length);
  }
  rowAt(y) {
    let row = 0;
    for (let step = 2 ** Math.ceil(Math.log2(this.tree.length)); step >= 1; step /= 2) {
      if (row + step < this.tree.length && this.tree[row + step] <= y) {
        row += step;
        y -= this.tree[row];
      }
    }
    return Math.min(row, this.heights.length - 1);
  }
}

const GAP = 20, OVERSCAN = 200, KEPT = 300;

class MessageList {
  constructor(view, room) {
    this.view = view;
    this.room = room;
    this.md = window.markdownit({ linkify: false });
    this.html = new Map();
    this.rows = new Map();
    this.open = null;
    this.own = -1;
    view.addEventListener("scroll", () => { if (view.scrollTop !== this.own) this.render(); });
    new ResizeObserver(() => this.resized()).observe(view);
  }

  load(texts) {
    this.texts = texts;
    this.rows.forEach((row) => row.remove());
    this.rows.clear();
    this.html.clear();
    this.heights = new Heights(texts.map((text) => 22 * Math.ceil(text.length / 90) + GAP));
    this.toEnd();
  }

  // Show a place given in px from the top.
  go(y) {
    this.view.scrollTop = y;
    this.render();
  }

  toEnd() {
    for (let tries = 0; tries < 3; tries++) {
      this.room.style.height = `${this.heights.total()}px`;
      this.view.scrollTop = this.heights.total();
      this.render();
      if (this.view.scrollTop >= this.heights.total() - this.view.clientHeight - 1) break;
    }
  }

  atEnd() {
    return this.view.scrollTop >= this.heights.total() - this.view.clientHeight - 2;
  }

  resized() {
    if (!this.heights) return;
    const end = this.atEnd();
    this.measure([...this.rows.keys()]);
    if (end) this.toEnd();
    else this.render();
  }

  render() {
    const from = this.view.scrollTop, high = this.view.clientHeight;
    const first = this.heights.rowAt(from), inside = from - this.heights.top(first);
    const wanted = new Set(), made = [];
    for (let row = this.heights.rowAt(Math.max(0, from - OVERSCAN)), y = this.heights.top(row);
      row < this.texts.length && y < from + high + OVERSCAN; y += this.heights.heights[row], row++) {
      wanted.add(row);
      if (!this.rows.has(row)) {
        this.rows.set(row, this.make(row));
        made.push(row);
      }
    }
    this.rows.forEach((element, row) => {
      if (!wanted.has(row)) {
        element.remove();
        this.rows.delete(row);
      }
    });
    if (made.length) this.measure(made);
    this.place();
    this.own = this.heights.top(first) + inside;
    if (this.own !== from) this.view.scrollTop = this.own;
    this.own = this.view.scrollTop;
  }

  measure(rows) {
    const high = rows.map((row) => this.rows.get(row).offsetHeight);
    rows.forEach((row, at) => this.heights.set(row, high[at] + GAP));
  }

  place() {
    this.room.style.height = `${this.heights.total()}px`;
    this.rows.forEach((element, row) => { element.style.top = `${this.heights.top(row)}px`; });
  }

  make(row) {
    const element = document.createElement("div");
    element.className = row % 2 ? "row" : "row user";
    if (this.open && this.open.row === row) element.append(...this.open.parts);
    else element.innerHTML = this.rendered(row);
    this.room.append(element);
    return element;
  }

  rendered(row) {
    let html = this.html.get(row);
    if (html === undefined) html = this.md.render(this.texts[row]);
    this.html.delete(row);
    this.html.set(row, html);
    if (this.html.size > KEPT) this.html.delete(this.html.keys().next().value);
    return html;
  }

  // An answer that streams: parts that are closed stay as they are.
  begin() {
    const part = document.createElement("div");
    this.texts.push("");
    const heights = [...this.heights.heights, GAP];
    this.heights = new Heights(heights);
    this.open = { row: this.texts.length - 1, text: "", parts: [part], fence: false };
    this.toEnd();
  }

  grow(added) {
    const end = this.atEnd(), open = this.open;
    this.texts[open.row] += added;
    open.text += added;
    for (let cut; (cut = this.boundary(open)) >= 0;) {
      open.parts.at(-1).innerHTML = this.md.render(open.text.slice(0, cut));
      open.text = open.text.slice(cut).replace(/^\n+/, "");
      const part = document.createElement("div");
      open.parts.push(part);
      this.rows.get(open.row)?.append(part);
    }
    open.parts.at(-1).innerHTML = this.md.render(open.text);
    if (this.rows.has(open.row)) {
      const was = this.view.scrollTop;
      this.measure([open.row]);
      if (!end && this.view.scrollTop !== was) this.view.scrollTop = was;
    }
    if (end) this.toEnd();
    else this.place();
  }

  // Where the open block ends: an empty line outside a fence, with text after it.
  boundary(open) {
    let fence = false, at = 0;
    for (;;) {
      const stop = open.text.indexOf("\n", at);
      if (stop < 0) return -1;
      const line = open.text.slice(at, stop);
      if (line.startsWith("```")) fence = !fence;
      if (!fence && line === "" && at > 0 && open.text.slice(stop + 1).trim()) return stop;
      at = stop + 1;
    }
  }

  find(words) {
    const wanted = words.toLowerCase();
    let hits = 0;
    for (const text of this.texts) {
      const low = text.toLowerCase();
      for (let at = low.indexOf(wanted); at >= 0; at = low.indexOf(wanted, at + wanted.length)) hits++;
    }
    return hits;
  }
}
