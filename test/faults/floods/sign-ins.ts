import { createWorkspace, type Person, register } from '../../helpers/people.ts';
import { answersWith, medianMs } from '../flooding/latency.ts';
import type { FloodScenario } from './scenario.ts';
import { DURING_FLOOD, duringWrongPasswords } from './wrong-passwords.ts';

const read = (person: Person) =>
  medianMs(() => answersWith(200, person.call('GET', '/workspaces')), DURING_FLOOD);

export const scenario: FloodScenario<Person> = {
  name: 'wrong passwords: reads',
  bound: 2,
  async prepare({ url }) {
    const person = await register(url);
    await createWorkspace(person);
    return person;
  },
  idle: (_, person) => read(person),
  flooded: (server, person) => duringWrongPasswords(server, () => read(person)),
};
