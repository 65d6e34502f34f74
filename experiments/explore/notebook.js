// contextmoverNotebook starts a page that asks the cell of a notebook through GoNB's channel.
async function contextmoverNotebook(id, address) {
  const root = document.getElementById(id);
  const status = root.querySelector("[data-status]");
  const ended = "The cell of this page has ended: run it again to explore.";
  // The channel may take several attempts, each with an object of its own, and GoNB opens a new one where it has not
  // heard of the old one for a while: then what is not answered yet is asked again.
  let comm = null, live = true;
  const pending = new Map(); // id to the message that asks and the function that is told the reply
  async function attach() {
    const next = globalThis.gonb_comm;
    if (!next || next === comm) return;
    try {
      await next._is_connected;
    } catch {
      return; // the next one
    }
    if (next === comm || next !== globalThis.gonb_comm) return;
    comm = next;
    comm.subscribe(address + "/reply", (_, value) => {
      const reply = JSON.parse(value);
      const asked = pending.get(reply.id);
      pending.delete(reply.id);
      asked?.done(reply);
    });
    comm.subscribe(address + "/end", () => {
      live = false;
      for (const asked of pending.values()) asked.done(null);
      for (const e of root.querySelectorAll("button, input, textarea, fieldset")) e.disabled = true;
      status.textContent = ended;
    });
    for (const asked of pending.values()) send(asked.message);
  }
  const send = (message) => comm.send(address + "/ask", JSON.stringify(message));
  for (let i = 0; comm === null; i++) {
    if (i === 300) {
      status.textContent = ended;
      return;
    }
    await attach();
    if (comm === null) await new Promise((done) => setTimeout(done, 100));
  }
  const watch = setInterval(() => live && root.isConnected ? attach() : clearInterval(watch), 500);
  let last = 0;
  async function get(path, signal) {
    if (!live) throw new Error(ended);
    const id = String(++last);
    const reply = await new Promise((resolve, reject) => {
      pending.set(id, {message: {id, path}, done: resolve});
      signal?.addEventListener("abort", () => {
        if (!pending.delete(id)) return;
        send({id, path, cancel: true});
        reject(signal.reason);
      });
      send({id, path});
      // The cell may not listen yet when it is asked first.
      if (path === "/begin") {
        const again = setInterval(() => pending.has(id) && live ? send({id, path}) : clearInterval(again), 2000);
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
  button.addEventListener("click", () => send({id: "end", path: "", cancel: true}));
  await contextmoverExplore(root, get);
}
