import type { ServiceBroker } from 'moleculer';
import { RunModel } from '../../../models/run.model.ts';
import { Engine } from '../../../services/runs/engine/engine.ts';
import { PlanCache } from '../../../services/runs/engine/execution/plan-cache.ts';
import { StartQuotas } from '../../../services/runs/quotas/start-quotas.ts';
import { waitFor } from '../../helpers/wait.ts';
import {
  CLAIMED,
  callsTo,
  endOf,
  newRun,
  onRunsDatabase,
  queueRun,
  runOf,
  storeRun,
  workerOf,
} from './engine.ts';

const fixture = onRunsDatabase();
const { started, hang } = fixture;
afterEach(() => jest.restoreAllMocks());

/** What the looks of a worker do; one calls them instead of their timers. */
const mockLooks: (() => Promise<unknown> | undefined)[] = [];
jest.mock('../../../support/periodic-work.ts', () => ({
  repeatWork(_ms: unknown, work: () => Promise<unknown> | undefined) {
    mockLooks.push(work);
    return () => undefined;
  },
}));
beforeEach(() => void mockLooks.splice(0));
async function lookTwice(): Promise<void> {
  for (const look of [...mockLooks, ...mockLooks]) await look();
}

describe('other processes hear that a run is ready', () => {
  test('when it finds no room here, and not when it is claimed here', async () => {
    const announceReady = jest.fn();
    const worker = await started(workerOf({ plan: callsTo('/a'), send: hang, announceReady }));
    const answer = Promise.withResolvers<void>();
    const [writing, behind, full] = [newRun(), newRun(), newRun()];
    await Promise.all([newRun(), newRun()].map((run) => worker.store(run, storeRun)));
    const slowly = (run: typeof writing) => answer.promise.then(() => storeRun(run));
    const storing = worker.store(writing, slowly);
    await waitFor('the calls', () => fixture.hanging === 2);
    fixture.answerCalls();
    await waitFor('room', async () => !(await RunModel.exists({ worker: worker.id })));
    expect((await worker.store(behind, storeRun)).status).toBe('QUEUED');
    answer.resolve();
    expect((await storing).status).toBe('QUEUED');
    for (const { _id } of [writing, behind])
      await waitFor('its claim', async () => (await runOf(_id)).worker === worker.id);
    expect((await worker.store(full, storeRun)).status).toBe('QUEUED');
    await waitFor('the news', () => announceReady.mock.calls.length > 0);
    expect(announceReady.mock.calls).toEqual([[full._id]]);
  });

  test('when a look has made one ready, and not otherwise', async () => {
    const announceReady = jest.fn();
    await started(workerOf({ plan: callsTo('/a'), announceReady }));
    await lookTwice();
    expect(announceReady).not.toHaveBeenCalled();
    await queueRun({ ...CLAIMED, worker: 'nobody' });
    await lookTwice();
    expect(announceReady.mock.calls).toEqual([[]]);
  });

  test('when this process has ended its wait, and not when another one was faster', async () => {
    const announceReady = jest.fn();
    await started(workerOf({ plan: callsTo('/a'), announceReady }));
    const rest = () => queueRun({ status: 'WAITING', wakeAt: new Date(1) });
    await rest();
    const update = jest.spyOn(RunModel, 'updateMany').mockImplementationOnce((async () => {
      await RunModel.deleteMany({}); // it woke the run, which has ended
      return { modifiedCount: 0 };
    }) as never);
    await lookTwice();
    expect(update).toHaveBeenCalled();
    expect(announceReady).not.toHaveBeenCalled();
    await rest();
    await lookTwice();
    expect(announceReady.mock.calls).toEqual([[]]);
  });
});

describe('other processes hear of the end of a run', () => {
  let engine: Engine;
  afterEach(() => engine.stop());

  test('unless it was started here or is waited for here', async () => {
    jest.spyOn(PlanCache.prototype, 'planOf').mockResolvedValue(callsTo());
    const heard: unknown[] = [];
    const broadcast = (event: string, { runId }: { runId?: number }) => {
      if (event === 'run.ended') heard.push(runId);
    };
    engine = new Engine(
      { broadcast } as unknown as ServiceBroker,
      new StartQuotas({ queuedRuns: null, runBytes: null }),
    );
    await engine.start();
    const [fromHere, awaited] = [newRun(), newRun()];
    expect((await engine.store(fromHere)).status).toBe('RUNNING');
    await endOf(fromHere, 'SUCCESS');
    const waiting = engine.endWaiters.waitForEnd(awaited._id, 60_000, null);
    await storeRun(awaited);
    engine.wake();
    expect(await waiting).toMatchObject({ _id: awaited._id, status: 'SUCCESS' });
    const queued = await queueRun();
    engine.wake();
    await waitFor('the news', () => heard.length > 0);
    expect(heard).toEqual([queued._id]);
  });
});
