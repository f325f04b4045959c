import { subjectPrefixOf } from '@workspace-automation/moleculer-nats/subjects';

/** The Moleculer namespace. Systems with other namespaces may share one NATS server. */
export const NAMESPACE = 'workspace-automation';

/** The prefix of every NATS subject of the system. */
export const SUBJECT_PREFIX = subjectPrefixOf(NAMESPACE);
