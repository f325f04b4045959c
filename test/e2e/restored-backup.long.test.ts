import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditEntry } from '../../contract/audit.ts';
import { e2e } from '../fixtures/e2e.ts';
import { backupsIn, checkDatabase, restore } from '../helpers/backups.ts';
import { request } from '../helpers/http.ts';
import { PASSWORD } from '../helpers/people.ts';
import { type RunAnswer, startRun } from '../helpers/runs.ts';
import { dataFolder, startServer } from '../helpers/server.ts';
import { waitFor } from '../helpers/wait.ts';

const SECRET = 'canary-of-the-credential';
const backupDir = join(dataFolder(), 'backups');
const ENV = {
  OUTBOUND_ALLOW: '127.0.0.0/8',
  PUBLIC_URL: 'http://service.test', // so that a token outlives the server
};
const {
  server,
  owner: ada,
  workspace,
  receiver,
} = e2e({
  oneProcess: true,
  env: { ...ENV, BACKUP_DIR: backupDir, BACKUP_EVERY_MS: '1000' },
});

/** Starts a run that calls with a credential, waits for a signal, and calls again. */
async function startRunWithCredential(): Promise<number> {
  const { id: authCredentialId } = await workspace.make('/auth-credentials', {
    name: 'ledger',
    authType: 'BEARER',
    allowedOrigins: [receiver.origin],
    secret: { token: SECRET },
  });
  const { id: apiDescriptionId } = await workspace.make('/api-descriptions', {
    name: 'ledger',
    description: '',
    url: `${receiver.origin}/entries`,
    methodType: 'POST',
    authCredentialId,
  });
  const call = { call: 'apiDescription', with: { apiDescriptionId, body: { a: 1 } } };
  const listen = { listen: { to: { one: { with: { type: 'go' } } } } };
  const file = { do: [{ before: call }, { approval: listen }, { after: call }] };
  const flowId = await workspace.flow(JSON.stringify(file));
  return (await startRun(ada, flowId)).body.id;
}

/** Creates issues until the server has gone; the time by which each was acknowledged, by id. */
/**
 * Writes issues until the server is gone, each later than the one before: a list holds 1,000, and three writers reach that
 * after the time limit of a test.
 */
async function writeIssues(): Promise<Map<number, number>> {
  const acknowledged = new Map<number, number>();
  const path = workspace.issues;
  const body = { title: 'A tooth is loose', description: '' };
  for (;;) {
    const answer = await ada.call<{ id: number }>('POST', path, { body }).catch(() => null);
    if (!answer) return acknowledged;
    expect(answer.status).toBe(201);
    acknowledged.set(answer.body.id, Date.now());
    await sleep(10 + 2 * acknowledged.size);
  }
}

test('a backup that was taken while all went on restores: what was acknowledged, whole, and runs go on', async () => {
  const runId = await startRunWithCredential();
  await waitFor('the run to wait', async () => {
    const { body } = await ada.call<RunAnswer>('GET', `/flows/runs/${runId}`);
    return body.status === 'WAITING';
  });
  const begun = Date.now();
  const writers = [1, 2, 3].map(() => writeIssues());
  const time = await waitFor('two backups under way of the writers', () => {
    const [newest, ...others] = backupsIn(backupDir).filter((at) => +at > begun + 500);
    return others.length > 0 && newest;
  });
  await server.kill();
  const acknowledged = new Map((await Promise.all(writers)).flatMap((one) => [...one]));
  const before = [...acknowledged].filter(([, at]) => at < +time).map(([id]) => id);
  expect(before.length).toBeGreaterThan(0);

  const dataDir = restore(backupDir, time);
  expect(await checkDatabase(dataDir)).toBe('ok\n');
  const restored = await startServer({ dataDir, oneProcess: true, env: ENV });
  const as = { token: ada.token };
  const get = async <T>(path: string, query: object = {}) =>
    (await request<T>(restored.url, 'GET', path, { ...as, query: { ...query } })).body;

  const path = workspace.path;
  const issues = await get<{ id: number }[]>(`${path}/issues`, { limit: 1_000 });
  const ids = issues.map(({ id }) => id);
  expect(ids).toEqual(expect.arrayContaining(before));
  expect(ids.filter((id) => !acknowledged.has(id)).length).toBeLessThanOrEqual(3); // answers that were under way
  const created = await waitFor('the audit entry of each issue', async () => {
    const query = { operation: 'issues.create', limit: 1_000 };
    const entries = await get<AuditEntry[]>(`${path}/audit-log`, query);
    return entries.length >= ids.length && entries;
  });
  expect(created.map(({ resource }) => resource.id).toSorted()).toEqual(ids.toSorted());
  const again = { email: ada.email, password: PASSWORD, firstName: 'A', lastName: 'L' };
  const { status } = await request(restored.url, 'POST', '/auth/register', { body: again });
  expect(status).toBe(409);

  const signal = `/flows/runs/${runId}/signals/go`;
  expect((await request(restored.url, 'POST', signal, { ...as, body: {} })).status).toBe(204);
  const run = await waitFor('the end of the run', async () => {
    const found = await get<RunAnswer>(`/flows/runs/${runId}`);
    return found.completedAt !== null && found;
  });
  expect(run.status).toBe('SUCCESS');
  expect(receiver.received.map(({ headers }) => headers.authorization)).toEqual([
    `Bearer ${SECRET}`,
    `Bearer ${SECRET}`,
  ]);
});
