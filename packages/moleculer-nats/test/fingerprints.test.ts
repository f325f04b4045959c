import { FingerprintedIds, fingerprintOf } from '../fingerprints.ts';

test('a set of ids is asked by fingerprint, and forgets what was deleted', () => {
  const ids = new FingerprintedIds();
  ids.add('one');
  ids.add('two');
  ids.delete('one');
  expect(ids.has(fingerprintOf('one'))).toBe(false);
  expect(ids.has(fingerprintOf('two'))).toBe(true);
  expect(ids.has('two')).toBe(false);
  ids.delete('two');
  expect(ids.has(fingerprintOf('two'))).toBe(false);
});
