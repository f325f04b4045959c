import { ServiceBroker } from 'moleculer';
import { z } from 'zod';
import { action } from '../../contract/contract.ts';
import { ErrorMapping } from '../../middlewares/error-mapping.ts';
import { giveUpOpenCalls, OpenCalls } from '../../middlewares/open-calls.ts';

const contract = action({ summary: 'x', access: { who: 'public' }, result: z.null() });

describe('calls that are open when the process has no more time', () => {
  it('are answered with 504, and hold up the end no longer', async () => {
    const broker = new ServiceBroker({
      logger: false,
      middlewares: [ErrorMapping, OpenCalls],
      tracking: { enabled: true, shutdownTimeout: 60_000 },
    });
    const begun = Promise.withResolvers<void>();
    broker.createService({
      name: 'things',
      actions: {
        make: {
          contract: () => contract,
          handler() {
            begun.resolve();
            return new Promise(() => undefined);
          },
        } as never,
      },
    });
    await broker.start();
    const answer = expect(broker.call('things.make')).rejects.toMatchObject({
      type: 'DEADLINE_PASSED',
      code: 504,
    });
    await begun.promise;
    const stopped = broker.stop();
    giveUpOpenCalls();
    await answer;
    await stopped;
  });
});
