import { EVERY_ROLE, MEMBERS } from '../../../contract/access-rule.ts';
import { IdText } from '../../../contract/fields.ts';
import { StepKey } from '../../workflow-steps/step-fields.ts';

const inWorkspace = { parameter: 'workspaceId' } as const;
/** The workflow of the path, which has to belong to the workspace of the query. */
const within = { resource: 'workflow', parameter: 'workflowId' } as const;

export const reads = { who: 'member', roles: EVERY_ROLE, in: inWorkspace, within } as const;
export const edits = { who: 'member', roles: MEMBERS, in: inWorkspace, within } as const;

export const branchPath = { workflowId: IdText };
export const stepPath = { workflowId: IdText, key: StepKey };
export const ofWorkspace = { workspaceId: IdText };
