// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${ }` is the flow language's own
import fc from 'fast-check';
import { compile } from '../../language/compile.ts';

const warningsOf = (text: string): string[] =>
  compile(text).warnings.map(({ line, column, code }) => `${line}:${column} ${code}`);

/** One call on line 3, with fields from column 7. */
const call = (fields: string): string =>
  `do:\n  - t: { call: http, with: { method: get, endpoint: "https://a.test",\n      ${fields} } }\n`;
/** One header on line 3, with its value after the name. */
const header = (name: string, value: string): string => call(`headers: { ${name}: ${value} }`);
const comment = (text: string): string => `do: []\n# ${text}\n`;

const KEY = `wsk_${'aB3'.repeat(12)}zz`;
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';

describe('a secret in a file is warned of at its place', () => {
  it.each([
    [header('a-token', '"x1"'), '3:27 SECRET_IN_HEADER'],
    [header('Authorization', 'Bearer abcdefgh'), '3:33 SECRET_IN_HEADER'],
    [header('authorization', '"k ${ $input.a } s3cr3t-value"'), '3:33 SECRET_IN_HEADER'],
    [header('Proxy-Authorization', 'x'), '3:39 SECRET_IN_HEADER'],
    [header('X-Api-Key', '12345678'), '3:29 SECRET_IN_HEADER'],
    [header('Cookie', 'sid=1'), '3:26 SECRET_IN_HEADER'],
    [call('query: { api_key: abcdef }'), '3:25 SECRET_IN_URL'],
    [comment('Bearer abcdefg1'), '2:3 SECRET_IN_TEXT'],
    [comment(`x Basic ${Buffer.from('user:pass').toString('base64')}`), '2:5 SECRET_IN_TEXT'],
    [comment(KEY), '2:3 SECRET_IN_TEXT'],
    [comment(JWT), '2:3 SECRET_IN_TEXT'],
    [comment('https://a.test/x?page=1&apikey=abcdef'), '2:26 SECRET_IN_URL'],
    [comment('https://user:pw@a.test/'), '2:8 SECRET_IN_URL'],
    [comment('-----BEGIN RSA PRIVATE KEY-----'), '2:3 SECRET_IN_TEXT'],
    [`do:\n  - t: { set: { a: "\${ 'Bearer abcdefg1' & 'x' }" } }`, '2:25 SECRET_IN_TEXT'],
    [`do:\n  - t: { set: { a: "Bearer\\u0020abcdefg1" } }`, '2:21 SECRET_IN_TEXT'],
    [`do:\n  - t: { set: { a: "x Bearer\n      abcdefg1" } }`, '2:23 SECRET_IN_TEXT'],
    [
      `do:\n  - t:\n      set:\n        a: |\n          one\n          ${KEY}\n`,
      '6:11 SECRET_IN_TEXT',
    ],
    [`not: [a flow\n${KEY}`, '2:1 SECRET_IN_TEXT'],
  ])('%s', (text, expected) => {
    expect(warningsOf(text)).toEqual([expected]);
  });

  it('in a call through an API description as well', () => {
    const fields = 'apiDescriptionId: 1, headers: { X-Api-Key: a }, query: { token: abcdef }';
    const { plan, warnings } = compile(
      `do: [{ t: { call: apiDescription, with: { ${fields} } } }]`,
    );
    expect(plan).not.toBeNull();
    expect(warnings.map(({ code }) => code)).toEqual(['SECRET_IN_HEADER', 'SECRET_IN_URL']);
  });

  it('and the warning points to credentials, without the secret', () => {
    const { plan, warnings } = compile(header('Authorization', `Bearer ${KEY}`));
    expect(plan).not.toBeNull();
    expect(warnings).toHaveLength(1);
    expect(warnings[0]?.message).toMatch(/auth credential.*API description/);
    expect(JSON.stringify(warnings)).not.toContain(KEY.slice(0, 8));
  });
});

describe('no warning is given for', () => {
  it.each([
    header('Authorization', '"${ $properties.key }"'),
    header('Authorization', '"Bearer ${ $properties.key }"'),
    header('Authorization', `"\${ 'Bearer ' & $properties.key }"`),
    header('Cookie', '"session_identifier=${ $input.s }; theme=${ $input.t }"'),
    header('X-Api-Key', '""'),
    header('X-Api-Key', ''),
    header('Accept', 'application/json'),
    header('X-Author', 'someone'),
    header('X-Tokens-Left', '"12"'),
    call('query: { api_key: "${ $properties.key }", key: id, page: 12345678 }'),
    comment('https://a.test/x?token={token}&key=${ $input.k }&page=12345678'),
    comment('git clone ssh://git@a.test/x'),
    comment('Bearer authentication and basic authentication are risk-management-for-all-of-us'),
    comment('sk-loading-indicator-of-the-page task-0123456789012345678901'),
  ])('%s', (text) => {
    expect(warningsOf(text)).toEqual([]);
  });
});

const chars = (alphabet: string, minLength: number, maxLength = minLength) =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength, maxLength });
const BASE62 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const base62 = (minLength: number, maxLength = minLength) => chars(BASE62, minLength, maxLength);
const base64url = (text: string) => Buffer.from(text).toString('base64url');
const password = base62(7, 30).map((text) => `${text}1`);

const SECRETS: fc.Arbitrary<string> = fc.oneof(
  base62(38).map((text) => `wsk_${text}`),
  password.map((text) => `Bearer ${text}`),
  fc.tuple(base62(1, 10), password).map(([user, text]) => `Basic ${btoa(`${user}:${text}`)}`),
  fc
    .tuple(
      fc.constantFrom(...'apikey api_key access_token token key secret password sig'.split(' ')),
      fc.constantFrom('?', '?a=b&'),
      password,
    )
    .map(([name, before, text]) => `https://a.test/x${before}${name}=${text}`),
  fc.tuple(base62(1, 10), password).map(([user, text]) => `https://${user}:${text}@a.test/x`),
  base62(20, 60).map((text) => `sk-${text}1`),
  base62(36).map((text) => `ghp_${text}`),
  fc.tuple(fc.constantFrom(...'abps'), base62(10, 40)).map(([kind, text]) => `xox${kind}-${text}`),
  chars('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 16).map((text) => `AKIA${text}`),
  fc
    .tuple(fc.constantFrom('HS256', 'ES256'), base62(1, 20), base62(10, 43))
    .map(
      ([alg, sub, sig]) =>
        `${base64url(`{"alg":"${alg}"}`)}.${base64url(`{"sub":"${sub}"}`)}.${sig}`,
    ),
  fc
    .constantFrom('', 'RSA ', 'EC ', 'OPENSSH ')
    .map((kind) => `-----BEGIN ${kind}PRIVATE KEY-----`),
);

describe('by random texts', () => {
  it('each secret of the known kinds is warned of, wherever it stands', () => {
    const places = [
      (secret: string) => JSON.stringify({ do: [{ t: { set: { a: secret } } }] }),
      (secret: string) => `do:\n  - t:\n      set:\n        a: >-\n          text ${secret}\n`,
      (secret: string) => `# ${secret}\ndo: []`,
      (secret: string) => `do: [{ t: { set: { a: '\${ "${secret}" }' } } }]`,
    ];
    fc.assert(
      fc.property(SECRETS, fc.constantFrom(...places), (secret, place) => {
        const { warnings } = compile(place(secret));
        expect(warnings).toHaveLength(1);
        expect(JSON.stringify(warnings)).not.toContain(secret);
      }),
      { numRuns: 400 },
    );
  });

  it('innocent text has no warning', () => {
    /** A word can be base64 of a name and a password by chance: 1546375 is. */
    const hasCredentials = (text: string) =>
      [...text.matchAll(/(?<=basic )\w+/gi)].some(([word]) =>
        Buffer.from(word, 'base64').includes(':'),
      );
    const word = chars('abcdefghijklmnopqrstuvwxyz', 1, 12);
    const phrase = fc
      .array(
        fc.oneof(
          word,
          fc.nat().map(String),
          fc.constantFrom(
            'Basic',
            'Bearer',
            '?page=1',
            '&',
            'key:',
            'token',
            'https://a.test/b?c=d',
          ),
        ),
        { maxLength: 20 },
      )
      .map((words) => words.join(' '))
      .filter((text) => !/bearer \d{8}/i.test(text))
      .filter((text) => !hasCredentials(text));
    fc.assert(
      fc.property(phrase, (text) => {
        const file = JSON.stringify({ do: [{ t: { set: { [text]: text } } }] });
        expect(compile(file).warnings).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });
});

describe('the list of warnings', () => {
  it('has at most 100, and the number of the rest', () => {
    const { warnings } = compile(`do: []\n${`# ${KEY}\n`.repeat(250)}`);
    expect(warnings).toHaveLength(101);
    expect(warnings[100]).toMatchObject({ line: 102, code: 'TOO_MANY_WARNINGS' });
    expect(warnings[100]?.message).toContain('150 more warnings');
  });

  it('counts a value that aliases repeat once', () => {
    const text = `do:\n  - t: { set: { a: &k "Bearer\\u0020abcdefg1", b: *k, c: *k } }\n`;
    expect(warningsOf(text)).toEqual(['2:24 SECRET_IN_TEXT']);
  });

  it('ends for files beyond the limit without a search', () => {
    expect(compile(`# ${KEY} ${'x'.repeat(256 * 1024)}`).warnings).toEqual([]);
  });
});
