import { subjectPrefixOf } from '@workspace-automation/moleculer-nats/subjects';

/** The Moleculer namespace: systems of another namespace may use the same NATS. */
export const NAMESPACE = 'workspace-automation';

/** How every NATS subject of the system begins. */
export const SUBJECT_PREFIX = subjectPrefixOf(NAMESPACE);
