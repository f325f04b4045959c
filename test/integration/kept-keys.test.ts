import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { COMPILE_CACHE } from '../helpers/process.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'keys-'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

/** The keys that a process of development makes and keeps: their file, the expression for their id, and the error. */
const KEPT = [
  {
    keys: 'the keys of access tokens',
    file: 'access-tokens.json',
    first: "import('./services/identity/sessions/signing-keys.ts').then((m) => m.signingKeys()[0])",
    unreadable: /holds no ES256 keys/,
  },
  {
    keys: 'the master keys',
    file: 'credentials-master-keys',
    first:
      "import('./services/connections/envelope/master-keys.ts').then((m) => m.readOwnMasterKeys()[0])",
    unreadable: /CREDENTIALS_MASTER_KEYS|master keys/,
  },
];

describe.each(KEPT)('$keys of development', ({ file, first, unreadable }) => {
  /** The id of the key that a new process uses. */
  async function kidOfProcess(): Promise<string> {
    const print = `${first}.then(({ kid }) => process.stdout.write(kid))`;
    const env = { DATA_DIR: dataDir, ...COMPILE_CACHE };
    return (await run(process.execPath, ['-e', print], { cwd: ROOT, env })).stdout;
  }
  const paths = () => [join(dataDir, 'keys'), join(dataDir, 'keys', file)] as const;
  const permissions = () => paths().map((path) => statSync(path).mode & 0o777);

  it('are made once, however many processes start together, for their owner only', async () => {
    const kids = await Promise.all([kidOfProcess(), kidOfProcess(), kidOfProcess()]);
    expect(kids[0]).not.toBe('');
    expect(new Set(kids).size).toBe(1);
    expect(await kidOfProcess()).toBe(kids[0]);
    expect(readdirSync(paths()[0])).toEqual([file]);
    expect(permissions()).toEqual([0o700, 0o600]);
  });

  it('are for their owner only again when they were not', async () => {
    const kid = await kidOfProcess();
    chmodSync(paths()[0], 0o755);
    chmodSync(paths()[1], 0o644);
    expect(await kidOfProcess()).toBe(kid);
    expect(permissions()).toEqual([0o700, 0o600]);
  });

  it('are not replaced when the file cannot be read: tokens and secrets would be lost', async () => {
    await kidOfProcess();
    writeFileSync(paths()[1], '{}');
    await expect(kidOfProcess()).rejects.toThrow(unreadable);
  });
});
