import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A proxy to a port of this machine that can be cut and restored, for one process. */
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
      tieSockets([here, there], this.#sockets);
      here.pipe(there).pipe(here);
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

/** Keeps both sockets in `open` while they are open. When one of them closes, the other is destroyed. */
export function tieSockets([here, there]: readonly [Socket, Socket], open: Set<Socket>): void {
  for (const [one, other] of [
    [here, there],
    [there, here],
  ] as const) {
    open.add(one);
    one.on('error', () => undefined);
    one.on('close', () => {
      open.delete(one);
      other.destroy();
    });
  }
}
