import { DocumentQueue } from '../../../mixins/changes/document-queue.ts';

describe('the queue of a document', () => {
  it('is not filled by one caller: the change of another has its turn', async () => {
    const queue = new DocumentQueue<object>();
    const begin = Promise.withResolvers<void>();
    const flood = Array.from({ length: 100 }, () => queue.run(1, 'person:1', () => begin.promise));
    const ended = Promise.allSettled(flood);
    const other = queue.run(1, 'person:2', async () => 'changed');
    begin.resolve();
    expect(await other).toBe('changed');
    const refused = (await ended).filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(50);
    expect(await queue.run(1, 'person:1', async () => 'again')).toBe('again');
  });
});
