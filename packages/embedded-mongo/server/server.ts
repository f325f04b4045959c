import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import type { Durability } from '../storage/connection.ts';
import { Engine } from './engine.ts';
import { encodeReply, Framer, parseMessage } from './wire.ts';

/** The address on which the server listens. There is no password, because only this machine can reach it. */
const HOST = '127.0.0.1';

interface ServerOptions {
  file: string;
  port: number;
  durability: Durability;
}

interface Server {
  port: number;
  engine: Engine;
  /** Answers the received commands, then closes the connections and the file. */
  close(): Promise<void>;
}

export async function startServer({ file, port, durability }: ServerOptions): Promise<Server> {
  const engine = new Engine({ file, durability });
  const clients = new Set<Client>();
  const server = createServer({ noDelay: true }, (socket) => {
    const client = new Client(socket, engine);
    clients.add(client);
    socket.once('close', () => clients.delete(client));
  });
  try {
    server.listen(port, HOST);
    await once(server, 'listening');
  } catch (error) {
    engine.close();
    throw error;
  }
  const bound = (server.address() as AddressInfo).port;
  engine.address = `${HOST}:${bound}`;
  return {
    port: bound,
    engine,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      // Transactions are ended, so that no command waits for a transaction of a client.
      engine.sessions.close();
      await Promise.all([...clients].map((client) => client.end()));
      await closed;
      engine.close();
    },
  };
}

/** One connection of a client. Its messages are answered one after another. */
class Client {
  private readonly socket: Socket;
  private readonly engine: Engine;
  private readonly framer = new Framer();
  private readonly queue: Buffer[] = [];
  private working: Promise<void> | undefined;
  private ending = false;

  constructor(socket: Socket, engine: Engine) {
    this.socket = socket;
    this.engine = engine;
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => this.receive(chunk));
  }

  private receive(chunk: Buffer): void {
    if (this.ending) return;
    try {
      for (const frame of this.framer.push(chunk)) this.queue.push(frame);
    } catch {
      this.socket.destroy();
      return;
    }
    if (this.queue.length === 0 || this.working) return;
    this.working = this.work()
      .catch(() => {
        // A message that cannot be parsed closes this connection only.
        this.socket.destroy();
      })
      .finally(() => {
        this.working = undefined;
      });
  }

  private async work(): Promise<void> {
    for (let frame = this.queue.shift(); frame; frame = this.queue.shift()) {
      const message = parseMessage(frame);
      const answer = await this.engine.execute(message.body, message.sequences);
      if (this.socket.destroyed) return;
      if (message.silent) continue;
      if (!this.socket.write(encodeReply(message, answer))) await this.drained();
    }
  }

  /** Stops reading from the client until the client has read its answers. */
  private async drained(): Promise<void> {
    this.socket.pause();
    await Promise.race([once(this.socket, 'drain'), once(this.socket, 'close')]);
    this.socket.resume();
  }

  async end(): Promise<void> {
    this.ending = true;
    const limit = setTimeout(() => this.socket.destroy(), 5000);
    await this.working;
    this.socket.end();
    this.socket.destroySoon();
    clearTimeout(limit);
  }
}
