import { setImmediate } from 'node:timers/promises';
import { ServiceBroker } from 'moleculer';
import { z } from 'zod';
import { action } from '../../contract/contract.ts';
import { ErrorMapping } from '../../middlewares/error-mapping.ts';
import { giveUpOpenCalls, OpenCalls } from '../../middlewares/open-calls.ts';

const contract = action({ summary: 'x', access: { who: 'public' }, result: z.null() });

/** A broker with one call that no handler ever answers. */
async function brokerWithOpenCall() {
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
  const outcome = broker.call('things.make').then(
    () => 'answered',
    ({ type, code }: { type: string; code: number }) => ({ type, code }),
  );
  await begun.promise;
  return { broker, outcome };
}

describe('calls that are open when the process has no more time', () => {
  it('are answered with 504, and hold up the end no longer', async () => {
    const { broker, outcome } = await brokerWithOpenCall();
    const stopped = broker.stop();
    giveUpOpenCalls(broker);
    expect(await outcome).toEqual({ type: 'DEADLINE_PASSED', code: 504 });
    await stopped;
  });

  it('are given up for one broker of a process alone', async () => {
    const [ended, other] = [await brokerWithOpenCall(), await brokerWithOpenCall()];
    giveUpOpenCalls(ended.broker);
    await ended.outcome;
    await setImmediate();
    expect(await Promise.race([other.outcome, 'open'])).toBe('open');
    giveUpOpenCalls(other.broker);
    await Promise.all([ended.broker.stop(), other.broker.stop()]);
  });
});
