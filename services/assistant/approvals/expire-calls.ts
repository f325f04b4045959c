import { databaseClock } from '../../../mixins/database/database-clock.ts';
import { type MessageDocument, MessageModel } from '../../../models/message.model.ts';
import { stillUndecided } from './undecided-calls.ts';

/** Milliseconds for which a call waits for its approval: 24 h. Then it is expired. */
const APPROVAL_MS = 24 * 60 * 60 * 1_000;
/** Messages of one look. */
const BATCH = 100;
/** What the person reads at the end of such an answer. */
const NOT_APPROVED = 'Nobody approved the calls within 24 hours: they were not carried out.';

export const approvalEnd = (): Date => new Date(databaseClock.now() + APPROVAL_MS);

/** Ends the calls that nobody has decided on in time. */
export async function expireCalls(): Promise<void> {
  const overdue = await MessageModel.find({
    waitsUntil: { $lte: databaseClock.date() },
    status: 'WAITING_FOR_APPROVAL',
  })
    .limit(BATCH)
    .lean<MessageDocument[]>();
  for (const message of overdue) await expireMessage(message);
}

/** Ends the calls of a message that wait, where their time is over. False where it is not. */
export async function expireMessage(message: MessageDocument): Promise<boolean> {
  const { _id, waitsUntil, toolCalls, content } = message;
  if (!waitsUntil || waitsUntil > databaseClock.date()) return false;
  const expired = toolCalls.map((call) =>
    call.status === 'WAITING' ? { ...call, status: 'EXPIRED' as const } : call,
  );
  const said = `${content}${content ? '\n\n' : ''}${NOT_APPROVED}`;
  await MessageModel.updateOne(
    { _id, status: 'WAITING_FOR_APPROVAL', waitsUntil, ...stillUndecided(toolCalls) },
    { $set: { toolCalls: expired, content: said, status: 'LIMIT' }, $unset: { waitsUntil: '' } },
  );
  return true;
}
