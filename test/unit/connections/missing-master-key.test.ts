import {
  MissingMasterKeyError,
  MissingMasterKeyLog,
} from '../../../services/connections/envelope/missing-master-key.ts';

test('a missing master key is logged once a minute, and each key for itself', () => {
  const lines: unknown[] = [];
  let now = 0;
  const log = new MissingMasterKeyLog({ error: (line: unknown) => lines.push(line) }, () => now);
  const lack = (kid: string) => log.error(new MissingMasterKeyError(kid, 7));
  for (now = 0; now < 60_000; now += 1_000) lack('one');
  expect(lines).toEqual([{ reason: expect.stringContaining('lacks the key one') }]);
  lack('two');
  lack('two');
  expect(lines).toHaveLength(2);
  lack('one');
  expect(lines).toHaveLength(3);
});
