import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXAMPLES, ExampleWorld, exampleOf } from '../helpers/examples.ts';
import { endOf, type RunAnswer, stepsOf } from '../helpers/runs.ts';
import { sharedServer, stopServers } from '../helpers/server.ts';
import { waitFor } from '../helpers/wait.ts';

const NAMES = readdirSync(EXAMPLES)
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => file.replace('.yaml', ''));

let world: ExampleWorld;
beforeAll(async () => {
  world = await ExampleWorld.make((await sharedServer()).url);
});
afterAll(async () => {
  await world.warehouse.stop();
  await stopServers();
});

test.each(NAMES)(
  '%s begins with what it does, has no warnings and is in the table',
  async (name) => {
    const content = exampleOf(name);
    expect(content).toMatch(/^# [A-Z]/);
    expect(readFileSync(join(EXAMPLES, 'README.md'), 'utf8')).toContain(
      `[${name}.yaml](${name}.yaml)`,
    );
    const { body } = await world.owner.call('POST', '/flows/validate', { body: { content } });
    expect(body).toEqual({ valid: true, faults: [], warnings: [] });
  },
);

test('poll and create raises one issue for each alarm, also after a poll that was not finished', async () => {
  const flowId = await world.store('poll-and-create');
  await world.warehouse.failNext('/alarms/1/acknowledge', 503, 1);
  const first = await world.runToEnd(flowId);
  expect(first).toMatchObject({
    status: 'SUCCESS',
    output: {
      handled: [{ alarm: 2, issue: expect.any(Number) }],
      later: [{ alarm: 1, because: 'HTTP_STATUS' }],
    },
  });
  const raised = await world.issues();
  const titles = raised.map(({ title }) => title).toSorted(); // ids of several processes are in no order of time
  expect(titles).toEqual([
    'Alarm at shelf A1: The shelf of the cards is nearly empty',
    'Alarm at shelf B7: The lamp of the cranks is broken',
  ]);
  const second = await world.runToEnd(flowId);
  const ofFirst = raised.find(({ title }) => title.startsWith('Alarm at shelf A1'));
  expect(second.output).toEqual({ handled: [{ alarm: 1, issue: ofFirst?.id }], later: [] });
  const third = await world.runToEnd(flowId);
  expect(third.output).toEqual({ handled: [], later: [] });
  expect((await world.issues()).map(({ id }) => id)).toEqual(raised.map(({ id }) => id));
});

describe('approval', () => {
  const decide = async (run: number, decision: object) => {
    const path = `/flows/runs/${run}/signals/decided`;
    expect((await world.owner.call('POST', path, { body: decision })).status).toBe(204);
  };

  test('goes on when a person says yes, and fails when a person says no', async () => {
    const flowId = await world.store('approval');
    const [yes, no] = [
      await world.start(flowId, { version: '2.0' }),
      await world.start(flowId, { version: '3' }),
    ];
    await waitFor('both questions', async () => {
      const titles = (await world.issues()).map(({ title }) => title);
      return ['2.0', '3'].every((one) => titles.includes(`May the release ${one} go out?`));
    });
    await decide(yes, { approved: true, by: 'Grace' });
    await decide(no, { approved: false, by: 'Alan' });
    expect(await endOf(world.owner, yes)).toMatchObject({
      status: 'SUCCESS',
      output: { version: '2.0', approvedBy: 'Grace' },
    });
    expect(await endOf(world.owner, no)).toMatchObject({
      status: 'FAILED',
      error: { status: 409, title: 'Not approved', detail: 'Alan said no to the release 3.' },
    });
  });

  test('fails when nobody answers in time', async () => {
    const flowId = await world.store('approval', (content) => content.replace('P2D', 'PT0.2S'));
    expect(await world.runToEnd(flowId, { version: '4' })).toMatchObject({
      status: 'FAILED',
      error: { status: 408, title: 'Nobody decided' },
    });
  });
});

describe('retry and compensate', () => {
  const order = { order: 7, sku: 'gear', pieces: 2, country: 'DE' };
  const gears = async () => (await world.warehouse.get<{ pieces: number }>('/stock/gear')).pieces;
  let flowId: number;
  beforeAll(async () => {
    flowId = await world.store('retry-and-compensate');
  });

  test.each([503, 500])(
    'ships when a warehouse that answers %i has been asked often enough',
    async (status) => {
      await world.warehouse.failNext('/shipments', status, 2);
      const before = await gears();
      const run = await world.runToEnd(flowId, { ...order, pieces: 1 });
      expect(run).toMatchObject({ status: 'SUCCESS', output: { shipment: 'S-7' } });
      const attempts = (await stepsOf(world.owner, run.id)).filter(({ name }) => name === 'ship');
      expect(attempts.map((attempt) => attempt.status)).toEqual(['FAILED', 'FAILED', 'SUCCESS']);
      expect(await gears()).toBe(before - 1);
    },
  );

  test('takes the reservation back when the order cannot be shipped', async () => {
    const before = await gears();
    const run = await world.runToEnd(flowId, { ...order, country: 'AQ' });
    expect(run).toMatchObject({
      status: 'FAILED',
      error: {
        status: 409,
        title: 'Not shipped',
        detail: expect.stringMatching(/422.*was released/),
      },
    });
    expect(await gears()).toBe(before);
  });

  test('undoes nothing when nothing could be reserved', async () => {
    const run = await world.runToEnd(flowId, { ...order, pieces: 1000 });
    expect(run).toMatchObject({ status: 'FAILED', error: { status: 409, title: 'HTTP_STATUS' } });
    const names = (await stepsOf(world.owner, run.id)).map(({ name }) => name);
    expect(names).not.toContain('cancel');
  });
});

describe('fan out', () => {
  test('gathers what is missing, articles that the warehouse does not know included', async () => {
    const run = await world.runToEnd(await world.store('fan-out'), { since: '2026-11-18' });
    expect(run).toMatchObject({
      status: 'SUCCESS',
      output: {
        articles: 4,
        missing: [
          { sku: 'card', pieces: 20 },
          { sku: 'crank', pieces: 1 },
        ],
      },
    });
  });

  test('fails with the branch that fails, and goes on there when it is retried', async () => {
    await world.warehouse.failNext('/deliveries', 500, 1);
    const run = await world.runToEnd(await world.store('fan-out'), { since: '2026-11-20' });
    expect(run).toMatchObject({ status: 'FAILED', error: { title: 'HTTP_STATUS', status: 500 } });
    const { body: retry } = await world.owner.call<RunAnswer>(
      'POST',
      `/flows/runs/${run.id}/retry`,
    );
    expect((await endOf(world.owner, retry.id)).status).toBe('SUCCESS');
  });
});

test('the orders of the first flow are shipped, though the warehouse refuses some at first', async () => {
  await world.warehouse.failNext('/shipments', 503, 1);
  const flowId = await world.store('ship-orders', (content) =>
    content
      .replaceAll('http://127.0.0.1:4010', world.warehouse.url)
      .replace('{ seconds: 10 }', '{ milliseconds: 100 }'),
  );
  expect(await world.runToEnd(flowId, { since: '2026-11-19' })).toMatchObject({
    status: 'SUCCESS',
    output: { shipped: 2, total: 77 },
  });
});
