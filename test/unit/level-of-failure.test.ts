import { Errors, ServiceBroker } from 'moleculer';
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
