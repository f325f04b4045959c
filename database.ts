import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEmbeddedMongo } from '@workspace-automation/embedded-mongo';
import { mongo } from 'mongoose';
import { environment } from './environment.ts';
import { logger } from './logging.ts';
import { connectDatabase } from './mixins/database.ts';

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
  let stopping = false;
  const connect = async (): Promise<void> => {
    while (!stopping) {
      try {
        return await connectDatabase(uri);
      } catch (error) {
        if (error instanceof mongo.MongoParseError) {
          endWith(`MONGODB_URI: cannot be used: ${error.message}.`);
        }
        logger.warn(`The database cannot be reached yet: ${(error as Error).name}`);
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
