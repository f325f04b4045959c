import { e2e } from '../../fixtures/e2e.ts';
import type { Person } from '../../helpers/people.ts';
import {
  createRecording,
  key,
  type RecordedStep,
  type RecordingAnswer,
  sendEvents,
} from '../../helpers/recordings.ts';

const { owner, workspace } = e2e();

const textOf = async (id: number) => {
  const path = `/recordings/${id}/steps`;
  const { body } = await owner.call<{ steps: RecordedStep[] }>('GET', path);
  return body.steps.map(({ definition }) => definition.set.action.text).join('');
};

it('with one and the same batch add it once, and are both answered', async () => {
  for (let round = 0; round < 10; round++) {
    const { id } = await createRecording(owner, workspace.id);
    const sent = Array.from({ length: 5 }, () => sendEvents(owner, id, 1, [key('a'), key('b')]));
    const answers = await Promise.all(sent);
    expect(answers.map(({ status, body }) => [status, body.nextSequence])).toEqual(
      answers.map(() => [200, 2]),
    );
    expect(await textOf(id)).toBe('ab');
  }
});

it('with batches of their own lose none that was answered, and learn of each that was refused', async () => {
  const other = await workspace.member('MEMBER');
  const { id } = await createRecording(owner, workspace.id);
  const LETTERS = 20;
  /** Sends its letter again and again under the next number that it knows. Returns the numbers that it was given. */
  const sendAll = async (sender: Person, letter: string): Promise<number[]> => {
    const given: number[] = [];
    for (let next = 1; given.length < LETTERS; ) {
      const { status, body } = await sendEvents(sender, id, next, [key(letter)]);
      if (status === 200) given.push(next);
      else expect([status, body.code]).toEqual([409, 'SEQUENCE_TAKEN']);
      expect(body.nextSequence).toBeGreaterThan(next);
      next = body.nextSequence ?? next;
    }
    return given;
  };
  const [ofOwner, ofOther] = await Promise.all([sendAll(owner, 'a'), sendAll(other, 'b')]);
  const { body } = await owner.call<RecordingAnswer>('GET', `/recordings/${id}`);
  expect([body.nextSequence, body.eventCount]).toEqual([2 * LETTERS + 1, 2 * LETTERS]);
  const text = await textOf(id);
  expect(text).toHaveLength(2 * LETTERS);
  for (const number of ofOwner) expect(text[number - 1]).toBe('a');
  for (const number of ofOther) expect(text[number - 1]).toBe('b');
});

it('beside a pause are part of the recording exactly when they were answered 200', async () => {
  for (let round = 0; round < 10; round++) {
    const { id } = await createRecording(owner, workspace.id);
    const [sent, paused] = await Promise.all([
      sendEvents(owner, id, 1, [key('a')]),
      owner.call<RecordingAnswer>('POST', `/recordings/${id}/pause`),
    ]);
    expect(paused.status).toBe(200);
    const { body } = await owner.call<RecordingAnswer>('GET', `/recordings/${id}`);
    expect([body.status, body.eventCount]).toEqual(['PAUSED', sent.status === 200 ? 1 : 0]);
    if (sent.status !== 200) expect(sent.body.code).toBe('RECORDING_PAUSED');
    await owner.call('POST', `/recordings/${id}/resume`);
    const next = await sendEvents(owner, id, body.nextSequence, [key('b')]);
    expect([next.status, await textOf(id)]).toEqual([200, sent.status === 200 ? 'ab' : 'b']);
  }
});
