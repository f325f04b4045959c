import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { closeAll, listen } from '../servers.ts';

afterEach(closeAll);

test('proxies of the environment are not used, though node:http uses them', async () => {
  const server = await listen((_req, res) => res.end('server'));
  const proxy = await listen((_req, res) => res.end('proxy'));
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'];
  const proxies = names.flatMap((name) => [
    [name, proxy.url],
    [name.toLowerCase(), proxy.url],
  ]);
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(import.meta.dirname, 'proxy-child.ts'), server.url, `127.0.0.1:${server.port}`],
    {
      env: { ...Object.fromEntries(proxies), NODE_USE_ENV_PROXY: '1', NO_PROXY: '' },
      timeout: 20_000,
    },
  );
  expect(JSON.parse(stdout)).toEqual(['server', 'proxy']);
});
