import type { Dispatcher } from 'undici';
import type { Answer, AnswerHead, ReadOrder } from './answer.ts';
import type { BodyReader, BodyReceiver, ReadBody } from './body.ts';
import { createBodyReader } from './body-reader.ts';
import { DiscardedBody } from './discarded-body.ts';
import { OutboundError } from './errors.ts';

/** Interim answers (1xx) to one request. One more is a failed connection, because a server could send them for ever. */
const MOST_INTERIM_ANSWERS = 100;
/** Names of headers of one answer. More names are `TOO_LARGE`, because each of them takes time wherever it is read. */
const MOST_HEADERS = 1_000;

/**
 * The handler of one request: collects the answer. undici's `request` in its place would make a stream of each body,
 * which takes more CPU time.
 */
export class ResponseHandler implements Dispatcher.DispatchHandler, BodyReceiver {
  readonly answer: Promise<Answer>;
  readonly #order: ReadOrder;
  #resolve!: (answer: Answer) => void;
  #reject!: (error: unknown) => void;
  #abandonConnection: (() => void) | null = null;
  #controller: Dispatcher.DispatchController | null = null;
  #head: AnswerHead | null = null;
  #reader: BodyReader | null = null;
  #discarded: DiscardedBody | null = null;
  #interimAnswers = 0;
  /** Whether `answer` is decided. */
  #isDecided = false;
  /** Whether the connection has nothing more of this answer. */
  #isReceived = false;

  constructor(order: ReadOrder) {
    this.#order = order;
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Gives the request up and closes its connection. Without effect after the answer. */
  readonly abort = (error: unknown): void => {
    if (this.#decide()) this.#reject(error);
  };

  /** Takes the function that closes a connecting socket. `abort` calls the function before `onRequestStart`. */
  onDispatch(abandonConnection: () => void): void {
    this.#abandonConnection = abandonConnection;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isDecided) controller.abort(GIVEN_UP);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: AnswerHead['headers'],
  ): void {
    if (status < 200) {
      this.#interimAnswers += 1;
      if (this.#interimAnswers > MOST_INTERIM_ANSWERS) this.abort(tooManyInterimAnswersError());
      return;
    }
    if (Object.keys(headers).length > MOST_HEADERS) {
      this.abort(tooManyHeadersError());
      return;
    }
    this.#head = { status, headers };
    const { wantsBody, keepsConnection } = this.#order;
    if (wantsBody(this.#head)) {
      const encoding = headers['content-encoding']?.toString();
      this.#reader = createBodyReader(encoding, this.#order, this);
    } else {
      this.#discarded = keepsConnection
        ? DiscardedBody.begin(headers, () => this.#closeConnection())
        : null;
      this.#give(null);
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#discarded) this.#discarded.write(chunk);
    else if (!this.#isDecided) this.#reader?.write(chunk);
  }

  onResponseEnd(): void {
    this.#isReceived = true;
    this.#discarded?.end();
    if (!this.#isDecided) this.#reader?.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#isReceived = true;
    this.#discarded?.end();
    this.abort(error);
  }

  onRead(body: ReadBody): void {
    this.#give(body);
  }

  onError(error: unknown): void {
    this.abort(error);
  }

  pause(): void {
    this.#controller?.pause();
  }

  resume(): void {
    if (!this.#isReceived) this.#controller?.resume();
  }

  #give(body: ReadBody | null): void {
    const head = this.#head;
    if (head && this.#decide()) this.#resolve({ ...head, body });
  }

  /** Decides the answer. A connection with more to come is closed. Returns false where the answer is decided already. */
  #decide(): boolean {
    if (this.#isDecided) return false;
    this.#isDecided = true;
    this.#reader?.destroy();
    if (!this.#discarded) this.#closeConnection();
    return true;
  }

  #closeConnection(): void {
    if (this.#controller === null) this.#abandonConnection?.();
    else if (!this.#isReceived) this.#controller.abort(GIVEN_UP);
  }
}

/** The reason that undici gets. No caller sees the reason, because the answer is decided before. */
const GIVEN_UP = new Error('The request was given up.');

const tooManyInterimAnswersError = (): OutboundError =>
  new OutboundError(
    'CONNECTION_FAILED',
    `The server sent more than ${MOST_INTERIM_ANSWERS} interim answers.`,
  );

const tooManyHeadersError = (): OutboundError =>
  new OutboundError('TOO_LARGE', `The answer has more than ${MOST_HEADERS} headers.`);
