import { createWorkspace, type Person, registerVerified } from '../../helpers/people.ts';
import {
  duringHeavyFiles,
  type HeavyFilesPrepared,
  storingFlowMs,
  validateOnce,
} from '../flooding/heavy-files.ts';
import type { FloodScenario } from './scenario.ts';

const OWNERS = 24;
const SAMPLES = 10;

export const scenario: FloodScenario<HeavyFilesPrepared> = {
  name: 'a heavy file of each of twenty-four owners: storing a flow',
  bound: 30,
  async prepare({ url }) {
    const person = await registerVerified(url);
    const flooders: Person[] = [];
    for (let n = 0; n < OWNERS; n++) flooders.push(await registerVerified(url, 'Mallory'));
    // An owner who never had a file checked is as new as the person measured.
    await Promise.all(flooders.map(validateOnce));
    return { person, workspaceId: await createWorkspace(person), flooders };
  },
  idle: (_, prepared) => storingFlowMs(prepared, SAMPLES),
  flooded: ({ url }, prepared) =>
    duringHeavyFiles(url, prepared, { atOnce: 1, seconds: 30 }, () =>
      storingFlowMs(prepared, SAMPLES),
    ),
};
