import type { Fault, Flow, FlowVersion } from './resources.ts';
import type { TransformationTest } from './transformation-resources.ts';

export const contentExample = `do:
  - sum:
      set: { total: '\${ $sum($input.orders.(price * quantity)) }' }
  - route:
      switch:
        - small: { when: '\${ $steps.sum.total < 1000 }', then: end }
        - large: { then: ask }
  - ask:
      listen: { to: { one: { with: { type: approved } } } }
`;

/** The file of the second version: larger orders need nobody's approval. */
export const changedContentExample = contentExample.replace('1000', '2000');

export const flowExample: Flow = {
  id: 1,
  workspaceId: 1,
  name: 'Approve orders',
  description: '',
  versionId: 1,
  createdAt: '2026-01-31T09:30:00.000Z',
  updatedAt: '2026-02-03T14:05:12.250Z',
};

export const versionExample: FlowVersion = { id: 1, createdAt: '2026-02-03T14:05:12.250Z' };

export const faultExample: Fault = {
  line: 2,
  column: 1,
  message: 'There is no "retries" here.',
  code: 'UNKNOWN_KEY',
};

export const diffExample = `--- versions/1
+++ versions/2
@@ -3,7 +3,7 @@
       set: { total: '\${ $sum($input.orders.(price * quantity)) }' }
   - route:
       switch:
-        - small: { when: '\${ $steps.sum.total < 1000 }', then: end }
+        - small: { when: '\${ $steps.sum.total < 2000 }', then: end }
         - large: { then: ask }
   - ask:
       listen: { to: { one: { with: { type: approved } } } }
`;

export const graphExample = `flowchart TD
  n0(["start"])
  n1(["end"])
  n2["sum<br/>set"]
  n3{"route<br/>switch"}
  n4(["ask<br/>listen for approved"])
  n0 --> n2
  n2 --> n3
  n3 -->|"small: #36;steps.sum.total #60; 1000"| n1
  n3 -->|"large"| n4
  n4 --> n1
`;

export const transformationTestExample: TransformationTest = {
  id: 1,
  flowId: flowExample.id,
  name: 'Sum of an order',
  expression: '$sum(orders.total)',
  input: { orders: [{ total: 3 }] },
  expected: 3,
  lastResult: { versionId: 3, passed: true, difference: null, at: '2026-02-03T14:05:13.100Z' },
  createdBy: { type: 'person', id: 1, name: 'Ada Lovelace' },
  createdAt: '2026-02-03T13:00:00.000Z',
  updatedAt: '2026-02-03T13:00:00.000Z',
};
