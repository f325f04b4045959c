/** How many times as long the pauses between two looks are while the process is at rest. */
export const REST_FACTOR = 10;
/** Milliseconds without activity after which the process is at rest. */
const REST_AFTER_MS = 30_000;

let activeAt = performance.now();
/** What is called once, when the rest ends. */
const onWake = new Set<() => void>();

/** Notes that this process works for somebody: a call, an event, a run, a delivery. Ends a rest. */
export function noteActivity(): void {
  activeAt = performance.now();
  if (!onWake.size) return;
  const wakers = [...onWake];
  onWake.clear();
  for (const wake of wakers) wake();
}

/**
 * Whether this process has worked for nobody for a while. What it looks for at intervals is then what others have left:
 * a process that died, an event that was lost.
 */
export const isAtRest = (): boolean => performance.now() - activeAt > REST_AFTER_MS;

/** Calls `wake` when the rest ends. Returns a function that takes the wish back. */
export function onEndOfRest(wake: () => void): () => void {
  onWake.add(wake);
  return () => void onWake.delete(wake);
}

/** Calls `work` each time that the process has come to rest. */
export function onRest(work: () => void): void {
  const look = () => {
    const leftMs = activeAt + REST_AFTER_MS - performance.now();
    if (leftMs >= 0) return void setTimeout(look, leftMs + 1).unref();
    work();
    onEndOfRest(look);
  };
  look();
}
