import type { Fault, Flow, FlowVersion } from './resources.ts';
import type { TransformationTest } from './transformation-resources.ts';

export const contentExample = `do:
  - fetchOrders:
      call: http
      with: { method: get, endpoint: 'https://shop.example/orders' }
  - shape:
      set: { orders: '\${ $steps.fetchOrders.items }' }
`;

export const flowExample: Flow = {
  id: 310,
  workspaceId: 7,
  name: 'Order sync',
  description: 'Brings the orders of the shop into the ledger.',
  versionId: 5021,
  createdAt: '2026-01-31T09:30:00.000Z',
  updatedAt: '2026-02-03T14:05:12.250Z',
};

export const versionExample: FlowVersion = { id: 5021, createdAt: '2026-02-03T14:05:12.250Z' };

export const faultExample: Fault = {
  line: 2,
  column: 1,
  message: 'There is no "retries" here.',
  code: 'UNKNOWN_KEY',
};

export const diffExample = `--- versions/5020
+++ versions/5021
@@ -3,3 +3,3 @@
       call: http
       with: { method: get, endpoint: 'https://shop.example/orders' }
   - shape:
-      set: { orders: '\${ $ }' }
+      set: { orders: '\${ $steps.fetchOrders.items }' }
`;

export const graphExample = `flowchart TD
  n0(["start"])
  n1(["end"])
  n2["fetchOrders<br/>GET https:#47;#47;shop.example#47;orders"]
  n3["shape<br/>set"]
  n0 --> n2
  n2 --> n3
  n3 --> n1
`;

export const transformationTestExample: TransformationTest = {
  id: 88,
  flowId: flowExample.id,
  name: 'Sum of an order',
  expression: '$sum(orders.total)',
  input: { orders: [{ total: 3 }] },
  expected: 3,
  lastResult: { versionId: 5021, passed: true, difference: null, at: '2026-02-03T14:05:13.100Z' },
  createdBy: { type: 'person', id: 12, name: 'Ada Lovelace' },
  createdAt: '2026-02-03T13:00:00.000Z',
  updatedAt: '2026-02-03T13:00:00.000Z',
};
