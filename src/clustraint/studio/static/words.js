// Numbers, times and rows as text, and back.

export const number = (value) => value.toLocaleString("en-GB");

/** "1 sample", "2,282 samples". */
export const counted = (n, noun, plural = `${noun}s`) => `${number(n)} ${n === 1 ? noun : plural}`;

/** "would move 3 samples", for what has not been done yet. */
export const wouldMove = (moves) => (moves ? `would move ${counted(moves, "sample")}` : "would move nothing");

/** What the server says, as a sentence of its own; names in code stay as they are. */
export const asSentence = (text) => (/^[a-z]+[ ,]/.test(text) ? text[0].toUpperCase() + text.slice(1) : text);

export const percent = (share) => `${Math.round(100 * share)}\u00a0%`;

export const clock = (at) => new Date(at * 1000).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });

/** "14 ms", "2.3 s". */
export const lasting = (seconds) => (seconds < 1 ? `${Math.max(1, Math.round(seconds * 1000))} ms` : `${seconds.toFixed(1)} s`);

/** "12 KB", "3.4 MB". */
export const size = (bytes) => (bytes < 1e6 ? `${Math.max(1, Math.round(bytes / 1e3))} KB` : `${(bytes / 1e6).toFixed(1)} MB`);

export const listed = (words) => (words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`);

/** One bit per sample, the lowest bit of the first byte first, as text. */
export function packBits(rows, n) {
  const bytes = new Uint8Array(Math.ceil(n / 8));
  for (const row of rows) bytes[row >> 3] |= 1 << (row & 7);
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(text);
}

/** One number per sample: 1 where the bit is set. */
export function unpackBits(base64, n) {
  const text = atob(base64), flags = new Uint8Array(n);
  for (let row = 0; row < n; row += 1) flags[row] = text.charCodeAt(row >> 3) >> (row & 7) & 1;
  return flags;
}

/** Rows as the server takes them: a few as numbers, many as bits. */
export const rowsFor = (rows, n) => (rows.length <= 500 ? Array.from(rows) : { bits: packBits(rows, n) });

/** A number that nobody else draws, so that a command may be sent twice and is saved once. */
export function commandId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = bytes[6] & 15 | 64;
  bytes[8] = bytes[8] & 63 | 128;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [[0, 8], [8, 12], [12, 16], [16, 20], [20, 32]].map(([from, to]) => hex.slice(from, to)).join("-");
}
