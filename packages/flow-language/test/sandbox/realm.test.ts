import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { Script } from 'node:vm';
import fc from 'fast-check';
import { decodeBase64, encodeBase64 } from '../../sandbox/child/realm/base64.ts';
import { compileRegExp } from '../../sandbox/child/realm/code-points.ts';
import { utf8Length } from '../../sandbox/child/realm/utf8.ts';
import { Realm } from '../../sandbox/child/realm.ts';

test('an evaluation that nothing will ever settle is over at once', async () => {
  const endless = new Script(
    '({ begin() {}, phase: () => "running", resume() {}, result: () => "" })',
  );
  const result = await new Realm(endless).perform('{}', () => {});
  expect(JSON.parse(result)).toMatchObject({
    kind: 'fault',
    fault: { code: 'EXPRESSION_TIMEOUT' },
  });
});

test('what evaluations share is frozen, after all attacks as before', () => {
  const flags = ['--disable-proto=delete', '--disable-warning=ExperimentalWarning'];
  const program = join(import.meta.dirname, 'shared-objects.ts');
  const unfrozen = execFileSync(process.execPath, [...flags, program], { encoding: 'utf8' });
  expect(JSON.parse(unfrozen)).toEqual([]);
});

const text = fc.string({ unit: fc.nat(0xffff).map((code) => String.fromCharCode(code)) });

test('texts are encoded in Base64 as Node does it', () => {
  fc.assert(
    fc.property(text, (plain) => {
      expect(encodeBase64(plain)).toBe(Buffer.from(plain, 'binary').toString('base64'));
    }),
  );
});

const digits = fc.string({ unit: fc.constantFrom(...'AZaz09+/-_ \n.ü') });
const padding = fc.constantFrom('', '=', '==', '=A', '==AA');

test('and decoded', () => {
  fc.assert(
    fc.property(digits, padding, (encoded, end) => {
      const expected = Buffer.from(encoded + end, 'base64').toString('binary');
      expect(decodeBase64(encoded + end)).toBe(expected);
    }),
  );
});

test('the bytes of a text are counted as Node counts them', () => {
  fc.assert(
    fc.property(text, (counted) => {
      expect(utf8Length(counted)).toBe(Buffer.byteLength(counted));
    }),
  );
});

describe('a regular expression', () => {
  const part = fc.constantFrom(
    ...[
      'a',
      'b',
      '_',
      '-',
      '\\-',
      '\\_',
      '\\@',
      '\\w',
      '\\d',
      '[ab]',
      '[\\w-.]',
      '[^\\-a]',
      '[\\d-]',
      '(b)',
    ],
    ...[
      '{',
      '}',
      ']',
      '{2}',
      '{,3}',
      '*',
      '?',
      '+',
      '|',
      '.',
      '\\.',
      '\\/',
      '^',
      '$',
      '\\b',
      '[[]',
      '\\\\',
    ],
  );
  const pattern = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''));
  const text = fc.string({
    unit: fc.constantFrom('a', 'b', '_', '-', '1', '{', '}', ']', '[', '.', '@', '\\'),
  });

  test('that is valid without the flag u has the flag, and matches the same', () => {
    fc.assert(
      fc.property(pattern, text, (source, given) => {
        let plain: RegExp;
        try {
          plain = new RegExp(source, 'g');
        } catch {
          return;
        }
        const compiled = compileRegExp(source, 'g');
        expect(compiled.unicode).toBe(true);
        expect([...given.matchAll(compiled)]).toEqual([...given.matchAll(plain)]);
      }),
      { numRuns: 3_000 },
    );
  });
});
