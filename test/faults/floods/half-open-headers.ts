import type { Person } from '../../helpers/people.ts';
import { HALF_OPEN, read, readDuring, reader } from '../flooding/slow-senders.ts';
import type { FloodScenario } from './scenario.ts';

export const scenario: FloodScenario<Person> = {
  name: 'half-open headers: reads',
  bound: 2,
  prepare: reader,
  idle: (_server, person) => read(person),
  flooded: (server, person) => readDuring(server, person, HALF_OPEN),
};
