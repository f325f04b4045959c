import { databaseClock } from '../../../mixins/database/database-clock.ts';
import { type MessageDocument, MessageModel } from '../../../models/message.model.ts';
import { expireMessage } from './expire-calls.ts';
import { stillUndecided } from './undecided-calls.ts';

/** Refuses the calls that wait in a conversation: its creator has written a message in place of an approval. */
export async function refuseWaitingCalls(conversationId: number): Promise<void> {
  const waiting = await MessageModel.find({
    conversationId,
    status: 'WAITING_FOR_APPROVAL',
  }).lean<MessageDocument[]>();
  for (const message of waiting) {
    if (await expireMessage(message)) continue;
    const { _id, toolCalls } = message;
    const decidedAt = databaseClock.date();
    const refused = toolCalls.map((call) =>
      call.status === 'WAITING' ? { ...call, status: 'REFUSED' as const, decidedAt } : call,
    );
    await MessageModel.updateOne(
      { _id, status: 'WAITING_FOR_APPROVAL', ...stillUndecided(toolCalls) },
      { $set: { toolCalls: refused, status: 'COMPLETE' }, $unset: { waitsUntil: '' } },
    );
  }
}
