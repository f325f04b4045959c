import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { e2e } from '../fixtures/e2e.ts';
import { type Answer, type ProblemBody, request } from '../helpers/http.ts';
import { fileForm } from '../helpers/multipart.ts';
import { PASSWORD } from '../helpers/people.ts';
import { getRun, type RunAnswer, startRun } from '../helpers/runs.ts';
import { SmallDisk } from '../helpers/small-disk.ts';
import { waitFor } from '../helpers/wait.ts';

/** MiB. The database takes 7 of them when the service starts. */
const DISK_SIZE = 64;

const disk = SmallDisk.mount(DISK_SIZE);
afterAll(() => disk?.unmount());

type Refusal = Promise<Answer<ProblemBody>>;

(disk ? describe : describe.skip)('a full disk of the database (needs the right to mount)', () => {
  const { server, owner, workspace, api } = e2e({
    dataDir: join(disk?.folder ?? '', 'data'),
    env: { OUTBOUND_ALLOW: '127.0.0.0/8', METRICS_PORT: '0' },
  });
  let flowId: number;
  let conversationId: number;
  let run: RunAnswer;
  /** The titles of the issues that the service has acknowledged. */
  const acknowledged: string[] = [];

  beforeAll(async () => {
    const tasks = [
      { first: api.task('/ok/first') },
      { held: api.task('/hold') },
      { last: api.task('/ok/last') },
    ];
    flowId = await workspace.flow(JSON.stringify({ do: tasks }));
    const conversation = { workspaceId: workspace.id, title: 'x' };
    const made = await owner.call<{ id: number }>('POST', '/agent/conversations', {
      body: conversation,
    });
    conversationId = made.body.id;
    await createIssue('before');
    run = (await startRun(owner, flowId)).body;
    await waitFor('the call that is held', () => api.keysOf('/hold').length === 1);
    disk?.fill();
    // The files of the database may have room of their own: large writes use it up, then small ones.
    await waitFor('a refused file', async () => (await attach(1_000_000)).status === 503);
    await waitFor('a refused write', async () => (await createIssue('still room')).status === 503);
    api.letGo(); // the run cannot store this outcome
  });

  async function createIssue(title: string, headers = {}): Refusal {
    const body = { title, description: 'x'.repeat(2_000) };
    const path = `/workspaces/${workspace.id}/issues`;
    const answer = await owner.call<ProblemBody>('POST', path, { body, headers });
    if (answer.status === 201) acknowledged.push(title);
    return answer;
  }

  const attach = (bytes: number): Refusal =>
    owner.call(
      'POST',
      `/agent/conversations/${conversationId}/attachments`,
      fileForm('x'.repeat(bytes), 'a.txt'),
    );

  const readiness = () =>
    request<ProblemBody & { dependencies: object }>(server.url, 'GET', '/health/ready');

  it.each<[string, () => Refusal]>([
    ['a write', () => createIssue('while full')],
    ['a write with a key', () => createIssue('while full', { 'Idempotency-Key': randomUUID() })],
    ['a start of a run', () => owner.call('POST', `/flows/${flowId}/runs`)],
    ['a file', () => attach(100_000)],
    [
      'a sign-in',
      () => {
        const body = { email: owner.email, password: PASSWORD };
        return request(server.url, 'POST', '/auth/sign-in', { body });
      },
    ],
  ])('refuses %s by 503 STORAGE_FULL', async (_, send) => {
    const { status, headers, body } = await send();
    expect([status, body.code, headers['retry-after']]).toEqual([503, 'STORAGE_FULL', '30']);
    expect(body.detail).toBe('The disk of the database is full: nothing can be stored.');
  });

  it('leaves reads as they are, also beside writes that are refused', async () => {
    const paths = ['/auth/me', `/workspaces/${workspace.id}/issues`, `/flows/${flowId}`];
    paths.push(`/flows/runs/${run.id}`, `/flows/runs/${run.id}/steps`);
    for (let rounds = 0; rounds < 30; rounds++) {
      const reads = paths.map((path) => owner.call('GET', path));
      const writes = [createIssue('while full'), createIssue('while full')];
      const statuses = (await Promise.all([...reads, ...writes])).map(({ status }) => status);
      expect(statuses).toEqual([...paths.map(() => 200), 503, 503]);
    }
  });

  it('is told by readiness, by the metrics and by the log', async () => {
    const { body } = await waitFor('readiness to tell', async () => {
      const answer = await readiness();
      return answer.status === 503 && answer;
    });
    expect(body).toMatchObject({
      code: 'NOT_READY',
      detail: 'Disk full: database.',
      dependencies: { database: 'full', identity: 'up', runs: 'up' },
    });
    const { url } = server.logLines().find(({ msg }) => msg === 'Metrics are served') ?? {};
    const { origin } = new URL(String(url));
    await waitFor('the metric', async () =>
      /^mongodb_storage_full 1$/m.test((await request(origin, 'GET', '/metrics')).text),
    );
    const lines = server.logLines().filter(({ code }) => code === 14_031);
    expect(new Set(lines.map(({ msg }) => msg))).toEqual(
      new Set([
        'The disk of the database is full: requests that write are answered 503, and runs wait',
      ]),
    );
  });

  it('loses nothing: with room again, writes and the run go on without a restart', async () => {
    expect((await getRun(owner, run.id)).status).toBe('RUNNING');
    expect(api.keysOf('/ok/last')).toEqual([]);
    disk?.free();
    await waitFor('the end of the run', async () => {
      api.letGo(); // a call whose outcome could not be stored is repeated with its key
      return (await getRun(owner, run.id)).status === 'SUCCESS';
    });
    expect(new Set(api.keysOf('/hold')).size).toBe(1);
    expect([api.keysOf('/ok/first').length, api.keysOf('/ok/last').length]).toEqual([1, 1]);
    expect((await createIssue('after')).status).toBe(201);
    const path = `/workspaces/${workspace.id}/issues`;
    const { body } = await owner.call<{ title: string }[]>('GET', path);
    expect(body.map(({ title }) => title).sort()).toEqual(acknowledged.sort());
    await waitFor('readiness', async () => (await readiness()).status === 200);
  });
});
