import type { StoredCall } from '../../../services/assistant/answering/answer-record.ts';
import { carryOutApproved } from '../../../services/assistant/approvals/carry-out.ts';

type Record = Parameters<typeof carryOutApproved>[0];

const call = (id: number, status: StoredCall['status']) =>
  ({ id, status, arguments: '{}', result: null }) as StoredCall;

function recordOf(...toolCalls: StoredCall[]) {
  const saved: string[][] = [];
  const record = {
    message: { toolCalls },
    save: async () => void saved.push(toolCalls.map(({ status }) => status)),
  } as unknown as Record;
  return { record, saved };
}

it('carries out what is approved, in order, and stores each call before it begins', async () => {
  const { record, saved } = recordOf(call(1, 'APPROVED'), call(2, 'REFUSED'), call(3, 'APPROVED'));
  const ran: number[] = [];
  const told: number[] = [];
  const run = async ({ id, status }: StoredCall) => {
    expect([status, saved.at(-1)?.includes('RUNNING')]).toEqual(['RUNNING', true]);
    ran.push(id);
    return { status: 'DONE' as const, result: '{}' };
  };
  const { signal } = new AbortController();
  await carryOutApproved(record, { run }, signal, ({ id }) => told.push(id));
  expect([ran, told]).toEqual([
    [1, 3],
    [1, 3],
  ]);
  expect(saved.at(-1)).toEqual(['DONE', 'REFUSED', 'DONE']);
});

it('begins no further call once the time of the answer is over, and says so', async () => {
  const { record } = recordOf(call(1, 'APPROVED'), call(2, 'APPROVED'));
  const time = new AbortController();
  const run = async () => {
    time.abort();
    return { status: 'DONE' as const, result: '{}' };
  };
  await carryOutApproved(record, { run }, time.signal, () => undefined);
  const [first, second] = record.message.toolCalls;
  expect([first?.status, second?.status]).toEqual(['DONE', 'FAILED']);
  expect(JSON.parse(second?.result ?? '').code).toBe('NOT_CARRIED_OUT');
});
