import { BinData } from '../../bson/values.ts';
import type { Fields } from './helper.ts';

const words = (text: string): string[] => text.trim().split(/\s+/);

const id = new BinData(4, Buffer.alloc(16, 1));
const c = { insert: 'c', documents: [{ _id: 9 }] };

/** Commands with an example, which runs over three documents in `c`, and a part of the answer. */
export const COMMANDS: [string, Fields, Fields][] = [
  // Aggregation
  [
    'aggregate',
    { aggregate: 'c', pipeline: [{ $count: 'n' }], cursor: {} },
    { cursor: { firstBatch: [{ n: 3 }] } },
  ],
  ['count', { count: 'c' }, { n: 3 }],
  ['distinct', { distinct: 'c', key: 'n' }, { values: [5, 8] }],
  // Queries and writes
  ['delete', { delete: 'c', deletes: [{ q: {}, limit: 1 }] }, { n: 1 }],
  [
    'find',
    { find: 'c', filter: { n: 5 }, projection: { n: 1 } },
    { cursor: { firstBatch: [{ _id: 1, n: 5 }] } },
  ],
  [
    'findAndModify',
    { findAndModify: 'c', query: { _id: 3 }, remove: true },
    { lastErrorObject: { n: 1 } },
  ],
  [
    'findandmodify',
    { findandmodify: 'c', query: { _id: 3 }, remove: true },
    { lastErrorObject: { n: 1 } },
  ],
  ['insert', c, { n: 1 }],
  [
    'update',
    { update: 'c', updates: [{ q: {}, u: { $set: { x: 1 } }, multi: true }] },
    { n: 3, nModified: 3 },
  ],
  // Sessions
  ['endSessions', { endSessions: [{ id }] }, {}],
  ['refreshSessions', { refreshSessions: [{ id }] }, {}],
  ['startSession', { startSession: 1 }, { timeoutMinutes: 30 }],
  // Administration
  ['collMod', { collMod: 'c' }, {}],
  ['create', { create: 'd' }, {}],
  [
    'createIndexes',
    { createIndexes: 'c', indexes: [{ key: { n: 1 }, name: 'n' }] },
    { numIndexesAfter: 2 },
  ],
  ['deleteIndexes', { deleteIndexes: 'c', index: '*' }, { nIndexesWas: 1 }],
  ['drop', { drop: 'c' }, { nIndexesWas: 1 }],
  ['dropDatabase', { dropDatabase: 1 }, { dropped: 'test' }],
  ['dropIndexes', { dropIndexes: 'c', index: '*' }, { nIndexesWas: 1 }],
  [
    'getParameter',
    { getParameter: 1, featureCompatibilityVersion: 1 },
    { featureCompatibilityVersion: { version: '7.0' } },
  ],
  ['killCursors', { killCursors: 'c', cursors: [1n] }, { cursorsNotFound: [1n] }],
  [
    'listCollections',
    { listCollections: 1, nameOnly: true },
    { cursor: { firstBatch: [{ name: 'c', type: 'collection' }] } },
  ],
  ['listDatabases', { listDatabases: 1, nameOnly: true }, { databases: [{ name: 'test' }] }],
  ['listIndexes', { listIndexes: 'c' }, { cursor: { ns: 'test.c' } }],
  ['renameCollection', { renameCollection: 'test.c', to: 'test.d' }, {}],
  // Diagnostics
  ['buildInfo', { buildInfo: 1 }, { version: '7.0.0' }],
  ['buildinfo', { buildinfo: 1 }, { version: '7.0.0' }],
  ['collStats', { collStats: 'c' }, { count: 3 }],
  ['collstats', { collstats: 'c' }, { count: 3 }],
  ['connectionStatus', { connectionStatus: 1 }, { authInfo: { authenticatedUsers: [] } }],
  ['dbStats', { dbStats: 1 }, { collections: 1, objects: 3 }],
  ['dbstats', { dbstats: 1 }, { collections: 1, objects: 3 }],
  [
    'explain',
    { explain: { find: 'c' }, verbosity: 'queryPlanner' },
    { queryPlanner: { namespace: 'test.c' } },
  ],
  ['hello', { hello: 1 }, { isWritablePrimary: true }],
  ['isMaster', { isMaster: 1 }, { ismaster: true }],
  ['ismaster', { ismaster: 1 }, { ismaster: true }],
  ['ping', { ping: 1 }, {}],
  ['serverStatus', { serverStatus: 1 }, { version: '7.0.0' }],
];

/** Commands that need a cursor or a transaction. Other tests have examples. */
export const STATEFUL = ['getMore', 'commitTransaction', 'abortTransaction'];

/** Commands of a mongod 7.0 that this engine refuses as not supported (115). */
export const REFUSED_COMMANDS = words(`
  mapReduce mapreduce
  planCacheClear planCacheClearFilters planCacheListFilters planCacheSetFilter
  authenticate logout saslStart saslContinue
  createUser dropAllUsersFromDatabase dropUser grantRolesToUser revokeRolesFromUser updateUser usersInfo
  createRole dropAllRolesFromDatabase dropRole grantPrivilegesToRole grantRolesToRole invalidateUserCache
  revokePrivilegesFromRole revokeRolesFromRole rolesInfo updateRole
  appendOplogNote applyOps replSetAbortPrimaryCatchUp replSetFreeze replSetGetConfig replSetGetRBID replSetGetStatus
  replSetHeartbeat replSetInitiate replSetMaintenance replSetReconfig replSetRequestVotes replSetResizeOplog
  replSetStepDown replSetStepUp replSetSyncFrom replSetUpdatePosition
  cleanupOrphaned checkShardingIndex flushRouterConfig getShardMap getShardVersion setShardVersion shardingState splitChunk splitVector
  killAllSessions killAllSessionsByPattern killSessions
  cloneCollectionAsCapped compact compactStructuredEncryptionData convertToCapped currentOp dropConnections filemd5
  fsync fsyncUnlock getAuditConfig getClusterParameter getDefaultRWConcern killOp logRotate reIndex
  rotateCertificates setAuditConfig setClusterParameter setDefaultRWConcern setFeatureCompatibilityVersion
  setIndexCommitQuorum setParameter setUserWriteBlockMode shutdown
  connPoolStats connPoolSync dataSize datasize dbHash dbhash features getCmdLineOpts getDiagnosticData getLog
  hostInfo listCommands lockInfo logMessage profile top validate validateDBMetadata waitForFailPoint whatsmyuri
  logApplicationMessage getFreeMonitoringStatus setFreeMonitoring
  createSearchIndexes dropSearchIndex updateSearchIndex
  analyzeShardKey configureQueryAnalyzer`);

/** Commands that a mongod 7.0 does not know either (59): those of mongos, of later and of earlier versions. */
export const UNKNOWN_COMMANDS = words(`
  abortReshardCollection addShard addShardToZone balancerCollectionStatus balancerStart balancerStatus balancerStop
  checkMetadataConsistency cleanupReshardCollection clearJumboFlag commitReshardCollection
  configureCollectionBalancing enableSharding isdbgrid listShards mergeAllChunksOnShard mergeChunks moveChunk movePrimary moveRange netstat
  refineCollectionShardKey removeShard removeShardFromZone reshardCollection shardCollection split unsetSharding
  updateZoneKeyRange
  bulkWrite moveCollection unshardCollection transitionFromDedicatedConfigServer
  geoNear geoSearch group eval copydb clone cursorInfo
  parallelCollectionScan repairDatabase touch
  nope Find FIND constructor toString __proto__`);
