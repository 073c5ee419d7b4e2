"use strict";
// All that is shown is set as text: names come from the network.
const root = document.documentElement.dataset.root;
const at = id => document.getElementById(id);
const ms = value => value === undefined ? "-" : (value < 10 ? value.toFixed(1) : Math.round(value)) + " ms";
const seconds = value => value === undefined ? "-" : (value < 120 ? value.toFixed(1) + " s" : Math.round(value / 60) + " min");
const time = value => value.slice(0, 19).replace("T", " ");
const place = value => value === undefined ? "-" : value.silo === undefined ? value.cluster
  : value.silo.startsWith(value.cluster + "/") ? value.silo : `${value.cluster}, on ${value.silo}`;
const days = value => value === undefined ? "-" : value.toFixed(1) + " days";

function table(id, head, rows) {
  const line = (cells, kind) => {
    const row = document.createElement("tr");
    for (const cell of cells) {
      const part = document.createElement(kind);
      part.textContent = cell.text ?? cell;
      if (cell.bad) part.className = "bad";
      row.append(part);
    }
    return row;
  };
  at(id).replaceChildren(line(head, "th"), ...rows.map(row => line(row, "td")));
}

function moves(id, history) {
  table(id, ["when (UTC)", "grain", "what", "from", "to", "why"], history.moves.map(m => [
    time(m.at), m.grain, `${m.kind}, says ${m.told}`, place(m.from), place(m.to), m.why]));
}

function shape(kind, attributes, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", kind);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

function map(overview) {
  const places = new Map(overview.clusters.map((cluster, i, all) => {
    const turn = Math.PI + 2 * Math.PI * i / all.length;
    return [cluster.name, { cluster, x: 320 + 220 * Math.cos(turn), y: 180 + 120 * Math.sin(turn) }];
  }));
  const own = overview.clusters[0].name;
  const lines = [], labels = [];
  const names = [...places.keys()];
  names.forEach((from, i) => names.slice(i + 1).forEach(to => {
    const [a, b] = [places.get(from), places.get(to)];
    const trip = overview.roundTrips.find(t => (t.from === from && t.to === to) || (t.from === to && t.to === from));
    const bad = from === own ? b.cluster.outOfReachSeconds > 0 : trip === undefined;
    lines.push(shape("line", { x1: a.x, y1: a.y, x2: b.x, y2: b.y, class: bad ? "bad" : "good" }));
    labels.push(shape("text", { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 - 6 }, ms(trip?.ms)));
  }));
  const nodes = [...places.values()].flatMap(p => [
    shape("circle", { cx: p.x, cy: p.y, r: 14, class: p.cluster.outOfReachSeconds > 0 ? "bad" : "good" }),
    shape("text", { x: p.x, y: p.y + 34 }, p.cluster.name)]);
  at("map").replaceChildren(...lines, ...nodes, ...labels);
}

function show(overview) {
  at("silo").textContent = `${overview.cluster}: ${overview.node}, Geo ${overview.version}, ${overview.at}`;
  at("findings").replaceChildren(...(overview.findings.length ? overview.findings : [{ text: "Nothing." }]).map(finding => {
    const item = document.createElement("li");
    item.className = finding.name ? "bad" : "good";
    item.textContent = finding.name ? `${finding.name} (${finding.subject}): ${finding.text} ${finding.advice}` : finding.text;
    return item;
  }));
  map(overview);
  table("clusters", ["cluster", "in reach", "version", "clock", "certificate"], overview.clusters.map(c => [
    c.name, c.outOfReachSeconds > 0 ? { text: "no, for " + seconds(c.outOfReachSeconds), bad: true } : "yes", c.version ?? "-",
    c.clockAheadMs === undefined ? "-" : `${Math.round(c.clockAheadMs)} ms, to ${Math.round(c.clockExactToMs)}`, days(c.certificateDays)]));
  table("links", ["peer", "up", "round trip", "queued bytes", "fullest lane"], overview.links.map(l => [
    l.peer, seconds(l.upSeconds), ms(l.roundTripMs), l.queuedBytes, Math.round(100 * l.fill) + " %"]));
  table("stores", ["store", "one row", "trouble"], overview.stores.map(s => [
    s.name, ms(s.ms), s.trouble ? { text: s.trouble, bad: true } : "-"]));
  table("state", ["what", "value"], [
    ["Doubtful grains", overview.doubtfulGrains ? `${overview.doubtfulGrains}, the oldest for ${seconds(overview.doubtfulSeconds)}` : "0"],
    ["lease renewed", overview.leaseSeconds === undefined ? "none is needed" : seconds(overview.leaseSeconds) + " ago"],
    ...overview.lags.map(l => [`${l.cluster} lacks ${l.grainClass}`, `${l.grains} grains, by ${seconds(l.seconds)}`])]);
  moves("moves", overview.history);
  at("forgotten").textContent = [
    overview.history.moves.length ? "" : "No silo remembers any.",
    overview.history.forgotten ? `Silos have forgotten ${overview.history.forgotten} older ones.` : "",
    overview.history.silentSilos ? `${overview.history.silentSilos} silos did not say what they remember.` : ""].filter(Boolean).join(" ");
  table("changes", ["when (UTC)", "version", "what"], overview.changes.map(c => [time(c.at), c.version, c.what]));
  at("unchanged").textContent = overview.changes.length ? "" : "None that this silo remembers.";
}

async function find() {
  try {
    const response = await fetch(`${root}/grain?key=${encodeURIComponent(at("key").value)}`);
    const answer = await response.json();
    const since = answer.since === undefined ? "" : `, since ${time(answer.since)} UTC`;
    at("grain").textContent = !response.ok ? answer.error
      : `${answer.key}: ${answer.cluster ? `in ${answer.cluster}, on silo ${answer.node}${since}` : "in no cluster"}. ${answer.why}`;
    table("views", ["asked", "state", "cluster", "silo", "why"], (answer.clusters ?? []).map(v => [
      v.asked, v.state ?? "-", v.cluster ?? "-", v.node ?? "-", v.why]));
    moves("history", answer.history ?? { moves: [] });
  } catch (error) {
    at("grain").textContent = String(error);
  }
}

at("find").addEventListener("click", find);
at("key").addEventListener("keydown", event => { if (event.key === "Enter") find(); });

// After an answer that is no stream, as a silo that restarts gives, the browser gives up for good.
function watch() {
  const events = new EventSource(root + "/events");
  events.onmessage = event => show(JSON.parse(event.data));
  events.addEventListener("trouble", event => { at("silo").textContent = JSON.parse(event.data).error; });
  events.onerror = () => {
    at("silo").textContent = "no connection; trying again";
    if (events.readyState === EventSource.CLOSED) setTimeout(watch, 2000);
  };
}

watch();
