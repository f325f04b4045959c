import type { AnswerRecord, StoredCall } from '../answering/answer-record.ts';
import type { CallRunner } from '../answering/calls/call-runner.ts';
import { bytesOfCalls } from '../answering/conversation-host.ts';
import { NOT_BEGUN } from '../tools/call-outcome.ts';
import { MAX_CALLS_BYTES } from '../answering/limits.ts';

/**
 * Carries out the approved calls of an answer, one after another in their order. That a call begins is stored before it
 * does, so that after a crash a call with an unknown outcome is known as such. Once the answer's time is over no further
 * call begins.
 */
export async function carryOutApproved(
  record: Pick<AnswerRecord, 'message' | 'save'>,
  runner: Pick<CallRunner, 'run'>,
  signal: AbortSignal,
  onTool: (call: StoredCall) => void,
): Promise<void> {
  for (const call of record.message.toolCalls) {
    if (call.status !== 'APPROVED') continue;
    if (signal.aborted) Object.assign(call, NOT_BEGUN);
    else {
      call.status = 'RUNNING';
      await record.save();
      const room = MAX_CALLS_BYTES - bytesOfCalls(record.message.toolCalls);
      Object.assign(call, await runner.run(call, room));
    }
    await record.save();
    onTool(call);
  }
}
