// contextmoverNotebook starts a page that asks the cell of a notebook through GoNB's channel.
async function contextmoverNotebook(id, address) {
  const root = document.getElementById(id);
  const status = root.querySelector("[data-status]");
  const ended = "The cell of this page has ended: run it again to explore.";
  // The channel may take several attempts, each with an object of its own.
  let comm = null;
  for (let i = 0; comm === null; i++) {
    const next = globalThis.gonb_comm;
    try {
      if (next && await next._is_connected !== undefined) comm = next;
    } catch { /* the next one */ }
    if (comm === null) {
      if (i === 300) {
        status.textContent = ended;
        return;
      }
      await new Promise((done) => setTimeout(done, 100));
    }
  }
  const pending = new Map();
  comm.subscribe(address + "/reply", (_, value) => {
    const reply = JSON.parse(value);
    const done = pending.get(reply.id);
    pending.delete(reply.id);
    if (done) done(reply);
  });
  let live = true;
  comm.subscribe(address + "/end", () => {
    live = false;
    for (const done of pending.values()) done(null);
    for (const e of root.querySelectorAll("button, input, textarea, fieldset")) e.disabled = true;
    status.textContent = ended;
  });
  let last = 0;
  async function get(path, signal) {
    if (!live) throw new Error(ended);
    const id = String(++last);
    const reply = await new Promise((resolve, reject) => {
      pending.set(id, resolve);
      signal?.addEventListener("abort", () => {
        pending.delete(id);
        comm.send(address + "/ask", JSON.stringify({id, path, cancel: true}));
        reject(signal.reason);
      });
      const send = () => comm.send(address + "/ask", JSON.stringify({id, path}));
      send();
      // The cell may not listen yet when it is asked first.
      if (path === "/begin") {
        const again = setInterval(() => pending.has(id) && live ? send() : clearInterval(again), 2000);
      }
    });
    if (reply === null) throw new Error(ended);
    const packed = Uint8Array.from(atob(reply.body), (c) => c.charCodeAt(0));
    const bytes = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
    const blob = new Blob([bytes], {type: reply.type});
    if (reply.status === 200) return blob;
    let error = new Error(`The cell answers with status ${reply.status}.`);
    try {
      const told = JSON.parse(await blob.text());
      error = Object.assign(new Error(told.error), {field: told.field});
    } catch { /* not JSON */ }
    throw error;
  }
  const button = root.querySelector("[data-end]");
  button.hidden = false;
  button.addEventListener("click", () => comm.send(address + "/ask", JSON.stringify({id: "end", path: "", cancel: true})));
  await contextmoverExplore(root, get);
}
