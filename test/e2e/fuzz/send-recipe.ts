import http from 'node:http';
import type { DescribedOperation } from '../../helpers/openapi.ts';
import type { Sample } from '../operation-samples.ts';
import type { Mutation, Recipe } from './recipe.ts';

/** A request as it goes over the wire. */
export interface WireRequest {
  method: string;
  target: string;
  headers: Record<string, string>;
  payload: Buffer | null;
}

export interface WireAnswer {
  status: number;
  headers: http.IncomingHttpHeaders;
  text: string;
}

/** Milliseconds for which a stream of events is read; the client then goes away. */
const STREAM_MS = 150;
/** Milliseconds without an answer, after which a request counts as not answered. */
const ANSWER_MS = 45_000;

/** Makes the request of a recipe with the values of a sample that works. */
export function wireRequestOf(
  operation: DescribedOperation,
  recipe: Recipe,
  sample: Sample,
  credentials: Record<string, string>,
): WireRequest {
  const made: WireRequest = {
    method: operation.method,
    target: '',
    headers: { ...lowerCase(sample.headers), ...credentials },
    payload: null,
  };
  const segments = operation.path.split('/').map((segment) => valueOfSegment(segment, sample));
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...recipe.query, ...sample.query })) {
    if (value !== undefined) query.set(name, String(value).toWellFormed());
  }
  const body = bodyOf(recipe, sample);
  const form = { segments, query: String(query), body };
  for (const mutation of recipe.mutations) mutate(form, made, mutation);
  made.target = form.segments.join('/') + (form.query ? `?${form.query}` : '');
  if (made.payload === null && sample.raw !== undefined) made.payload = Buffer.from(sample.raw);
  if (made.payload === null && form.body !== undefined) {
    made.payload = Buffer.from(JSON.stringify(form.body) ?? 'null');
    made.headers['content-type'] ??= 'application/json';
  }
  return made;
}

const lowerCase = (headers: Record<string, string> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

function valueOfSegment(segment: string, sample: Sample): string {
  const [, name] = /^\{(\w+)\}$/.exec(segment) ?? [];
  return name === undefined ? segment : encodeURIComponent(String(sample.path?.[name] ?? 1));
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The body of a recipe. Ids of a generated body are those of the sample, since other ids are refused before the rest is read. */
function bodyOf({ bodyOf: from, body }: Recipe, sample: Sample): unknown {
  const given = sample.body as unknown;
  if (from === 'sample' || body === undefined) return given;
  if (!isObject(body) || !isObject(given)) return body;
  const ids = Object.entries(given).filter(([name]) => /id$/i.test(name));
  return from === 'both'
    ? { ...given, ...body, ...Object.fromEntries(ids) }
    : { ...body, ...Object.fromEntries(ids) };
}

interface Form {
  segments: string[];
  query: string;
  body: unknown;
}

function mutate(form: Form, made: WireRequest, mutation: Mutation): void {
  if (mutation.kind === 'method') made.method = mutation.method;
  else if (mutation.kind === 'headers') Object.assign(made.headers, mutation.headers);
  else if (mutation.kind === 'query')
    form.query = [form.query, mutation.text].filter(Boolean).join('&');
  else if (mutation.kind === 'segment') replaceSegment(form, mutation);
  else if (mutation.kind === 'raw') setPayload(made, mutation.text);
  else if (mutation.kind === 'cut')
    setPayload(made, JSON.stringify(form.body ?? {}).slice(0, mutation.at));
  else mutateField(form, mutation);
}

function setPayload(made: WireRequest, text: string): void {
  made.payload = Buffer.from(text);
  made.headers['content-type'] ??= 'application/json';
}

/** Replaces a segment of the path behind its first one. */
function replaceSegment(
  { segments }: Form,
  { at, text }: Extract<Mutation, { kind: 'segment' }>,
): void {
  const place = 2 + (at % Math.max(1, segments.length - 2));
  if (place < segments.length) segments[place] = text;
}

function mutateField(form: Form, mutation: Extract<Mutation, { kind: 'field' | 'drop' }>): void {
  if (!isObject(form.body)) {
    if (mutation.kind === 'field') form.body = mutation.value;
    return;
  }
  const names = Object.keys(form.body);
  if (mutation.kind === 'drop') {
    const dropped = names[mutation.at % Math.max(1, names.length)];
    form.body = Object.fromEntries(Object.entries(form.body).filter(([name]) => name !== dropped));
    return;
  }
  const name =
    mutation.name ??
    names[JSON.stringify(mutation.value ?? 0).length % Math.max(1, names.length)] ??
    'x';
  form.body = Object.fromEntries([...Object.entries(form.body), [name, mutation.value]]);
}

/** Sends a request; rejects where none or no whole answer comes. A stream of events is left after its first moments. */
export function send(base: string, agent: http.Agent, wire: WireRequest): Promise<WireAnswer> {
  const { hostname, port } = new URL(base);
  const { method, target, headers, payload } = wire;
  return new Promise((resolve, reject) => {
    const outgoing = http.request(
      {
        agent,
        hostname,
        port,
        method,
        path: target,
        headers: { ...headers, ...(payload ? { 'content-length': payload.length } : {}) },
        timeout: ANSWER_MS,
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        const answer = () =>
          resolve({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            text: Buffer.concat(chunks).toString(),
          });
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('end', answer);
        incoming.on('error', reject);
        if (incoming.headers['content-type']?.startsWith('text/event-stream')) {
          setTimeout(() => {
            answer();
            outgoing.destroy();
          }, STREAM_MS);
        }
      },
    );
    outgoing.on('timeout', () => outgoing.destroy(new Error('no answer')));
    outgoing.on('error', reject);
    outgoing.end(payload ?? undefined);
  });
}
