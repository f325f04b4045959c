import { output, TestHost } from './test-host.ts';

/** A task inside so many `do`, which each take a few turns of the microtask queue. */
const nest = (levels: number, name: string, task: string): string =>
  levels === 0 ? task : `{ do: [{ ${name}${levels}: ${nest(levels - 1, name, task)} }] }`;

/** A race that ends at about the time when its loser begins to wait, beside a branch that waits later. */
const flow = (before: number, beforeWait: number) => `
do:
  - outer:
      fork:
        branches:
          - both:
              fork:
                compete: true
                branches:
                  - ends: ${nest(before, 'e', '{ set: { n: 0 } }')}
                  - waits: ${nest(beforeWait, 'w', '{ wait: P1D }')}
          - later: { do: [{ pause: { wait: PT20S } }, { after: { set: { n: 1 } } }] }`;

const depths = Array.from({ length: 7 }, (_, before) =>
  Array.from({ length: 7 }, (__, beforeWait) => [before, beforeWait]),
).flat();

test('a branch that is cancelled when it begins to wait leaves nothing that waits', async () => {
  for (const [before = 0, beforeWait = 0] of depths) {
    const host = new TestHost();
    expect(await output(flow(before, beforeWait), host)).toEqual([{ n: 0 }, { n: 1 }]);
  }
});
