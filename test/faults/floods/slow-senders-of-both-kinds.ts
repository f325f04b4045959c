import type { Person } from '../../helpers/people.ts';
import { duringFlood } from '../flooding/flood.ts';
import { HALF_OPEN, read, readDuring, reader, UNFINISHED } from '../flooding/slow-senders.ts';
import type { FloodScenario } from './scenario.ts';

export const scenario: FloodScenario<Person> = {
  name: 'half-open headers and unfinished bodies: reads',
  bound: 2,
  prepare: reader,
  idle: (_server, person) => read(person),
  flooded: (server, person) =>
    duringFlood(server.url, UNFINISHED.flood, () => readDuring(server, person, HALF_OPEN)),
};
