// Small pieces that every panel is built from.
import { html, signal, useEffect, useMemo, useRef } from "./vendor/preact.js";
import { shapeOf } from "./board.js";
import { wouldMove } from "./words.js";

/** The key that does the same as a button; hidden from screen readers, which get aria-keyshortcuts. */
export const Key = ({ name }) => html`<kbd aria-hidden="true">${name}</kbd>`;

export function Button({ words, shortcut, kind = "", pressed, ...rest }) {
  return html`<button type="button" class=${kind} aria-pressed=${pressed} aria-keyshortcuts=${shortcut} ...${rest}>${words}${shortcut && html` <${Key} name=${shortcut}/>`}</button>`;
}

/** A cluster's mark, in its colour and shape. */
export function Swatch({ store, cluster }) {
  const shapes = store.state.value?.shapes ?? [];
  const shape = cluster >= 0 ? shapes[shapeOf(cluster)] : store.state.value?.no_shape;
  return html`<svg class="swatch" viewBox="-7 -7 14 14" aria-hidden="true"><path d=${shape} class=${cluster >= 0 ? `c${cluster % 8}` : "none"}/></svg>`;
}

/** A number of samples as a bar, relative to the largest. */
export const Bar = ({ share, cluster }) => html`<svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
  <rect class="track" width="100" height="6"/><rect class=${cluster == null ? "fill" : `c${cluster % 8}`} width=${Math.max(1, 100 * share)} height="6"/></svg>`;

// Previews are fits: one after the other, and those nobody waits for any more are left out.
let queue = Promise.resolve();
const inTurn = (work) => {
  queue = queue.then(work, work);
  return queue;
};

/**
 * A statement as a button that says beforehand how many samples it would move, and shows which when
 * it is pointed at. `ready` false: something has to be chosen first.
 */
export function Act({ store, words, kind, body, extra, shortcut, look = "", ready = true, done = () => {}, note = "" }) {
  const foreseen = useMemo(() => signal(null), []);
  const key = JSON.stringify([kind, body, extra, ready, store.state.value?.seq, store.state.value?.clustering?.id]);
  const current = useRef(key);
  current.current = key;
  useEffect(() => {
    foreseen.value = null;
    if (!ready) return;
    inTurn(async () => {
      if (current.current !== key) return;
      const answer = await store.preview(kind, body, extra);
      if (current.current === key) foreseen.value = answer;
    });
  }, [key]);
  useEffect(() => () => {
    current.current = null;
    store.relax("act");
  }, []);
  const answer = foreseen.value;
  const blocked = answer?.problem;
  const about = !ready ? note : !answer ? "…" : answer.contradiction ? "contradicts earlier statements" : answer.problem ?? wouldMove(answer.moves);
  const point = () => answer?.moved?.bits && answer.moves && store.emphasiseBits("act", answer.moved.bits, wouldMove(answer.moves));
  const act = async () => {
    store.relax("act");
    if (await store.send(kind, body, extra)) done();
  };
  return html`<div class="act"><button type="button" class=${look} disabled=${!ready || blocked} aria-keyshortcuts=${shortcut} onClick=${act}
      onPointerEnter=${point} onPointerLeave=${() => store.relax("act")} onFocus=${point} onBlur=${() => store.relax("act")}>${words}${shortcut && html` <${Key} name=${shortcut}/>`}</button>
    <span class=${answer?.contradiction || blocked ? "broken" : "faint"} role="status">${about}</span></div>`;
}

/** A panel with a heading. */
export const Card = ({ title, name, aside, children, kind = "", ...rest }) => html`<section class="card ${kind}" aria-label=${title} data-name=${name} ...${rest}>
  <div class="card-head"><h2>${title}</h2>${aside}</div>${children}</section>`;

/** Move the focus here when this appears. */
export function useFocus() {
  const ref = useRef(null);
  useEffect(() => { ref.current?.focus({ preventScroll: false }); }, []);
  return ref;
}
