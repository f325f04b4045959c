import { hostname } from 'node:os';
import { e2e, started } from '../fixtures/e2e.ts';
import { createWorkspace, type Person, register } from '../helpers/people.ts';
import { warningsOf, withoutLog } from '../helpers/process.ts';
import { countWaiting, createFlow, LocalApi, startRun } from '../helpers/runs.ts';
import { waitFor } from '../helpers/wait.ts';

const COMMIT = '8f2d6c0b1e4a7f3957c2d8e6a1b0f4c3d5e7a9b2';
const RESTS = 'do:\n  - rest: { wait: { minutes: 10 } }\n';

/** What the exporter of spans sends, as far as the tests read it. */
interface Traces {
  resourceSpans: { resource: { attributes: { key: string; value: { stringValue?: string } }[] } }[];
}

const collector = started(new LocalApi());
const { server } = e2e({
  oneProcess: true,
  env: () => ({
    BUILD_COMMIT: COMMIT,
    OUTBOUND_ALOW: '127.0.0.1:4010',
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/ok`,
  }),
});

test('the first line says what starts, and the next one which variable has no effect', () => {
  const [first, second] = server.logLines();
  expect(first).toMatchObject({
    level: 'info',
    msg: 'starting',
    commit: COMMIT,
    node: process.version,
    mode: 'test',
    services: expect.arrayContaining(['api', 'runs']),
  });
  expect(second).toMatchObject({ level: 'warn', given: 'OUTBOUND_ALOW', known: 'OUTBOUND_ALLOW' });
  expect(JSON.stringify(second)).not.toContain('4010');
});

/** Requests of all kinds, one after another, until the process takes no more. */
async function workUntilClosed(owner: Person, workspaceId: number, flowId: number): Promise<void> {
  const issues = `/workspaces/${workspaceId}/issues`;
  for (;;) {
    try {
      await owner.call('POST', issues, { body: { title: 'x', description: '' } });
      await owner.call('GET', issues);
      await startRun(owner, flowId);
    } catch {
      return; // the connection was refused: the process has stopped
    }
  }
}

test('a stop that was asked for warns of nothing, with requests and runs under way', async () => {
  const owner = await register(server.url);
  const workspaceId = await createWorkspace(owner);
  const flowId = await createFlow(owner, workspaceId, RESTS);
  const clients = [1, 2, 3].map(() => workUntilClosed(owner, workspaceId, flowId));
  const waiting = startRun(owner, flowId, { wait: 30_000 });
  await waitFor('runs', async () => (await countWaiting(owner, flowId)) > 3);
  expect(await server.stop()).toBe(0);
  expect((await waiting).status).toBe(202);
  await Promise.all(clients);
  expect(warningsOf(server.output())).toEqual([]);
});

test('each line says when, where, by which process and version; nothing else is written', () => {
  const lines = server.logLines();
  expect(lines.length).toBeGreaterThan(10);
  for (const line of lines) {
    expect(line).toMatchObject({
      level: expect.stringMatching(/^(info|warn)$/),
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      hostname: hostname(),
      pid: server.pid,
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    });
  }
  expect(withoutLog(server.output())).toBe(`ready on ${server.url}\n`);
});

test('every span says which version and commit it comes from', () => {
  const resources = collector.calls.flatMap(
    ({ body }) => (JSON.parse(body) as Traces).resourceSpans,
  );
  expect(resources).not.toEqual([]);
  const { version } = server.logLines()[0] ?? {};
  for (const { resource } of resources) {
    const values = resource.attributes.map(({ key, value }) => [key, value.stringValue]);
    expect(Object.fromEntries(values)).toMatchObject({
      'service.version': version,
      'vcs.ref.head.revision': COMMIT,
    });
  }
});
