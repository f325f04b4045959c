import './support/json-parse.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { announceServices, setAcceptingCalls } from '@workspace-automation/moleculer-nats';
import { ServiceBroker } from 'moleculer';
import { environment } from './environment/environment.ts';
import { brokerMiddlewares } from './middlewares/index.ts';
import { giveUpOpenCalls, limitStop } from './middlewares/open-calls.ts';
import { databasePrepared, disconnectDatabase, watchDatabase } from './mixins/database/database.ts';
import { startDatabase } from './mixins/database/process-database.ts';
import { brokerOptions } from './moleculer.config.ts';
import { accessSourcesOf } from './services/access-sources.ts';
import { announceShutdown } from './services/process/announce-shutdown.ts';
import { logStart } from './services/process/log-start.ts';
import { releaseMemoryWhenIdle } from './services/process/release-memory.ts';
import { createServices } from './services/services.ts';
import { logger } from './support/logging.ts';
import { outageLog } from './support/outage-log.ts';
import { closeSandbox } from './support/sandbox.ts';
import { startTelemetry } from './telemetry/telemetry.ts';

/** Milliseconds from a signal until calls that are still open are answered with 504. */
const OPEN_CALLS_END_AFTER_MS = 7_000;
/** Milliseconds from a signal until responses have been sent. Beyond them their connections are closed. */
const RESPONSES_END_AFTER_MS = 7_500;
/** Milliseconds from a signal until services have stopped. Beyond them the process goes on without. */
const SERVICES_STOP_AFTER_MS = 8_200;
/** Milliseconds from a signal until the process exits, whatever still runs. */
const EXIT_AFTER_MS = 9_000;
/** Milliseconds that each step of a stop has at least, when earlier steps have used up its time. */
const MIN_STEP_MS = 300;

logStart();
const telemetry = await startTelemetry();
const database = await startDatabase();
const broker = new ServiceBroker({
  ...brokerOptions,
  middlewares: brokerMiddlewares(accessSourcesOf),
  tracking: { enabled: false }, // `OpenCalls` waits for what is under way
});
telemetry.observe(broker);

let stopping: Promise<void> | undefined;
const stop = (exitCode: number): Promise<void> => {
  stopping ??= shutDown(exitCode);
  return stopping;
};
process.on('SIGTERM', () => void stop(0));
process.on('SIGINT', () => void stop(0));
database.onLost((why) => void fail(`The embedded database has ended: ${why}`));

try {
  createServices(broker, environment.SERVICES);
  await setAcceptingCalls(broker, false); // until the database is there
  await broker.start();
  await announceServices(broker);
} catch (error) {
  await fail(`The services did not start: ${(error as Error).message}`, error);
}
const working = acceptCallsWithDatabase();
if (gateway()) {
  logger.info(`listening on ${gatewayUrl()}`); // from here on `GET /health/ready` says what is missing
  await gateway()?.untilReady?.();
}
await working;
writeReadyLine();
releaseMemoryWhenIdle();

/** Accepts calls whenever the database is there. A database that cannot be prepared ends the process. */
async function acceptCallsWithDatabase(): Promise<void> {
  try {
    await databasePrepared();
    watchDatabase((usable) => void setAcceptingCalls(broker, usable));
    await setAcceptingCalls(broker, true);
  } catch (error) {
    await fail((error as Error).message);
  }
}

/** What a process does with its gateway. */
interface Gateway {
  server?: { address(): { port: number } | null };
  untilReady?(): Promise<void>;
  drain?(deadlineMs: number): Promise<void>;
}

/** The gateway of this process; undefined in a process without one, and before the gateway is created. */
function gateway(): Gateway | undefined {
  return broker.getLocalService('api') as Gateway | undefined;
}

function gatewayUrl(): string {
  return `http://${environment.HOST}:${gateway()?.server?.address()?.port}`;
}

/** Ends the process with one line in the log that says why it cannot work. */
function fail(why: string, err?: unknown): Promise<void> {
  logger.fatal({ err }, why);
  return stop(1);
}

/** Writes the one line that says the next request is answered; without a gateway, that the services take calls. */
function writeReadyLine(): void {
  if (!stopping) process.stdout.write(`ready ${gateway() ? `on ${gatewayUrl()}` : 'for calls'}\n`);
}

/** Takes no new work, ends the work in flight, and stops services, database and process, in this order. */
async function shutDown(exitCode: number): Promise<void> {
  setTimeout(() => process.exit(exitCode || 1), EXIT_AFTER_MS).unref();
  const signalledAt = performance.now();
  const timeLeft = (afterMs: number) =>
    Math.max(signalledAt + afterMs - performance.now(), MIN_STEP_MS);
  setTimeout(giveUpOpenCalls, OPEN_CALLS_END_AFTER_MS, broker).unref();
  announceShutdown(broker);
  await gateway()?.drain?.(RESPONSES_END_AFTER_MS);
  limitStop(broker, timeLeft(RESPONSES_END_AFTER_MS));
  await Promise.race([broker.stop(), sleep(timeLeft(SERVICES_STOP_AFTER_MS))]);
  await closeSandbox();
  outageLog.close();
  await disconnectDatabase();
  await database.stop();
  await telemetry.stop();
  process.exit(exitCode);
}
