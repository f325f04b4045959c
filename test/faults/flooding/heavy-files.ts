import { HEAVY_FILE } from '../../helpers/heavy-flows.ts';
import type { Person } from '../../helpers/people.ts';
import { duringFlood } from './flood.ts';
import { answersWith, medianMs } from './latency.ts';

const FILE = 'do:\n  - a: { set: { n: 1 } }\n';

export interface HeavyFilesPrepared {
  person: Person;
  workspaceId: number;
  flooders: Person[];
}

let stored = 0;
/** Returns the median of the milliseconds in which a person stores a new flow. */
export const storingFlowMs = (
  { person, workspaceId }: HeavyFilesPrepared,
  samples: number,
): Promise<number> =>
  medianMs(
    () => {
      const body = { workspaceId, name: `flow-${stored++}`, content: FILE };
      return answersWith(200, person.call('POST', '/flows', { body }));
    },
    { samples },
  );

/** Sends one heavy file of the person to be checked. */
export const validateOnce = (flooder: Person) =>
  flooder.call('POST', '/flows/validate', { body: { content: HEAVY_FILE } });

/** Measures while the flooders have heavy files checked, each as many at once. */
export const duringHeavyFiles = (
  url: string,
  { flooders }: HeavyFilesPrepared,
  { atOnce, seconds }: { atOnce: number; seconds: number },
  measure: () => Promise<number>,
): Promise<number> =>
  duringFlood(
    url,
    {
      kind: 'requests',
      clients: flooders.length * atOnce,
      requests: flooders.map(({ token }) => ({
        method: 'POST',
        path: '/flows/validate',
        headers: { authorization: `Bearer ${token}` },
        body: { content: HEAVY_FILE },
      })),
      seconds,
      localAddress: '127.0.0.2',
    },
    measure,
  );
