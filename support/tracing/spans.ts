import { inTrace, newTraceparent } from './context.ts';

export type SpanKind = 'request' | 'action' | 'run' | 'outbound';
/** Attributes of a span. They contain nothing that a user has written, since collectors keep them. */
export type Attributes = Record<string, string | number>;

/** A piece of work that is recorded. */
export interface Span {
  /** The traceparent for work that is part of this span. */
  readonly traceparent: string;
  /** Adds attributes that became known during the work. */
  set(attributes: Attributes): void;
  rename(name: string): void;
  end(failed: boolean): void;
}

/** Starts spans, and sends those that have ended. */
export interface Recorder {
  /** Starts a span; without a parent it starts a trace. */
  begin(parent: string | undefined, name: string, kind: SpanKind, attributes: Attributes): Span;
}

let recorder: Recorder | null = null;

/** Records spans from now on. Without a recorder only the traceparent is passed on. */
export function recordSpans(by: Recorder): void {
  recorder = by;
}

/** Starts a span that the caller ends, or returns null without a recorder. */
export const beginSpan = (
  ...[parent, name, kind, attributes]: Parameters<Recorder['begin']>
): Span | null => recorder?.begin(parent, name, kind, attributes) ?? null;

/**
 * Does the work as a span under `parent`, or as the first span of a trace. `work` gets the traceparent of its
 * span. `attributesOf` is called only with a recorder.
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

/** Whether the error is the caller's fault, so that the span has not failed. */
const isRefusal = (error: unknown): boolean => {
  const { code } = error as { code?: unknown };
  return typeof code === 'number' && code < 500;
};
