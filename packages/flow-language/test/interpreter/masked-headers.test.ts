import fc from 'fast-check';
import { maskedHeaders } from '../../interpreter/http/masked-headers.ts';

interface Request {
  url: string;
  headers: Record<string, string>;
}

/** The texts to mask, longest first, with their replacements. */
function replacementsOf({ url, headers }: Request): [text: string, by: string][] {
  const pairs = (/\?([^#]*)/.exec(url)?.[1] ?? '').split('&').map((pair) => {
    const at = pair.indexOf('=');
    return at < 0 ? ['', pair] : [pair.slice(0, at), pair.slice(at + 1)];
  });
  const words = (headers.authorization ?? '').split(/[\s;,=]+/);
  const secrets = [...pairs.map(([, value = '']) => value), headers.authorization ?? '', ...words];
  const texts = [
    ...pairs.flatMap(([name = '', value = '']): [string, string][] =>
      value === '' ? [] : [[`${name}=${value}`, `${name}=***`]],
    ),
    ...secrets.filter(({ length }) => length >= 8).map((text): [string, string] => [text, '***']),
  ];
  return texts.sort(([one], [other]) => other.length - one.length);
}

/** The places of a value where texts stand, longest first. */
const placesOf = (value: string, texts: readonly string[]): [start: number, end: number][] =>
  texts.flatMap((text) =>
    Array.from({ length: value.length }, (_, at): [number, number] => [
      at,
      at + text.length,
    ]).filter(([start]) => value.startsWith(text, start)),
  );

/** Whether two places overlap, and neither is within the other. */
const cross = ([a, b]: [number, number], [c, d]: [number, number]): boolean =>
  a < d && c < b && !(a <= c && d <= b) && !(c <= a && b <= d);

const text = (maxLength: number) =>
  fc.string({ unit: fc.constantFrom('a', 'b', '=', '-'), maxLength });
const requests = fc
  .record({ query: fc.array(text(10), { maxLength: 4 }), authorization: text(20) })
  .map(({ query, authorization }) => ({
    url: `https://x.test/?${query.join('&')}`,
    headers: { authorization },
  }));

/** A header that mostly repeats texts of its request. */
const exchanges = requests.chain((request) => {
  const texts = replacementsOf(request).map(([each]) => each);
  const part = texts.length > 0 ? fc.oneof(fc.constantFrom(...texts), text(4)) : text(4);
  return fc.record({
    request: fc.constant(request),
    value: fc.array(part, { maxLength: 5 }).map((parts) => parts.join('')),
  });
});

const mask = (value: string, request: Request) => maskedHeaders({ link: value }, request).link;

test('texts of a request are replaced one after another, the longest first, where they do not cross', () => {
  fc.assert(
    fc.property(exchanges, ({ request, value }) => {
      const replacements = replacementsOf(request);
      const places = placesOf(
        value,
        replacements.map(([each]) => each),
      );
      fc.pre(!places.some((one) => places.some((other) => cross(one, other))));
      const replaced = replacements.reduce((rest, [each, by]) => rest.replaceAll(each, by), value);
      expect(mask(value, request)).toBe(replaced);
    }),
    { numRuns: 2_000 },
  );
});

test('no character of a secret stays where secrets overlap', () => {
  const url = 'https://x.test/?one=abcdefghij&two=hijklmnop';
  expect(mask('<abcdefghijklmnop>', { url, headers: {} })).toBe('<***>');
});

test('a header shows the names of the query without their values', () => {
  const url = 'https://x.test/?page=2&key=a-long-secret&q=%C3%A4%20long%20text';
  const link = '<https://x.test/?page=2&key=a-long-secret&page=3>; title="ä long text"';
  expect(mask(link, { url, headers: {} })).toBe(
    '<https://x.test/?page=***&key=***&page=3>; title="***"',
  );
});

test('thousands of pairs and headers are masked', () => {
  const pairs = Array.from({ length: 4_000 }, (_, at) => `${at.toString(36)}=z`);
  const url = `https://x.test/?${pairs.join('&')}`;
  const headers = Object.fromEntries(pairs.map((pair, at) => [`x-${at}`, pair]));
  const masked = Object.values(maskedHeaders(headers, { url, headers: {} }));
  expect(masked).toEqual(pairs.map((pair) => pair.replace(/z$/, '***')));
});

test('thousands of values that begin with different characters are masked', () => {
  const values = Array.from(
    { length: 3_000 },
    (_, at) => `${String.fromCharCode(0x4e00 + at)}-secret-${at}`,
  );
  const url = `https://x.test/?${values.map((value, at) => `k${at}=${value}`).join('&')}`;
  const others = values.map((value) => value.slice(1)); // no text of the query
  const headers = Object.fromEntries(
    values.map((value, at) => [`x-${at}`, `<${value}>${others[at]}`]),
  );
  const masked = Object.values(maskedHeaders(headers, { url, headers: {} }));
  expect(masked).toEqual(others.map((other) => `<***>${other}`));
});
