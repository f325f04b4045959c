/** A name as one token of a subject of NATS: without what has a meaning there. */
export const tokenOf = (name: string): string => name.replaceAll(/[\s.*>]/g, '-');

/** Where whoever takes calls for the service answers with nothing. */
export const upTopic = (prefix: string, service: string): string => `${prefix}.UP.${service}`;

/** Where a process of that host answers with nothing while it takes calls; `deploy/health.ts` asks. */
export const upTopicOfHost = (prefix: string, host: string): string =>
  upTopic(prefix, `node.${tokenOf(host)}`);
