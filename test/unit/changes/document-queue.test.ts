import { DocumentQueue } from '../../../mixins/changes/document-queue.ts';

/** Queues changes that wait for `begin`, one by each caller named. Returns how they end. */
function flood(queue: DocumentQueue<object>, callers: readonly string[], begin: Promise<void>) {
  const changes = callers.map((caller) => queue.run(1, caller, () => begin));
  return Promise.allSettled(changes);
}

const times = (count: number, caller: string): string[] => Array(count).fill(caller);

describe('the queue of a document', () => {
  it('is not filled by one caller: the change of another has its turn', async () => {
    const queue = new DocumentQueue<object>();
    const begin = Promise.withResolvers<void>();
    const ended = flood(queue, times(100, 'person:1'), begin.promise);
    const other = queue.run(1, 'person:2', async () => 'changed');
    begin.resolve();
    expect(await other).toBe('changed');
    const refused = (await ended).filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(49); // one is made, 50 wait
    expect(await queue.run(1, 'person:1', async () => 'again')).toBe('again');
  });

  it('is not filled by several callers: one of them makes room', async () => {
    const queue = new DocumentQueue<object>();
    const begin = Promise.withResolvers<void>();
    const callers = [...times(60, 'person:1'), ...times(60, 'person:2')];
    const ended = flood(queue, callers, begin.promise);
    const other = queue.run(1, 'person:3', async () => 'changed');
    begin.resolve();
    expect(await other).toBe('changed');
    await ended;
  });

  it('lets callers take turns: one does not wait for all changes of another', async () => {
    const queue = new DocumentQueue<object>();
    const begin = Promise.withResolvers<void>();
    const order: string[] = [];
    const first = queue.run(1, 'person:1', () => begin.promise);
    const changes = [...times(20, 'person:1'), 'person:2'].map((caller) =>
      queue.run(1, caller, async () => order.push(caller)),
    );
    begin.resolve();
    await Promise.all([first, ...changes]);
    expect(order.indexOf('person:2')).toBeLessThanOrEqual(1);
  });

  it('makes one change at a time and hands the document on', async () => {
    const queue = new DocumentQueue<number>();
    const seen = await Promise.all(
      [1, 2, 3].map((value) =>
        queue.run(1, `person:${value}`, async (line) => {
          const { latest } = line;
          await new Promise(setImmediate);
          line.latest = value;
          return latest;
        }),
      ),
    );
    expect(seen).toEqual([undefined, 1, 2]);
  });
});
