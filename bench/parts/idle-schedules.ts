import { MongoClient } from 'mongodb';
import { createWorkspace, register } from '../../test/helpers/people.ts';
import { createFlow } from '../../test/helpers/runs.ts';
import { waitFor } from '../../test/helpers/wait.ts';
import { insertCopies, type StoredDocument } from '../document-copies.ts';
import { FIGURES } from '../figures.ts';
import { measureIdleDifference, type System } from '../idle-difference.ts';
import { DATABASE_NAME } from '../setup.ts';

const SCHEDULES = 10_000;
/** The id of the first copied schedule, far above the ids of the service. */
const FIRST_ID = 1_000_000_000;
const FLOW = 'do: [{ copy: { set: { x: 1 } } }]';
/** A cron line that is not due during the measurement. */
const YEARLY = `0 0 1 ${((new Date().getUTCMonth() + 6) % 12) + 1} *`;

/** Measures the idle cost of many schedules of which none is due. */
export const measureIdleSchedules = (): Promise<void> =>
  measureIdleDifference(
    { figure: FIGURES.idleSchedules, content: `${SCHEDULES} schedules` },
    addSchedules,
  );

/** Copies a schedule that the service has written, without its quota slots, which each schedule has for itself. */
async function addSchedules({ service, database }: System): Promise<void> {
  const owner = await register(service.url);
  const flowId = await createFlow(owner, await createWorkspace(owner), FLOW);
  const body = { cron: YEARLY, timeZone: 'UTC', misfire: 'SKIP', overlap: 'ALLOW' };
  await owner.call('POST', `/flows/${flowId}/schedules`, { body });
  const client = await new MongoClient(database.uri).connect();
  const schedules = client.db(DATABASE_NAME).collection<StoredDocument>('schedules');
  const stored = await waitFor('a schedule whose audit entry is handed over', () =>
    schedules.findOne({ flowId, 'outbox.0': { $exists: false } }),
  );
  const { flowSlot: _flowSlot, workspaceSlot: _workspaceSlot, ...copied } = stored;
  await insertCopies(schedules, copied, { count: SCHEDULES, firstId: FIRST_ID });
  await client.close();
}
