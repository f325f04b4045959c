import { join } from 'node:path';
import { EXAMPLES } from '../helpers/examples.ts';
import { createWorkspace, type Person, registerVerified } from '../helpers/people.ts';
import { runWith } from '../helpers/run-with.ts';
import { createFlow } from '../helpers/runs.ts';
import { type SharedServer, sharedServer, stopServers } from '../helpers/server.ts';

let server: SharedServer;
let owner: Person;
let workspaceId: number;
beforeAll(async () => {
  server = await sharedServer();
  owner = await registerVerified(server.url);
  workspaceId = await createWorkspace(owner);
});
afterAll(stopServers);

describe('the script for cron and CI', () => {
  let key: string;
  beforeAll(async () => {
    const body = { workspaceId, name: 'cron', scopes: ['flows:run', 'flows:read'] };
    key = (await owner.call<{ key: string }>('POST', '/api-keys', { body })).body.key;
  });

  const script = (flowId: number, env: Record<string, string> = {}, input = '{}') =>
    runWith('sh', [join(EXAMPLES, 'run-flow.sh'), String(flowId), input], {
      BASE: server.url,
      KEY: key,
      ...env,
    });

  test('exits with 0 after a run that succeeds, and a repetition is the same run', async () => {
    const rest = 'do:\n  - rest: { wait: PT0.5S }\n  - done: { set: { "status": "FAILED" } }\n';
    const flowId = await createFlow(owner, workspaceId, rest, 'the "status":"FAILED" flow');
    const once = { IDEMPOTENCY_KEY: 'nightly-1' };
    const first = await script(flowId, once);
    expect(first.code).toBe(0);
    expect(JSON.parse(first.stdout)).toMatchObject({
      status: 'SUCCESS',
      startedBy: { name: 'cron' },
    });
    expect((await script(flowId, once)).stderr).toBe(first.stderr);
    expect((await owner.call<unknown[]>('GET', `/flows/${flowId}/runs`)).body).toHaveLength(1);
  });

  test('exits with 1 after a run that fails, and shows the run', async () => {
    const fail =
      'do:\n  - fail: { raise: { error: { type: https://a.test/x, status: 400, title: No } } }\n';
    const { code, stdout, stderr } = await script(await createFlow(owner, workspaceId, fail));
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/"status":"FAILED".*"title":"No"/);
  });

  test.each<[string, Record<string, string>, string, RegExp]>([
    ['a wrong key', { KEY: 'wsk_wrong' }, '{}', /UNAUTHENTICATED/],
    ['an input that is no JSON', {}, '{', /MALFORMED_BODY/],
    ['no key', { KEY: '' }, '{}', /KEY/],
    ['no service', { BASE: 'http://127.0.0.1:1' }, '{}', /curl/],
  ])('exits with an error for %s', async (_, env, input, message) => {
    const { code, stdout, stderr } = await script(1, env, input);
    expect({ failed: code !== 0, stdout }).toEqual({ failed: true, stdout: '' });
    expect(stderr).toMatch(message);
  });
});
