import type { Socket } from 'node:net';
import { type buildConnector, Client, type Dispatcher } from 'undici';
import type { Connector } from './interim-answers.ts';
import { ResponseHandler } from './response-handler.ts';

/**
 * Makes the client of one connection. A call that is given up while the client connects closes the connecting socket;
 * undici would keep the socket and the call until the connection is made or fails.
 */
export function createCancellableClient(
  origin: string | URL,
  options: Client.Options,
  connector: Connector,
): Client {
  const attempt = new ConnectionAttempt(connector);
  const client = new Client(origin, { ...options, connect: attempt.connect });
  const dispatch = client.dispatch.bind(client);
  return Object.assign(client, {
    dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
      if (handler instanceof ResponseHandler) {
        attempt.begin();
        handler.onDispatch(attempt.abandon);
      }
      return dispatch(request, handler);
    },
  });
}

/** The making of a client's connection. A client has one call at a time, so that the connection is for that call. */
class ConnectionAttempt {
  readonly #connector: Connector;
  #connecting: Socket | null = null;
  #isAbandoned = false;

  constructor(connector: Connector) {
    this.#connector = connector;
  }

  /** Begins with the next call of the client. */
  begin(): void {
    this.#isAbandoned = false;
  }

  /** The connector of the client. */
  readonly connect = (target: buildConnector.Options, callback: buildConnector.Callback): void => {
    if (this.#isAbandoned) {
      queueMicrotask(() => callback(new AbandonedError(), null));
      return;
    }
    this.#connecting = this.#connector(target, (...result) => {
      this.#connecting = null;
      callback(...result);
    });
  };

  /** Closes the connecting socket, also one whose name is still being resolved. undici then drops the call. */
  readonly abandon = (): void => {
    this.#isAbandoned = true;
    this.#connecting?.destroy(new AbandonedError());
  };
}

/** The error that undici gets. No caller sees the error, because the answer is decided before. */
class AbandonedError extends Error {
  constructor() {
    super('The call was given up while its connection was made.');
  }
}
