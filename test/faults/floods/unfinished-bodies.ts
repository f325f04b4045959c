import type { Person } from '../../helpers/people.ts';
import { read, readDuring, reader, UNFINISHED } from '../flooding/slow-senders.ts';
import type { FloodScenario } from './scenario.ts';

export const scenario: FloodScenario<Person> = {
  name: 'unfinished bodies: reads',
  bound: 2,
  prepare: reader,
  idle: (_server, person) => read(person),
  flooded: (server, person) => readDuring(server, person, UNFINISHED),
};
