import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEmbeddedMongo } from '@workspace-automation/embedded-mongo';
import { mongo } from 'mongoose';
import { environment } from '../../environment/environment.ts';
import { logger } from '../../support/logging.ts';
import { Backups } from '../backups/backups.ts';
import { DATABASE_FOLDER } from '../backups/data-copy.ts';
import { connectDatabase } from './database.ts';

/** The database of the process. */
export interface ProcessDatabase {
  stop(): Promise<void>;
  /** Calls `tell` when the embedded database ends by itself. The end of a MongoDB is waited out. */
  onLost(tell: (why: string) => void): void;
}

/** Milliseconds between two attempts to connect. */
const RETRY_MS = 300;
/** The variables that give keys in place of those that a process keeps in `DATA_DIR`. */
const KEY_VARIABLES = ['CREDENTIALS_MASTER_KEYS', 'JWT_PRIVATE_KEYS'] as const;

/** Connects to `MONGODB_URI`, in the background. Without the variable it starts the embedded database under `DATA_DIR`. */
export async function startDatabase(): Promise<ProcessDatabase> {
  if (environment.MONGODB_URI) return connectTo(environment.MONGODB_URI);
  try {
    const embedded = await startEmbeddedMongo({
      folder: join(environment.DATA_DIR, DATABASE_FOLDER),
    });
    let stopping = false;
    await connectDatabase(`${embedded.uri}`);
    const backups = startBackups();
    return {
      async stop() {
        stopping = true;
        await backups?.stop();
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

/** Begins the backups of the embedded database, where the environment asks for them. */
function startBackups(): Backups | undefined {
  const { DATA_DIR: dataDir, BACKUP_DIR: backupDir, BACKUP_EVERY_MS: everyMs } = environment;
  if (backupDir === undefined || everyMs === undefined) return undefined;
  const keyVariables = KEY_VARIABLES.filter((name) => environment[name] !== undefined);
  const backups = new Backups({ dataDir, backupDir, everyMs, keyVariables });
  backups.start();
  return backups;
}

function endWith(line: string): never {
  process.stderr.write(`${line}\n`);
  process.exit(1);
}

/** Connects in the background, however often that has to be tried. The driver restores a lost connection by itself. */
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

/** Ends the process when the driver cannot parse the address. No connection is made. */
function refuseUnusable(uri: string): void {
  try {
    new mongo.MongoClient(uri);
  } catch (error) {
    endWith(
      `MONGODB_URI: the value given is not possible: ${withoutSecrets(error as Error, uri)}.`,
    );
  }
}

/** The driver's message, unless the message contains a part of the user or the password. */
function withoutSecrets({ message }: Error, uri: string): string {
  const [, login = ''] = /^[^/]*\/\/(.*)@/s.exec(uri) ?? [];
  const repeats = login.split(/[:@/?#]+/).some((piece) => piece && message.includes(piece));
  return repeats ? 'it is no address that the driver can read' : message;
}

/** The code of MongoDB's error for a wrong user or password. */
const AUTHENTICATION_FAILED = 18;

/** The reason why there is no connection. The driver's messages name hosts, never the user or the password. */
function reasonOf(error: Error): string {
  const refused = error instanceof mongo.MongoServerError;
  if (!refused) return error.message;
  return error.code === AUTHENTICATION_FAILED
    ? 'MongoDB refuses the user or the password of MONGODB_URI'
    : `MongoDB refuses the connection: ${error.codeName ?? error.message}`;
}
