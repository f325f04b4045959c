import fc from 'fast-check';
import { ResourceQueue } from '../../../services/events/delivering/lanes/resource-queue.ts';

const deliveryOf = (resourceKey: string, position: number) => ({
  _id: position,
  resourceKey,
  position,
  createdAt: new Date(position),
});

test('each resource has one delivery taken at a time, in the order of positions', () => {
  const positions = fc.uniqueArray(fc.nat(1000), { maxLength: 30 });
  fc.assert(
    fc.property(positions, fc.array(fc.nat(), { maxLength: 60 }), (some, choices) => {
      const queue = new ResourceQueue<ReturnType<typeof deliveryOf>>();
      queue.add(some.map((position) => deliveryOf(`r${position % 4}`, position)));
      const taken: ReturnType<typeof deliveryOf>[] = [];
      const order = new Map<string, number[]>();
      for (const choice of [...choices, ...Array(200).fill(0)]) {
        const next = choice % 2 === 0 ? queue.take() : null;
        if (next) {
          expect(taken.map(({ resourceKey }) => resourceKey)).not.toContain(next.resourceKey);
          taken.push(next);
          order.set(next.resourceKey, [...(order.get(next.resourceKey) ?? []), next.position]);
        } else {
          const [ended] = taken.splice(choice % Math.max(taken.length, 1), 1);
          if (ended) queue.end(ended);
        }
      }
      for (const seen of order.values()) expect(seen).toEqual(seen.toSorted((a, b) => a - b));
      expect([...order.values()].flat()).toHaveLength(some.length);
      expect(queue.size).toBe(0);
    }),
  );
});

test('what is known is not added again, and a dropped resource has nothing left', () => {
  const queue = new ResourceQueue<ReturnType<typeof deliveryOf>>();
  queue.add([deliveryOf('a', 2), deliveryOf('a', 1)]);
  queue.add([deliveryOf('a', 1)]);
  expect(queue.size).toBe(2);
  expect(queue.take()?.position).toBe(1);
  expect(queue.take()).toBeNull();
  expect(queue.drop('a').map(({ position }) => position)).toEqual([2]);
  expect(queue.ids).toEqual([1]);
});
