import { e2e } from '../fixtures/e2e.ts';
import { EventStream, type StreamOptions } from '../helpers/event-stream.ts';
import { getRun, startRun, stepsOf } from '../helpers/runs.ts';
import { servicesExcept } from '../helpers/spread.ts';

const {
  server: system,
  owner,
  workspace,
} = e2e({ processes: ['api', 'api', servicesExcept('api', 'runs'), 'runs', 'runs'] });

const follow = (gateway: number, runId: number, options: StreamOptions = {}): EventStream =>
  new EventStream(system.urls[gateway] ?? '', `/flows/runs/${runId}/events`, {
    token: owner.token,
    ...options,
  });

const FLOW = `do:
${Array.from({ length: 6 }, (_, n) => `  - wait${n}: { wait: { milliseconds: 1500 } }\n  - set${n}: { set: { n: ${n} } }\n`).join('')}`;

test('two gateways show one run, also where its client changes between them and a process of runs is killed', async () => {
  const { body: run } = await startRun(owner, await workspace.flow(FLOW));
  const whole = follow(0, run.id);
  const begun = follow(1, run.id);
  const { id } = await begun.until('the first step', ({ event }) => event === 'step');
  begun.close();
  const seen = begun.events.filter((event) => event.id <= id);
  const rest = follow(0, run.id, { lastEventId: id });
  await system.remove('runs', 'SIGKILL');
  await Promise.all([whole.ended(), rest.ended()]);
  expect([whole, rest].map(({ status, end }) => [status, end])).toEqual([
    [200, 'complete'],
    [200, 'complete'],
  ]);
  expect([...seen, ...rest.events]).toEqual(whole.events);
  expect(whole.events.map((event) => event.id)).toEqual(whole.events.map((_, at) => at + 1));
  const ids = (await stepsOf(owner, run.id)).map((step) => step.id);
  const steps = whole.events.filter(({ event }) => event === 'step');
  expect(steps.map(({ data }) => Object(data).id)).toEqual(ids);
  expect(whole.events.at(-1)).toMatchObject({ event: 'end', data: await getRun(owner, run.id) });
  expect(await follow(1, run.id).ended()).toMatchObject({ events: whole.events });
}, 120_000);
