import { ORDERS } from '../../workflows/contract/examples.ts';
import type { Branch, DevModeStep, Edit, Snapshot } from './resources.ts';

const ada = { type: 'person', id: 42, name: 'Ada Lovelace' } as const;
const updatedAt = '2026-02-03T14:05:12.250Z';

export const stepExample: DevModeStep = {
  workflowId: 81,
  key: 'shape',
  position: 1,
  definition: { set: { orders: ORDERS } },
  status: 'MODIFIED',
  revision: 3,
  updatedBy: ada,
  updatedAt,
};

export const snapshotExample: Snapshot = {
  id: 3,
  hash: 'mZ2yUWzPJmfLqxVq0ZrDq6mDqO8pDAvKf0bGiWJqYI4',
  createdAt: updatedAt,
  stepCount: 2,
};

export const branchExample: Branch = {
  workspaceId: 17,
  workflowId: 81,
  snapshot: snapshotExample,
  steps: [stepExample],
  baseRevision: 4,
  publishedRevision: 4,
  diff: [{ key: 'shape', change: 'MODIFIED', published: { set: { orders: [] } }, conflict: false }],
  problems: [],
};

export const editExample: Edit = {
  snapshot: snapshotExample,
  key: 'shape',
  kind: 'MODIFIED',
  updatedBy: ada,
  updatedAt,
};
