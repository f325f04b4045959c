import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A way to a port of this machine that can be cut and mended, for one process alone. */
export class Cable {
  readonly #target: number;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #port = 0;

  constructor(target: number) {
    this.#target = target;
  }

  get port(): number {
    return this.#port;
  }

  /** Lets connections through, on the same port each time. */
  mend(): Promise<void> {
    const server = createServer((here) => {
      const there = connect(this.#target, '127.0.0.1');
      for (const [one, other] of [
        [here, there],
        [there, here],
      ] as const) {
        this.#sockets.add(one);
        one.on('error', () => undefined);
        one.on('close', () => {
          this.#sockets.delete(one);
          other.destroy();
        });
        one.pipe(other);
      }
    });
    this.#server = server;
    return new Promise((resolve) => {
      server.listen(this.#port, '127.0.0.1', () => {
        this.#port = (server.address() as AddressInfo).port;
        resolve();
      });
    });
  }

  async cut(): Promise<void> {
    const closed = new Promise((resolve) => this.#server?.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}
