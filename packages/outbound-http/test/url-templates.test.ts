import fc from 'fast-check';
import {
  addQuery,
  fillUrlTemplate,
  parseUrlTemplate,
  UrlTemplateError,
  type UrlValues,
} from '../index.ts';

const fill = (template: string, values: UrlValues = {}): string =>
  fillUrlTemplate(parseUrlTemplate(template), values).href;

function errorOf(work: () => unknown): UrlTemplateError {
  try {
    work();
  } catch (error) {
    if (error instanceof UrlTemplateError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

test('a template names its placeholders, each once, and its origin', () => {
  const template = parseUrlTemplate('HTTPS://Api.Example:443/{a}/x-{b.c}.{a}?{q}={b-c}&r={q}&s');
  expect(template).toMatchObject({
    origin: 'https://api.example',
    pathNames: ['a', 'b.c'],
    queryNames: ['q', 'b-c'],
  });
});

test.each([
  ['https://h.example', {}, 'https://h.example/'],
  ['http://h.example:8080?', {}, 'http://h.example:8080/'],
  ['https://h.example/a//b/', {}, 'https://h.example/a//b/'],
  ['https://h.example?x=1', { query: { y: '2' } }, 'https://h.example/?x=1&y=2'],
  ['https://h.example/{id}', { path: { id: 'a b' } }, 'https://h.example/a%20b'],
  ['https://h.example/{id}/x', { path: { id: '../..' } }, 'https://h.example/..%2F../x'],
  ['https://h.example/v{a}.{b}', { path: { a: '1', b: '2' } }, 'https://h.example/v1.2'],
  ['https://h.example/{a}', { path: { a: '%2e%2e' } }, 'https://h.example/%252e%252e'],
  ['https://h.example/{a}{a}', { path: { a: '\\?#' } }, 'https://h.example/%5C%3F%23%5C%3F%23'],
  ['https://h.example/%7B{a}', { path: { a: '\t\n' } }, 'https://h.example/%7B%09%0A'],
  ['https://h.example/?q={q}', { query: { q: '' } }, 'https://h.example/?q='],
  ['https://h.example/?{q}', { query: { q: 'a&b=c' } }, 'https://h.example/?a%26b%3Dc'],
  [
    'https://h.example/?q={q}',
    { query: { t: ['1', '2'], q: '+', e: [], ü: '' } },
    'https://h.example/?q=%2B&t=1&t=2&%C3%BC=',
  ],
  [
    'https://h.example/{__proto__}',
    JSON.parse('{"path":{"__proto__":"x"}}'),
    'https://h.example/x',
  ],
  ['https://[::1]:8080/{a}', { path: { a: '@' } }, 'https://[::1]:8080/%40'],
])('%s is filled: %j', (template, values, url) => {
  expect(fill(template, values)).toBe(url);
});

test.each([
  ['', 'NOT_ABSOLUTE'],
  ['/path/{a}', 'NOT_ABSOLUTE'],
  ['//host/{a}', 'NOT_ABSOLUTE'],
  ['host.example/{a}', 'NOT_ABSOLUTE'],
  ['http:host.example/', 'NOT_ABSOLUTE'],
  ['https:///host.example/', 'NOT_ABSOLUTE'],
  ['https://', 'NOT_ABSOLUTE'],
  ['https://:80/', 'NOT_ABSOLUTE'],
  ['https://h.example:x/', 'NOT_ABSOLUTE'],
  ['https://h.example:70000/', 'NOT_ABSOLUTE'],
  ['https://h%00.example/', 'NOT_ABSOLUTE'],
  ['https://1.2.3.4.5/', 'NOT_ABSOLUTE'],
  ['ftp://h.example/{a}', 'OTHER_SCHEME'],
  ['javascript:alert(1)', 'OTHER_SCHEME'],
  ['file:///etc/passwd', 'OTHER_SCHEME'],
  ['https://user:secret@h.example/', 'HAS_CREDENTIALS'],
  ['https://user@h.example/', 'HAS_CREDENTIALS'],
  ['https://@h.example/', 'HAS_CREDENTIALS'],
  ['https://h.example/#', 'HAS_FRAGMENT'],
  ['https://h.example/a#b', 'HAS_FRAGMENT'],
  ['https://h.example/?a#{b}', 'HAS_FRAGMENT'],
  ['{scheme}://h.example/', 'PLACEHOLDER_MISPLACED'],
  ['http{s}://h.example/', 'PLACEHOLDER_MISPLACED'],
  ['{url}', 'PLACEHOLDER_MISPLACED'],
  ['https://{host}/', 'PLACEHOLDER_MISPLACED'],
  ['https://{tenant}.h.example/', 'PLACEHOLDER_MISPLACED'],
  ['https://h.example:{port}/', 'PLACEHOLDER_MISPLACED'],
  ['https://{user}@h.example/', 'PLACEHOLDER_MISPLACED'],
  ['https://h.example{path}', 'PLACEHOLDER_MISPLACED'],
  ['https://h.example/{a', 'UNBALANCED_BRACES'],
  ['https://h.example/a}', 'UNBALANCED_BRACES'],
  ['https://h.example/{a}}', 'UNBALANCED_BRACES'],
  ['https://h.example/{{a}}', 'UNBALANCED_BRACES'],
  ['https://h.example/{a/{b}', 'UNBALANCED_BRACES'],
  ['https://h.example/}{', 'UNBALANCED_BRACES'],
  ['https://h.example/{}', 'INVALID_NAME'],
  ['https://h.example/{a/b}', 'INVALID_NAME'],
  ['https://h.example/{a?b}', 'INVALID_NAME'],
  ['https://h.example/{+a}', 'INVALID_NAME'],
  ['https://h.example/{ä}', 'INVALID_NAME'],
  [`https://h.example/{${'a'.repeat(65)}}`, 'INVALID_NAME'],
  ['https://h.example/a b', 'INVALID_CHARACTER'],
  [' https://h.example/', 'INVALID_CHARACTER'],
  ['https://h.example/a\tb', 'INVALID_CHARACTER'],
  ['https://h.example/{a\n}', 'INVALID_CHARACTER'],
  ['https://h.example\\{a}', 'INVALID_CHARACTER'],
  ['https://h.example/\ud800', 'INVALID_CHARACTER'],
  ['https://h.example/%', 'INVALID_ESCAPE'],
  ['https://h.example/.%2{a}', 'INVALID_ESCAPE'],
  ['https://h.example/%{a}', 'INVALID_ESCAPE'],
  ['https://h.example/?%g0', 'INVALID_ESCAPE'],
  ['https://h.example/.', 'DOT_SEGMENT'],
  ['https://h.example/a/../{b}', 'DOT_SEGMENT'],
  ['https://h.example/%2e%2E/{b}', 'DOT_SEGMENT'],
  ['https://h.example/{b}/.%2e', 'DOT_SEGMENT'],
  [`https://h.example/${'a'.repeat(16_384)}`, 'TOO_LONG'],
])('%s is no template: %s', (text, code) => {
  const error = errorOf(() => parseUrlTemplate(text));
  expect(error).toMatchObject({ code, value: undefined });
  expect(error.message).toMatch(/^[A-Z{].{20,200}[^ ]$/);
  expect(error.message).not.toContain('secret');
});

const half = '\ud83d';
test.each<[string, UrlValues, string, string, string]>([
  ['/{a}', {}, 'MISSING_VALUE', 'path', 'a'],
  ['/{toString}', {}, 'MISSING_VALUE', 'path', 'toString'],
  ['/{a}', { query: { a: 'x' } }, 'MISSING_VALUE', 'path', 'a'],
  ['/?q={a}', { path: {} }, 'MISSING_VALUE', 'query', 'a'],
  ['/{a}', { path: { a: 'x', b: 'secret' } }, 'SURPLUS_VALUE', 'path', 'b'],
  ['/?q={a}', { path: { a: 'secret' }, query: { a: 'x' } }, 'SURPLUS_VALUE', 'path', 'a'],
  ['/{a}', { path: { a: '' } }, 'EMPTY_VALUE', 'path', 'a'],
  ['/x{a}', { path: { a: '' } }, 'EMPTY_VALUE', 'path', 'a'],
  ['/{a}', { path: { a: '.' } }, 'DOT_SEGMENT', 'path', 'a'],
  ['/{a}', { path: { a: '..' } }, 'DOT_SEGMENT', 'path', 'a'],
  ['/.{a}', { path: { a: '.' } }, 'DOT_SEGMENT', 'path', 'a'],
  ['/%2e{a}', { path: { a: '.' } }, 'DOT_SEGMENT', 'path', 'a'],
  ['/x/{a}{b}/y', { path: { a: '.', b: '.' } }, 'DOT_SEGMENT', 'path', 'a'],
  ['/{a}', { path: { a: half } }, 'INVALID_VALUE', 'path', 'a'],
  ['/?q={a}', { query: { a: half } }, 'INVALID_VALUE', 'query', 'a'],
  ['/?q={a}', { query: { a: ['x'] } }, 'INVALID_VALUE', 'query', 'a'],
  ['/', { query: { [half]: 'x' } }, 'INVALID_VALUE', 'query', half],
  ['/', { query: { a: ['x', half] } }, 'INVALID_VALUE', 'query', 'a'],
])('%s cannot be filled with %j: %s', (path, values, code, part, name) => {
  const error = errorOf(() => fill(`https://h.example${path}`, values));
  expect(error).toMatchObject({ code, value: { part, name } });
  expect(error.message).toMatch(/^[A-Z{].{20,200}\.$/);
  expect(error.message).not.toContain('secret');
});

test('a filled URL is as short as any address', () => {
  const values = (length: number): UrlValues => ({ path: { a: 'a'.repeat(length) } });
  expect(fill('https://h.example/{a}', values(16_366))).toHaveLength(16_384);
  const error = errorOf(() => fill('https://h.example/{a}', values(16_367)));
  expect(error).toMatchObject({ code: 'TOO_LONG' });
});

test('parameters are added to a URL behind those that it has, which stay as they are', () => {
  const url = new URL("https://h.example/a?x=%20'+&y");
  const more = addQuery(url, { 'key=': ['a&b', '%'], z: [] });
  expect(more.href).toBe('https://h.example/a?x=%20%27+&y&key%3D=a%26b&key%3D=%25');
  expect(addQuery(new URL('https://h.example/'), { k: '' }).href).toBe('https://h.example/?k=');
  expect(url.search).toBe('?x=%20%27+&y');
});

/** Texts that are likely to change a path, and any others. */
const nasty = fc.constantFrom(
  ...['.', '..', '%2e', '%2E%2e', '/', '//', '\\', '?', '#', '&', '=', '+', '%', '%2f', '@', ':'],
  ...[
    '\t',
    '\n',
    '\r',
    ' ',
    '\0',
    '{',
    '}',
    '{a}',
    ';',
    "'",
    '"',
    '漢',
    '。',
    '．',
    '／',
    '%00',
    '',
  ],
);
const value = fc.oneof(
  nasty,
  fc.array(nasty, { maxLength: 4 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary' }),
);
const literal = fc.constantFrom(
  '',
  '.',
  '..',
  '%2e',
  '%2F',
  'v1',
  '-',
  '~',
  'ü',
  '|',
  '%C3%BC',
  ';',
);
const name = fc.constantFrom('a', 'b', 'c', '__proto__', 'x-1.y_z');
const piece = fc.oneof(
  literal,
  name.map((text) => `{${text}}`),
);
/** Names of further parameters, which are no names of placeholders. */
const further = fc.string({ unit: 'binary' }).map((text) => `${text}&`);
const segment = fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(''));
const template = fc
  .tuple(
    fc.constantFrom('https://h.example', 'http://127.0.0.1:8080', 'https://[2001:db8::1]'),
    fc.array(segment, { maxLength: 4 }),
    fc.option(fc.array(fc.tuple(piece, piece), { maxLength: 3 }), { nil: undefined }),
  )
  .map(([origin, segments, query]) => {
    const search = query?.map(([key, text]) => `${key}=${text}`).join('&');
    return [origin, ...segments].join('/') + (search === undefined ? '' : `?${search}`);
  });

const decode = (text: string): string => decodeURIComponent(text.replaceAll("'", '%27'));
/** Returns the template's text with its placeholders replaced by decoded values. */
const expected = (text: string, values: Map<string, string>): string =>
  text
    .split(/\{([^{}]*)\}/)
    .map((part, index) => (index % 2 === 0 ? decode(part) : values.get(part)))
    .join('');

test('no value changes the origin or the structure of the path, and all come back', () => {
  let filled = 0;
  fc.assert(
    fc.property(
      template,
      fc.dictionary(name, value, { minKeys: 5, maxKeys: 5 }),
      fc.dictionary(further, fc.array(value, { maxLength: 3 })),
      (text, values, others) => {
        let url: URL;
        let parsed: ReturnType<typeof parseUrlTemplate>;
        try {
          parsed = parseUrlTemplate(text);
          const path = Object.entries(values).filter(([key]) => parsed.pathNames.includes(key));
          url = fillUrlTemplate(parsed, {
            path: Object.fromEntries(path),
            query: Object.fromEntries([...Object.entries(values), ...Object.entries(others)]),
          });
        } catch (error) {
          // A refusal is checked by the tables above.
          if (error instanceof UrlTemplateError) return;
          throw error;
        }
        filled++;
        const again = new URL(url.href);
        const all = new Map(Object.entries(values));
        const [, path = '', query = ''] = /^[^/]*\/\/[^/?]*([^?]*)\??(.*)$/.exec(text) ?? [];
        const segments = path.split('/').slice(1);
        const unused = Object.keys(values).filter((key) => !parsed.queryNames.includes(key));
        const parameters = [
          ...(query === '' ? [] : query.split('&').map((parameter) => expected(parameter, all))),
          ...unused.map((key) => `${key}=${all.get(key)}`),
          ...Object.entries(others).flatMap(([key, list]) => list.map((one) => `${key}=${one}`)),
        ];
        expect(again.href).toBe(url.href);
        expect(again.origin).toBe(parsed.origin);
        expect(again.hash + again.username + again.password).toBe('');
        expect(again.pathname.split('/').slice(1).map(decodeURIComponent)).toEqual(
          segments.length === 0 ? [''] : segments.map((one) => expected(one, all)),
        );
        expect(again.search.slice(1).split('&').map(decodeURIComponent).join('&')).toBe(
          parameters.join('&'),
        );
      },
    ),
    { numRuns: 2_000 },
  );
  expect(filled).toBeGreaterThan(300);
});
