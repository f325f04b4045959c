import { inTrace, newTraceparent } from './context.ts';

export type SpanKind = 'request' | 'action' | 'run' | 'outbound';
/** The attributes of a span. Attributes contain no text of a user, because collectors store attributes. */
export type Attributes = Record<string, string | number>;

/** A recorded unit of work. */
export interface Span {
  /** The traceparent for child spans. */
  readonly traceparent: string;
  /** Adds attributes that became known during the work. */
  set(attributes: Attributes): void;
  rename(name: string): void;
  end(failed: boolean): void;
}

/** Starts spans, and exports ended spans. */
export interface Recorder {
  /** Starts a span; without a parent it starts a trace. */
  begin(parent: string | undefined, name: string, kind: SpanKind, attributes: Attributes): Span;
}

let recorder: Recorder | null = null;

/** Sets the recorder of spans. Without a recorder only traceparents are passed on. */
export function recordSpans(by: Recorder): void {
  recorder = by;
}

/** Starts a span that the caller ends, or returns null without a recorder. */
export const beginSpan = (
  ...[parent, name, kind, attributes]: Parameters<Recorder['begin']>
): Span | null => recorder?.begin(parent, name, kind, attributes) ?? null;

/**
 * Does the work in a span under `parent`, or in the first span of a new trace. `attributesOf` is called only with a
 * recorder.
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

/** Whether the error is a refusal of the caller's request (below 500). Such a span has not failed. */
const isRefusal = (error: unknown): boolean => {
  const { code } = error as { code?: unknown };
  return typeof code === 'number' && code < 500;
};
