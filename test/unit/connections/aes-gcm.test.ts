import { createSecretKey, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { decrypt, encrypt } from '../../../services/connections/envelope/aes-gcm.ts';

const key = createSecretKey(randomBytes(32));
const otherKey = createSecretKey(randomBytes(32));
const bytes = fc.uint8Array({ maxLength: 300 });
const aad = fc.string({ unit: 'binary', maxLength: 60 }).filter((text) => text.isWellFormed());

test('bytes open with the key and the place that they were encrypted for', () => {
  fc.assert(
    fc.property(aad, bytes, (place, secret) => {
      const sealed = encrypt(key, place, secret);
      expect(decrypt(key, place, sealed)).toEqual(Buffer.from(secret));
      expect(decrypt(otherKey, place, sealed)).toBeNull();
    }),
  );
});

test('bytes open at no other place', () => {
  fc.assert(
    fc.property(aad, aad, bytes, (place, other, secret) => {
      fc.pre(place !== other);
      expect(decrypt(key, other, encrypt(key, place, secret))).toBeNull();
    }),
  );
});

test('no text with one character changed, added or removed opens, and no arbitrary text', () => {
  const character = fc.constantFrom(...'ABCxyz019-_.=v1 ');
  fc.assert(
    fc.property(aad, bytes, fc.nat(), character, fc.nat(2), (place, secret, at, char, removed) => {
      const sealed = encrypt(key, place, secret);
      const start = at % (sealed.length + 1);
      const changed = sealed.slice(0, start) + char + sealed.slice(start + removed);
      fc.pre(changed !== sealed);
      expect(decrypt(key, place, changed)).toBeNull();
    }),
    { numRuns: 500 },
  );
  fc.assert(fc.property(aad, fc.string(), (place, text) => decrypt(key, place, text) === null));
});
