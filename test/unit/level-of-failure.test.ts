import { Errors, ServiceBroker } from 'moleculer';
import { mongo } from 'mongoose';
import { logEngineFailure } from '../../services/runs/engine/engine-failure.ts';
import { logger } from '../../support/logging.ts';
import { levelOfFailure, markStopping } from '../../support/stopping-brokers.ts';

const gone = new Errors.ServiceNotFoundError({ action: 'events.record' });
const defect = new TypeError('x is not a function');

test('work that is repeated later warns of a dependency that is away, unless its own process stops', () => {
  const [running, stopping] = [0, 1].map(() => new ServiceBroker({ logger: false }));
  if (!running || !stopping) throw new TypeError('no brokers');
  markStopping(stopping);
  expect([running, stopping].map((broker) => levelOfFailure(broker, gone))).toEqual([
    'warn',
    'info',
  ]);
  expect([running, stopping].map((broker) => levelOfFailure(broker, defect))).toEqual([
    'error',
    'error',
  ]);
});

test('the engine of runs says that a service is away, and not that the database is', () => {
  const broker = new ServiceBroker({ logger: false });
  const [warn, error] = (['warn', 'error'] as const).map((level) =>
    jest.spyOn(logger, level).mockReturnValue(),
  );
  logEngineFailure(broker, gone);
  logEngineFailure(broker, new mongo.MongoNetworkError('the connection was closed'));
  logEngineFailure(broker, defect);
  expect([warn?.mock.calls, error?.mock.calls]).toEqual([
    [[{ err: gone }, 'Work of the engine of runs is repeated later']],
    [[{ err: defect }, 'Work of the engine of runs is repeated later']],
  ]);
  jest.restoreAllMocks();
});
