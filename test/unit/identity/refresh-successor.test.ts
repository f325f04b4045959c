import { createHash, generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import type { KeySet, SigningKey } from '../../../environment/values/key-set.ts';
import { newSecret } from '../../../services/identity/secret.ts';
import { presentKid } from '../../../services/identity/sessions/derived-key.ts';
import { successorOf } from '../../../services/identity/sessions/refresh-successor.ts';

const key = (kid: string): SigningKey => ({
  kid,
  ...generateKeyPairSync('ec', { namedCurve: 'P-256' }),
});
const [old, fresh] = [key('old'), key('fresh')];
let mockKeys: KeySet = [old, fresh];
jest.mock('../../../services/identity/sessions/signing-keys.ts', () => ({
  signingKeys: () => mockKeys,
}));
afterEach(() => {
  mockKeys = [old, fresh];
});

it('has the form of a token of ours, and differs from its token and those of other tokens', () => {
  fc.assert(
    fc.property(fc.array(fc.constant(null).map(newSecret), { minLength: 2 }), (tokens) => {
      const successors = tokens.map((token) => successorOf(token, 'old'));
      for (const successor of successors) expect(successor).toMatch(/^[\w-]{43}$/);
      expect(new Set([...tokens, ...successors]).size).toBe(2 * tokens.length);
    }),
  );
});

it('is the same in a process in which another key signs, as long as it has the first one', () => {
  const token = newSecret();
  const kid = presentKid();
  const successor = successorOf(token, kid);
  mockKeys = [fresh, old];
  expect(presentKid()).toBe('fresh');
  expect(successorOf(token, kid)).toBe(successor);
  expect(successorOf(token, 'fresh')).not.toBe(successor);
});

it('is none without the key, and cannot be had from the token alone', () => {
  const token = newSecret();
  mockKeys = [fresh];
  expect(successorOf(token, 'unknown')).toBeNull();
  const hash = createHash('sha256').update(token).digest('base64url');
  expect(successorOf(token, 'fresh')).not.toBe(hash);
});
