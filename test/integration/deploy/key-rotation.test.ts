import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { GROUPS } from '../../../deploy/secrets.ts';
import type * as AccessToken from '../../../services/identity/sessions/access-token.ts';
import { ROOT, testFolder } from './project.ts';

type Jwk = Record<string, string>;
const [{ make }] = GROUPS as [(typeof GROUPS)[0]];
const newKey = (): Jwk => JSON.parse(make()['jwt-private-keys.json'] ?? '').keys[0];
const [old, fresh] = [newKey(), newKey()];

/** A process of identity that was started with these keys, as far as tokens go. */
function identity(...keys: Jwk[]): typeof AccessToken {
  let tokens: typeof AccessToken | undefined;
  process.env.JWT_PRIVATE_KEYS = JSON.stringify({ keys });
  jest.isolateModules(() => {
    tokens = require('../../../services/identity/sessions/access-token.ts');
    tokens?.readAccessToken(''); // from here on it knows its keys
  });
  delete process.env.JWT_PRIVATE_KEYS;
  return tokens as typeof AccessToken;
}

const claims = { userId: 5, sessionId: 'session' };
/** Whether either reads what the other signs: both serve requests while processes start one by one. */
const understand = (one: typeof AccessToken, other: typeof AccessToken): boolean[] =>
  [
    [one, other],
    [other, one],
  ].map(
    ([by, reader]) =>
      reader?.readAccessToken(by?.signAccessToken(claims, new Date()) ?? '') !== null,
  );

describe('a change of the keys of access tokens', () => {
  const folder = testFolder();
  const steps: Jwk[][] = [[old], [old, fresh], [fresh, old], [fresh]];

  it.each([0, 1])('loses no token between step %i and the next, process by process', (at) => {
    const [before, after] = [steps[at] ?? [], steps[at + 1] ?? []];
    expect(understand(identity(...before), identity(...after))).toEqual([true, true]);
  });

  it('ends only the tokens that the old key has signed with its removal', () => {
    const [both, last] = [identity(fresh, old), identity(fresh)];
    expect(understand(both, last)).toEqual([true, true]);
    expect(last.readAccessToken(identity(old).signAccessToken(claims, new Date()))).toBeNull();
  });

  it('may not begin with the new key first: what it signs is refused where it is not known', () => {
    expect(understand(identity(old), identity(fresh, old))).toEqual([true, false]);
  });

  it('is made by one command a step, which prints ids alone', () => {
    const file = join(folder, 'jwt-private-keys.json');
    writeFileSync(file, JSON.stringify({ keys: [old] }));
    chmodSync(file, 0o640);
    const elsewhere = join(folder, 'elsewhere');
    writeFileSync(elsewhere, '');
    symlinkSync(elsewhere, `${file}.new`);
    const keys = (): Jwk[] => JSON.parse(readFileSync(file, 'utf8')).keys;
    const step = (name: string) => {
      const before = keys();
      const script = join(ROOT, 'deploy/signing-keys.ts');
      const result = spawnSync(
        'sh',
        ['-c', 'umask 077; exec "$@"', 'sh', process.execPath, script, name, file],
        { encoding: 'utf8' },
      );
      for (const { d = '' } of [...before, ...keys()]) expect(result.stdout).not.toContain(d);
      return { ...result, before, after: keys() };
    };
    const told = (...ids: (string | undefined)[]) =>
      ids.map((id, at) => `${at === 0 ? 'signs' : 'verifies'}: ${id}\n`).join('');

    expect(step('use').stderr).toBe('There is no second key to use: add one.\n');
    expect(step('drop').stderr).toBe('There is one key, which signs: nothing to drop.\n');
    const added = step('add');
    const made = keys()[1]?.kid;
    expect(added.stdout).toBe(told(old.kid, made));
    const used = step('use');
    expect(used.stdout).toBe(told(made, old.kid));
    expect(step('use')).toMatchObject({ status: 0, stdout: used.stdout, after: used.after });
    const dropped = step('drop');
    expect(dropped.stdout).toBe(told(made));
    for (const { before, after } of [added, used, dropped]) {
      expect(understand(identity(...before), identity(...after))).toEqual([true, true]);
    }
    expect(statSync(file).mode & 0o777).toBe(0o640);
    expect(readFileSync(elsewhere, 'utf8')).toBe('');
    expect(readdirSync(folder)).toHaveLength(3);

    writeFileSync(file, JSON.stringify({ keys: [{ ...old, d: fresh.d }] }));
    expect(step('add').stderr).toBe(`${file}: not a set of ES256 private keys (JWK).\n`);
    expect(keys()).toHaveLength(1);
  });
});
