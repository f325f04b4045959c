import { Errors, ServiceBroker } from 'moleculer';
import { z } from 'zod';
import { action, defineContract } from '../../contract/contract.ts';
import { implementWith } from '../../contract/contract-types.ts';
import { brokerOptions } from '../../moleculer.config.ts';

const contract = defineContract('things', 'Things', {
  read: action({
    summary: 'Read a thing',
    access: { who: 'internal' },
    result: z.null(),
    idempotent: true,
  }),
});

test('a read that takes too long in its own process is not begun again there', async () => {
  const broker = new ServiceBroker({ ...brokerOptions, logger: false, requestTimeout: 50 });
  let begun = 0;
  broker.createService({
    name: 'things',
    actions: implementWith()(contract, {
      read: () => {
        begun++;
        return new Promise<never>(() => undefined);
      },
    }),
  });
  await broker.start();
  const failure = await broker.call('things.read').catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Errors.RequestTimeoutError);
  expect(begun).toBe(1);
  broker.options.tracking = { enabled: false, shutdownTimeout: 1 };
  await broker.stop();
});
