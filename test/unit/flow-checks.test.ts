import { Turns } from '../../mixins/turns.ts';
import { invalidFile } from '../../services/flows/flows.problems.ts';

const fault = { in: 'body', path: 'content', message: 'why', line: 1, column: 1 } as const;

test('a file that took too much has a code of its own, other faults the usual one', () => {
  const errors = [{ ...fault, code: 'FLOW_TOO_COMPLEX' }];
  expect(invalidFile(errors)).toMatchObject({
    type: 'FLOW_TOO_COMPLEX',
    code: 400,
    data: { errors },
  });
  expect(invalidFile([{ ...fault, code: 'YAML_SYNTAX' }])).toMatchObject({
    type: 'INVALID_REQUEST',
    code: 400,
  });
});

describe('turns', () => {
  const turnsOf = (mostWaiting: number, atOnce = 4, patienceMs?: number) =>
    new Turns({
      atOnce,
      mostWaiting,
      refusal: () => new Error('full'),
      ...(patienceMs === undefined ? {} : { patienceMs }),
    });

  test('go from key to key, however much waits under one of them', async () => {
    const turns = turnsOf(10, 1);
    const order: string[] = [];
    const work = (name: string) => async () => void order.push(name);
    const many = Array.from({ length: 5 }, (_, n) => turns.take('a', work(`a${n}`)));
    await Promise.all([...many, turns.take('b', work('b0')), turns.take('b', work('b1'))]);
    expect(order).toEqual(['a0', 'a1', 'b0', 'a2', 'b1', 'a3', 'a4']);
  });

  test('may be a few of one key at once, and still leave room', async () => {
    const refusal = () => new Error('full');
    const turns = new Turns({ atOnce: 3, ofOneKey: 2, mostWaiting: 10, refusal });
    const under: string[] = [];
    const work = (name: string) => async () => {
      under.push(name);
      await new Promise((resolve) => setTimeout(resolve, 20));
    };
    const all = ['a0', 'a1', 'a2', 'b0'].map((name) => turns.take(name.charAt(0), work(name)));
    await Promise.resolve();
    expect(under).toEqual(['a0', 'a1', 'b0']);
    await Promise.all(all);
    expect(under).toEqual(['a0', 'a1', 'b0', 'a2']);
  });

  test('that come too late are not taken', async () => {
    const turns = turnsOf(10, 1, 30);
    const late = jest.fn(async () => undefined);
    const slow = turns.take('a', () => new Promise((resolve) => setTimeout(resolve, 100)));
    await expect(turns.take('b', late)).rejects.toThrow('full');
    await slow;
    await turns.take('c', async () => undefined);
    expect(late).not.toHaveBeenCalled();
  });

  test('of one key come one after another, of two side by side, failed or not', async () => {
    const turns = turnsOf(10);
    const log: string[] = [];
    const work = (name: string) => async () => {
      log.push(`${name} begins`);
      await new Promise((resolve) => setTimeout(resolve, 5));
      log.push(`${name} ends`);
      if (name === 'a1') throw new Error('a1 failed');
    };
    await Promise.allSettled([
      turns.take('a', work('a1')),
      turns.take('a', work('a2')),
      turns.take('b', work('b1')),
    ]);
    expect(log.indexOf('a2 begins')).toBeGreaterThan(log.indexOf('a1 ends'));
    expect(log.indexOf('b1 begins')).toBeLessThan(log.indexOf('a1 ends'));
  });

  test('are refused when too many wait, and again possible afterwards', async () => {
    const turns = turnsOf(1);
    const work = async () => 'done';
    const first = [turns.take('a', work), turns.take('a', work)];
    await expect(turns.take('a', work)).rejects.toThrow('full');
    await expect(turns.take('b', work)).resolves.toBe('done');
    expect(await Promise.all(first)).toEqual(['done', 'done']);
    await expect(turns.take('a', work)).resolves.toBe('done');
  });
});
