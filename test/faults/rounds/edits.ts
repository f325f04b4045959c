import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { pagesOf } from '../../helpers/pages.ts';
import { createWorkflow, type WorkflowStep } from '../../helpers/workflows.ts';
import { type Client, sendUntilAcknowledged } from './clients.ts';
import { disturb, killDatabase, killing, killOf } from './kills.ts';
import { restores } from './restores/restore-rounds.ts';
import type { Scenario } from './scenario.ts';

const DEV_MODE = 'dev-mode';
/** People who edit the branch, each a step of their own. */
const EDITORS = 8;
/** Milliseconds of the longest pause of a person between two edits. */
const LONGEST_PAUSE_MS = 120;
/** What an edit and a publication may answer during an outage. */
const OUTAGE: readonly number[] = [503, 504];

const stepOf = (editor: number, value: string): WorkflowStep => ({
  key: `step${editor}`,
  definition: { set: { value } },
});

interface Edit {
  snapshot: { id: number };
}

/** Edits of one branch by two processes, of which one is killed: each edit and each publication is whole or refused. */
export const edits: Scenario = {
  promise: 'no acknowledged edit of a branch is lost, and a publication has all of them',
  kinds: restores.kinds, // one system for both
  prepare: async ({ system, owner, workspaceId }) => ({
    async play(_name, random) {
      const steps = Array.from({ length: EDITORS }, (_, editor) => stepOf(editor, 'base'));
      const path = `/dev-mode/branches/${await createWorkflow(owner, workspaceId, steps)}`;
      const query = { workspaceId };
      const acknowledged = new Set<number>();
      /** The values that the step of each editor may have: the last acknowledged, and later ones that were not answered. */
      const possible = new Map<number, string[]>();
      const send = async <T>(method: string, at: string, body?: object) => {
        const options = { query, ...(body ? { body } : {}) };
        const answer = await owner.call<T>(method, path + at, options).catch(() => null);
        if (answer && answer.status !== 200 && !OUTAGE.includes(answer.status)) {
          throw new Error(`${method} ${at} answered ${answer.text}`);
        }
        return answer?.status === 200 ? answer.body : null;
      };
      const editor =
        (who: number): Client =>
        async (isStopped) => {
          for (let n = 0; !isStopped(); n++) {
            await sleep(random() * LONGEST_PAUSE_MS);
            const { key, definition } = stepOf(who, `${who} ${n}`);
            possible.set(who, [...(possible.get(who) ?? ['base']), `${who} ${n}`]);
            const edit = await send<Edit>('PUT', `/steps/${key}`, { definition });
            if (edit) {
              acknowledged.add(edit.snapshot.id);
              possible.set(who, [`${who} ${n}`]);
            }
            // Without any edit there is no branch, and the first ones may have met a fault.
            if (acknowledged.size && n % 5 === who % 5) await send('POST', '/publish');
          }
        };
      const plan = {
        kills: {
          [DEV_MODE]: [6, killOf(DEV_MODE)],
          gateway: [1, killOf('api')],
          database: [1, killDatabase],
        },
        count: 2,
        longestPauseMs: 1_000,
      } as const;
      const clients = steps.map((_, who) => editor(who));
      const { happened, faults } = await disturb(system, random, clients, killing(plan, 500));
      const history = await pagesOf<Edit>(
        owner,
        `${path}/history?workspaceId=${workspaceId}&limit=100`,
      );
      const lost = acknowledged.difference(
        new Set(history.flat().map(({ snapshot }) => snapshot.id)),
      );
      if (lost.size) faults.push(`acknowledged edits are lost: ${[...lost]}`);
      const { body } = await sendUntilAcknowledged<{ steps: WorkflowStep[] }>(
        owner,
        [200],
        ['POST', `${path}/publish`, { query }],
      );
      for (const [who, values] of possible) {
        const step = body.steps.find(({ key }) => key === `step${who}`);
        const isPossible = (value: string) =>
          isDeepStrictEqual(step?.definition, stepOf(who, value).definition);
        if (!values.some(isPossible)) {
          faults.push(`step ${who} is ${JSON.stringify(step)} in place of ${values}`);
        }
      }
      const branch = await send<{ diff: unknown[]; problems: unknown[] }>('GET', '');
      if (branch?.diff.length !== 0 || branch.problems.length !== 0) {
        faults.push(`the published branch is ${JSON.stringify(branch)}`);
      }
      return { happened, load: `${acknowledged.size} edits`, faults };
    },
  }),
};
