import { AnswerEvents } from '../../test/helpers/answer-events.ts';
import { startModelServer } from '../../test/helpers/model-server/model-server.ts';
import { createWorkspace, registerVerified } from '../../test/helpers/people.ts';
import { startServer } from '../../test/helpers/server.ts';
import { FIGURES } from '../figures.ts';
import { percentile } from '../percentile.ts';
import { printLine, reportFigure } from '../report.ts';

/** Answers, one after another, of which the first few do not count: they compile the code. */
const ANSWERS = 100;
const WARM_UP = 5;

/** Measures how long after the model has sent the first token of an answer its reader has it. */
export async function measureAnswers(): Promise<void> {
  const model = await startModelServer();
  const service = await startServer({ env: model.env, oneProcess: true });
  try {
    const owner = await registerVerified(service.url);
    const workspaceId = await createWorkspace(owner);
    const delays: number[] = [];
    const script = await model.script(...Array(ANSWERS).fill({ isTime: true }));
    const { body } = await owner.call<{ id: number }>('POST', '/agent/conversations', {
      body: { workspaceId },
    });
    const path = `/agent/conversations/${body.id}/messages`;
    for (let n = 0; n < ANSWERS; n++) {
      const message = { content: `What time is it? ${script.mark}` };
      const answer = await new AnswerEvents(service.url, path, owner, message).ended();
      const first = answer.events.find(({ event }) => event === 'text');
      if (!first) throw new Error('an answer has no text');
      const receivedAt = performance.timeOrigin + first.at;
      if (n >= WARM_UP) delays.push(receivedAt - Number(first.data.delta));
    }
    printLine(
      `the first token of ${delays.length} answers: p50 ${percentile(delays, 0.5).toFixed(2)} ms behind the model, the latest ${Math.max(...delays).toFixed(2)} ms`,
    );
    reportFigure(FIGURES.firstToken, percentile(delays, 0.95));
  } finally {
    await service.stop();
  }
}
