import { MessageModel } from '../../../models/message.model.ts';
import { expireMessage } from '../../../services/assistant/approvals/expire-calls.ts';
import { stillUndecided } from '../../../services/assistant/approvals/undecided-calls.ts';
import { useDatabase } from '../../helpers/database.ts';
import { answerMessage, storedCall } from './messages.ts';

useDatabase([MessageModel]);
const past = new Date(Date.now() - 60_000);
const WAITING = { status: 'WAITING_FOR_APPROVAL', lease: null, waitsUntil: past } as const;

/** Stores a message with two calls, and reads it as a process that is slow does. */
async function readEarly(_id: number) {
  const toolCalls = [storedCall(1), storedCall(2)];
  await MessageModel.create(answerMessage(_id, { ...WAITING, toolCalls }));
  return answerMessage(_id, { ...WAITING, toolCalls });
}

const statusesOf = async (_id: number): Promise<unknown> =>
  (await MessageModel.findOne({ _id }).lean())?.toolCalls.map(({ status }) => status);

/** The decision of another process: its call is carried out, and the other call waits still. */
const carryOutFirst = (_id: number) =>
  MessageModel.updateOne({ _id }, { $set: { 'toolCalls.0.status': 'DONE' } });

test('calls that still wait expire', async () => {
  expect(await expireMessage(await readEarly(2))).toBe(true);
  expect(await statusesOf(2)).toEqual(['EXPIRED', 'EXPIRED']);
});

test('a slow process expires no call that has been carried out since', async () => {
  const early = await readEarly(4);
  await carryOutFirst(4);
  await expireMessage(early);
  expect(await statusesOf(4)).toEqual(['DONE', 'WAITING']);
});

test('a slow process finds a message no more for which another has decided', async () => {
  const { toolCalls } = await readEarly(6);
  const find = () => MessageModel.exists({ _id: 6, ...stillUndecided(toolCalls) });
  expect(await find()).not.toBeNull();
  await carryOutFirst(6);
  expect(await find()).toBeNull();
});
