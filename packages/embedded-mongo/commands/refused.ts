import { fail, unsupported } from '../errors.ts';

/** The commands of MongoDB 7 that this engine does not support. Other unknown names are no commands. */
const LEFT_OUT = new Set(
  `mapReduce mapreduce
  planCacheClear planCacheClearFilters planCacheListFilters planCacheSetFilter
  authenticate logout saslContinue saslStart
  createUser dropAllUsersFromDatabase dropUser grantRolesToUser revokeRolesFromUser updateUser usersInfo
  createRole dropAllRolesFromDatabase dropRole grantPrivilegesToRole grantRolesToRole invalidateUserCache
  revokePrivilegesFromRole revokeRolesFromRole rolesInfo updateRole
  appendOplogNote applyOps replSetAbortPrimaryCatchUp replSetFreeze replSetGetConfig replSetGetRBID replSetGetStatus
  replSetHeartbeat replSetInitiate replSetMaintenance replSetReconfig replSetRequestVotes replSetResizeOplog
  replSetStepDown replSetStepUp replSetSyncFrom replSetUpdatePosition
  analyzeShardKey checkShardingIndex cleanupOrphaned configureQueryAnalyzer flushRouterConfig getShardMap
  getShardVersion setShardVersion shardingState splitChunk splitVector
  killAllSessions killAllSessionsByPattern killSessions
  cloneCollectionAsCapped compact compactStructuredEncryptionData convertToCapped currentOp dropConnections filemd5
  fsync fsyncUnlock getAuditConfig getClusterParameter getDefaultRWConcern killOp logRotate reIndex
  rotateCertificates setAuditConfig setClusterParameter setDefaultRWConcern setFeatureCompatibilityVersion
  setIndexCommitQuorum setParameter setUserWriteBlockMode shutdown
  connPoolStats connPoolSync dataSize datasize dbHash dbhash features getCmdLineOpts getDiagnosticData
  getFreeMonitoringStatus getLog hostInfo listCommands lockInfo logApplicationMessage logMessage profile
  setFreeMonitoring top validate validateDBMetadata waitForFailPoint whatsmyuri
  createSearchIndexes dropSearchIndex updateSearchIndex`.split(/\s+/),
);

/** Refuses a command that is not in the registry: one of MongoDB's as not supported, any other as unknown. */
export function refuseCommand(name: string): never {
  if (LEFT_OUT.has(name)) unsupported(`The command ${name}`, 'CommandNotSupported');
  return fail('CommandNotFound', `no such command: '${name}'`);
}
