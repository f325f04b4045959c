import { RefusedEntries } from '../../../mixins/changes/refused-entries.ts';

describe('refused entries', () => {
  let now = 0;
  let logged: unknown[] = [];
  let refused: RefusedEntries;
  const refuse = (id: string, call = 'boxes.count') => refused.add({ id, call }, new Error('no'));

  beforeEach(() => {
    now = 0;
    logged = [];
    refused = new RefusedEntries({ error: (line) => void logged.push(line) }, () => now);
  });

  it('are delayed for twice as long by each refusal, and for ten minutes at most', () => {
    const delays = Array.from({ length: 9 }, () => {
      refuse('a');
      const start = now;
      while (refused.isDelayed('a')) now += 1_000;
      return (now - start) / 1_000;
    });
    expect(delays).toEqual([10, 20, 40, 80, 160, 320, 600, 600, 600]);
  });

  it('are delayed alone, and no longer once they were handed over', () => {
    refuse('a');
    expect(refused.isDelayed('b')).toBe(false);
    refused.drop(['a']);
    expect(refused.isDelayed('a')).toBe(false);
  });

  it('are logged once a minute for each action, however many they are', () => {
    for (let id = 0; id < 1_000; id++) refuse(String(id));
    refuse('other', 'boxes.weigh');
    expect(logged).toEqual([
      { err: expect.any(Error), action: 'boxes.count', entry: '0' },
      { err: expect.any(Error), action: 'boxes.weigh', entry: 'other' },
    ]);
    now = 60_000;
    refuse('1');
    expect(logged).toHaveLength(3);
  });
});
