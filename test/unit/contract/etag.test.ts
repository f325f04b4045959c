import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { etagOf, matchesStrongly, matchesWeakly, parseEntityTags } from '../../../contract/etag.ts';

const body = { id: 7, title: 'Die Mühle' };
const etag = etagOf(body);

test('an ETag is the hash of the JSON text that is sent', () => {
  const digest = createHash('sha256').update(JSON.stringify(body)).digest('base64url');
  expect(etag).toBe(`"${digest}"`);
});

test.each([
  [etag, true, true],
  ['*', true, true],
  [`"other", ${etag}`, true, true],
  [`W/${etag}`, false, true],
  ['"other"', false, false],
  ['', false, false],
  [` , ${etag},`, true, true],
  [`${etag} "other"`, false, false],
  [`x${etag}`, false, false],
  [`"other, ${etag}`, false, false],
  [`*, ${etag}`, false, false],
  [`w/${etag}`, false, false],
  [etag.slice(1, -1), false, false],
])('%s: strong %s, weak %s', (header, strong, weak) => {
  expect(matchesStrongly(header, etag)).toBe(strong);
  expect(matchesWeakly(header, etag)).toBe(weak);
});

const space = fc.string({ unit: fc.constantFrom(' ', '\t'), maxLength: 3 });
const character = fc
  .integer({ min: 0x21, max: 0xff })
  .filter((code) => code !== 0x22 && code !== 0x7f)
  .map((code) => String.fromCharCode(code));
const tag = fc
  .tuple(fc.constantFrom('', 'W/'), fc.string({ unit: character, maxLength: 8 }))
  .map(([weak, opaque]) => `${weak}"${opaque}"`);
const element = fc.tuple(space, fc.option(tag, { nil: '' }), space).map((parts) => parts.join(''));

test('the tags of every list are read, each as it was sent', () => {
  fc.assert(
    fc.property(fc.array(element, { minLength: 1, maxLength: 6 }), (elements) => {
      const sent = elements.map((each) => each.replace(/^[\t ]+|[\t ]+$/g, '')).filter(Boolean);
      expect(parseEntityTags(elements.join(','))).toEqual(sent);
    }),
  );
});

/** Reads a list character by character, by the grammar of RFC 9110. */
function readTags(header: string): string[] | null {
  const tags: string[] = [];
  let at = 0;
  const skipSpace = () => {
    while (header[at] === ' ' || header[at] === '\t') at++;
  };
  for (;;) {
    skipSpace();
    const start = at;
    if (header.startsWith('W/"', at)) at += 2;
    if (header[at] === '"') {
      at = header.indexOf('"', at + 1) + 1;
      if (at === 0 || /[ \t]/.test(header.slice(start, at))) return null;
      tags.push(header.slice(start, at));
    }
    skipSpace();
    if (at === header.length) return tags;
    if (header[at] !== ',') return null;
    at++;
  }
}

test('any other text is malformed, and matches nothing', () => {
  const texts = fc.string({
    unit: fc.constantFrom('"', '"', ',', 'W/', ' ', '\t', 'a'),
    maxLength: 16,
  });
  fc.assert(
    fc.property(texts, (header) => {
      const tags = readTags(header);
      expect(parseEntityTags(header)).toEqual(tags);
      expect(matchesStrongly(header, '"a"')).toBe(tags?.includes('"a"') ?? false);
    }),
    { numRuns: 500 },
  );
});

test('a header of 16 KB is read at once, whatever it is of', () => {
  for (const part of [' ', '\t,', '"', '"" ', 'W/', ', "a']) {
    const start = performance.now();
    parseEntityTags(part.repeat(16_000 / part.length).concat('x'));
    expect(performance.now() - start).toBeLessThan(100);
  }
});
