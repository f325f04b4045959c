/** How Moleculer begins every subject of a namespace. */
export const subjectPrefixOf = (namespace: string): string => `MOL-${namespace}`;

/** A name as one token of a NATS subject: without the characters that have a meaning in subjects. */
export const tokenOf = (name: string): string => name.replaceAll(/[\s.*>]/g, '-');

/** Every process that takes calls for the service answers here with an empty message. */
export const upSubject = (prefix: string, service: string): string => `${prefix}.UP.${service}`;

/** A process of that user and host answers here with an empty message while the process takes calls. */
export const upSubjectOfHost = (prefix: string, user: string | undefined, host: string): string =>
  upSubject(prefix, ['node', ...(user ? [tokenOf(user)] : []), tokenOf(host)].join('.'));

/** nats-server sends "no responders" for a message of that node to this subject and a message id. */
export const noRespondersSubject = (prefix: string, nodeID: string): string =>
  `${prefix}.NOBODY.${nodeID.replaceAll(/[\s*>]/g, '-')}`;

/** A node is asked here which calls and streams the node has in progress. */
export const probeSubject = (prefix: string, nodeID: string): string => `${prefix}.PROBE.${nodeID}`;

/**
 * A node gets the answers to its probes here. The subject names the NATS user that answers, so that a
 * permission can hold a user to answers of its own nodes.
 */
export const probedSubject = (prefix: string, answererUser: string, asker: string): string =>
  `${prefix}.PROBED.${answererUser}.${asker}`;

/** Frames of streams reach a node here. */
export const streamSubject = (prefix: string, nodeID: string): string =>
  `${prefix}.STREAM.${nodeID}`;

/** Responses to requests of that user arrive below this subject. */
export const inboxOf = (user: string): string => `_INBOX.${tokenOf(user)}`;

/** The NATS user of a node that `nodeIdOf` has named, or the begin of another name. */
export const userOf = (nodeID: string): string => nodeID.split('.', 1)[0] ?? '';

/**
 * The name of a node, which is a part of the node's own subjects. The NATS user is the first token, so
 * that one permission can name all nodes of a user.
 */
export const nodeIdOf = (user: string | undefined, name: string): string =>
  [...(user ? [tokenOf(user)] : []), tokenOf(name)].join('.');
