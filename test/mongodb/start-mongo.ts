import { fork } from 'node:child_process';
import { join } from 'node:path';
import {
  CHILD,
  type EmbeddedMongo,
  type EmbeddedMongoOptions,
  startEmbeddedMongo,
  superviseChild,
} from '@workspace-automation/embedded-mongo';
import { launchWithNewerLibc } from './newer-libc.ts';

/** Whether tests run on a real MongoDB engine: `npm run test:mongodb`. */
export const ON_REAL_ENGINE = process.env.TEST_MONGODB === '1';

/** Starts the database of a test: the embedded database, or in its way a real engine. */
export const startMongo: (options: EmbeddedMongoOptions) => Promise<EmbeddedMongo> = ON_REAL_ENGINE
  ? startEngine
  : startEmbeddedMongo;

/** Starts a real engine. Outside of integration tests its plans are recorded. */
function startEngine(options: EmbeddedMongoOptions): Promise<EmbeddedMongo> {
  const launch = { ...CHILD, ...launchWithNewerLibc(), env: { ...CHILD.env, ...recording() } };
  return superviseChild(fork(join(import.meta.dirname, 'engine.ts'), [], launch), options);
}

/** Tells the engine where to record. The queries of an integration test are in part those of the test itself. */
function recording(): Record<string, string> {
  const { PLANS_FOLDER } = process.env;
  const path = typeof expect === 'undefined' ? '' : (expect.getState().testPath ?? '');
  return PLANS_FOLDER && !path.includes('/test/integration/') ? { PLANS_FOLDER } : {};
}
