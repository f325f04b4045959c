import { createWorkspace, type Person, register, registerVerified } from '../../helpers/people.ts';
import {
  duringHeavyFiles,
  type HeavyFilesPrepared,
  storingFlowMs,
} from '../flooding/heavy-files.ts';
import type { FloodScenario } from './scenario.ts';

const ACCOUNTS = 12;
const CHECKS_PER_ACCOUNT = 2;
const SAMPLES = 20;

export const scenario: FloodScenario<HeavyFilesPrepared> = {
  name: 'heavy files of twelve unverified accounts: storing a flow',
  bound: 10,
  async prepare({ url }) {
    const person = await registerVerified(url);
    const flooders: Person[] = [];
    for (let n = 0; n < ACCOUNTS; n++) flooders.push(await register(url, 'Mallory'));
    return { person, workspaceId: await createWorkspace(person), flooders };
  },
  idle: (_, prepared) => storingFlowMs(prepared, SAMPLES),
  flooded: ({ url }, prepared) =>
    duringHeavyFiles(url, prepared, { atOnce: CHECKS_PER_ACCOUNT, seconds: 60 }, () =>
      storingFlowMs(prepared, SAMPLES),
    ),
};
