import { randomUUID } from 'node:crypto';
import { BinData, Double, ObjectId, toDocument } from '../bson/values.ts';
import { fail } from '../errors.ts';
import { SESSION_TIMEOUT_MINUTES } from '../sessions/session-info.ts';
import { databaseOf } from '../storage/catalog.ts';
import { MAX_DOCUMENT_BYTES } from './insert.ts';
import type { Command, Commands, Reply, Request } from './request.ts';

/** The version whose behaviour this engine follows. */
const VERSION = '7.0.0';
const ELECTION = new ObjectId(Buffer.from('7fffffff0000000000000001', 'hex'));

/** Answers hello as the primary of a replica set, so that drivers use sessions and retry writes. */
function hello(request: Request): Reply {
  const { address } = request.engine;
  return toDocument({
    helloOk: true,
    isWritablePrimary: true,
    ismaster: true,
    secondary: false,
    setName: 'rs0',
    setVersion: 1,
    hosts: [address],
    primary: address,
    me: address,
    electionId: ELECTION,
    maxBsonObjectSize: MAX_DOCUMENT_BYTES,
    maxMessageSizeBytes: 48_000_000,
    maxWriteBatchSize: 100_000,
    localTime: new Date(),
    logicalSessionTimeoutMinutes: SESSION_TIMEOUT_MINUTES,
    minWireVersion: 0,
    maxWireVersion: 21,
    readOnly: false,
  });
}

const buildInfo = (): Reply =>
  toDocument({
    version: VERSION,
    versionArray: [7, 0, 0, 0],
    gitVersion: 'embedded',
    modules: [],
    bits: 64,
    maxBsonObjectSize: MAX_DOCUMENT_BYTES,
    storageEngines: ['sqlite'],
  });

function serverStatus(): Reply {
  const { rss } = process.memoryUsage();
  return toDocument({
    host: 'embedded',
    version: VERSION,
    process: 'embedded-mongo',
    pid: process.pid,
    uptime: new Double(process.uptime()),
    localTime: new Date(),
    mem: { resident: Math.round(rss / 1_048_576) },
    storageEngine: { name: 'sqlite' },
  });
}

const documentsIn = (request: Request, namespaces: (name: string) => boolean): number =>
  request.engine.store
    .collections(request.context)
    .filter(({ namespace }) => namespaces(namespace))
    .reduce((n, { sql }) => n + Number(request.context.connection.get(sql.count)?.[0]), 0);

function dbStats(request: Request): Reply {
  const all = request.engine.store
    .collections(request.context)
    .filter(({ namespace }) => databaseOf(namespace) === request.database);
  const names = new Set(all.map(({ namespace }) => namespace));
  return toDocument({
    db: request.database,
    collections: all.length,
    views: 0,
    objects: documentsIn(request, (name) => names.has(name)),
    indexes: all.reduce((n, { indexes }) => n + indexes.length, 0),
  });
}

function collStats(request: Request): Reply {
  const { collection, namespace } = request;
  return toDocument({
    ns: namespace,
    count: documentsIn(request, (name) => name === namespace),
    nindexes: collection?.indexes.length ?? 0,
    capped: false,
  });
}

const silent: Command = { run: () => new Map() };

const endSessions: Command = {
  run(request) {
    const ids = request.get(request.name);
    if (Array.isArray(ids)) request.engine.sessions.endSessions(ids);
    return new Map();
  },
};

function startSession(): Reply {
  const id = new BinData(4, Buffer.from(randomUUID().replaceAll('-', ''), 'hex'));
  return toDocument({ id: { id }, timeoutMinutes: SESSION_TIMEOUT_MINUTES });
}

/** Answers getParameter. Its only parameter is the version, for which clients ask. */
function getParameter(request: Request): Reply {
  if (request.get('getParameter') === '*' || !request.get('featureCompatibilityVersion'))
    fail('InvalidOptions', 'no option found to get');
  return toDocument({ featureCompatibilityVersion: { version: '7.0' } });
}

export const DIAGNOSTICS: Commands = {
  hello: { run: hello },
  isMaster: { run: hello },
  ismaster: { run: hello },
  ping: silent,
  endSessions,
  refreshSessions: silent,
  startSession: { run: startSession },
  buildInfo: { run: buildInfo },
  buildinfo: { run: buildInfo },
  serverStatus: { run: serverStatus },
  dbStats: { run: dbStats },
  dbstats: { run: dbStats },
  collStats: { run: collStats },
  collstats: { run: collStats },
  connectionStatus: {
    run: () => toDocument({ authInfo: { authenticatedUsers: [], authenticatedUserRoles: [] } }),
  },
  getParameter: { run: getParameter },
};
