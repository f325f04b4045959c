import { createMask } from '../../../support/masking/mask.ts';

const SECRET = 'p\u00e4ss/w+rd "&<1>\' 50%';
const mask = createMask([SECRET]);
const bytes = Buffer.from(SECRET);
const basic = (user: string) => Buffer.from(`${user}:${SECRET}`).toString('base64');
const percent = [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
const query = new URLSearchParams({ x: SECRET }).toString().slice(2);
const url = new URL('https://example.com');
url.searchParams.set('x', SECRET);

describe('a mask', () => {
  it.each([
    ['plain', SECRET],
    ['JSON', JSON.stringify(SECRET).slice(1, -1)],
    ['JSON in JSON', JSON.stringify(JSON.stringify(SECRET)).slice(3, -3)],
    ['JSON with escaped slashes', 'p\u00e4ss\\/w+rd \\"&<1>\' 50%'],
    ['JSON of PHP', 'p\\u00e4ss\\/w+rd \\"&<1>\' 50%'],
    ['JSON of Python', 'p\\u00e4ss/w+rd \\"&<1>\' 50%'],
    ['JSON of Go', 'p\u00e4ss/w+rd \\"\\u0026\\u003c1\\u003e\' 50%'],
    ['JSON of .NET', 'p\\u00E4ss/w\\u002Brd \\u0022\\u0026\\u003C1\\u003E\\u0027 50%'],
    ['encodeURIComponent', encodeURIComponent(SECRET)],
    [
      'encodeURIComponent, lower case',
      encodeURIComponent(SECRET).replace(/%../g, (c) => c.toLowerCase()),
    ],
    ['encodeURI', encodeURI(SECRET)],
    ['a form', query],
    ['a query', url.search.slice(3)],
    [
      'a parameter of an address that is a parameter',
      encodeURIComponent(encodeURIComponent(SECRET)),
    ],
    ['UTF-8 that is read as Latin-1', bytes.toString('latin1')],
    ['percent-encoded bytes', percent],
    ['percent-encoded bytes, upper case', percent.toUpperCase()],
    ['HTML', 'p\u00e4ss/w+rd &quot;&amp;&lt;1&gt;&#39; 50%'],
    ['XML', 'p\u00e4ss/w+rd &quot;&amp;&lt;1&gt;&apos; 50%'],
    ['hexadecimal', bytes.toString('hex')],
    ['hexadecimal, upper case', bytes.toString('hex').toUpperCase()],
  ])('covers %s', (_, spelling) => {
    expect(mask.maskText(`before ${spelling} after`)).toBe('before *** after');
    expect(mask.maskText(spelling)).toBe('***');
  });

  it.each(['', 'a', 'ab', 'abc', 'user', 'useri', 'userid'])(
    'covers a Basic header of the user "%s"',
    (user) => {
      const header = basic(user);
      const shown = mask.maskText(`Basic ${header}`);
      const before = header.slice(0, Math.floor(((user.length + 1) * 8) / 6));
      expect(shown.replace(/=*$/, '')).toBe(`Basic ${before}***`);
      expect(mask.maskText(header.replace(/=+$/, ''))).toBe(`${before}***`);
    },
  );

  describe.each(['latin1', 'utf8'] as const)('of base64 of bytes in %s', (encoding) => {
    const secret = '\u00fb\u00ff\u00bfpassword\u00ff\u00fe?';
    const shown = (spelling: string) => createMask([secret]).maskText(spelling);
    const text = Buffer.from(`u: ${secret}`, encoding).toString('base64').replace(/=+$/, '');

    it.each([
      ['plain', text],
      ['base64url', text.replaceAll('+', '-').replaceAll('/', '_')],
      ['percent-encoded', encodeURIComponent(text)],
      [
        'percent-encoded in lower case',
        encodeURIComponent(text).replace(/%../g, (c) => c.toLowerCase()),
      ],
      ['JSON with escaped slashes', text.replaceAll('/', '\\/')],
    ])('covers it %s', (_, spelling) => {
      expect(shown(spelling)).toBe(`${text.slice(0, 4)}***`);
    });
  });

  it('covers each long line of a secret, and the secret without spaces at its ends', () => {
    const key = '-----BEGIN-----\nMIIEvQIBADANBg\r\nshort\n-----END-----\n';
    const shown = createMask([key, '  padded secret ']);
    expect(shown.maskText('a MIIEvQIBADANBg b short c padded secret.')).toBe(
      'a *** b short c ***.',
    );
    expect(shown.maskText(key)).toBe('***');
  });

  it('covers UTF-8 that is read as Windows-1252', () => {
    const secret = 'pa\u20acss-\u00c4\u201e-word';
    const misread = new TextDecoder('windows-1252').decode(Buffer.from(secret));
    expect(misread).toContain('\u00e2\u201a\u00ac');
    expect(createMask([secret]).maskText(`before ${misread} after`)).toBe('before *** after');
  });

  it('hides overlapping secrets whole', () => {
    const both = createMask(['abcdefgh', 'efghijkl', 'abcdefghi']);
    expect(both.maskText('xabcdefghijklx')).toBe('x***x');
    expect(both.maskText('abcdefghi abcdefghx')).toBe('*** ***x');
  });

  it('leaves a text without secrets as it is', () => {
    const text = 'a text *** with nothing in it';
    expect(mask.maskText(text)).toBe(text);
    expect(createMask([]).maskText(text)).toBe(text);
  });

  it('refuses a short secret without showing it', () => {
    expect(() => createMask(['hunter2'])).toThrow(/fewer than 8 characters/);
    expect(() => createMask(['hunter2'])).not.toThrow(/hunter2/);
  });
});

describe('a long secret', () => {
  /** No part of it repeats. */
  const LONG = Array.from({ length: 1_000 }, (_, at) => `${at}"<`.padEnd(5, '&')).join('');

  test.each<[string, (text: string) => string]>([
    ['plain', (text) => text],
    ['as JSON', (text) => JSON.stringify(text).slice(1, -1)],
    ['in an address', encodeURIComponent],
    ['in base64', (text) => Buffer.from(text).toString('base64').replace(/=+$/, '')],
    ['in hexadecimal', (text) => Buffer.from(text).toString('hex')],
  ])('%s is hidden whole, and nothing beside it', (_, spell) => {
    const masked = createMask([LONG]).maskText(`before ${spell(LONG)} after`);
    expect(masked).toBe('before *** after');
  });

  test('is hidden in a text that repeats its beginning, and its beginning alone is not', () => {
    const mask = createMask([LONG]);
    const beginning = LONG.slice(0, 2_100);
    expect(mask.maskText(`${beginning} ${LONG}`)).toBe(`${beginning} ***`);
    expect(mask.maskPrefix(`x ${beginning}`)).toBe('x ***');
  });

  test('is hidden in a text that is made for long comparisons, with more than the secret', () => {
    const repeated = 'a'.repeat(3_999);
    const masked = createMask([`${repeated}b`]).maskText(`${repeated.repeat(100)}b`);
    expect(masked).toMatch(/^a*\*\*\*$/);
  });
});
