import mongoose from 'mongoose';
import { RunModel } from '../../../models/run.model.ts';
import { insertRun, updateRun } from '../../../services/runs/engine/writes/run-writes.ts';
import { isDatabaseAway, isServerSelectionError } from '../../../support/database-outage.ts';
import { useDatabase } from '../../helpers/database.ts';
import { waitFor } from '../../helpers/wait.ts';
import { newRun } from './engine.ts';

const database = useDatabase();
beforeAll(async () => {
  await database.mongo.stop();
  await waitFor('the loss of the server', () => mongoose.connection.readyState !== 1);
});

const update = {
  filter: { _id: 1, worker: 'me', fence: 1 },
  update: { $set: { weight: 1 } },
  result: { fence: 1, entries: 1 },
  isRetry: false,
  bytes: 1,
};

test.each([
  ['insertMany', () => insertRun(newRun())],
  ['bulkWrite', () => updateRun(update)],
] as const)(
  'writes that come while four commands look for a server do not look for one in turn: %s',
  async (command, write) => {
    const sent = jest.spyOn(RunModel.collection, command);
    const written: Promise<unknown>[] = [];
    for (let commands = 1; commands <= 4; commands++) {
      written.push(write());
      await waitFor('the command', () => sent.mock.calls.length === commands);
    }
    written.push(write(), write());
    const outcomes = await Promise.allSettled(written);
    const reasons = outcomes.map((outcome) => 'reason' in outcome && outcome.reason);
    expect(reasons.map((reason) => isDatabaseAway(reason))).toEqual(Array(6).fill(true));
    expect(reasons.map(isServerSelectionError)).toEqual(Array(6).fill(true));
    expect(sent).toHaveBeenCalledTimes(4);
  },
);
