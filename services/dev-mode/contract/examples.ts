import { changedReport } from '../../workflows/contract/examples.ts';
import type { Branch, DevModeStep, Edit, Snapshot } from './resources.ts';

const ada = { type: 'person', id: 1, name: 'Ada Lovelace' } as const;
const updatedAt = '2026-02-03T14:05:12.250Z';

export const stepExample: DevModeStep = {
  workflowId: 1,
  key: changedReport.key,
  position: 1,
  definition: changedReport.definition,
  status: 'MODIFIED',
  revision: 1,
  updatedBy: ada,
  updatedAt,
};

export const snapshotExample: Snapshot = {
  id: 1,
  hash: 'mZ2yUWzPJmfLqxVq0ZrDq6mDqO8pDAvKf0bGiWJqYI4',
  createdAt: updatedAt,
  stepCount: 2,
};

export const branchExample: Branch = {
  workspaceId: 1,
  workflowId: 1,
  snapshot: snapshotExample,
  steps: [stepExample],
  baseRevision: 1,
  publishedRevision: 1,
  diff: [
    {
      key: changedReport.key,
      change: 'MODIFIED',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of the flow language
      published: { set: { text: '${ $string($steps.sum.total) }' } },
      conflict: false,
    },
  ],
  problems: [],
};

export const editExample: Edit = {
  snapshot: snapshotExample,
  key: changedReport.key,
  kind: 'MODIFIED',
  updatedBy: ada,
  updatedAt,
};
