import { AsyncLocalStorage } from 'node:async_hooks';
import { inTrace, newTraceparent } from './context.ts';

/** The kinds of OpenTelemetry. A call between services is a client span, and in it a server span. */
export type SpanKind = 'internal' | 'client' | 'server' | 'producer' | 'consumer';
/** The attributes of a span. Attributes contain no text of a user, because collectors store attributes. */
export type Attributes = Record<string, string | number>;

/** The begin of a span. */
export interface SpanStart {
  name: string;
  kind: SpanKind;
  /** The service that does the work; the service of the present work unless given. */
  service?: string | undefined;
  attributes: Attributes;
}

/** A recorded unit of work. */
export interface Span {
  /** The traceparent for child spans. */
  readonly traceparent: string;
  /** Adds attributes that became known during the work. */
  set(attributes: Attributes): void;
  rename(name: string): void;
  /** Marks the span as failed. `errorType` is one of few values, such as the code of a problem. */
  fail(errorType: string): void;
  end(): void;
}

/** Starts spans, and exports ended spans. */
export interface Recorder {
  /** Starts a span; without a parent it starts a trace. */
  begin(parent: string | undefined, start: SpanStart): Span;
}

let recorder: Recorder | null = null;

/** Sets the recorder of spans. Without a recorder only traceparents are passed on. */
export function recordSpans(by: Recorder): void {
  recorder = by;
}

/** Whether spans are recorded, so that callers need not prepare spans for nothing. */
export const isRecording = (): boolean => recorder !== null;

/** The service of the present work, while spans are recorded. */
const present = new AsyncLocalStorage<string>();

/** The service of the present work; undefined outside spans and without a recorder. */
export const presentService = (): string | undefined => present.getStore();

/** Starts a span that the caller ends, or returns null without a recorder. */
export const beginSpan = (parent: string | undefined, start: SpanStart): Span | null =>
  recorder?.begin(parent, start) ?? null;

/** Does the work as that service, with the traceparent as its context. */
export const inServiceTrace = <T>(
  service: string | undefined,
  traceparent: string | undefined,
  work: () => T,
): T => {
  const inContext = () => inTrace(traceparent, work);
  if (recorder === null || service === undefined || service === present.getStore())
    return inContext();
  return present.run(service, inContext);
};

/**
 * Does the work in a span under `parent`, or in the first span of a new trace. `startOf` is called only with a
 * recorder.
 */
export async function spanIn<T>(
  parent: string | undefined,
  startOf: () => SpanStart,
  work: (traceparent: string, span: Span | null) => Promise<T>,
): Promise<T> {
  if (!recorder) {
    const traceparent = parent ?? newTraceparent();
    return inTrace(traceparent, () => work(traceparent, null));
  }
  const start = startOf();
  const span = recorder.begin(parent, start);
  const { traceparent } = span;
  try {
    return await inServiceTrace(start.service, traceparent, () => work(traceparent, span));
  } catch (error) {
    if (!isRefusal(error)) span.fail(errorTypeOf(error));
    throw error;
  } finally {
    span.end();
  }
}

/** Whether the error is a refusal of the caller's request (below 500). Such a span has not failed. */
const isRefusal = (error: unknown): boolean => {
  const { code } = error as { code?: unknown };
  return typeof code === 'number' && code < 500;
};

/** The code of a problem or of a system error, else the name of the error. */
function errorTypeOf(error: unknown): string {
  const { type, code, name } = error as { type?: unknown; code?: unknown; name?: unknown };
  const known = [type, code, name].find((one) => typeof one === 'string' && one !== '');
  return String(known ?? '_OTHER');
}
