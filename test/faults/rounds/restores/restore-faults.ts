import type { FlowVersionDocument } from '../../../../models/flow-version.model.ts';
import type { Fault } from '../../checks.ts';

/** An acknowledged restore. Times are monotonic, in milliseconds. */
export interface Restore {
  file: string;
  /** The newest version as the answer has it: that of the restore, or a later one. */
  versionId: number;
  sentAt: number;
  acknowledgedAt: number;
}

export type StoredVersion = Pick<FlowVersionDocument, '_id' | 'sequence' | 'content'>;
type Made = Restore & { sequence: number };

/**
 * Compares acknowledged restores with the versions of a flow, the oldest first: each restore has made one version, and a
 * restore that was sent after the answer to another has a later version.
 * @param earlier the number of versions before the first restore
 */
export function faultsOfRestores(
  restores: readonly Restore[],
  versions: readonly StoredVersion[],
  earlier: number,
): Fault[] {
  const faults: Fault[] = [];
  if (versions.some(({ sequence }, at) => sequence !== at + 1)) {
    faults.push(`the versions have the numbers ${versions.map(({ sequence }) => sequence)}`);
  }
  const restored = versions.slice(earlier);
  if (restored.length !== restores.length) {
    faults.push(`${restores.length} restores have made ${restored.length} versions`);
  }
  const sequences = new Map(versions.map(({ _id, sequence }) => [_id, sequence]));
  const made = restores.map((restore): Made => {
    const ofFile = restored.filter(({ content }) => content === restore.file);
    if (ofFile.length !== 1) faults.push(`a restore has made ${ofFile.length} versions`);
    const sequence = ofFile[0]?.sequence ?? 0;
    const answered = sequences.get(restore.versionId) ?? 0;
    if (answered < sequence) faults.push(`version ${sequence} was answered as ${answered}`);
    return { ...restore, sequence };
  });
  return [...faults, ...faultsOfOrder(made)];
}

const faultsOfOrder = (made: readonly Made[]): Fault[] =>
  made.flatMap(({ sequence, acknowledgedAt }) =>
    made
      .filter((other) => other.sentAt > acknowledgedAt && other.sequence < sequence)
      .map((other) => `version ${other.sequence} was asked for after the answer of ${sequence}`),
  );
