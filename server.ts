import { setTimeout as sleep } from 'node:timers/promises';
import { announceServices, setAcceptingCalls } from '@workspace-automation/moleculer-nats';
import { ServiceBroker } from 'moleculer';
import { environment } from './environment/environment.ts';
import { brokerMiddlewares } from './middlewares/index.ts';
import { giveUpOpenCalls } from './middlewares/open-calls.ts';
import { databasePrepared, disconnectDatabase, watchDatabase } from './mixins/database/database.ts';
import { startDatabase } from './mixins/database/process-database.ts';
import { brokerOptions } from './moleculer.config.ts';
import { announceShutdown } from './services/process/announce-shutdown.ts';
import { createServices } from './services/services.ts';
import { logger } from './support/logging.ts';
import { closeSandbox } from './support/sandbox.ts';
import { startTelemetry } from './telemetry/telemetry.ts';

/** Milliseconds after a signal: when calls that are still open are answered with an error, */
const CALLS_END_MS = 7_000;
/** when their answers are on their way, */
const ANSWERED_MS = 7_500;
/** when services that have not stopped, for want of a database perhaps, are left as they are, */
const STOPPED_MS = 8_200;
/** and when whatever still runs is cut. */
const STOP_WITHIN_MS = 9_000;
const LEAST_WAIT_MS = 300;

const telemetry = await startTelemetry();
const database = await startDatabase();
const broker = new ServiceBroker({ ...brokerOptions, middlewares: brokerMiddlewares() });
telemetry.observe(broker);

let stopping: Promise<void> | undefined;
const stop = (exitCode: number): Promise<void> => {
  stopping ??= leave(exitCode);
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
const working = beginWork();
if (gateway()) {
  logger.info(`listening on ${gatewayUrl()}`); // from here on `GET /health/ready` says what is missing
  await gateway()?.untilReady?.();
}
await working;
announce();

/** Asks for calls once the database is there, and from then on while it is. */
async function beginWork(): Promise<void> {
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

/** The gateway of this process, if it has one that has been created. */
function gateway(): Gateway | undefined {
  return broker.getLocalService('api') as Gateway | undefined;
}

function gatewayUrl(): string {
  return `http://${environment.HOST}:${gateway()?.server?.address()?.port}`;
}

/** Ends the process, which cannot do its work, with one line that says why. */
function fail(why: string, err?: unknown): Promise<void> {
  logger.fatal({ err }, why);
  return stop(1);
}

/** Writes the one line that says the next request is answered; without a gateway, that the services take calls. */
function announce(): void {
  if (!stopping) process.stdout.write(`ready ${gateway() ? `on ${gatewayUrl()}` : 'for calls'}\n`);
}

/** Not ready, no new work, what is in flight ends; then services, database, process. */
async function leave(exitCode: number): Promise<void> {
  const cut = setTimeout(() => process.exit(exitCode || 1), STOP_WITHIN_MS);
  cut.unref();
  const began = performance.now();
  const left = (until: number) => Math.max(until - (performance.now() - began), LEAST_WAIT_MS);
  setTimeout(giveUpOpenCalls, CALLS_END_MS).unref();
  announceShutdown(broker);
  await gateway()?.drain?.(ANSWERED_MS);
  broker.options.tracking = { enabled: true, shutdownTimeout: left(ANSWERED_MS) };
  await Promise.race([broker.stop(), sleep(left(STOPPED_MS))]);
  await closeSandbox();
  await disconnectDatabase();
  await database.stop();
  await telemetry.stop();
  process.exit(exitCode);
}
