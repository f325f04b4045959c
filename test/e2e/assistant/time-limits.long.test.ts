import { e2e } from '../../fixtures/e2e.ts';
import type { ModelAnswer } from '../../helpers/model-server/model-answer.ts';

const { converse } = e2e();

/** Sends a message, and measures its answer in seconds. */
async function timed(...answers: ModelAnswer[]) {
  const conversation = await converse(...answers);
  const begun = performance.now();
  const { body } = await conversation.say('Hello');
  return { message: body, seconds: (performance.now() - begun) / 1_000 };
}

it('an answer ends after two minutes, and one that says nothing more after one', async () => {
  const [slow, silent] = await Promise.all([
    timed({ text: 'Word by word. '.repeat(300), pauseMs: 1_000 }),
    timed({ text: 'I begin, and', gate: 'never-to-be-opened' }),
  ]);
  expect(slow.message.status).toBe('LIMIT');
  expect(slow.message.content).toMatch(
    /^Word by word\. .*\n\nThe answer ends here, after two minutes/s,
  );
  expect(slow.seconds).toBeGreaterThan(118);
  expect(slow.seconds).toBeLessThan(160); // its 300 words would take 300 s
  expect([silent.message.status, silent.message.content]).toEqual([
    'FAILED',
    'I begin, and\n\nThe model stopped answering.',
  ]);
  expect(silent.seconds).toBeGreaterThan(58);
  expect(silent.seconds).toBeLessThan(110); // before the two minutes of an answer
}, 180_000);
