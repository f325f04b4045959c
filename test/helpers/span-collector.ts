import type { IncomingHttpHeaders } from 'node:http';
import { LocalServer } from './local-server.ts';
import { waitFor } from './wait.ts';

/** The kinds of spans, by their numbers in OTLP. */
const KINDS = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'] as const;

type Value = { stringValue?: string; intValue?: number; arrayValue?: unknown };
interface KeyValue {
  key: string;
  value: Value;
}
interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: KeyValue[];
  status?: { code?: number };
}
interface OtlpRequest {
  resourceSpans: {
    resource: { attributes: KeyValue[] };
    scopeSpans: { spans: OtlpSpan[] }[];
  }[];
}

/** A span as a collector sees it. */
export interface CollectedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  name: string;
  kind: (typeof KINDS)[number];
  failed: boolean;
  attributes: Record<string, unknown>;
  /** The attributes of its resource. */
  resource: Record<string, unknown>;
}

const attributesOf = (list: readonly KeyValue[]): Record<string, unknown> =>
  Object.fromEntries(
    list.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? value.arrayValue]),
  );

/** An HTTP server that keeps what it gets: a collector of OTLP in JSON, or the target of a call. */
export class SpanCollector extends LocalServer {
  readonly received: { path: string; headers: IncomingHttpHeaders; body: string }[] = [];

  constructor() {
    super((req, res) => {
      let body = '';
      req.on('data', (chunk: Buffer) => {
        body += chunk.toString();
      });
      req.on('end', () => {
        this.received.push({ path: req.url ?? '', headers: req.headers, body });
        res.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    });
  }

  /** The variables of a process that sends its spans here, five seconds after they have ended. */
  get env(): Record<string, string> {
    return { OTEL_EXPORTER_OTLP_ENDPOINT: `${this.origin}` };
  }

  /** Waits for the spans of a trace: each process has sent its own, and one of that name and kind is among them. */
  whole(traceId: string, name: string, kind: CollectedSpan['kind']): Promise<CollectedSpan[]> {
    return waitFor(`${kind} ${name}`, () => {
      const spans = this.spans(traceId);
      return isWhole(spans) && spans.some((one) => one.name === name && one.kind === kind) && spans;
    });
  }

  /** The spans so far, of one trace if its id is given. */
  spans(traceId?: string): CollectedSpan[] {
    return this.received
      .flatMap(({ body }) => (JSON.parse(body) as OtlpRequest).resourceSpans)
      .flatMap(({ resource, scopeSpans }) =>
        scopeSpans
          .flatMap(({ spans }) => spans)
          .map((span) => ({
            traceId: span.traceId,
            spanId: span.spanId,
            parentSpanId: span.parentSpanId || undefined,
            name: span.name,
            kind: KINDS[span.kind] ?? 'unspecified',
            failed: span.status?.code === 2,
            attributes: attributesOf(span.attributes),
            resource: attributesOf(resource.attributes),
          })),
      )
      .filter((span) => traceId === undefined || span.traceId === traceId);
  }
}

/** Whether one span has its parent elsewhere, and each call that was sent has been served. */
function isWhole(spans: readonly CollectedSpan[]): boolean {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const parents = new Set(spans.map(({ parentSpanId }) => parentSpanId));
  const roots = spans.filter(({ parentSpanId }) => !ids.has(parentSpanId ?? ''));
  const calls = spans.filter(
    ({ kind, attributes }) => kind === 'client' && attributes['rpc.method'],
  );
  return roots.length === 1 && calls.every(({ spanId }) => parents.has(spanId));
}

/** The edges of the service map that a tracing tool draws: from the service of a span to that of a child. */
export function edgesOf(spans: readonly CollectedSpan[]): string[] {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const edges = spans.flatMap((span) => {
    const parent = span.parentSpanId === undefined ? undefined : byId.get(span.parentSpanId);
    if (!parent || nameOf(parent) === nameOf(span)) return [];
    return [`${nameOf(parent)} ${parent.kind} > ${span.kind} ${nameOf(span)}`];
  });
  return [...new Set(edges)].sort();
}

const nameOf = ({ resource }: CollectedSpan): string =>
  String(resource['service.name']).replace(/^workspace-automation-/, '');
