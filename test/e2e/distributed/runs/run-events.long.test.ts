import { randomOf } from '../../../faults/random.ts';
import { e2e } from '../../../fixtures/e2e.ts';
import { EventStream } from '../../../helpers/event-stream.ts';
import type { Answer } from '../../../helpers/http.ts';
import { nextPage } from '../../../helpers/pages.ts';
import { getRun, runToEnd, type StepAnswer, startRun } from '../../../helpers/runs.ts';

/** Steps that a run records; further ones have no event. */
const RECORDED = 50_000;

const { server, owner: ada, workspace } = e2e({ own: true });

const follow = (runId: number, lastEventId = 0): EventStream =>
  new EventStream(server.url, `/flows/runs/${runId}/events`, { token: ada.token, lastEventId });

/** The ids of all steps of a run, page by page, and the header of the first page. */
async function stepIdsOf(runId: number): Promise<{ ids: number[]; omitted: unknown }> {
  const ids: number[] = [];
  let omitted: unknown;
  let path: string | undefined = `/flows/runs/${runId}/steps?limit=1000`;
  while (path) {
    const answer: Answer<StepAnswer[]> = await ada.call<StepAnswer[]>('GET', path);
    ids.push(...answer.body.map(({ id }) => id));
    omitted ??= answer.headers['x-steps-omitted'];
    path = nextPage(answer.headers);
  }
  return { ids, omitted };
}

const idOf = ({ data }: { data: unknown }): unknown => Object(data).id;
const stepsIn = ({ events }: EventStream) => events.filter(({ event }) => event === 'step');

test('a run of 60 001 steps has an event of each that is recorded, and says how many are not', async () => {
  const sets = Array.from({ length: 6 }, (_, n) => ({ [`set${n}`]: { set: { n } } }));
  const each = { for: { in: `\${ [1..10000] }` }, do: sets };
  const flowId = await workspace.flow(JSON.stringify({ do: [{ each }] }));
  const { body: run } = await startRun(ada, flowId);
  const live = follow(run.id);
  await live.ended(300_000);
  expect(live.events.map(({ id }) => id)).toEqual(live.events.map((_, at) => at + 1));
  expect(live.events.at(-1)).toMatchObject({ event: 'end', data: await getRun(ada, run.id) });
  const { ids, omitted } = await stepIdsOf(run.id);
  expect(ids).toHaveLength(RECORDED);
  expect(omitted).toBe('10001');
  expect(stepsIn(live).map(idOf)).toEqual(ids);
  const stored = await follow(run.id).ended(120_000);
  expect(stored.events).toEqual(live.events);
  for (const id of [1, 2, 3, 12_345, 49_999, live.events.length - 1]) {
    const rest = await follow(run.id, id).ended(120_000);
    expect(rest.events).toEqual(live.events.slice(id));
  }
}, 600_000);

/** A generator of whole numbers below a bound, the same for each seed. */
function integersOf(seed: number): (below: number) => number {
  const random = randomOf(seed);
  return (below) => Math.floor(random() * below);
}

/** A list of random tasks: values, loops, branches, skipped tasks, caught errors, and waits that suspend the run. */
function randomTasks(random: (below: number) => number, name: string, depth = 0): object[] {
  return Array.from({ length: 1 + random(4) }, (_, n) => {
    const own = `${name}x${n}`;
    const inner = () => randomTasks(random, own, depth + 1);
    const raise = { error: { type: 'https://a.test/e', status: 500, title: 'T' } };
    const kinds: (() => object)[] = [
      () => ({ set: { n } }),
      () => ({ if: `\${ false }`, set: { n } }),
      () => ({ wait: { milliseconds: random(2) ? 5 : 1_200 } }),
      () => ({ try: [{ [`${own}r`]: { raise } }], catch: { as: 'error' } }),
      () => ({ do: inner() }),
      () => ({ for: { in: `\${ [1..${1 + random(3)}] }` }, do: inner() }),
    ];
    const kind = kinds[random(depth < 2 ? kinds.length : 4)] ?? kinds[0];
    return { [own]: kind?.() ?? {} };
  });
}

test.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'random flow %i: all events, in order, from every id',
  async (seed) => {
    const tasks = randomTasks(integersOf(seed), 't');
    const flowId = await workspace.flow(JSON.stringify({ do: tasks }));
    const { body: started } = await startRun(ada, flowId);
    const live = await follow(started.id).ended(120_000);
    expect(live.events.map(({ id }) => id)).toEqual(live.events.map((_, at) => at + 1));
    expect(live.events.at(-1)).toMatchObject({ event: 'end', data: { status: 'SUCCESS' } });
    expect(stepsIn(live).map(idOf)).toEqual((await stepIdsOf(started.id)).ids);
    for (let id = 0; id < live.events.length; id += 1 + (id % 3)) {
      const rest = await follow(started.id, id).ended();
      expect(rest.events).toEqual(live.events.slice(id));
    }
  },
  180_000,
);

test('a run that has ended before is followed as one that was watched', async () => {
  const content = JSON.stringify({ do: randomTasks(integersOf(4_711), 't') });
  const run = await runToEnd(ada, await workspace.flow(content));
  const [one, other] = [await follow(run.id).ended(), await follow(run.id).ended()];
  expect(one.events).toEqual(other.events);
  expect(one.events.at(-1)).toMatchObject({ event: 'end', data: run });
});
