/** Milliseconds without activity after which the process is idle. */
const IDLE_AFTER_MS = 30_000;
/** The factor of the pause between two looks for what others have left, while the process is idle. */
export const IDLE_FACTOR = 6;

let activeAt = performance.now();
/** Activities under way. */
let open = 0;
/** The callbacks of `onActivity`. */
const callbacks = new Set<() => void>();

/** Notes an activity of this process: a call, an event, a run, a delivery. The process is no longer idle. */
export function noteActivity(): void {
  activeAt = performance.now();
  if (!callbacks.size) return;
  const waiting = [...callbacks];
  callbacks.clear();
  for (const callback of waiting) callback();
}

/** Notes the activity from its begin to its end. */
export async function whileActive<T>(activity: () => Promise<T>): Promise<T> {
  noteActivity();
  open++;
  try {
    return await activity();
  } finally {
    open--;
    activeAt = performance.now();
  }
}

/** Whether this process has had no activity for 30 s. */
export const isIdle = (): boolean => idleInMs() < 0;

/** Milliseconds until this process is idle, if it has no further activity; negative while it is idle. */
const idleInMs = (): number =>
  open ? IDLE_AFTER_MS : activeAt + IDLE_AFTER_MS - performance.now();

/** Calls `callback` once, at the next activity. Returns a function that removes the callback. */
export function onActivity(callback: () => void): () => void {
  callbacks.add(callback);
  return () => void callbacks.delete(callback);
}

/** Calls `callback` each time that the process has become idle. */
export function onIdle(callback: () => void): void {
  const look = () => {
    const leftMs = idleInMs();
    if (leftMs >= 0) return void setTimeout(look, leftMs + 1).unref();
    callback();
    onActivity(look);
  };
  look();
}
