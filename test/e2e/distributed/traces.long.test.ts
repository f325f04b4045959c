import { hostname } from 'node:os';
import { e2e, started } from '../../fixtures/e2e.ts';
import type { Workspace } from '../../fixtures/workspace.ts';
import { request } from '../../helpers/http.ts';
import { startServer } from '../../helpers/server.ts';
import { type CollectedSpan, edgesOf, SpanCollector } from '../../helpers/span-collector.ts';
import { waitFor } from '../../helpers/wait.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const TRACEPARENT = `00-${TRACE}-${PARENT}-01`;

const [target, collector] = [started(new SpanCollector()), started(new SpanCollector())];
const flow = (headers = '{}') => `
do:
  - ask: { call: http, with: { method: get, endpoint: 'http://${target.host}/asked', headers: ${headers} } }
`;

async function start(workspace: Workspace, content: string, headers: Record<string, string>) {
  const flowId = await workspace.flow(content);
  const { status, body } = await workspace.owner.call<{ status: string }>(
    'POST',
    `/flows/${flowId}/runs`,
    { query: { wait: 20_000 }, headers },
  );
  expect([status, body.status]).toEqual([200, 'SUCCESS']);
}

describe('a trace', () => {
  const { server, workspace } = e2e({ env: () => ({ OUTBOUND_ALLOW: target.host }) });

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
    await start(workspace, flow(), { traceparent: TRACEPARENT });
    const sent = String(target.received.at(-1)?.headers.traceparent);
    expect(sent).toMatch(new RegExp(`^00-${TRACE}-[\\da-f]{16}-01$`));
    expect(sent).not.toContain(PARENT);
  });

  it('is begun for a run whose start had none, and gives way to a header of the flow', async () => {
    await start(workspace, flow(), {});
    expect(target.received.at(-1)?.headers.traceparent).toMatch(/^00-[\da-f]{32}-[\da-f]{16}-00$/);
    const own = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;
    await start(workspace, flow(`{ TraceParent: '${own}' }`), {
      traceparent: TRACEPARENT,
    });
    expect(target.received.at(-1)?.headers.traceparent).toBe(own);
  });
});

describe('spans', () => {
  const { server, owner, workspace } = e2e({
    env: () => ({
      ...collector.env,
      OUTBOUND_ALLOW: target.host,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=opens',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,team=a%2Cb',
      OTEL_SERVICE_NAME: 'traced',
    }),
  });

  it('are sent by OTLP: the request, its calls, the run and what it called, each in the other', async () => {
    await start(workspace, flow(), { traceparent: TRACEPARENT });
    const sent = String(target.received.at(-1)?.headers.traceparent).split('-');
    await server.stop(); // the last ones are sent before the process ends
    const spans = collector.spans(TRACE);
    const within = (parent: CollectedSpan, name: string): CollectedSpan => {
      const found = spans.find((span) => span.name === name && span.parentSpanId === parent.spanId);
      if (!found)
        throw new Error(`no span ${name} within ${parent.name}: ${JSON.stringify(spans)}`);
      return found;
    };
    const gateway = spans.find((span) => span.name === 'POST /flows/:flowId/runs') as CollectedSpan;
    expect(gateway).toMatchObject({ parentSpanId: PARENT, kind: 'server' });
    const calling = within(gateway, 'runs.start');
    const called = within(calling, 'runs.start');
    expect([calling.kind, called.kind]).toEqual(['client', 'server']);
    // The start asks for the flow and its version at once.
    const ofStart = spans.filter(({ parentSpanId }) => parentSpanId === called.spanId);
    const ofFlow = ofStart.map(({ name }) => name).filter((name) => name.startsWith('flows.'));
    expect(ofFlow).toEqual(['flows.versionsToRun', 'flows.flowsByIds']); // the second looks for a deletion meanwhile
    const asked = within(within(called, 'run'), 'GET');
    expect(asked).toMatchObject({
      kind: 'client',
      attributes: { 'server.address': '127.0.0.1', 'server.port': target.port },
    });
    expect(sent.slice(1)).toEqual([TRACE, asked.spanId, '01']);
  });

  it('show the services and who calls whom, also where one process has them all', () => {
    expect(edgesOf(collector.spans(TRACE))).toEqual(
      expect.arrayContaining(['traced-api client > server traced-runs']),
    );
    const servers = collector
      .spans()
      .filter(({ kind, name }) => kind === 'server' && !/[ /]/.test(name));
    for (const { name, resource } of servers) {
      expect(resource['service.name']).toBe(`traced-${name.split('.')[0]}`);
    }
  });

  it('go where the variables say, with the headers they say, and hold no path', () => {
    expect(collector.received[0]).toMatchObject({
      path: '/v1/traces',
      headers: { 'x-collector-key': 'opens' },
    });
    const text = collector.received.map(({ body }) => body).join();
    expect(text).toContain('"traced-api"');
    expect(text).not.toContain('"other');
    expect(text).toContain('"a,b"');
    expect(text).toContain(`"${hostname()}-`); // one of many containers, all of them with the pid 1
    expect(text).not.toContain('/asked');
    expect(text).not.toContain(owner.email);
  });

  it.each<Record<string, string>>([
    { OTEL_TRACES_EXPORTER: 'none' },
    { OTEL_SDK_DISABLED: 'TRUE' },
  ])('are not sent with %j', async (env) => {
    const unheard = await SpanCollector.start();
    const quiet = await startServer({ env: { ...unheard.env, ...env } });
    expect((await request(quiet.url, 'GET', '/health/live')).status).toBe(200);
    expect(await quiet.stop()).toBe(0); // what there is is sent before the end
    expect(unheard.received).toEqual([]);
    unheard.stop();
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
