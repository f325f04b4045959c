import { ServiceBroker } from 'moleculer';
import { z } from 'zod';
import { asSystem } from '../../contract/caller.ts';
import { action } from '../../contract/contract.ts';
import { Activity } from '../../middlewares/activity.ts';
import { onActivity } from '../../support/activity.ts';

const contract = action({ summary: 'x', access: { who: 'public' }, result: z.null() });
const answer = { contract: () => contract, handler: async () => null } as never;

const broker = new ServiceBroker({ logger: false, middlewares: [Activity] });
broker.createService({
  name: 'things',
  actions: { make: answer },
  events: { 'thing.made': async () => undefined },
});
broker.createService({ name: 'api', actions: { live: answer } });
beforeAll(() => broker.start());
afterAll(() => broker.stop());

test.each([
  ['a call', true, () => broker.call('things.make')],
  ['an event', true, () => broker.emit('thing.made', {})],
  ['the loss of another process', true, () => broker.broadcastLocal('$node.disconnected', {})],
  ['a call of the gateway itself', false, () => broker.call('api.live')],
  ['a call for metrics', false, () => broker.call('things.make', {}, asSystem('telemetry'))],
])('%s is activity of the process: %s', async (_, isActivity, happen) => {
  const noted = jest.fn();
  const forget = onActivity(noted);
  await happen();
  expect(noted).toHaveBeenCalledTimes(isActivity ? 1 : 0);
  forget();
});
