import { ScheduleModel } from '../../../models/schedule.model.ts';
import { Scheduler } from '../../../services/triggers/schedules/scheduler/scheduler.ts';
import { useEmptyDatabase } from '../../helpers/database.ts';
import { waitFor } from '../../helpers/wait.ts';

jest.mock('../../../support/activity.ts', () => ({ isIdle: () => true, noteActivity: () => {} }));
useEmptyDatabase([ScheduleModel]);

test('one look of an idle process begins what is due, and later what is due before the next look', async () => {
  const begun = new Set<number>(); // a look that overlaps a beginning may find the schedule once more
  const carryOut = async (id: number) => {
    begun.add(id);
    await ScheduleModel.collection.updateOne({ _id: id } as never, { $unset: { dueAt: '' } });
    return false;
  };
  const onError = jest.fn();
  const scheduler = new Scheduler(carryOut, onError);
  const now = Date.now();
  const due = (_id: number, at: number) => ({
    _id,
    workspaceId: 1,
    shareOwner: 'person:1',
    dueAt: new Date(at),
  });
  await ScheduleModel.collection.insertMany([
    due(1, now - 1_000),
    due(2, now + 500),
    due(3, now + 700),
    due(4, now + 3_600_000),
  ] as never[]);
  await scheduler.look();
  await waitFor('the occurrences', () => begun.size === 3);
  expect([...begun]).toEqual([1, 2, 3]);
  expect(onError).not.toHaveBeenCalled();
  await scheduler.stop();
});
