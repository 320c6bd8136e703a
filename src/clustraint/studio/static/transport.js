// How the page reaches its server. Whatever carries the messages is three functions:
//   ask(method, path, body)  -> {status, header(name), json(), octets()}
//   live(onMessage, onConnection)   calls back with what is pushed, and with "open", "lost" or "refused"
//   save(path, name)         hands a file to the person
//   upload(path, file)       sends a file as it is; a notebook has none, its tables come from the kernel
// so that the same page runs in a browser tab and in a notebook.

/** What the server answered instead of doing what was asked. */
export class Refusal extends Error {
  constructor(status, answer) {
    super(answer?.sentence ?? `the studio answered ${status}`);
    this.status = status;
    this.answer = answer ?? {};
  }
}

/** Add reading and checking to a carrier. */
export function makeTransport(carrier) {
  const checked = async (answer) => {
    if (answer.status >= 400) throw new Refusal(answer.status, await answer.json().catch(() => null));
    return answer;
  };
  return {
    live: carrier.live,
    save: carrier.save,
    upload: carrier.upload && (async (path, file) => (await checked(await carrier.upload(path, file))).json()),
    async get(path) {
      const answer = await checked(await carrier.ask("GET", path));
      return answer.status === 204 ? null : answer.json();
    },
    async post(path, body) {
      return (await checked(await carrier.ask("POST", path, body))).json();
    },
    /** Numbers, one or more per sample; the header says how many bytes each has. */
    async labels(path) {
      const answer = await checked(await carrier.ask("GET", path));
      const octets = await answer.octets();
      if (answer.header("x-bytes") === "2") return new Uint16Array(octets);
      return Uint16Array.from(new Uint8Array(octets), (label) => (label === 255 ? 65535 : label));
    },
    async rows(path) {
      return new Uint32Array(await (await checked(await carrier.ask("GET", path))).octets());
    },
    async floats(path) {
      const answer = await checked(await carrier.ask("GET", path));
      return { values: new Float32Array(await answer.octets()), about: decodeURIComponent(answer.header("x-about") ?? "") };
    },
  };
}

const WAITS = [500, 1000, 2000];

/** HTTP for commands; a WebSocket says that there is something new, and connects again by itself. */
export function overHttp(place = location) {
  const live = (onMessage, onConnection) => {
    let failures = 0;
    const connect = () => {
      const socket = new WebSocket(`${place.protocol === "https:" ? "wss" : "ws"}://${place.host}/api/live`);
      socket.onopen = () => {
        failures = 0;
        onConnection("open");
      };
      socket.onmessage = ({ data }) => onMessage(JSON.parse(data));
      socket.onclose = async () => {
        // A browser hides why a WebSocket failed; a plain request tells.
        const status = await fetch("/api/state").then((answer) => answer.status, () => 0);
        onConnection(status === 403 ? "refused" : "lost");
        setTimeout(connect, WAITS[Math.min(failures, WAITS.length - 1)]);
        failures += 1;
      };
    };
    connect();
  };
  const send = async (path, options) => {
    const answer = await fetch(path, options);
    return { status: answer.status, header: (name) => answer.headers.get(name), json: () => answer.json(), octets: () => answer.arrayBuffer() };
  };
  const ask = (method, path, body) => send(path, body === undefined ? { method } : { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  const upload = (path, file) => send(path, { method: "POST", headers: { "content-type": "application/octet-stream", "x-name": encodeURIComponent(file.name) }, body: file });
  const save = (path, name) => {
    const link = Object.assign(document.createElement("a"), { href: path, download: name });
    document.body.append(link);
    link.click();
    link.remove();
  };
  return { ask, live, save, upload };
}

/** Messages of a notebook's widget; `model` is anywidget's. */
export function overModel(model) {
  const waiting = new Map();
  const listeners = [];
  let last = 0;
  model.on("msg:custom", (message, buffers = []) => {
    if (message.push) for (const listener of listeners) listener(message.push);
    const resolve = waiting.get(message.id);
    if (!resolve) return;
    waiting.delete(message.id);
    const view = buffers[0];
    const octets = view && (view.buffer ? view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength) : view);
    resolve({
      status: message.status,
      header: (name) => message.headers?.[name] ?? null,
      json: async () => message.body,
      octets: async () => octets,
    });
  });
  const ask = (method, path, body) => new Promise((resolve) => {
    last += 1;
    waiting.set(last, resolve);
    model.send({ id: last, method, path, body });
  });
  const live = (onMessage, onConnection) => {
    listeners.push(onMessage);
    onConnection("open");
  };
  const save = async (path, name) => {
    const answer = await ask("GET", path);
    const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(new Blob([await answer.octets()])), download: name });
    link.click();
    URL.revokeObjectURL(link.href);
  };
  return { ask, live, save };
}
