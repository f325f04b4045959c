import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createWorkspace, type Person, registerVerified } from '../helpers/people.ts';
import { createFlow } from '../helpers/runs.ts';
import { type SharedServer, sharedServer, stopServers } from '../helpers/server.ts';

const FOLDER = join(import.meta.dirname, '../../examples');

let server: SharedServer;
let owner: Person;
let workspaceId: number;
beforeAll(async () => {
  server = await sharedServer();
  owner = await registerVerified(server.url);
  workspaceId = await createWorkspace(owner);
});
afterAll(stopServers);

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a program with that environment and that text on stdin. */
async function runProgram(
  program: string,
  args: string[],
  env: Record<string, string>,
  input = '',
): Promise<Ended> {
  const child = spawn(program, args, { env: { PATH: process.env.PATH, ...env } });
  child.stdin.end(input);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code, stdout, stderr };
}

describe('the script for cron and CI', () => {
  let key: string;
  beforeAll(async () => {
    const body = { workspaceId, name: 'cron', scopes: ['flows:run', 'flows:read'] };
    key = (await owner.call<{ key: string }>('POST', '/api-keys', { body })).body.key;
  });

  const script = (flowId: number, env: Record<string, string> = {}, input = '{}') =>
    runProgram('sh', [join(FOLDER, 'run-flow.sh'), String(flowId), input], {
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
  ])('exits with an error for %s', async (_, env, input, message) => {
    const { code, stdout, stderr } = await script(1, env, input);
    expect({ failed: code !== 0, stdout }).toEqual({ failed: true, stdout: '' });
    expect(stderr).toMatch(message);
  });
});

describe('pick', () => {
  const pick = (answer: string, path: string) =>
    runProgram(process.execPath, [join(FOLDER, 'pick.mjs'), path], {}, answer);

  test.each([
    ['{"id":7}', 'id', '7'],
    ['[{"title":"A tooth"}]', 'at(0).title', 'A tooth'],
    ['[{"id":1},{"id":2}]', 'map(({ id }) => id).join(" ")', '1 2'],
    ['{"output":null}', 'output', 'null'],
    ['{"a-b":[1]}', '["a-b"]', '[1]'],
  ])('takes from %s %s', async (answer, path, expected) => {
    expect(await pick(answer, path)).toEqual({ code: 0, stdout: `${expected}\n`, stderr: '' });
  });

  test('tells a problem of the service, with its places', async () => {
    const answer = await owner.call('POST', '/flows', {
      body: { workspaceId, name: 'Faulty', content: 'do: 7' },
    });
    const { code, stdout, stderr } = await pick(answer.text, 'id');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^pick: 400 INVALID_REQUEST: .*\n {2}line 1, column 5: .*\n$/);
  });

  test.each([
    ['', 'id', /there is no answer/],
    ['<html>', 'id', /not JSON: <html>/],
    ['{"name":"x"}', 'id', /the answer has no id: \{"name":"x"\}/],
    ['[]', 'at(0).id', /the answer has no at\(0\)\.id: \[\]/],
  ])('says of %j what is wrong with it', async (answer, path, message) => {
    const { code, stdout, stderr } = await pick(answer, path);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(message);
  });
});
