import { inTrace, newTraceparent } from './context.ts';

export type SpanKind = 'request' | 'action' | 'run' | 'outbound';
/** Bounded in number and kept by whoever receives them: nothing that a user has written. */
export type Attributes = Record<string, string | number>;

/** A piece of work that is being recorded. */
export interface Span {
  /** What goes along with the work that is part of it. */
  readonly traceparent: string;
  /** What became known of it meanwhile. */
  set(attributes: Attributes): void;
  rename(name: string): void;
  end(failed: boolean): void;
}

/** Begins spans and sends them somewhere. */
export interface Recorder {
  /** Without a parent a trace begins. */
  begin(parent: string | undefined, name: string, kind: SpanKind, attributes: Attributes): Span;
}

let recorder: Recorder | null = null;

/** From here on spans are recorded; without a recorder a trace is only carried on. */
export function recordSpans(by: Recorder): void {
  recorder = by;
}

/** A span whose end is told by hand, or null when nothing is recorded. */
export const beginSpan = (
  ...[parent, name, kind, attributes]: Parameters<Recorder['begin']>
): Span | null => recorder?.begin(parent, name, kind, attributes) ?? null;

/**
 * Does the work as a span of its own under `parent`, or as the beginning of a trace. `work` hears the
 * traceparent that is now its. `attributesOf` is called only where spans are recorded.
 */
export async function spanIn<T>(
  parent: string | undefined,
  name: string,
  kind: SpanKind,
  attributesOf: () => Attributes,
  work: (traceparent: string, span: Span | null) => Promise<T>,
): Promise<T> {
  const span = recorder?.begin(parent, name, kind, attributesOf()) ?? null;
  if (!span) {
    const traceparent = parent ?? newTraceparent();
    return inTrace(traceparent, () => work(traceparent, null));
  }
  try {
    const result = await inTrace(span.traceparent, () => work(span.traceparent, span));
    span.end(false);
    return result;
  } catch (error) {
    span.end(!isRefusal(error));
    throw error;
  }
}

/** What a caller got wrong is no failure of the work. */
const isRefusal = (error: unknown): boolean => {
  const { code } = error as { code?: unknown };
  return typeof code === 'number' && code < 500;
};
