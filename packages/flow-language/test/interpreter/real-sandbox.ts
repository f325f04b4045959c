import { createSandbox, interpret } from '../../index.ts';
import { TestHost } from './test-host.ts';

const sandbox = createSandbox();
const tenant = 'workspace:1';
afterAll(() => sandbox.close());

/** Compiles and runs a flow file, in which `#{` stands for the beginning of an expression. */
export async function runFile(text: string, host = new TestHost()) {
  const { plan, faults } = await sandbox.compile(text.replaceAll('#{', '$' + '{'), { tenant });
  if (plan === null) throw new Error(JSON.stringify(faults));
  host.evaluator = {
    evaluate: (request) => sandbox.evaluate({ ...request, tenant }),
    test: (request) => sandbox.test({ ...request, tenant }),
  };
  return interpret(plan, host);
}
