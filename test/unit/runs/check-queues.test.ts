import { createSandbox, SandboxUnavailable } from '@workspace-automation/flow-language';
import { compileInTurn } from '../../../services/runs/engine/check-queues.ts';
import * as sandboxes from '../../../support/sandbox.ts';

jest.mock('../../../support/sandbox.ts');
const small = createSandbox({ maxChildren: 1, memoryMb: 16 });
beforeAll(() => {
  jest.mocked(sandboxes.sandbox).mockReturnValue(small);
  jest.mocked(sandboxes.fileSandbox).mockReturnValue(small);
});
afterAll(() => small.close());

test.each(['start', 'run'] as const)(
  'a version that costs too much just now is no unusable version for a %s',
  async (use) => {
    const text = `do: [{ a: { set: { list: [${'[1, 2],'.repeat(5_000)}] } } }]`;
    await expect(
      compileInTurn(text, { owner: 'person:1', tenant: 'workspace:1' }, use),
    ).rejects.toThrow(SandboxUnavailable);
  },
);
