import { outcomeOf } from '../../../services/assistant/tools/call-outcome.ts';
import { maskSecrets } from '../../../services/assistant/tools/mask-secrets.ts';

const answer = (structured: Record<string, unknown> | null) =>
  ({ isError: false, structured, text: '' }) as const;
const ROOM = 100_000;

it('keeps an answer that is short, and says of an empty one that it is done', () => {
  expect(outcomeOf(answer({ id: 7 }), ROOM)).toEqual({ status: 'DONE', result: '{"id":7}' });
  expect(outcomeOf(answer(null), ROOM)).toEqual({ status: 'DONE', result: '{"done":true}' });
});

it('cuts a long answer to 16 KiB, or to less room, and says so', () => {
  const items = Array.from({ length: 1_000 }, (_, id) => ({ id, text: 'x'.repeat(100) }));
  for (const [room, most] of [
    [ROOM, 16 * 1024],
    [5_000, 5_000],
    [-1, 2_048],
  ] as const) {
    const { result } = outcomeOf(answer({ items }), room);
    expect(Buffer.byteLength(result)).toBeLessThanOrEqual(most);
    expect(JSON.parse(result).leftOut).toMatch(/items has its first \d+ of 1000 items/);
  }
});

it('a problem is a failure', () => {
  const problem = { code: 'NOT_FOUND', status: 404, title: 'Not found', detail: 'x' };
  const { status, result } = outcomeOf({ isError: true, problem }, ROOM);
  expect([status, JSON.parse(result)]).toEqual(['FAILED', problem]);
});

it('masks what looks like a secret, wherever it stands', () => {
  const key = `wsk_${'a1'.repeat(19)}`;
  const value = {
    note: `use ${key} or whsec_${'b2'.repeat(12)}, not the rest`,
    [key]: ['https://ada:hunter22@example.com/x', 5],
    plain: 'nothing to hide',
  };
  const masked = JSON.stringify(maskSecrets(value));
  expect(masked).not.toMatch(/wsk_|whsec_|hunter22/);
  expect(masked).toContain('not the rest');
  expect(masked).toContain('nothing to hide');
});
