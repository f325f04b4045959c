import { ModelFailure } from './model-failure.ts';

/** The bounds of a response of the model's server. */
export interface ResponseBounds {
  /** Bytes of a response; a longer one fails. */
  maxBytes: number;
  /** Bytes of one line, which is held in memory until it ends; a longer one fails. */
  maxLineBytes: number;
  /** Milliseconds without a byte; a longer silence fails. */
  maxSilenceMs: number;
}

const LINE_FEED = 0x0a;

/** Makes a `fetch` that follows no redirection, since a key goes with the request, and bounds what it reads. */
export function boundedFetch({
  maxBytes,
  maxLineBytes,
  maxSilenceMs,
}: ResponseBounds): typeof fetch {
  return async (input, init = {}) => {
    const silence = new AbortController();
    const fail = () => silence.abort(new ModelFailure('silent'));
    const timer = setTimeout(fail, maxSilenceMs);
    const signals = [silence.signal, ...(init.signal ? [init.signal] : [])];
    const signal = AbortSignal.any(signals);
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
    let bytes = 0;
    let lineBytes = 0;
    const count = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        timer.refresh();
        bytes += chunk.length;
        const lastEnd = chunk.lastIndexOf(LINE_FEED);
        lineBytes = lastEnd < 0 ? lineBytes + chunk.length : chunk.length - lastEnd - 1;
        if (bytes > maxBytes || lineBytes > maxLineBytes) {
          clearTimeout(timer);
          controller.error(new ModelFailure('too-large'));
          return;
        }
        controller.enqueue(chunk);
      },
      flush: () => clearTimeout(timer),
    });
    try {
      const response = await fetch(input, { ...init, signal, redirect: 'error' });
      timer.refresh();
      const { status, statusText, headers, body } = response;
      if (!body) clearTimeout(timer);
      return new Response(body?.pipeThrough(count) ?? null, { status, statusText, headers });
    } catch (error) {
      clearTimeout(timer);
      throw error;
    }
  };
}
