import type { WorkflowSteps } from '../../workflow-steps/step-fields.ts';
import type { Workflow } from './resources.ts';

export const workflowExample: Workflow = {
  id: 1,
  name: 'Order report',
  description: '',
  createdAt: '2026-01-31T09:30:00.000Z',
};

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: expressions of the flow language
const sum = {
  key: 'sum',
  definition: { set: { total: '${ $sum($input.orders.(price * quantity)) }' } },
};
const report = { key: 'report', definition: { set: { text: '${ $string($steps.sum.total) }' } } };
/** The step as a branch changes it. */
export const changedReport = {
  key: 'report',
  definition: { set: { text: "${ 'The orders cost ' & $string($steps.sum.total) }" } },
};
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: expressions of the flow language

export const stepsExample: WorkflowSteps = { revision: 1, steps: [sum, report] };

/** The steps after the publication of the branch. */
export const mergedExample: WorkflowSteps = { revision: 2, steps: [sum, changedReport] };

export const textExample = `do:
  - sum:
      set:
        total: \${ $sum($input.orders.(price * quantity)) }
  - report:
      set:
        text: \${ $string($steps.sum.total) }
`;
