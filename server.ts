import { ServiceBroker } from 'moleculer';
import { startDatabase } from './database.ts';
import { environment } from './environment.ts';
import { logger } from './logging.ts';
import { disconnectDatabase } from './mixins/database.ts';
import { listenAndTell } from './mixins/nats/remote-calls.ts';
import { closeSandbox } from './mixins/sandbox.ts';
import { brokerOptions } from './moleculer.config.ts';
import { brokerMiddlewares } from './services/middlewares.ts';
import { createServices } from './services/services.ts';
import { startTelemetry } from './telemetry/telemetry.ts';

/** Milliseconds after a signal at which whatever still runs is cut. */
const STOP_WITHIN_MS = 9_000;

const stopTelemetry = await startTelemetry();
const database = await startDatabase();
const broker = new ServiceBroker({ ...brokerOptions, middlewares: brokerMiddlewares() });

let stopping: Promise<void> | undefined;
const stop = (exitCode: number): Promise<void> => {
  stopping ??= leave(exitCode);
  return stopping;
};
process.on('SIGTERM', () => void stop(0));
process.on('SIGINT', () => void stop(0));
database.onLost((why) => {
  logger.fatal(`The embedded database has ended: ${why}`);
  void stop(1);
});

try {
  createServices(broker, environment.SERVICES);
  await broker.start();
  await listenAndTell(broker);
} catch (error) {
  logger.fatal({ err: error }, `The services did not start: ${(error as Error).message}`);
  await stop(1);
}
announce();

/** The one line that says the gateway takes requests; without a gateway, that the services take calls. */
function announce(): void {
  const gateway = broker.getLocalService('api') as
    | { server?: { address(): { port: number } | null } }
    | undefined;
  const address = gateway?.server?.address();
  const where = address ? `on http://${environment.HOST}:${address.port}` : 'for calls';
  if (!stopping) process.stdout.write(`ready ${where}\n`);
}

/** Not ready, no new work, what is in flight ends; then services, database, process. */
async function leave(exitCode: number): Promise<void> {
  const cut = setTimeout(() => process.exit(exitCode || 1), STOP_WITHIN_MS);
  cut.unref();
  const gateway = broker.getLocalService('api') as
    | { drain?(ms: number): Promise<void> }
    | undefined;
  await gateway?.drain?.(STOP_WITHIN_MS - 3_000);
  await broker.stop();
  await closeSandbox();
  await disconnectDatabase();
  await database.stop();
  await stopTelemetry();
  process.exit(exitCode);
}
