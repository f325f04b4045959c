/**
 * Runs what uses a database on a real MongoDB engine: `npm run test:mongodb -- --shard=1/4`. Every run has the tests of
 * `EVERY_TIME` and those of `OVER_NATS`; of the other tests of e2e and integration a run has its shard. File names in
 * place of a shard run those alone.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { EMBEDDED_ONLY, KNOWN_FAILURES, EXCEPTIONS } from './exceptions.ts';
import { fetchNewerLibc } from './newer-libc.ts';
import { judgePlans } from './plans/judge-plans.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The tour of the README, and the matrices that go over the whole contract. */
const EVERY_TIME = [
  'test/tools/readme.test.ts',
  'test/e2e/permissions.test.ts',
  'test/e2e/permissions/matrix.long.test.ts',
  'test/e2e/lists.long.test.ts',
  'test/e2e/etags.long.test.ts',
];

/** Tests of what several processes claim and share, which run with the service in several processes. */
const OVER_NATS = [
  'test/e2e/runs.test.ts',
  'test/e2e/runs-concurrency.test.ts',
  'test/e2e/distributed/webhooks.test.ts',
];

/** The file that all tests with a database depend on. */
const DATABASE = 'test/mongodb/start-mongo.ts';

main();

function main(): void {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { shard: { type: 'string', default: '1/1' } },
  });
  const [index = 0, shards = 0] = values.shard.split('/').map(Number);
  try {
    if (!(index >= 1 && index <= shards))
      throw new Error('--shard takes a number and how many: 1/4');
    tellExceptions();
    fetchEngine();
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(1);
  }
  const PLANS_FOLDER = mkdtempSync(join(tmpdir(), 'plans-'));
  const ofShard = filesWithDatabase().filter((_, at) => at % shards === index - 1);
  const named = positionals.length > 0;
  const parts = named
    ? [jest(positionals, { PLANS_FOLDER })]
    : [
        jest([...new Set([...EVERY_TIME, ...ofShard])], { PLANS_FOLDER }),
        jest(OVER_NATS, { PLANS_FOLDER, TEST_NATS: '1' }),
      ];
  const faults = judgePlans(PLANS_FOLDER, !named && shards === 1);
  rmSync(PLANS_FOLDER, { recursive: true });
  process.stdout.write(faults.map((fault) => `${fault}\n`).join(''));
  process.exitCode = parts.every(Boolean) && faults.length === 0 ? 0 : 1;
}

/** Installs the engine of the lock file, and the libraries that it needs. */
function fetchEngine(): void {
  const args = ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
  const { status, stderr } = spawnSync('npm', [...args, '--prefix', import.meta.dirname], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`npm cannot fetch the engine: ${stderr}`);
  fetchNewerLibc();
}

/** Tells the exceptions. Throws when there are more than before, and when this file or that list names a missing file. */
function tellExceptions(): void {
  const tests = Object.entries(KNOWN_FAILURES).flatMap(([file, names]) =>
    Object.entries(names).map(([name, reason]) => `${file}, ${name}: ${reason}`),
  );
  const files = Object.entries(EMBEDDED_ONLY).map(([file, reason]) => `${file}: ${reason}`);
  const exceptions = [...files, ...tests];
  process.stdout.write(
    `${exceptions.length} exceptions on the real engine, which may only become fewer:\n` +
      exceptions.map((exception) => `  ${exception}\n`).join(''),
  );
  if (exceptions.length !== EXCEPTIONS) {
    throw new Error(`exceptions.ts says ${EXCEPTIONS} exceptions and has ${exceptions.length}`);
  }
  const named = [
    ...EVERY_TIME,
    ...OVER_NATS,
    ...Object.keys({ ...EMBEDDED_ONLY, ...KNOWN_FAILURES }),
  ];
  const missing = named.filter((file) => !existsSync(join(ROOT, file)));
  if (missing.length > 0)
    throw new Error(`test/mongodb names missing files: ${missing.join(', ')}`);
}

/** The test files of e2e and integration that use a database and do not take long. */
function filesWithDatabase(): string[] {
  const { stdout } = runJest(['--listTests', '--json', '--findRelatedTests', DATABASE], {});
  return (JSON.parse(stdout) as string[])
    .map((file) => relative(ROOT, file))
    .filter((file) => /^test\/(?:e2e|integration)\//.test(file) && !file.includes('.long.'))
    .filter((file) => !(file in EMBEDDED_ONLY))
    .sort();
}

/** Runs test files; tells whether all passed. */
function jest(files: readonly string[], env: Record<string, string>): boolean {
  return runJest(['--runTestsByPath', ...files], env, 'inherit').status === 0;
}

function runJest(args: readonly string[], env: Record<string, string>, stdout?: 'inherit') {
  const program = join(ROOT, 'node_modules/jest/bin/jest.js');
  return spawnSync(process.execPath, [program, ...args], {
    cwd: ROOT,
    env: { ...process.env, TEST_MONGODB: '1', ...env },
    stdio: ['ignore', stdout ?? 'pipe', 'inherit'],
    encoding: 'utf8',
  });
}
