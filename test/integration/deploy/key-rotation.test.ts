import { spawnSync } from 'node:child_process';
import { GROUPS } from '../../../deploy/secrets.ts';
import type * as AccessToken from '../../../services/identity/sessions/access-token.ts';
import { ROOT, textOf } from './project.ts';

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
  ].map(([by, reader]) => reader?.readAccessToken(by?.signAccessToken(claims) ?? '') !== null);

describe('a change of the keys of access tokens', () => {
  const steps: Jwk[][] = [[old], [old, fresh], [fresh, old], [fresh]];

  it.each([0, 1])('loses no token between step %i and the next, process by process', (at) => {
    const [before, after] = [steps[at] ?? [], steps[at + 1] ?? []];
    expect(understand(identity(...before), identity(...after))).toEqual([true, true]);
  });

  it('ends only the tokens that the old key has signed with its removal', () => {
    const [both, last] = [identity(fresh, old), identity(fresh)];
    expect(understand(both, last)).toEqual([true, true]);
    expect(last.readAccessToken(identity(old).signAccessToken(claims))).toBeNull();
  });

  it('may not begin with the new key first: what it signs is refused where it is not known', () => {
    expect(understand(identity(old), identity(fresh, old))).toEqual([true, false]);
  });

  it('begins with a key that the documented line makes', () => {
    const [, line = ''] = /^ *node -e '(.+)'$/m.exec(textOf('docs/operations-docker.md')) ?? [];
    const { stdout } = spawnSync(process.execPath, ['-e', line], { cwd: ROOT, encoding: 'utf8' });
    const made = identity(JSON.parse(stdout));
    expect(made.readAccessToken(made.signAccessToken(claims))).toEqual(claims);
  });
});
