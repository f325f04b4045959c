import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEmbeddedMongo } from '@workspace-automation/embedded-mongo';
import { mongo } from 'mongoose';
import { environment } from '../../environment/environment.ts';
import { logger } from '../../support/logging.ts';
import { connectDatabase } from './database.ts';

/** The process's database, from its start to its end. */
export interface ProcessDatabase {
  stop(): Promise<void>;
  /** Tells of an embedded database that ended by itself; a MongoDB that goes away is waited for. */
  onLost(tell: (why: string) => void): void;
}

const RETRY_MS = 300;

/** Connects to `MONGODB_URI`, which may come late, or starts the embedded database under `DATA_DIR` and connects to that. */
export async function startDatabase(): Promise<ProcessDatabase> {
  if (environment.MONGODB_URI) return connectTo(environment.MONGODB_URI);
  try {
    const embedded = await startEmbeddedMongo({ folder: join(environment.DATA_DIR, 'db') });
    let stopping = false;
    await connectDatabase(`${embedded.uri}`);
    return {
      async stop() {
        stopping = true;
        await embedded.stop();
      },
      onLost: (tell) =>
        void embedded.exited.then((why) => {
          if (!stopping) tell(why.signal ? `by ${why.signal}` : `with exit code ${why.code}`);
        }),
    };
  } catch (error) {
    return endWith(`DATA_DIR: ${(error as Error).message}`);
  }
}

function endWith(line: string): never {
  process.stderr.write(`${line}\n`);
  process.exit(1);
}

/** Goes on in the background for as long as it takes; the driver connects again by itself later on. */
function connectTo(uri: string): ProcessDatabase {
  refuseUnusable(uri);
  let stopping = false;
  const connect = async (): Promise<void> => {
    let said = '';
    while (!stopping) {
      try {
        return await connectDatabase(uri);
      } catch (error) {
        const why = reasonOf(error as Error);
        if (why !== said) logger.warn(`The database cannot be used yet: ${why}`);
        said = why;
        await sleep(RETRY_MS, undefined, { ref: false });
      }
    }
  };
  void connect();
  return {
    async stop() {
      stopping = true;
    },
    onLost: () => undefined,
  };
}

/** Ends the process when the driver cannot read the address. It connects to nothing here. */
function refuseUnusable(uri: string): void {
  try {
    new mongo.MongoClient(uri);
  } catch (error) {
    endWith(
      `MONGODB_URI: the value given is not possible: ${withoutSecrets(error as Error, uri)}.`,
    );
  }
}

/** The driver's sentence, unless it repeats a piece of what may be a user or a password. */
function withoutSecrets({ message }: Error, uri: string): string {
  const [, login = ''] = /^[^/]*\/\/(.*)@/s.exec(uri) ?? [];
  const repeats = login.split(/[:@/?#]+/).some((piece) => piece && message.includes(piece));
  return repeats ? 'it is no address that the driver can read' : message;
}

const AUTHENTICATION_FAILED = 18;

/** Why there is no connection; the driver's sentences about that name hosts, never the login. */
function reasonOf(error: Error): string {
  const refused = error instanceof mongo.MongoServerError;
  if (!refused) return error.message;
  return error.code === AUTHENTICATION_FAILED
    ? 'MongoDB refuses the user or the password of MONGODB_URI'
    : `MongoDB refuses the connection: ${error.codeName ?? error.message}`;
}
