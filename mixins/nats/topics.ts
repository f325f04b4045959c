/** Systems of another namespace may use the same NATS. */
export const NAMESPACE = 'workspace-automation';
/** How Moleculer begins every subject of the namespace. */
export const TOPIC_PREFIX = `MOL-${NAMESPACE}`;

/** A name as one token of a subject of NATS: without what has a meaning there. */
export const tokenOf = (name: string): string => name.replaceAll(/[\s.*>]/g, '-');

/** Where whoever takes calls for the service answers with nothing. */
export const upTopic = (prefix: string, service: string): string => `${prefix}.UP.${service}`;

/** Where a process of that user and host answers with nothing while it takes calls; `deploy/health.ts` asks. */
export const upTopicOfHost = (prefix: string, user: string | undefined, host: string): string =>
  upTopic(prefix, ['node', ...(user ? [tokenOf(user)] : []), tokenOf(host)].join('.'));

/** Where nats-server says that nobody took a message of that node. */
export const nobodyTopic = (prefix: string, nodeID: string): string =>
  `${prefix}.NOBODY.${nodeID.replaceAll(/[\s*>]/g, '-')}`;

/** Where answers to requests of that user come in. */
export const inboxOf = (user: string): string => `_INBOX.${tokenOf(user)}`;

/**
 * A node's name, which is a part of the subjects that are its own. The user of NATS comes first, as a token
 * of its own, so that a permission can name all nodes of a user (`deploy/nats-users.ts`).
 */
export const nodeIdOf = (user: string | undefined, name: string): string =>
  [...(user ? [tokenOf(user)] : []), tokenOf(name)].join('.');
