/** Repeats work, with `ms` milliseconds between an end and the next start. Returns a function that stops it. */
export function repeatWork(
  ms: number | (() => number),
  work: () => Promise<unknown> | undefined,
  failed: (error: unknown) => void,
): () => void {
  let stopped = false;
  let timer: NodeJS.Timeout;
  const pause = () => (typeof ms === 'number' ? ms : ms());
  const round = async () => {
    try {
      await work();
    } catch (error) {
      failed(error);
    }
    if (!stopped) timer = setTimeout(round, pause());
  };
  timer = setTimeout(round, pause());
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
