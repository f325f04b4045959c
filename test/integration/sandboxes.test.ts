import { closeSandbox, sandboxLoads, warmSandboxes } from '../../support/sandbox.ts';

afterAll(closeSandbox);

test('a process that warms up has an idle child in each pool', async () => {
  await warmSandboxes();
  const idle = { children: 1, busy: 0, waiting: 0 };
  expect(sandboxLoads()).toEqual([
    { pool: 'files', ...idle },
    { pool: 'runs', ...idle },
  ]);
});
