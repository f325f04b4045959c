import { Readable } from 'node:stream';
import {
  DeadlinePassed,
  InternalError,
  type Problem,
  StorageFull,
  Unavailable,
} from '../../../../contract/problem.ts';
import { problemAnswer, problemBody } from '../../../../mixins/gateway/problem-response.ts';
import type { Message, ToolCall } from '../../contract/resources.ts';
import type { AnswerListener } from './answer-listener.ts';

/** Milliseconds between two comments: between processes, a stream without bytes ends after 60 s. */
const COMMENT_MS = 15_000;

/** The problems of an answer that has begun; what refuses a request comes before. */
const PROBLEMS = new Map(
  [DeadlinePassed, InternalError, StorageFull, Unavailable].map((type) => [type.code, type]),
);

/**
 * An answer as server-sent events. Each is written at once, and nothing waits for the reader: an answer is bounded, and
 * goes on when its reader has gone.
 */
export class AnswerStream implements AnswerListener {
  readonly readable = new Readable({ read: () => undefined });
  readonly #requestId: string;
  readonly #comments: NodeJS.Timeout;

  constructor(requestId: string) {
    this.#requestId = requestId;
    this.#comments = setInterval(() => this.#write(':\n\n'), COMMENT_MS);
    this.readable.once('close', () => clearInterval(this.#comments));
  }

  onText(delta: string): void {
    this.#send('text', JSON.stringify({ delta }));
  }

  onTool(call: ToolCall): void {
    this.#send('tool', JSON.stringify(call));
  }

  /** Sends the whole message and ends the stream. */
  end(message: Message): void {
    this.#send('message', JSON.stringify(message));
    this.#end();
  }

  /** Sends a problem and ends the stream. */
  fail(problem: Problem): void {
    this.#send('error', problemBody(this.#requestId, problemAnswer(problem, PROBLEMS)));
    this.#end();
  }

  #send(event: string, data: string): void {
    this.#write(`event: ${event}\ndata: ${data}\n\n`);
  }

  #write(text: string): void {
    if (!this.readable.destroyed) this.readable.push(text);
  }

  #end(): void {
    clearInterval(this.#comments);
    if (!this.readable.destroyed) this.readable.push(null);
  }
}
