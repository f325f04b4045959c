import { noFlow } from '../../contract/problem.ts';
import { changesOf, type Shown } from '../../mixins/changes/change-store.ts';
import { type FlowDocument, FlowModel } from '../../models/flow.model.ts';
import { showFlow } from './show-flow.ts';

/** Characters of a file beyond which its flow is inserted alone. */
const LARGE_FILE = 2_000;

/** A flow as reads return it: its pending version lacks the content and the author. */
export type StoredFlow = Shown<FlowDocument>;

/**
 * The store of flows. Its reads omit the content of a pending version, which takes up to 256 KiB. The unique index of
 * names covers tombstones as well, so the `name` of each tombstone is a unique text.
 */
export const flows = changesOf(FlowModel, {
  unread: [
    'pendingVersion.content',
    'pendingVersion.createdBy',
    'unsettled.content',
    'unsettled.createdBy',
  ],
  missing: noFlow,
  tombstone: (id) => ({ name: `removed ${id}` }),
  outgoing: {
    publish: 'flows.publishEvents',
    typeOf: (before, after) =>
      after && after.versionId !== (before?.versionId ?? null) ? 'flow.version-created' : null,
    snapshot: showFlow,
    workspaceOf: ({ workspaceId }) => workspaceId,
  },
  isLarge: ({ pendingVersion }) => (pendingVersion?.content.length ?? 0) > LARGE_FILE,
});
