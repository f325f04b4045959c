import type { Finding } from './findings.ts';

/** A plan that is not as plans should be, and why it does no harm. */
export interface KnownPlan {
  finding: Finding;
  reason: string;
}

const WORKERS = 'the collection has one document for each process that executes runs';
const OUTBOX = 'GET /dev/outbox is there in development only';
const KEYS =
  'the collection has one small document for each workspace, and each start of the service counts them';

/** The allowed findings by shape. A shape that no test has any more must go from here. */
export const KNOWN_PLANS: Readonly<Record<string, KnownPlan>> = {
  'find run_workers filter {}': { finding: 'collection scan', reason: WORKERS },
  'find run_workers filter {"dead":{"$exists":false}} sort {"_id":1} limit': {
    finding: 'collection scan',
    reason: WORKERS,
  },
  'aggregate workspace_keys pipeline [{"$match":{"kid":{"$ne":"?"}}},{"$group":{"_id":"?","n":{"$sum":"?"}}}]':
    { finding: 'collection scan', reason: KEYS },
  'find outbox_mails filter {} sort {"createdAt":-1,"_id":-1} limit': {
    finding: 'collection scan',
    reason: OUTBOX,
  },
  'find outbox_mails filter {"$or":[{"createdAt":{"$lt":"?"}},{"createdAt":"?","_id":{"$lt":"?"}}],"createdAt":{"$lte":"?"}} sort {"createdAt":-1,"_id":-1} limit':
    { finding: 'sort in memory', reason: OUTBOX },
};
