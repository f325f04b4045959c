import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { request } from '../../helpers/http.ts';
import { createWorkspace, type Person, register } from '../../helpers/people.ts';
import { startServer, stopServers, type TestServer } from '../../helpers/server.ts';
import { waitFor } from '../../helpers/wait.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const TRACEPARENT = `00-${TRACE}-${PARENT}-01`;

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: { key: string; value: Record<string, unknown> }[];
}

/** A server on a local port that keeps what it is sent. */
async function listener() {
  const received: { path: string; headers: IncomingHttpHeaders; body: string }[] = [];
  const server = createServer((req, res) => {
    let body = '';
    req.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    req.on('end', () => {
      received.push({ path: req.url ?? '', headers: req.headers, body });
      res.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { received, port: (server.address() as AddressInfo).port, close: () => server.close() };
}
type Listener = Awaited<ReturnType<typeof listener>>;

const spansIn = ({ received }: Listener): Span[] =>
  received.flatMap(({ body }) =>
    (JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] }).resourceSpans
      .flatMap(({ scopeSpans }) => scopeSpans)
      .flatMap(({ spans }) => spans),
  );

const flow = (port: number, headers = '{}') => `
do:
  - ask: { call: http, with: { method: get, endpoint: 'http://127.0.0.1:${port}/asked', headers: ${headers} } }
`;

async function start(owner: Person, content: string, headers: Record<string, string>) {
  const workspaceId = await createWorkspace(owner);
  const made = await owner.call<{ id: number }>('POST', '/flows', {
    body: { workspaceId, name: 'ask', content },
  });
  const { status, body } = await owner.call<{ status: string }>(
    'POST',
    `/flows/${made.body.id}/runs`,
    { query: { wait: 20_000 }, headers },
  );
  expect([status, body.status]).toEqual([200, 'SUCCESS']);
}

let target: Listener;
let collector: Listener;
beforeAll(async () => {
  [target, collector] = await Promise.all([listener(), listener()]);
});
afterAll(async () => {
  await stopServers();
  target.close();
  collector.close();
});

describe('a trace', () => {
  let server: TestServer;
  let owner: Person;
  beforeAll(async () => {
    server = await startServer({ env: { OUTBOUND_ALLOW: `127.0.0.1:${target.port}` } });
    owner = await register(server.url);
  });

  const logged = (requestId: string) =>
    waitFor('the line of the log', () =>
      server.logLines().find((line) => line.requestId === requestId && line.status !== undefined),
    );

  it('is taken from the request and written in its line of the log', async () => {
    const headers = { traceparent: TRACEPARENT, 'x-request-id': 'given' };
    await request(server.url, 'GET', '/health/live', { headers });
    const line = await logged('given');
    expect(line.traceId).toBe(TRACE);
    expect(line.spanId).toMatch(/^[\da-f]{16}$/);
    expect(line.spanId).not.toBe(PARENT);
  });

  it.each(['nonsense', `00-${'0'.repeat(32)}-${PARENT}-01`, `${TRACEPARENT}-more`])(
    'begins anew where the header is none: %s',
    async (traceparent) => {
      const headers = { traceparent, 'x-request-id': `bad-${traceparent.length}` };
      const { status } = await request(server.url, 'GET', '/health/live', { headers });
      expect(status).toBe(200);
      const line = await logged(`bad-${traceparent.length}`);
      expect(line.traceId).toMatch(/^[\da-f]{32}$/);
      expect(line.traceId).not.toBe(TRACE);
    },
  );

  it('goes out with what a run calls, whoever works on the run', async () => {
    await start(owner, flow(target.port), { traceparent: TRACEPARENT });
    const sent = String(target.received.at(-1)?.headers.traceparent);
    expect(sent).toMatch(new RegExp(`^00-${TRACE}-[\\da-f]{16}-01$`));
    expect(sent).not.toContain(PARENT);
  });

  it('is begun for a run whose start had none, and gives way to a header of the flow', async () => {
    await start(owner, flow(target.port), {});
    expect(target.received.at(-1)?.headers.traceparent).toMatch(/^00-[\da-f]{32}-[\da-f]{16}-00$/);
    const own = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;
    await start(owner, flow(target.port, `{ TraceParent: '${own}' }`), {
      traceparent: TRACEPARENT,
    });
    expect(target.received.at(-1)?.headers.traceparent).toBe(own);
  });
});

describe('spans', () => {
  let server: TestServer;
  let owner: Person;
  beforeAll(async () => {
    server = await startServer({
      env: {
        OUTBOUND_ALLOW: `127.0.0.1:${target.port}`,
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}`,
        OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=opens',
        OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,team=a%2Cb',
        OTEL_SERVICE_NAME: 'traced',
      },
    });
    owner = await register(server.url);
  });

  it('are sent by OTLP: the request, its calls, the run and what it called, each in the other', async () => {
    await start(owner, flow(target.port), { traceparent: TRACEPARENT });
    const sent = String(target.received.at(-1)?.headers.traceparent).split('-');
    await server.stop(); // the last ones are sent before the process ends
    const spans = spansIn(collector).filter(({ traceId }) => traceId === TRACE);
    const within = (parent: Span, name: string): Span => {
      const found = spans.find((span) => span.name === name && span.parentSpanId === parent.spanId);
      if (!found)
        throw new Error(`no span ${name} within ${parent.name}: ${JSON.stringify(spans)}`);
      return found;
    };
    const gateway = spans.find((span) => span.name === 'POST /flows/:flowId/runs') as Span;
    expect(gateway).toMatchObject({ parentSpanId: PARENT, kind: 2 });
    const called = within(gateway, 'runs.start');
    // The start asks for the flow and its version at once.
    const ofStart = spans.filter(({ parentSpanId }) => parentSpanId === called.spanId);
    const ofFlow = ofStart.map(({ name }) => name).filter((name) => name.startsWith('flows.'));
    expect(ofFlow).toEqual(['flows.versionsToRun', 'flows.flowsByIds']); // the second looks for a deletion meanwhile
    const asked = within(within(called, 'run'), 'GET');
    expect(asked.kind).toBe(3);
    expect(asked.attributes).toEqual(
      expect.arrayContaining([
        { key: 'server.address', value: { stringValue: '127.0.0.1' } },
        { key: 'server.port', value: { intValue: target.port } },
      ]),
    );
    expect(sent.slice(1)).toEqual([TRACE, asked.spanId, '01']);
  });

  it('go where the variables say, with the headers they say, and hold no path', () => {
    expect(collector.received[0]).toMatchObject({
      path: '/v1/traces',
      headers: { 'x-collector-key': 'opens' },
    });
    const text = collector.received.map(({ body }) => body).join();
    expect(text).toContain('"traced"');
    expect(text).not.toContain('"other"');
    expect(text).toContain('"a,b"');
    expect(text).toContain(`"${hostname()}-`); // one of many containers, all of them with the pid 1
    expect(text).not.toContain('/asked');
    expect(text).not.toContain(owner.email);
  });

  it.each<Record<string, string>>([
    { OTEL_TRACES_EXPORTER: 'none' },
    { OTEL_SDK_DISABLED: 'TRUE' },
  ])('are not sent with %j', async (env) => {
    const unheard = await listener();
    const address = `http://127.0.0.1:${unheard.port}`;
    const quiet = await startServer({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: address, ...env } });
    expect((await request(quiet.url, 'GET', '/health/live')).status).toBe(200);
    expect(await quiet.stop()).toBe(0); // what there is is sent before the end
    expect(unheard.received).toEqual([]);
    unheard.close();
  });

  it('that nobody takes hold up nothing, and the log says so', async () => {
    const away = await startServer({
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_EXPORTER_OTLP_TIMEOUT: '300' },
    });
    const { status } = await request(away.url, 'GET', '/health/live');
    expect(status).toBe(200);
    const told = await waitFor('the word of it', () =>
      away.logLines().find(({ msg }) => String(msg).startsWith('Spans could not be sent')),
    );
    expect(told.msg).toMatch(/^Spans could not be sent: .*ECONNREFUSED/);
    expect(told).not.toHaveProperty('traceId'); // of whichever request its timer began with
    expect(await away.stop()).toBe(0);
  });
});
