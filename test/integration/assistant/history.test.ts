import { AttachmentModel } from '../../../models/attachment.model.ts';
import { MessageModel } from '../../../models/message.model.ts';
import { ImageMemory } from '../../../services/assistant/context/image-memory.ts';
import { readHistory } from '../../../services/assistant/messages/history.ts';
import { useDatabase } from '../../helpers/database.ts';
import { answerMessage, CONVERSATION, personMessage, storedCall } from './messages.ts';

useDatabase([MessageModel, AttachmentModel]);

/** Rounds of a question and an answer with 100,000 characters of results, more than are read. */
const ROUNDS = 8;
const result = JSON.stringify({ text: 'x'.repeat(100_000) });

test('a conversation of which the older part is not read begins with a mark and a question', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const toolCalls = [storedCall(round, { status: 'DONE', result })];
    const answer = { content: 'Well.', stepEnds: [5, 5], toolCalls, status: 'COMPLETE' } as const;
    await MessageModel.insertMany([
      personMessage(2 * round + 1, `Question ${round}`),
      answerMessage(2 * round + 2, { ...answer, stepEnds: [...answer.stepEnds] }),
    ]);
  }
  const turns = await readHistory(CONVERSATION._id, new ImageMemory().roomOfAnswer());
  const [mark, question] = turns;
  expect(mark).toMatchObject({ kind: 'person', text: expect.stringContaining('left out') });
  expect(question).toMatchObject({ kind: 'person', text: 'Question 4' });
  expect(turns.filter(({ kind }) => kind === 'person')).toHaveLength(5);
});

test('a conversation that is read whole has no mark', async () => {
  await MessageModel.deleteMany({});
  await MessageModel.insertMany([personMessage(1, 'Question')]);
  const turns = await readHistory(CONVERSATION._id, new ImageMemory().roomOfAnswer());
  expect(turns).toEqual([{ kind: 'person', text: 'Question' }]);
});
