import fc from 'fast-check';
import {
  describeClient,
  MAX_USER_AGENT_LENGTH,
} from '../../../services/identity/sessions/session-client.ts';

const userAgentOf = (userAgent: string | null) =>
  describeClient({ address: '192.0.2.1', userAgent }).userAgent;

it.each([
  ['Mozilla/5.0 (X11; Linux x86_64)', 'Mozilla/5.0 (X11; Linux x86_64)'],
  ['  a\t\r\n b ', 'a b'],
  ['\u0000\u0085\u200b\u202e', null],
  ['', null],
  [null, null],
  ['a\u202eb\ud800c\u2028d', 'a b c d'],
  ['😀'.repeat(300), '😀'.repeat(MAX_USER_AGENT_LENGTH)],
  [`${'x'.repeat(MAX_USER_AGENT_LENGTH - 1)} y`, 'x'.repeat(MAX_USER_AGENT_LENGTH - 1)],
])('the User-Agent %j is stored as %j', (given, stored) => {
  expect(userAgentOf(given)).toBe(stored);
});

const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/u;
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 600 }),
  fc.string({
    unit: fc.constantFrom('a', ' ', '\t', '\n', '\u0000', '\ud83d', '\ude00', '\u202e'),
  }),
);

it('is null or one printable line, trimmed and bounded, and stays as it is when it comes again', () => {
  fc.assert(
    fc.property(anyText, (given) => {
      const stored = userAgentOf(given);
      if (stored === null) return;
      expect(stored).not.toMatch(UNPRINTABLE);
      expect(stored).toBe(stored.trim());
      expect(stored).not.toMatch(/\s\s/);
      expect([...stored].length).toBeLessThanOrEqual(MAX_USER_AGENT_LENGTH);
      expect(userAgentOf(stored)).toBe(stored);
    }),
    { numRuns: 2_000 },
  );
});

it('loses no printable ASCII within the limit', () => {
  const printable = fc.string({
    unit: fc.constantFrom('a', '/', '5', '.', ';', '('),
    minLength: 1,
  });
  fc.assert(fc.property(printable, (text) => expect(userAgentOf(text)).toBe(text)));
});

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['2001:db8::1', '2001:db8::1'],
  ['none', null],
  ['unknown', null],
  ['', null],
])('the address %j is stored as %j', (given, stored) => {
  expect(describeClient({ address: given, userAgent: null }).address).toBe(stored);
});
