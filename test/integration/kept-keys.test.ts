import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { COMPILE_CACHE } from '../../helpers/process.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../../..');
const NAME = 'credentials-master-keys';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'keys-'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

/** The id of the master key that a new process wraps by, in development without the variable. */
async function kidOfProcess(): Promise<string> {
  const print =
    "import('./services/connections/envelope/master-keys.ts').then((m) => process.stdout.write(m.readOwnMasterKeys()[0].kid))";
  const { stdout } = await run(process.execPath, ['-e', print], {
    cwd: ROOT,
    env: { DATA_DIR: dataDir, ...COMPILE_CACHE },
  });
  return stdout;
}

const permissions = () => {
  const folder = join(dataDir, 'keys');
  return [folder, join(folder, NAME)].map((path) => statSync(path).mode & 0o777);
};

it('is made once, however many processes start together, for its owner only', async () => {
  const kids = await Promise.all([kidOfProcess(), kidOfProcess(), kidOfProcess()]);
  expect(new Set(kids).size).toBe(1);
  expect(await kidOfProcess()).toBe(kids[0]);
  expect(readdirSync(join(dataDir, 'keys'))).toEqual([NAME]);
  expect(permissions()).toEqual([0o700, 0o600]);
});

it('is for its owner only again when it was not', async () => {
  const kid = await kidOfProcess();
  chmodSync(join(dataDir, 'keys'), 0o755);
  chmodSync(join(dataDir, 'keys', NAME), 0o644);
  expect(await kidOfProcess()).toBe(kid);
  expect(permissions()).toEqual([0o700, 0o600]);
});

it('is not replaced when it cannot be read: secrets would be lost', async () => {
  await kidOfProcess();
  writeFileSync(join(dataDir, 'keys', NAME), 'no key');
  await expect(kidOfProcess()).rejects.toThrow(/CREDENTIALS_MASTER_KEYS|master keys/);
});
