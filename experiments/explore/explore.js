"use strict";
// What the page does. get(path, signal) answers with a Blob, or fails with an Error that has the field to mend, if one is.
function contextmoverExplore(root, get) {
  const $ = (selector) => root.querySelector(selector);
  const form = $("form");
  const element = (name, props = {}, ...children) => {
    const e = Object.assign(document.createElement(name), props);
    e.append(...children);
    return e;
  };
  let own;
  const json = async (path, signal) => JSON.parse(await (await get(path, signal)).text());
  const vectors = () => form.by.value === "vectors";
  const single = () => form.to.value.trim() === "";
  const searched = $("[name=text]");
  const query = () => new URLSearchParams({from: form.from.value, to: form.to.value, method: vectors() ? own.vectors_method : own.transport}).toString();

  // work counts the answers of a question, that of a slower one where it can be stopped.
  let work = null, slow = 0;
  function began(total) {
    work = {done: 0, total};
    root.setAttribute("aria-busy", true);
    clearTimeout(slow);
    slow = setTimeout(() => { $("[data-progress]").hidden = false; }, 700);
    progressed(0);
  }

  function progressed(by) {
    work.done += by;
    const bar = $("[data-progress] progress");
    [bar.value, bar.max] = [work.done, work.total];
    $("[data-status]").textContent = `computing: ${work.done} of ${work.total} answers`;
  }

  function ended() {
    clearTimeout(slow);
    work = null;
    $("[data-progress]").hidden = true;
    root.setAttribute("aria-busy", false);
  }

  // answered shows or hides what only an answer has.
  function answered(yes) {
    for (const part of root.querySelectorAll("[data-answered]")) part.hidden = !yes;
  }

  // settings shows what belongs to the way of comparing, and to one word or two.
  function settings() {
    for (const says of root.querySelectorAll("[data-by]")) says.hidden = says.dataset.by !== form.by.value;
    for (const part of root.querySelectorAll("[data-pair]")) part.hidden = single();
    root.classList.toggle("cm-single", single());
  }

  function mistakes(error) {
    for (const place of root.querySelectorAll("[data-mistake]")) {
      const here = error !== null && place.dataset.mistake === (error.field ?? "");
      place.textContent = here ? error.message : "";
      const box = root.querySelector(`[name="${place.dataset.mistake}"]`);
      if (box) box.setAttribute("aria-invalid", here);
    }
  }

  // views are the pictures, each with what saves it.
  const shown = new Map();
  function frame(view) {
    const picture = element("div", {className: "cm-picture"});
    const code = element("code", {tabIndex: 0});
    const saves = element("div", {className: "cm-saves"}, element("span", {className: "cm-soft", textContent: "Save as"}));
    for (const format of own.formats) {
      const kind = format.slice(1).toUpperCase();
      const button = element("button", {type: "button", textContent: kind});
      button.setAttribute("aria-label", `Save ${view.title} as ${kind}`);
      button.addEventListener("click", async () => {
        try {
          save(await get(`/figure/${view.name}${format}?${query()}`), view.name + format);
        } catch (error) {
          mistakes(error);
        }
      });
      saves.append(button);
    }
    const section = element("section", {className: "cm-view"}, element("h2", {textContent: view.title}), element("p", {className: "cm-soft", textContent: view.says}), picture, saves,
      element("p", {className: "cm-command"}, code, copier(code, `Copy the command for ${view.title}`)));
    section.setAttribute("aria-label", view.title);
    section.dataset.view = view.name;
    $("[data-views]").append(section);
    shown.set(view.name, {section, picture, code});
  }

  function save(blob, name) {
    const url = URL.createObjectURL(blob);
    const link = element("a", {href: url, download: name});
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 60000);
  }

  function copier(code, label) {
    const button = element("button", {type: "button", textContent: "Copy"});
    button.setAttribute("aria-label", label);
    copies(button, code);
    return button;
  }

  function copies(button, code) {
    const name = button.textContent;
    button.addEventListener("click", async () => {
      let done = true;
      try {
        await navigator.clipboard.writeText(code.textContent);
      } catch {
        // Where the clipboard is not given, the text is selected for the keys.
        getSelection().selectAllChildren(code);
        done = false;
      }
      button.textContent = done ? "Copied" : "Selected";
      setTimeout(() => { button.textContent = name; }, 1500);
    });
  }

  function table(caption, head, rows) {
    const cell = (name, text, number) => {
      const c = element(name, {textContent: text, className: number ? "cm-number" : ""});
      if (name === "th") c.scope = "col";
      return c;
    };
    const t = element("table", {},
      element("thead", {}, element("tr", {}, ...head.map((h, i) => cell("th", h, i === 0)))),
      element("tbody", {}, ...rows.map((r) => element("tr", {}, ...r.map((v, i) => cell("td", v, i === 0))))));
    t.setAttribute("aria-label", caption);
    return t;
  }

  const percent = (x) => `${(100 * x).toFixed(1)} %`;

  // shared draws the contexts of two words, to the left of their names the first's mass and to the right the second's.
  function shared(contexts, texts) {
    $("[data-shared]").hidden = !contexts;
    if (!contexts) return;
    const most = Math.max(...contexts.flatMap((c) => [c.from, c.to]));
    const bar = (x, name) => {
      const b = element("span", {className: "cm-bar", textContent: percent(x)});
      b.style.setProperty("--part", x / most);
      return element("td", {className: `cm-${name}`}, b);
    };
    const head = [texts.from, "contexts such as", texts.to].map((text) => Object.assign(element("th", {textContent: text}), {scope: "col"}));
    const t = $(".cm-shared");
    t.setAttribute("aria-label", "Contexts side by side");
    t.replaceChildren(element("thead", {}, element("tr", {}, ...head)),
      element("tbody", {}, ...contexts.map((c) => element("tr", {}, bar(c.from, "first"), element("td", {textContent: c.name.join(", ")}), bar(c.to, "second")))));
  }

  // sum shows the parts of a similarity of vectors.
  function sum(view) {
    $("[data-sum]").hidden = !view;
    if (!view) return;
    const number = (x, digits) => x === undefined ? "–" : x.toFixed(digits).replace(/^-(?=[0.]*$)/, "").replace("-", "−");
    const row = (p, name) => element("tr", {}, ...[p.from, p.to ?? "", number(p.brings, 4), number(p.percent, 1)].map((text, i) =>
      element(name, {textContent: text, className: i > 1 ? "cm-number" : ""})));
    const head = ["word", "and", "brings", `% of the ${view.kind}`].map((text, i) =>
      Object.assign(element("th", {textContent: text, className: i > 1 ? "cm-number" : ""}), {scope: "col"}));
    const t = $(".cm-sum");
    t.setAttribute("aria-label", "Pairs of words");
    t.replaceChildren(element("thead", {}, element("tr", {}, ...head)),
      element("tbody", {}, ...(view.pairs ?? []).map((p) => row(p, "td"))), element("tfoot", {}, ...view.sums.map((p) => row(p, "td"))));
  }

  function side(name, text, contexts) {
    const place = $(`[data-side=${name}]`);
    const near = place.querySelector(".cm-near") ?? element("ul", {className: "cm-near"});
    if (place.dataset.text !== text) near.replaceChildren();
    place.dataset.text = text;
    place.replaceChildren(
      element("h2", {textContent: text.length > 80 ? text.slice(0, 79) + "…" : text}),
      element("h3", {textContent: "Nearest words"}), near, ...!contexts ? [] : [
      element("h3", {textContent: "Contexts with most of the mass"}),
      table(`Contexts of ${text}`, ["share", "such as", "brought by"], contexts.map((c) => [percent(c.mass), c.name.join(", "),
        (c.sources ?? []).slice(0, 4).map((s) => `${s.word} ${(100 * s.share).toFixed(0)} %`).join(", ") || "–"]))]);
  }

  // taker is a button that puts a text into a box and asks.
  function taker(text, name, title) {
    const button = element("button", {type: "button", textContent: text, title});
    button.addEventListener("click", () => {
      form[name].value = text;
      form[name].focus();
      ask();
    });
    return button;
  }

  function neighbours(name, near) {
    const [box, does] = single() ? ["to", "compare with it"] : [name, "take it as this text"];
    $(`[data-side=${name}] .cm-near`).replaceChildren(...(near ?? []).map((n) =>
      element("li", {}, taker(n.word, box, `distance ${n.distance.toFixed(4)}: ${does}`))));
  }

  // found lists the sentences of the searched text.
  function found(answer) {
    const hits = answer.nearest ?? [];
    const t = table("Nearest sentences", ["distance", "line", "sentence"], hits.map((hit) => [hit.distance.toFixed(4), `${hit.number}`, ""]));
    hits.forEach((hit, i) => t.tBodies[0].rows[i].cells[2].append(taker(hit.text, "to", "compare with it")));
    $(".cm-found").replaceChildren(...hits.length > 0 ? t.children : [element("caption", {textContent: "No sentence of the text has a known word."})]);
  }

  let current = new AbortController(), timer = 0, latest = "";
  async function ask() {
    clearTimeout(timer);
    current.abort();
    const {signal} = current = new AbortController();
    settings();
    const asked = latest = query(), texts = {from: form.from.value, to: form.to.value};
    for (const {section} of shown.values()) section.classList.add("cm-waiting");
    // Whatever is not about these texts any more goes.
    $("[data-standing]").textContent = "";
    began((single() ? 2 : vectors() ? 3 : 4) + shown.size + (searched.value.trim() ? 1 : 0));
    // part asks for a part of the answer, and shows it unless another question has come.
    const part = async (path, get, show) => {
      const got = await get(`${path}?${asked}`, signal);
      if (signal.aborted) return;
      show(got);
      progressed(1);
    };
    const text = async (path, signal) => (await get(path, signal)).text();
    try {
      const parts = [];
      await part("/ask", json, (answer) => {
        mistakes(null);
        answered(true);
        $("[data-distance]").textContent = single() ? "" : answer.distance.toFixed(4);
        $("[data-warning]").textContent = answer.warning ?? "";
        const unknown = [...answer.from.unknown ?? [], ...answer.to.unknown ?? []];
        $("[data-unknown]").textContent = unknown.length === 0 || answer.sum ? "" : `Unknown words, left out: ${unknown.join(", ")}`;
        sum(answer.contexts ? undefined : answer.sum);
        const views = answer.views ?? [];
        $("[data-command]").textContent = answer.command;
        if (answer.sum) $("[data-standing]").textContent = answer.sum.notes.join(" ");
        side("from", texts.from, answer.from.contexts);
        side("to", texts.to, answer.to.contexts);
        shared(answer.contexts, texts);
        for (const [name, {section}] of shown) section.hidden = !views.some((view) => view.name === name);
        work.total += views.length - shown.size;
        for (const view of views) {
          shown.get(view.name).code.textContent = view.command;
          parts.push(part(`/figure/${view.name}.svg`, text, (svg) => {
            const {section, picture} = shown.get(view.name);
            picture.innerHTML = svg.slice(svg.indexOf("<svg"));
            section.classList.remove("cm-waiting");
          }));
        }
      });
      if (signal.aborted) return;
      if (!vectors() && !single()) parts.push(part("/standing", json, (standing) => {
        $("[data-standing]").textContent = standing.text[0].toUpperCase() + standing.text.slice(1) + ".";
      }));
      for (const name of single() ? ["from"] : ["from", "to"]) {
        parts.push(part("/near", (path, signal) => json(`${path}&side=${name}`, signal), (near) => neighbours(name, near)));
      }
      $(".cm-found").replaceChildren();
      if (searched.value.trim()) {
        const text = new URLSearchParams({text: searched.value});
        parts.push(part("/search", (path, signal) => json(`${path}&${text}`, signal), found).catch((error) => {
          if (!signal.aborted) mistakes(error); // the rest of the answer stays
        }));
      }
      await Promise.all(parts);
    } catch (error) {
      if (signal.aborted) return;
      current.abort(); // the other parts
      mistakes(error);
      answered(false);
      $("[data-distance]").textContent = "–";
      for (const part of ["warning", "unknown"]) $(`[data-${part}]`).textContent = "";
    } finally {
      if (signal === current.signal) ended();
    }
  }

  // What is typed is asked a little later; until then the page is busy, too.
  function later(milliseconds) {
    clearTimeout(timer);
    root.setAttribute("aria-busy", true);
    timer = setTimeout(ask, milliseconds);
  }

  return json("/begin").then((start) => {
    own = start;
    $("[data-name]").textContent = `${start.name}, ${start.words.toLocaleString("en")} words`;
    const take = ([from, to]) => [form.from.value, form.to.value] = [from, to];
    if (form.from.value + form.to.value === "") take(start.examples[0]);
    $("[data-try]").append(...start.examples.map((pair) => {
      const button = element("button", {type: "button", textContent: pair.filter(Boolean).join(" – ")});
      button.addEventListener("click", () => {
        take(pair);
        ask();
      });
      return button;
    }));
    form.by.value = start.vectors && start.by_vectors ? "vectors" : "contexts";
    $(".cm-by").hidden = $(".cm-search").hidden = !start.vectors;
    start.views.forEach(frame);
    answered(false);
    copies($("[data-copy]"), $("[data-command]"));
    form.addEventListener("submit", (event) => event.preventDefault());
    form.from.addEventListener("input", () => later(200));
    form.to.addEventListener("input", () => later(200));
    searched.addEventListener("input", () => later(200));
    $("[data-sample]").addEventListener("click", (event) => {
      searched.value = event.target.dataset.sample;
      ask();
    });
    form.addEventListener("change", () => { if (query() !== latest) ask(); }); // a box that is left has been asked about
    $("[data-stop]").addEventListener("click", () => {
      current.abort();
      ended();
      if ($("[data-standing]").textContent === "") $("[data-standing]").textContent = "Stopped: what is missing was not computed.";
      for (const {section, picture} of shown.values()) {
        if (section.classList.contains("cm-waiting")) picture.replaceChildren(); // it is of another question
      }
    });
    $("[data-swap]").addEventListener("click", () => {
      [form.from.value, form.to.value] = [form.to.value, form.from.value];
      ask();
    });
    return ask();
  });
}

// contextmoverFetch asks the server that the page came from.
async function contextmoverFetch(path, signal) {
  let response;
  try {
    response = await fetch(path, {signal});
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Error("There is no answer: repro explore has ended. Start it again and reload this page.");
  }
  if (response.ok) return response.blob();
  let error = new Error(`The server answers with status ${response.status}.`);
  try {
    const told = await response.json();
    error = Object.assign(new Error(told.error), {field: told.field});
  } catch { /* not JSON */ }
  throw error;
}
