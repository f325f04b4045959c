import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { request } from '../helpers/http.ts';
import { startProcess } from '../helpers/process.ts';
import { dataFolder, stopServers } from '../helpers/server.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Folders that a fresh checkout does not have. */
const NOT_CHECKED_OUT = new Set(['node_modules', '.git', 'data']);

afterAll(stopServers);

test('the service starts with what `npm ci --omit=dev` installs', async () => {
  const checkout = join(dataFolder(), 'checkout');
  await cp(ROOT, checkout, {
    recursive: true,
    filter: (path) => !NOT_CHECKED_OUT.has(basename(path)),
  });
  const install = ['ci', '--omit=dev', '--prefer-offline', '--no-audit', '--no-fund'];
  await promisify(execFile)('npm', install, { cwd: checkout });

  const service = startProcess({ DATA_DIR: dataFolder() }, checkout);
  const url = (await service.ready) ?? '';
  expect((await request(url, 'GET', '/health/ready')).status).toBe(200);
  expect((await request(url, 'GET', '/docs')).status).toBe(200);
  service.signal('SIGTERM');
  expect(await service.exited).toBe(0);
});
