import fc from 'fast-check';
import {
  hintsOf,
  isWellFormed,
  newApiKey,
  withChecksum,
} from '../../../services/identity/api-keys/api-key.ts';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const digit = fc.constantFrom(...DIGITS);
const secret = fc.string({ unit: digit, minLength: 32, maxLength: 32 });

describe('an API key', () => {
  it('is wsk_, 32 characters of secret and 6 of checksum', () => {
    expect(newApiKey()).toMatch(/^wsk_[0-9A-Za-z]{38}$/);
    expect(newApiKey()).not.toBe(newApiKey());
  });

  it('is well formed whatever its secret', () => {
    fc.assert(fc.property(secret, (text) => isWellFormed(withChecksum(text))));
  });

  it('is known to be mistyped when any one character differs', () => {
    fc.assert(
      fc.property(secret, fc.nat(37), digit, (text, at, other) => {
        const key = withChecksum(text);
        const index = 4 + at;
        fc.pre(key[index] !== other);
        return !isWellFormed(key.slice(0, index) + other + key.slice(index + 1));
      }),
    );
  });

  it('is nothing else than a key: any other text is refused', () => {
    fc.assert(fc.property(fc.string({ maxLength: 60 }), (text) => !isWellFormed(text)));
    const key = newApiKey();
    for (const text of ['', ` ${key}`, `${key}\n`, key.slice(0, -1), `${key}0`, key.slice(4)]) {
      expect(isWellFormed(text)).toBe(false);
    }
  });

  it('has the checksum of CRC-32 in base62', () => {
    // the checksum as Python's zlib has it
    expect(withChecksum('0'.repeat(32))).toBe(`wsk_${'0'.repeat(32)}${base62(0xa0f292d0)}`);
  });

  it('shows its first eight and last four characters', () => {
    const key = newApiKey();
    expect(hintsOf(key)).toEqual({ prefix: key.slice(0, 8), lastFour: key.slice(38) });
  });
});

function base62(value: number): string {
  let rest = BigInt(value);
  let text = '';
  for (let at = 0; at < 6; at++) {
    text = DIGITS.charAt(Number(rest % 62n)) + text;
    rest /= 62n;
  }
  return text;
}
