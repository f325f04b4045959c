import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { request } from '../helpers/http.ts';
import { startServer, stopServers } from '../helpers/server.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Node.js as if the package had not been installed. */
const WITHOUT_REPL = `--import=data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve(name, context, next) {
      if (name !== 'moleculer-repl') return next(name, context);
      throw Object.assign(new Error('missing'), { code: 'MODULE_NOT_FOUND' });
    },
  });
`)}`;

afterAll(stopServers);

test('the service starts and answers without the package of the console', async () => {
  const server = await startServer({ env: { NODE_OPTIONS: WITHOUT_REPL } });
  expect((await request(server.url, 'GET', '/health/ready')).status).toBe(200);
  expect(await server.stop()).toBe(0);
});

test('the console says in one line what to install', async () => {
  const { PATH } = process.env;
  const started = promisify(execFile)(process.execPath, ['console/repl.ts'], {
    cwd: ROOT,
    env: { PATH, NODE_ENV: 'test', NODE_OPTIONS: WITHOUT_REPL },
  });
  await expect(started).rejects.toMatchObject({
    code: 1,
    stderr: 'moleculer-repl is not installed: "npm ci" without --omit=dev brings it.\n',
  });
});
