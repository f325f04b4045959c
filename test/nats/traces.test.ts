import { randomBytes } from 'node:crypto';
import { e2e, started } from '../fixtures/e2e.ts';
import { register } from '../helpers/people.ts';
import { type CollectedSpan, edgesOf, SpanCollector } from '../helpers/span-collector.ts';

const [collector, target] = [started(new SpanCollector()), started(new SpanCollector())];
const { server, owner, workspace } = e2e({
  env: () => ({ ...collector.env, OUTBOUND_ALLOW: target.host }),
});

/** A new trace of a client, which is sampled or not. */
function newTrace(flags: '00' | '01' = '01') {
  const traceId = randomBytes(16).toString('hex');
  return { traceId, headers: { traceparent: `00-${traceId}-b7ad6b7169203331-${flags}` } };
}

const flow = () => `
do:
  - ask: { call: http, with: { method: get, endpoint: 'http://${target.host}/asked' } }
`;

async function createFlow(headers: Record<string, string>): Promise<number> {
  const { status, body } = await owner.call<{ id: number }>('POST', '/flows', {
    body: {
      workspaceId: workspace.id,
      name: `ask ${randomBytes(4).toString('hex')}`,
      content: flow(),
    },
    headers,
  });
  expect(status).toBe(200);
  return body.id;
}

const serviceOf = ({ resource }: CollectedSpan) => resource['service.name'];
const parentIn = (spans: readonly CollectedSpan[], { parentSpanId }: CollectedSpan) =>
  spans.find(({ spanId }) => spanId === parentSpanId);

describe('the spans of a change that crosses processes', () => {
  let spans: CollectedSpan[];
  beforeAll(async () => {
    const { traceId, headers } = newTrace();
    await createFlow(headers);
    spans = await collector.whole(traceId, 'workspaces.recordAudit', 'server');
  });

  it('make the edges of a service map, from client to server', () => {
    expect(edgesOf(spans)).toEqual([
      'api client > server flows',
      'flows client > server events',
      'flows client > server workspaces',
      'workspaces client > server identity',
    ]);
  });

  it('come from several processes, and name a service each', () => {
    const instances = new Map(
      spans.map((span) => [span.spanId, span.resource['service.instance.id']]),
    );
    expect(new Set(instances.values()).size).toBeGreaterThanOrEqual(3);
    for (const { resource, name, kind } of spans) {
      expect(resource).toMatchObject({
        'service.namespace': 'workspace-automation',
        'service.version': expect.stringMatching(/^\d/),
      });
      if (kind !== 'server' || name.includes('/')) continue;
      expect(resource['service.name']).toBe(`workspace-automation-${name.split('.')[0]}`);
    }
  });

  it('have one root, and each server span of a call has a client span with its name as parent', () => {
    const roots = spans.filter((span) => !parentIn(spans, span));
    expect(roots.map(({ name, parentSpanId }) => [name, parentSpanId])).toEqual([
      ['POST /flows', 'b7ad6b7169203331'],
    ]);
    for (const span of spans) {
      const parent = parentIn(spans, span);
      if (span.kind === 'client' || !parent) expect(parent?.kind).not.toBe('client');
      else
        expect([parent.kind, parent.name]).toEqual(
          span.kind === 'server' ? ['client', span.name] : ['server', expect.any(String)],
        );
    }
  });

  it('have the attributes of OpenTelemetry for HTTP and RPC', () => {
    const find = (name: string, kind: CollectedSpan['kind']) =>
      spans.find((span) => span.name === name && span.kind === kind)?.attributes;
    expect(find('POST /flows', 'server')).toEqual({
      'http.request.method': 'POST',
      'http.route': '/flows',
      'http.response.status_code': 200,
      'client.address': '127.0.0.1',
    });
    const rpc = {
      'rpc.system.name': 'moleculer',
      'rpc.service': 'flows',
      'rpc.method': 'flows.create',
    };
    expect(find('flows.create', 'server')).toEqual(rpc);
    expect(find('flows.create', 'client')).toEqual({
      ...rpc,
      'server.address': 'flows',
      'network.protocol.name': 'nats',
    });
  });
});

it('the steps of a run belong to the trace of its start, and go out with it', async () => {
  const flowId = await createFlow({});
  const { traceId, headers } = newTrace();
  const { body } = await owner.call<{ status: string }>('POST', `/flows/${flowId}/runs`, {
    query: { wait: 20_000 },
    headers,
  });
  expect(body.status).toBe('SUCCESS');
  const spans = await collector.whole(traceId, 'run', 'internal');
  const asked = spans.find(({ name, kind }) => name === 'GET' && kind === 'client');
  const run = spans.find(({ name }) => name === 'run');
  const start = spans.find(({ name, kind }) => name === 'runs.start' && kind === 'server');
  expect(asked).toMatchObject({
    parentSpanId: run?.spanId,
    failed: false,
    attributes: {
      'http.request.method': 'GET',
      'server.address': '127.0.0.1',
      'server.port': target.port,
      'http.response.status_code': 200,
    },
  });
  expect(run?.parentSpanId).toBe(start?.spanId);
  expect([asked, run, start].map((span) => span && serviceOf(span))).toEqual(
    Array(3).fill('workspace-automation-runs'),
  );
  const sent = target.received.at(-1)?.headers.traceparent;
  expect(sent).toBe(`00-${traceId}-${asked?.spanId}-01`);
});

it('an event is a producer span, and in it a consumer span of each service that listens', async () => {
  const ada = await register(server.url);
  const { traceId, headers } = newTrace();
  expect(
    (
      await ada.call('POST', '/auth/sign-out', {
        body: { refreshToken: ada.refreshToken },
        headers,
      })
    ).status,
  ).toBe(204);
  const spans = await collector.whole(traceId, 'process session.revoked', 'consumer');
  expect(edgesOf(spans)).toContain('identity producer > consumer api');
  const produced = spans.find(({ kind }) => kind === 'producer');
  const consumed = spans.find(({ kind }) => kind === 'consumer');
  expect(produced?.attributes).toEqual({
    'messaging.system': 'nats',
    'messaging.operation.type': 'send',
    'messaging.operation.name': 'broadcast',
    'messaging.destination.name': 'session.revoked',
  });
  expect(consumed?.attributes).toMatchObject({ 'messaging.operation.type': 'process' });
});

it('a refused call has its status and has not failed, and says nothing of the caller', async () => {
  const { traceId, headers } = newTrace();
  expect((await owner.call('GET', '/flows/9999999', { headers })).status).toBe(404);
  const spans = await collector.whole(traceId, 'GET /flows/:flowId', 'server');
  const refused = spans.filter(({ name }) => name === 'flows.get');
  expect(new Set(refused.map(({ kind }) => kind))).toEqual(new Set(['client', 'server'])); // a slow read is asked for twice
  for (const { failed, attributes } of refused) {
    expect([failed, attributes['rpc.response.status_code'], attributes['error.type']]).toEqual([
      false,
      '404',
      undefined,
    ]);
  }
  expect(JSON.stringify(spans)).not.toContain('9999999');
  expect(JSON.stringify(spans)).not.toContain(owner.email);
});

it('a trace that its client does not sample sends nothing', async () => {
  const { traceId, headers } = newTrace('00');
  await createFlow(headers);
  const after = newTrace();
  await createFlow(after.headers);
  await collector.whole(after.traceId, 'workspaces.recordAudit', 'server'); // what came before has been sent
  expect(collector.spans(traceId)).toEqual([]);
});
