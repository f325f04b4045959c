import { setImmediate } from 'node:timers/promises';
import { ServiceBroker } from 'moleculer';
import { z } from 'zod';
import { action } from '../../contract/contract.ts';
import { ErrorMapping } from '../../middlewares/error-mapping.ts';
import { giveUpOpenCalls, limitStop, OpenCalls } from '../../middlewares/open-calls.ts';

const contract = action({ summary: 'x', access: { who: 'public' }, result: z.null() });

/** A broker with one call that no handler ever answers. */
async function brokerWithOpenCall() {
  const broker = new ServiceBroker({
    logger: false,
    middlewares: [ErrorMapping, OpenCalls],
  });
  limitStop(broker, 60_000);
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

/** A broker with an event whose handler ends when it is told to, and the errors that the broker logs. */
async function brokerWithOpenEvent() {
  const errors: unknown[] = [];
  const ignore = () => undefined;
  const levels = { fatal: ignore, warn: ignore, info: ignore, debug: ignore, trace: ignore };
  const createLogger = () => ({ ...levels, error: (line: unknown) => errors.push(line) });
  const broker = new ServiceBroker({
    logger: { type: 'Pino', options: { createLogger } } as never,
    middlewares: [OpenCalls],
  });
  const [begun, ending] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const steps: string[] = [];
  broker.createService({
    name: 'things',
    events: {
      async 'thing.made'() {
        begun.resolve();
        await ending.promise;
        steps.push('handled');
      },
    },
    stopped: async () => void steps.push('stopped'),
  });
  await broker.start();
  void broker.emit('thing.made');
  await begun.promise;
  return { broker, end: ending.resolve, steps, errors };
}

describe('a stop', () => {
  it('lets an event be handled before services stop', async () => {
    const { broker, end, steps, errors } = await brokerWithOpenEvent();
    const stopped = broker.stop();
    await setImmediate();
    end();
    await stopped;
    expect(steps).toEqual(['handled', 'stopped']);
    expect(errors).toEqual([]);
  });

  it('waits no longer than it may, and says what has not ended', async () => {
    const { broker, end, steps, errors } = await brokerWithOpenEvent();
    limitStop(broker, 1);
    await broker.stop();
    expect(steps).toEqual(['stopped']);
    expect(errors).toEqual(['Calls and events that have not ended in time: 1.']);
    end();
  });
});
