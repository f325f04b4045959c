import type { Result } from '../fixtures/e2e.ts';
import type { Answer, ProblemBody } from './http.ts';
import type { Person } from './people.ts';

export const SCREEN = { width: 1000, height: 500, scale: 2 };

/** A recording, as the service answers it. */
export type RecordingAnswer = Result<'recordings.get'>;

export interface RecordedStep {
  key: string;
  definition: { set: { action: Record<string, unknown> } };
}

/** The answer to a batch: the next number, also of a refusal by the number. */
export type BatchAnswer = { nextSequence?: number; quota?: string } & ProblemBody;

/** Begins a recording. */
export async function createRecording(
  owner: Person,
  workspaceId: number,
): Promise<RecordingAnswer> {
  const body = { workspaceId, name: 'recorded', screen: SCREEN };
  const answer = await owner.call<RecordingAnswer>('POST', '/recordings', { body });
  if (answer.status !== 201) throw new Error(`recording answered ${answer.status}: ${answer.text}`);
  return answer.body;
}

export const sendEvents = (
  sender: Person,
  id: number,
  sequence: number,
  events: readonly object[],
): Promise<Answer<BatchAnswer>> =>
  sender.call('POST', `/recordings/${id}/events`, { body: { sequence, events } });

/** Adds a batch that the service has to take. */
export async function record(
  sender: Person,
  id: number,
  sequence: number,
  events: readonly object[],
): Promise<void> {
  const { status, text } = await sendEvents(sender, id, sequence, events);
  if (status !== 200) throw new Error(`batch ${sequence} answered ${status}: ${text}`);
}

export const move = (x: number, y = 0, afterMs = 1) => ({ type: 'MOVE', afterMs, x, y });
export const click = (x: number, y = 0, afterMs = 1) => ({ type: 'CLICK', afterMs, x, y });
export const key = (name: string, afterMs = 1) => ({ type: 'KEY', afterMs, key: name });
