import { randomBytes } from 'node:crypto';
import { e2e, started } from '../../fixtures/e2e.ts';
import { endOf, startRun } from '../../helpers/runs.ts';
import { waitFor } from '../../helpers/wait.ts';
import { secretOf, secretTarget } from './secret-target.ts';

const base64 = () => randomBytes(32).toString('base64');
const [OLD, NEW] = [base64(), base64()];
/** The secret that the called server expects at `/1`. */
const token = secretOf(1);

const target = started(secretTarget());
const {
  server,
  owner: ada,
  workspace,
} = e2e({
  env: () => ({
    OUTBOUND_ALLOW: target.host,
    PUBLIC_URL: 'http://service.test',
    CREDENTIALS_MASTER_KEYS: OLD,
  }),
});
let authCredentialId: number;
let flowId: number;

beforeAll(async () => {
  authCredentialId = (await createCredential()).body.id;
  const { id: apiDescriptionId } = await workspace.make('/api-descriptions', {
    name: 'x',
    description: '',
    url: `${target.origin}/1`,
    methodType: 'GET',
    authCredentialId,
  });
  const call = { call: 'apiDescription', with: { apiDescriptionId } };
  flowId = await workspace.flow(JSON.stringify({ do: [{ call }] }));
});

const createCredential = () =>
  ada.call<{ id: number }>('POST', '/auth-credentials', {
    body: {
      workspaceId: workspace.id,
      name: 'x',
      authType: 'BEARER',
      allowedOrigins: [target.origin],
      secret: { token },
    },
  });

const useCredential = () =>
  ada.call<{ status: number }>('POST', `/auth-credentials/${authCredentialId}/test`, {
    body: { url: `${target.origin}/1` },
  });

async function expectUse(): Promise<void> {
  const { status, body } = await useCredential();
  expect({ status, ofTarget: body.status }).toEqual({ status: 200, ofTarget: 200 });
}

/** Restarts the service with other master keys. */
async function restart(...keys: string[]): Promise<void> {
  await server.stop();
  await server.restart({ CREDENTIALS_MASTER_KEYS: keys.join(',') });
}

const logOf = () => JSON.stringify(server.logLines());

test('without the master key secrets are refused with 503 and runs wait; with both keys all goes on, and the new one remains', async () => {
  await expectUse();
  await restart(NEW);
  const refusals = [await useCredential(), await createCredential()];
  for (const { status, body, headers } of refusals) {
    expect({ status, body, retryAfter: headers['retry-after'] }).toMatchObject({
      status: 503,
      body: { code: 'UNAVAILABLE' },
      retryAfter: expect.any(String),
    });
    expect(JSON.stringify(body)).not.toContain('MASTER');
  }
  expect(logOf()).toContain('CREDENTIALS_MASTER_KEYS lacks the key');
  const { id: runId } = (await startRun(ada, flowId)).body;
  await waitFor('the run to be postponed', () => logOf().includes('A run waits'));

  await restart(NEW, OLD);
  await expectUse();
  expect(await endOf(ada, runId, 60_000)).toMatchObject({ status: 'SUCCESS', error: null });
  const rotated = { rewrapped: 1, left: 0, msg: 'Keys of workspaces were re-wrapped' };
  const lineOf = () => server.logLines().find(({ msg }) => msg === rotated.msg);
  expect(await waitFor('the rotation', lineOf)).toMatchObject(rotated);

  await restart(NEW);
  await expectUse();
  expect((await createCredential()).status).toBe(201);
}, 120_000);
