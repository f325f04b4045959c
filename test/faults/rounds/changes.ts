import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { comes } from '../../helpers/wait.ts';
import type { Fault } from '../checks.ts';
import { randomOf } from '../random.ts';
import { WHOLE } from '../../helpers/system.ts';
import type { Client } from './clients.ts';
import { type Disturbance, disturb } from './kills.ts';
import type { Scenario, Stage } from './scenario.ts';

const WRITERS = 8;
/** Milliseconds of the longest time from the first changes to the kill. */
const KILLED_WITHIN_MS = 1_000;
/** Milliseconds within which what follows of each change is carried out. */
const CARRIED_OUT_WITHIN_MS = 60_000;
const HAS_FOLLOWUPS = {
  $or: [{ 'outbox.0': { $exists: true } }, { removedAt: { $exists: true } }],
};

/** Changes of issues in one process, which is killed between the write of a change and what follows of it. */
export const changes: Scenario = {
  promise: 'each acknowledged change has one audit entry, and no change has more',
  kinds: [WHOLE],
  async prepare(stage) {
    const client = await MongoClient.connect(stage.system.uri);
    const db = client.db();
    const { workspaceId } = stage;
    const count = (name: string, filter: object = {}) =>
      db.collection(name).countDocuments({ workspaceId, ...filter });
    const countFollowups = () => count('issues', HAS_FOLLOWUPS);
    const kill: Disturbance = async (system, random) => {
      await sleep(random() * KILLED_WITHIN_MS);
      await system.remove(WHOLE, 'SIGKILL');
      const left = await countFollowups();
      await system.add(WHOLE);
      return [`killed the process with ${left} changes to follow up`];
    };
    return {
      async play(name, random) {
        const sent = new Map<string, boolean>();
        const writers = Array.from({ length: WRITERS }, (_, n) =>
          writer(stage, `${name}w${n}`, randomOf(random() * 2 ** 32), sent),
        );
        const { happened, faults } = await disturb(stage.system, random, writers, kill);
        if (!(await comes(async () => (await countFollowups()) === 0, CARRIED_OUT_WITHIN_MS))) {
          faults.push(`${await countFollowups()} issues are not followed up`);
        }
        const entries = db.collection<{ requestId: string }>('audit_entries');
        const made = await entries.find({ requestId: { $in: [...sent.keys()] } }).toArray();
        faults.push(...faultsOfEntries(sent, made));
        const [raised, removed] = await Promise.all(
          ['issues.create', 'issues.remove'].map((operation) =>
            count('audit_entries', { operation }),
          ),
        );
        const there = await count('issues');
        if (there !== (raised ?? 0) - (removed ?? 0)) {
          faults.push(`${there} issues are left of ${raised} raised and ${removed} removed`);
        }
        return { happened, load: `${sent.size} changes`, faults };
      },
      stop: () => client.close(),
    };
  },
};

/** Raises, changes and deletes issues. Notes each request by its id, and whether it was acknowledged. */
function writer(
  { owner, workspaceId }: Stage,
  name: string,
  random: () => number,
  sent: Map<string, boolean>,
): Client {
  const path = `/workspaces/${workspaceId}/issues`;
  let requests = 0;
  const send = async (method: string, at: string, body?: object): Promise<number> => {
    const requestId = `${name}-${requests++}`;
    sent.set(requestId, false);
    const options = { headers: { 'x-request-id': requestId }, ...(body ? { body } : {}) };
    const answer = await owner.call<{ id: number } | undefined>(method, at, options);
    if (answer.status >= 300) throw new Error(answer.text);
    sent.set(requestId, true);
    return answer.body?.id ?? 0;
  };
  return async (isStopped) => {
    while (!isStopped()) {
      try {
        const id = await send('POST', path, { title: 'a', description: '' });
        await send('PUT', `${path}/${id}`, { title: 'b' });
        if (random() < 0.5) await send('DELETE', `${path}/${id}`);
      } catch {
        await sleep(50); // the process is away
      }
    }
  };
}

function faultsOfEntries(
  sent: ReadonlyMap<string, boolean>,
  entries: readonly { requestId: string }[],
): Fault[] {
  const byRequest = Map.groupBy(entries, ({ requestId }) => requestId);
  return [...sent].flatMap(([requestId, isAcknowledged]) => {
    const count = byRequest.get(requestId)?.length ?? 0;
    const isRight = count === 1 || (count === 0 && !isAcknowledged);
    return isRight ? [] : [`the change ${requestId} has ${count} audit entries`];
  });
}
