import { createHash } from 'node:crypto';
import { etagOf, matchesStrongly, matchesWeakly } from '../../../contract/etag.ts';

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
  [etag.slice(1, -1), false, false],
])('%s: strong %s, weak %s', (header, strong, weak) => {
  expect(matchesStrongly(header, etag)).toBe(strong);
  expect(matchesWeakly(header, etag)).toBe(weak);
});
