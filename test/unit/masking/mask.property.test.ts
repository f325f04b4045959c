import fc from 'fast-check';
import { createMask } from '../../../support/masking/mask.ts';
import { maskAndCut } from '../../../support/masking/mask-and-cut.ts';

/** Secrets without an asterisk: one that contains the replacement itself may come about beside a replacement. */
const secret = fc
  .string({ unit: 'grapheme', minLength: 8, maxLength: 40 })
  .filter((text) => text.length >= 8 && text.isWellFormed() && !text.includes('*'))
  .filter((text) => text.trim().length >= 8);
const text = fc.string({ unit: 'grapheme', maxLength: 40 });

const ENCODERS: readonly ((secret: string) => string)[] = [
  (plain) => plain,
  (plain) => JSON.stringify(plain),
  (plain) => encodeURIComponent(plain),
  (plain) => new URLSearchParams({ x: plain }).toString(),
  (plain) => new URL(`https://example.com/?x=${encodeURIComponent(plain)}`).href,
  (plain) => Buffer.from(plain).toString('hex'),
];

describe('masking, whatever the secret and the text', () => {
  it('hides each encoding of the secret', () => {
    fc.assert(
      fc.property(
        secret,
        text,
        text,
        fc.constantFrom(...ENCODERS),
        (plain, before, after, encode) => {
          const masked = createMask([plain]).maskText(before + encode(plain) + after);
          expect(masked).not.toContain(plain);
          expect(masked).toContain('***');
          expect(masked.length).toBeLessThan((before + encode(plain) + after).length);
        },
      ),
    );
  });

  it('hides every character of base64 that contains a bit of the secret', () => {
    const parts = fc.tuple(
      fc.uint8Array({ maxLength: 7 }),
      secret,
      fc.uint8Array({ maxLength: 7 }),
    );
    fc.assert(
      fc.property(
        parts,
        fc.constantFrom('base64', 'base64url'),
        ([before, plain, after], encoding) => {
          const whole = Buffer.concat([before, Buffer.from(plain), after]);
          const from = Math.floor((before.length * 8) / 6);
          const to = Math.ceil(((whole.length - after.length) * 8) / 6);
          const encoded = whole.toString(encoding);
          expect(createMask([plain]).maskText(encoded)).toBe(
            `${encoded.slice(0, from)}***${encoded.slice(to)}`,
          );
        },
      ),
    );
  });

  it('leaves what is around the secret', () => {
    fc.assert(
      fc.property(secret, fc.stringMatching(/^[. ]{0,9}$/), (plain, around) => {
        fc.pre(!/[. ]/.test(plain));
        expect(createMask([plain]).maskText(`${around}${plain}${around}`)).toBe(
          `${around}***${around}`,
        );
      }),
    );
  });

  it('shows no beginning of the secret where a text was cut, by characters or by bytes', () => {
    fc.assert(
      fc.property(secret, fc.nat(), fc.constantFrom(...ENCODERS.slice(1)), (plain, at, encode) => {
        const spelled = encode(plain).replace(/^"|"$|^.*x=/g, '');
        const cut = Buffer.from(`... ${spelled}`)
          .subarray(0, 5 + (at % spelled.length))
          .toString();
        const shown = maskAndCut(createMask([plain]), cut, { maxChars: 1_000, wasCut: true });
        expect(shown.truncated).toBe(true);
        expect('... '.startsWith(shown.text.replace('***', ''))).toBe(true);
      }),
    );
  });

  it('shows no beginning of the secret where the masked text is cut', () => {
    fc.assert(
      fc.property(secret, fc.nat({ max: 60 }), fc.nat({ max: 60 }), (plain, spaces, maxChars) => {
        const before = '\u00b7'.repeat(spaces);
        fc.pre(!plain.includes('\u00b7'));
        const { text: shown, truncated } = maskAndCut(createMask([plain]), before + plain, {
          maxChars,
          wasCut: false,
        });
        expect(`${before}***`.startsWith(shown)).toBe(true);
        expect(truncated).toBe(maxChars < spaces + 3);
      }),
    );
  });
});
