import type { WorkflowSteps } from '../../workflow-steps/step-fields.ts';
import type { Workflow } from './resources.ts';

export const workflowExample: Workflow = {
  id: 81,
  name: 'Order sync',
  description: 'Brings the orders of the shop into the ledger.',
  createdAt: '2026-01-31T09:30:00.000Z',
};

// biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of the flow language
export const ORDERS = '${ $steps.fetchOrders.items }';

export const stepsExample: WorkflowSteps = {
  revision: 4,
  steps: [
    {
      key: 'fetchOrders',
      definition: {
        call: 'http',
        with: { method: 'get', endpoint: 'https://shop.example/orders' },
      },
    },
    { key: 'shape', definition: { set: { orders: ORDERS } } },
  ],
};

export const textExample = `do:
  - fetchOrders:
      call: http
      with:
        method: get
        endpoint: https://shop.example/orders
  - shape:
      set:
        orders: \${ $steps.fetchOrders.items }
`;
