import { generateKeyPairSync } from 'node:crypto';
import { readKeySet } from '../../../environment/values/key-set.ts';
import { readEnvironment } from '../../../environment/variables.ts';

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
