import { join } from 'node:path';
import type { EmbeddedMongo } from '@workspace-automation/embedded-mongo';
import type { NatsUser } from '../../deploy/nats-users-file.ts';
import { SERVICE_NAMES, type ServiceName } from '../../environment/process.ts';
import { startMongo } from '../mongodb/start-mongo.ts';
import { freePort } from './free-port.ts';
import { request } from './http.ts';
import { TestNats } from './nats.ts';
import { type ServiceProcess, startProcess } from './process.ts';
import { waitFor } from './wait.ts';

/** All services but the named ones, as `SERVICES` takes them. */
export const servicesExcept = (...names: readonly ServiceName[]): string =>
  SERVICE_NAMES.filter((name) => !names.includes(name)).join();

/** The services of the processes beside the gateways and the workers. */
export const CORE = servicesExcept('api', 'flows', 'runs');

/** The services of each process when the system is spread over several: one gateway, and two processes of each other kind. */
export const SPREAD: readonly string[] = ['api', CORE, CORE, 'flows,runs', 'flows,runs'];

/** Processes of it that work on runs. */
export const SPREAD_WORKERS = SPREAD.filter((services) => services.includes('runs')).length;

const userOf = (services: string): string => services.replaceAll(',', '-');
/**
 * Returns the users of NATS: each kind of process has a user, with the permissions that such a process has in
 * production. Loads all services, which takes half a second.
 */
export async function usersOf(kinds: readonly string[]): Promise<readonly NatsUser[]> {
  const { natsUsers } = await import('../../deploy/nats-users.ts');
  return natsUsers(
    Object.fromEntries(
      kinds.map((services) => [userOf(services), services.split(',') as ServiceName[]]),
    ),
  );
}

/** The resources that all processes of one system share: a nats-server, a database, the folder of development keys. */
export interface Ground {
  nats: TestNats;
  database: EmbeddedMongo;
  dataDir: string;
}

const databases = new Set<EmbeddedMongo>();
const grounds = new Map<string, Promise<Ground>>();

export async function killDatabases(): Promise<void> {
  for (const { process } of databases) process.kill('SIGKILL');
  await Promise.all([...databases].map(({ exited }) => exited));
  databases.clear();
}

/**
 * Returns the shared resources of the folder. They are made at the first call, with those users of NATS, and exist until the
 * tests end.
 */
export function groundOf(dataDir: string, users?: Promise<readonly NatsUser[]>): Promise<Ground> {
  const ground = grounds.get(dataDir) ?? makeGround(dataDir, users ?? usersOf(SPREAD));
  grounds.set(dataDir, ground);
  return ground;
}

async function makeGround(dataDir: string, users: Promise<readonly NatsUser[]>): Promise<Ground> {
  const [nats, database] = await Promise.all([
    users.then((all) => TestNats.start(all)),
    startDatabase(dataDir),
  ]);
  return { nats, database, dataDir };
}

/** A MongoDB address that every process of the system can use. */
export async function startDatabase(dataDir: string, port?: number): Promise<EmbeddedMongo> {
  const folder = join(dataDir, 'db');
  const database = await startMongo({ folder, port: port ?? (await freePort()) });
  databases.add(database);
  return database;
}

/** One more process of the system on that ground. */
export const startPart = (
  { nats, database, dataDir }: Ground,
  services: string,
  env: Record<string, string> = {},
): ServiceProcess =>
  startProcess({
    DATA_DIR: dataDir,
    MONGODB_URI: database.uri,
    NATS_URL: nats.urlOf(userOf(services)),
    SERVICES: services,
    ...env,
  });

/** Starts the whole system; the gateway comes first, and knows all others when this resolves. */
export async function startSpread(
  ground: Ground,
  env: Record<string, string> = {},
): Promise<{ url: string; parts: ServiceProcess[] }> {
  const parts = SPREAD.map((services) => startPart(ground, services, env));
  const [url = ''] = await Promise.all(parts.map(({ ready }) => ready));
  await untilReady(url);
  return { url, parts };
}

/** Waits until the gateway can reach every service but the absent ones, optional services included. */
export const untilReady = (url: string, absent: readonly ServiceName[] = []): Promise<unknown> =>
  waitFor('every service', async () => {
    type Readiness = { dependencies: Record<string, string> };
    const { status, body } = await request<Readiness>(url, 'GET', '/health/ready');
    const isExpected = ([name, state]: [string, string]) =>
      state === 'up' || absent.includes(name as ServiceName);
    return status === 200 && Object.entries(body.dependencies).every(isExpected);
  });
