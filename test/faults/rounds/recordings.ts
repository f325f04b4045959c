import { setTimeout as sleep } from 'node:timers/promises';
import { createRecording, key, type RecordedStep } from '../../helpers/recordings.ts';
import { WHOLE } from '../../helpers/system.ts';
import { type Client, sendUntilAcknowledged } from './clients.ts';
import { disturb, killing, killWhole } from './kills.ts';
import type { Scenario } from './scenario.ts';

const SENDERS = 3;
/** Milliseconds between two batches of a sender. */
const PAUSE_MS = 10;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** Batches of recordings, each sent again until it is acknowledged, to a process that is killed. */
export const recordings: Scenario = {
  promise: 'a sender that repeats what was not acknowledged has recorded each batch once',
  kinds: [WHOLE],
  prepare: async ({ system, owner, workspaceId }) => ({
    async play(_name, random) {
      const sent = new Map<number, string>();
      const sender: Client = async (isStopped) => {
        const { id } = await createRecording(owner, workspaceId);
        sent.set(id, '');
        for (let at = 0; !isStopped(); at++) {
          const letter = LETTERS.charAt(at % LETTERS.length);
          const body = { sequence: at + 1, events: [key(letter)] };
          await sendUntilAcknowledged(owner, [200], ['POST', `/recordings/${id}/events`, { body }]);
          sent.set(id, `${sent.get(id)}${letter}`);
          await sleep(PAUSE_MS);
        }
      };
      const senders = Array.from({ length: SENDERS }, () => sender);
      const plan = { kills: { whole: [1, killWhole] }, count: 2, longestPauseMs: 600 } as const;
      const { happened, faults } = await disturb(system, random, senders, killing(plan, 200));
      for (const [id, text] of sent) {
        const { body } = await owner.call<{ steps: RecordedStep[] }>(
          'GET',
          `/recordings/${id}/steps`,
        );
        const recorded = body.steps.map(({ definition }) => definition.set.action.text);
        if (recorded.join() !== text) faults.push(`recording ${id} has ${recorded}, sent ${text}`);
      }
      return { happened, load: `${[...sent.values()].join('').length} batches`, faults };
    },
  }),
};
