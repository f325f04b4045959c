import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, globSync, lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { GROUPS } from '../../deploy/secrets.ts';
import { freePort } from '../helpers/free-port.ts';
import { request } from '../helpers/http.ts';
import { createWorkspace, register } from '../helpers/people.ts';
import { exitOf } from '../helpers/process.ts';
import { createFlow, runToEnd } from '../helpers/runs.ts';
import { dataFolder, stopServers } from '../helpers/server.ts';
import { startDatabase } from '../helpers/spread.ts';
import { waitFor } from '../helpers/wait.ts';
import { ROOT, textOf } from '../integration/deploy/project.ts';
import { ImageStages } from './image-stages.ts';

const MB = 1_000_000;
/** Bytes that the files of the service and its packages may take. docs/operations-docker.md tells their present size. */
const MAX_BYTES = 120 * MB;
/** Bytes beyond which a file is probably a program such as a second Node.js. */
const MAX_FILE_BYTES = 20 * MB;
/** The user of the image, whom the test becomes where it runs as root. */
const USER = process.getuid?.() === 0 ? { uid: 1000, gid: 1000 } : {};

interface Lock {
  packages: Record<string, { version: string; dev?: boolean; link?: boolean }>;
}
interface Sbom {
  bomFormat: string;
  specVersion: string;
  components: { name: string; version: string; purl: string }[];
}

const folder = dataFolder();
let app: string;
beforeAll(async () => {
  chmodSync(folder, 0o755);
  app = await new ImageStages(folder).build('service');
}, 600_000);
afterAll(stopServers);

const filesOf = (path: string): string[] =>
  globSync('**/*', { cwd: path }).filter((name) => lstatSync(join(path, name)).isFile());
const sbom = (): Sbom => JSON.parse(readFileSync(join(app, 'sbom.cdx.json'), 'utf8'));

test('a process in production answers, with nothing but what the image has, as a user who can write nothing', async () => {
  const { uri } = await startDatabase(dataFolder());
  const port = String(await freePort());
  const made: Record<string, string> = Object.assign({}, ...GROUPS.map((group) => group.make()));
  const env = {
    PATH: process.env.PATH,
    NODE_ENV: 'production',
    BUILD_COMMIT: '0123456789abcdef0123456789abcdef01234567',
    PORT: port,
    MONGODB_URI: uri,
    JWT_PRIVATE_KEYS: made['jwt-private-keys.json'],
    CREDENTIALS_MASTER_KEYS: made['credentials-master-keys'],
    SMTP_URL: 'smtps://service:secret@127.0.0.1:9',
    MAIL_FROM: 'service@example.com',
  };
  const [, ...command] = commandOf('CMD');
  const child = spawn(process.execPath, command, { cwd: app, env, ...USER });
  const output = text(child.stdout);
  const url = `http://127.0.0.1:${port}`;
  await waitFor('the service', () => {
    if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}`);
    return request(url, 'GET', '/health/ready').then(
      ({ status }) => status === 200,
      () => false,
    );
  });
  const ada = await register(url); // argon2's binary
  const content = `do:\n  - sum: { set: { total: '\${ $sum([1, 2, 3]) }' } }\n`; // in a child process
  const flowId = await createFlow(ada, await createWorkspace(ada), content);
  expect(await runToEnd(ada, flowId)).toMatchObject({ status: 'SUCCESS', output: { total: 6 } });
  expect((await request(url, 'GET', '/docs')).status).toBe(200);
  expect((await request(url, 'GET', '/health/live')).body).toMatchObject({
    commit: env.BUILD_COMMIT,
  });

  // What a process loads with its first use is there as well.
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const headers = { accept: 'application/json, text/event-stream' };
  expect((await ada.call('POST', '/mcp', { body: ping, headers })).status).toBe(200);
  const names = [
    'nodemailer/lib/smtp-connection',
    'nodemailer/lib/mail-composer',
    'jose',
    'file-type',
  ];
  const imports = `await Promise.all(${JSON.stringify(names)}.map((name) => import(name)))`;
  const load = ['--input-type=module', '-e', imports];
  expect(spawnSync(process.execPath, load, { cwd: app, ...USER }).status).toBe(0);

  const [, ...check] = commandOf('HEALTHCHECK');
  const health = () => spawnSync(process.execPath, check, { cwd: app, env, ...USER }).status;
  expect(health()).toBe(0);
  child.kill('SIGTERM');
  expect([await exitOf(child), (await output).split('\n').at(-2)]).toEqual([0, expect.any(String)]);
  expect(health()).toBe(1);
});

/** The words of the last CMD of an instruction. */
function commandOf(keyword: 'CMD' | 'HEALTHCHECK'): string[] {
  const lines = textOf('Dockerfile')
    .replace(/\s*\\\n\s*/g, ' ')
    .split('\n');
  const line = lines.findLast((one) => one.startsWith(`${keyword} `)) ?? '';
  return JSON.parse(line.slice(line.indexOf('[')));
}

test('the image has no second Node.js, no test and no secret, and is not larger than is told', () => {
  const files = filesOf(app);
  const sizes = files.map((name) => lstatSync(join(app, name)).size);
  expect(files.filter((_, index) => (sizes[index] ?? 0) > MAX_FILE_BYTES)).toEqual([]);
  expect(globSync('node_modules/{node-linux-*,.bin/node}', { cwd: app })).toEqual([]);
  const own = files.filter((name) => !name.startsWith('node_modules/'));
  expect(
    own.filter((name) => /\.test\.ts$|^test\/|^deploy\/secrets\/|^deploy\/make-/.test(name)),
  ).toEqual([]);
  expect(own).toContain('server.ts');
  const total = sizes.reduce((sum, size) => sum + size, 0);
  expect(total).toBeLessThan(MAX_BYTES);
  expect(total).toBeGreaterThan(MAX_BYTES / 2); // or the bound and the document are old
});

test('the SBOM lists what the lock file has for production, in the version that is installed, and nothing else', () => {
  const { bomFormat, specVersion, components } = sbom();
  expect([bomFormat, specVersion]).toEqual(['CycloneDX', '1.5']);
  const lock: Lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const installed = Object.entries(lock.packages)
    .filter(([path, { link }]) => path.includes('node_modules/') && !link)
    .filter(([path]) => globSync(`${path}/package.json`, { cwd: app }).length > 0);
  const wanted = installed.map(
    ([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`,
  );
  const listed = components
    .filter(({ purl }) => !purl.startsWith('pkg:npm/%40workspace-automation/'))
    .map(({ name, version }) => `${name}@${version}`);
  expect([...new Set(listed)].sort()).toEqual([...new Set(wanted)].sort());
  expect(installed.filter(([, { dev }]) => dev)).toEqual([]);
  const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(
    textOf('package.json'),
  );
  const direct = Object.entries(dependencies).map((entry) => entry.join('@'));
  expect(listed).toEqual(expect.arrayContaining(direct));
  for (const { purl } of components) expect(purl).toMatch(/^pkg:npm\/[^?]+$/);
});

test('the image of the console loads what it needs, and lists it', async () => {
  const console = await new ImageStages(folder).build('console');
  const { stderr } = spawnSync(process.execPath, ['console/repl.ts'], {
    cwd: console,
    env: { PATH: process.env.PATH },
    encoding: 'utf8',
  });
  expect(stderr).toContain('NATS_URL: unset, but the console joins the system over NATS.');
  const { components }: Sbom = JSON.parse(readFileSync(join(console, 'sbom.cdx.json'), 'utf8'));
  expect(components.map(({ name }) => name)).toContain('moleculer-repl');
  expect(sbom().components.map(({ name }) => name)).not.toContain('moleculer-repl');
}, 600_000);
