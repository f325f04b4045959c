import type { Readable } from 'node:stream';
import type { Context } from 'moleculer';
import type { Locals } from '../../../../contract/contract-types.ts';
import type { Message } from '../../contract/resources.ts';
import { type AnswerListener, NO_LISTENER } from './answer-listener.ts';
import { answerProblem } from './answer-problem.ts';
import { AnswerStream } from './answer-stream.ts';
import type { RunningAnswer } from '../answers.ts';

type Request = Pick<Context, 'broker' | 'requestID'> & { locals: Locals };

/** Answers with the whole message, or with the events of the answer where the client wants these. */
export async function answerAsWanted(
  { locals, broker, requestID }: Request,
  begin: (listener: AnswerListener) => Promise<RunningAnswer>,
): Promise<Message | Readable> {
  if (!locals.asEvents) {
    const { message } = await begin(NO_LISTENER);
    return message.catch((error: unknown) => {
      throw answerProblem(error, broker.logger);
    });
  }
  const stream = new AnswerStream(requestID ?? '');
  try {
    const { message } = await begin(stream);
    message.then(
      (whole) => stream.end(whole),
      (error: unknown) => stream.fail(answerProblem(error, broker.logger)),
    );
    return stream.readable;
  } catch (error) {
    stream.readable.destroy();
    throw error;
  }
}
