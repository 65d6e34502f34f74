// contextmoverCell starts the page in the output of a cell. It asks by messages through a connection of its own to the
// kernel, and repeats what is not answered: GoNB takes messages from the channel that was opened last only. The answers
// are updates of an output that shows nothing.
async function contextmoverCell({display, kernel, address, type}) {
  let root;
  while (!(root = document.getElementById(display))) await new Promise((done) => setTimeout(done, 50));
  root.removeAttribute("id"); // a second view of the notebook shows a second page
  const cellNode = root.closest(".jp-Cell"), panel = root.closest(".jp-NotebookPanel");
  // Keys pressed here are not the notebook's, which asks the element that has the focus itself.
  root.addEventListener("focusin", (event) => event.target.setAttribute("data-lm-suppress-shortcuts", "true"));
  const status = root.querySelector("[data-cell]");
  const ended = "The cell of this page has ended: run it again to explore.";
  const again = 700, patience = 30000; // milliseconds
  let jupyter = {};
  try {
    jupyter = JSON.parse(document.getElementById("jupyter-config-data").textContent);
  } catch { /* not JupyterLab */ }
  const server = new URL(`${jupyter.baseUrl ?? document.body.dataset.baseUrl ?? "/"}api/kernels/${kernel}/channels`, location.href);
  server.protocol = server.protocol.replace("http", "ws");
  if (jupyter.token) server.searchParams.set("token", jupyter.token);

  // randomUUID is for pages of https alone.
  const unique = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");
  const me = unique();
  const pending = new Map(); // id of a request → what settles it
  let socket = null, channel = null, cell = null, live = true, heard = Date.now(), count = 0;

  function end(why = ended) {
    if (!live) return;
    live = false;
    for (const {reject} of pending.values()) reject(new Error(why));
    pending.clear();
    for (const e of root.querySelectorAll("button, input, textarea, fieldset")) e.disabled = true;
    status.textContent = why;
    socket?.close();
  }

  // show scrolls to what stays: it is shorter than the page was, and the notebook would be left where nothing is.
  function show() {
    for (const after of [100, 600]) setTimeout(() => cellNode?.scrollIntoView({block: "start"}), after);
  }

  function raw(type, content) {
    if (socket?.readyState !== WebSocket.OPEN) return;
    const header = {msg_id: unique(), msg_type: type, session: me, username: "", version: "5.3", date: new Date().toISOString()};
    socket.send(JSON.stringify({header, msg_id: header.msg_id, msg_type: type, parent_header: {}, metadata: {}, content, channel: "shell", buffers: []}));
  }

  const tell = (value) => {
    const known = channel ?? globalThis.gonb_comm?._comm_id;
    if (known) raw("comm_msg", {comm_id: known, data: {address, value}});
  };

  // take reads what the kernel says to all.
  function take(message) {
    const {content, parent_header: parent} = message;
    switch (message.msg_type ?? message.header?.msg_type) {
      case "comm_msg":
        if (content.data?.address === "#comm_open_ack") channel = content.comm_id; // GoNB's or ours: the newest one counts
        return;
      case "display_data":
      case "update_display_data": {
        if (content.transient?.display_id === display) {
          end();
          show();
        }
        const answers = content.data?.[type];
        if (content.transient?.display_id !== `${display}_answers` || !answers) return;
        heard = Date.now();
        cell = parent.msg_id;
        const answer = JSON.parse(answers);
        pending.get(answer.id)?.resolve(answer); // none where it says that it is working
        pending.delete(answer.id);
        return;
      }
      case "status":
        if (["restarting", "dead"].includes(content.execution_state) || content.execution_state === "idle" && cell !== null && parent.msg_id === cell) end();
    }
  }

  function connect() {
    socket = new WebSocket(server);
    socket.onmessage = (event) => {
      if (typeof event.data === "string") take(JSON.parse(event.data));
    };
    socket.onclose = () => { if (live) setTimeout(connect, again); };
  }
  connect();

  // What is not answered is asked again. Where nothing comes at all, GoNB has no channel, or one that is lost.
  let opened = Date.now();
  setInterval(() => {
    if (!live || pending.size === 0) return;
    const now = Date.now();
    if (now - Math.max(heard, opened) > 5 * again) {
      opened = now;
      raw("comm_open", {comm_id: unique(), target_name: "gonb_comm", kernel_id: kernel, data: {}});
    }
    const since = Math.max(heard, ...[...pending.values()].map((p) => p.since));
    if (socket.readyState !== WebSocket.OPEN && now - since > patience) end("There is no connection to the kernel: run the cell again to explore.");
    for (const {message} of pending.values()) tell(message);
  }, again);

  async function get(path, signal) {
    if (!live) throw new Error(ended);
    const id = `${me}-${++count}`, message = JSON.stringify({id, path});
    const answer = await new Promise((resolve, reject) => {
      pending.set(id, {resolve, reject, message, since: Date.now()});
      signal?.addEventListener("abort", () => {
        pending.delete(id);
        tell(JSON.stringify({id, cancel: true}));
        reject(signal.reason);
      });
      tell(message);
    });
    const packed = Uint8Array.from(atob(answer.body), (c) => c.charCodeAt(0));
    const bytes = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
    const blob = new Blob([bytes], {type: answer.type});
    if (answer.status === 200) return blob;
    let error = new Error(`The cell answers with status ${answer.status}.`);
    try {
      const told = JSON.parse(await blob.text());
      error = Object.assign(new Error(told.error), {field: told.field});
    } catch { /* not JSON */ }
    throw error;
  }

  const button = root.querySelector("[data-end]");
  const leave = () => {
    const message = JSON.stringify({id: `${me}-end`, end: true});
    pending.set("end", {resolve() {}, reject() {}, message, since: Date.now()});
    tell(message);
  };
  button.hidden = false;
  button.addEventListener("click", leave);
  // The kernel waits for nobody: the cell ends when the page is left or the notebook closed, and where it hears nothing more.
  addEventListener("pagehide", leave);
  setInterval(() => {
    if (live && panel && !panel.isConnected) leave();
  }, 2000);
  setInterval(() => {
    if (live) get("/begin").catch(() => {});
  }, 30000);
  await contextmoverExplore(root, get).catch((error) => { status.textContent = error.message; });
}
