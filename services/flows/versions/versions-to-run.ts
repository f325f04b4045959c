import { FlowModel } from '../../../models/flow.model.ts';
import { type FlowVersionDocument, FlowVersionModel } from '../../../models/flow-version.model.ts';
import type { Actions, Params } from '../../contracts.ts';
import { summaryOf } from '../find-flow.ts';
import type { StoredFlow } from '../flows.store.ts';
import { flushPendingVersion } from './new-version.ts';

type Start = Params<'flows.versionsToRun'>['starts'][number];
type VersionToRun = Actions['flows.versionsToRun']['result']['versions'][number];
type StartedFlow = Pick<StoredFlow, '_id' | keyof typeof FIELDS | 'pendingVersion' | 'unsettled'>;

type FileOfVersion = Pick<FlowVersionDocument, '_id' | 'flowId' | 'content'>;

const FIELDS = { workspaceId: 1, name: 1, versionId: 1 } as const;
const PENDING_IDS = { 'pendingVersion.id': 1, 'unsettled.id': 1 } as const;
/** Bytes of all files in one answer. Further files are left out, and the caller reads each of them alone. */
const MAX_CONTENT_BYTES = 256 * 1024;

/**
 * Finds the version for each start of a run, in the order of the starts: the named version, else the newest; null
 * without the flow. Reads without mongoose, because each start of a run calls this function.
 */
export async function findVersionsToRun(
  starts: readonly Start[],
): Promise<(VersionToRun | null)[]> {
  const flows = await findFlows(starts.map(({ flowId }) => flowId));
  const wanted = starts.map((start) => ({ ...start, flow: flows.get(start.flowId) }));
  const contents = await findContents(
    wanted.flatMap(({ flow, versionId = flow?.versionId, knownVersionId }) =>
      flow && versionId && versionId !== knownVersionId ? [{ flow, versionId }] : [],
    ),
  );
  return wanted.map(({ flow, versionId = flow?.versionId ?? null, knownVersionId }) => {
    if (!flow) return null;
    if (versionId === null) return { flow: summaryOf(flow), versionId, content: null };
    const version = { flow: summaryOf(flow), versionId };
    if (versionId === knownVersionId) return version;
    const content = contents.of(flow._id, versionId);
    if (content === undefined) return version;
    return { ...version, versionId: content === null ? null : versionId, content };
  });
}

async function findFlows(ids: readonly number[]): Promise<Map<number, StartedFlow>> {
  const filter = { _id: { $in: [...new Set(ids)] }, removedAt: null };
  const flows = await FlowModel.collection
    .find<StartedFlow>(filter as never, { projection: { ...FIELDS, ...PENDING_IDS } })
    .toArray();
  return new Map(flows.map((flow) => [flow._id, flow]));
}

/** The files of versions. A file beyond `MAX_CONTENT_BYTES` is undefined, and a missing version's file is null. */
class Contents {
  readonly #byVersion = new Map<number, FileOfVersion>();
  #bytes = 0;
  #isWhole = true;

  /** Adds a file, or returns false for a file beyond `MAX_CONTENT_BYTES`. The first file always fits. */
  add(version: FileOfVersion): boolean {
    this.#bytes += Buffer.byteLength(version.content);
    this.#isWhole = this.#byVersion.size === 0 || this.#bytes <= MAX_CONTENT_BYTES;
    if (this.#isWhole) this.#byVersion.set(version._id, version);
    return this.#isWhole;
  }

  of(flowId: number, versionId: number): string | null | undefined {
    const version = this.#byVersion.get(versionId);
    if (version) return version.flowId === flowId ? version.content : null;
    return this.#isWhole ? null : undefined;
  }
}

async function findContents(
  wanted: readonly { flow: StartedFlow; versionId: number }[],
): Promise<Contents> {
  const contents = new Contents();
  if (!wanted.length) return contents;
  await Promise.all(wanted.map(({ flow }) => flushPendingVersion(flow)));
  const filter = { _id: { $in: wanted.map(({ versionId }) => versionId) } };
  const cursor = FlowVersionModel.collection.find<FileOfVersion>(filter as never, {
    projection: { flowId: 1, content: 1 },
  });
  for await (const version of cursor) if (!contents.add(version)) break;
  return contents;
}
