import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readKeySet } from '../../../environment/values/key-set.ts';
import { readEnvironment } from '../../../environment/variables.ts';
import { COMPILE_CACHE } from '../../helpers/process.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../../..');
const newJwk = () =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
const setOf = (...keys: object[]) => JSON.stringify({ keys });

describe('JWT_PRIVATE_KEYS', () => {
  it('names a key without kid by its thumbprint, the same everywhere', () => {
    const jwk = newJwk();
    const kid = readKeySet(setOf(jwk))?.[0].kid;
    expect(kid).toMatch(/^[\w-]{43}$/);
    expect(readKeySet(setOf({ ...jwk, extra: 1 }))?.[0].kid).toBe(kid);
  });

  const jwk = newJwk();
  const { d: _, ...publicOnly } = newJwk();
  const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
  it.each([
    ['no JSON', 'secret-value'],
    ['no set', JSON.stringify(newJwk())],
    ['an empty set', setOf()],
    ['a public key', setOf(publicOnly)],
    ['another curve', setOf(p384.privateKey.export({ format: 'jwk' }))],
    ['a point off the curve', setOf({ ...jwk, x: newJwk().x })],
    ['a secret of another key', setOf({ ...jwk, d: newJwk().d })],
    ['one kid twice', setOf({ ...newJwk(), kid: 'a' }, { ...newJwk(), kid: 'a' })],
  ])('is refused with one line that does not show it: %s', (_what, value) => {
    expect(() => readEnvironment({ JWT_PRIVATE_KEYS: value })).toThrow(
      /^JWT_PRIVATE_KEYS: the value given is not possible; it may be a JWK set of [^\n]+$/,
    );
  });
});

describe('the keys of development', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'keys-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true }));

  const kidOfProcess = async (): Promise<string> => {
    const print =
      "import('./services/identity/sessions/signing-keys.ts').then((m) => process.stdout.write(m.signingKeys()[0].kid))";
    const { stdout } = await run(process.execPath, ['-e', print], {
      cwd: ROOT,
      env: { DATA_DIR: dataDir, ...COMPILE_CACHE },
    });
    return stdout;
  };

  it('are made once, however many processes start together, for their owner only', async () => {
    const kids = await Promise.all([kidOfProcess(), kidOfProcess(), kidOfProcess()]);
    expect(new Set(kids).size).toBe(1);
    expect(await kidOfProcess()).toBe(kids[0]);
    const folder = join(dataDir, 'keys');
    expect(readdirSync(folder)).toEqual(['access-tokens.json']);
    expect(statSync(join(folder, 'access-tokens.json')).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it('are for their owner only again when they were not', async () => {
    const kid = await kidOfProcess();
    const folder = join(dataDir, 'keys');
    chmodSync(folder, 0o755);
    chmodSync(join(folder, 'access-tokens.json'), 0o644);
    expect(await kidOfProcess()).toBe(kid);
    expect(statSync(join(folder, 'access-tokens.json')).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it('are not replaced when the file cannot be read: tokens would die unseen', async () => {
    await kidOfProcess();
    writeFileSync(join(dataDir, 'keys', 'access-tokens.json'), '{}');
    await expect(kidOfProcess()).rejects.toThrow(/holds no ES256 keys/);
  });
});
