import type { AnswerRecord, StoredCall } from '../answering/answer-record.ts';
import type { CallRunner } from '../answering/calls/call-runner.ts';
import { bytesOfCalls } from '../answering/conversation-host.ts';
import { MAX_CALLS_BYTES } from '../answering/limits.ts';

/**
 * Carries out the approved calls of an answer, one after another in their order. That a call begins is stored before it
 * does, so that after a crash a call with an unknown outcome is known as such.
 */
export async function carryOutApproved(
  record: AnswerRecord,
  runner: CallRunner,
  onTool: (call: StoredCall) => void,
): Promise<void> {
  for (const call of record.message.toolCalls) {
    if (call.status !== 'APPROVED') continue;
    call.status = 'RUNNING';
    await record.save();
    const room = MAX_CALLS_BYTES - bytesOfCalls(record.message.toolCalls);
    Object.assign(call, await runner.run(call, room));
    await record.save();
    onTool(call);
  }
}
