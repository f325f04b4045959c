import type { RunDocument } from '../../models/run.model.ts';
import type { Run, RunError } from './contract/resources.ts';

/** A run's configuration store, without the values that no answer shows. */
type ShownConfiguration = Omit<NonNullable<RunDocument['configuration']>, 'properties' | 'pairs'>;

/** The fields of a run from which its answers are made. */
export type ShownRun = Omit<RunDocument, 'journal' | 'outbox' | 'configuration'> & {
  configuration?: ShownConfiguration;
};
export const SHOWN_FIELDS = {
  journal: 0,
  outbox: 0,
  'configuration.properties': 0,
  'configuration.pairs': 0,
} as const;

const iso = (time: Date | undefined): string | null => time?.toISOString() ?? null;

/** Converts a stored run to the run of the API. */
export const showRun = (run: ShownRun): Run => ({
  id: run._id,
  workspaceId: run.workspaceId,
  flowId: run.flowId,
  flowName: run.flowName,
  versionId: run.versionId,
  configuration: run.configuration ? showConfiguration(run.configuration) : null,
  status: run.status,
  input: JSON.parse(run.input),
  output: run.output === null ? null : JSON.parse(run.output),
  error: run.error === null ? null : (JSON.parse(run.error) as RunError),
  startedBy: run.startedBy,
  retryOf: null,
  createdAt: run.createdAt.toISOString(),
  startedAt: iso(run.startedAt),
  completedAt: iso(run.completedAt),
});

const showConfiguration = ({ id, externalId, updatedAt }: ShownConfiguration) => ({
  id,
  externalId,
  updatedAt: updatedAt.toISOString(),
});
