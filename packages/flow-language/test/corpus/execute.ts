/** Executes a flow file of the corpus through the real sandbox and the interpreter, with a clock to turn. */
import { setImmediate } from 'node:timers/promises';
import type { Execution } from '../../../../test/flows/corpus.ts';
import { createSandbox, type Evaluator, type Outcome } from '../../index.ts';
import type { Plan } from '../../plan.ts';
import { type Answer, START, TestHost, toEnd } from '../interpreter/test-host.ts';

export const sandbox = createSandbox();
export const context = { tenant: 'workspace:1' };
afterAll(() => sandbox.close());

/** What an execution did, in the words of the corpus. */
export interface Executed {
  outcome: Outcome | { kind: 'refused'; paths: string[] };
  takesMs: number;
  effects: object[];
}

/** A host whose clock stands still while an expression is evaluated. */
class CorpusHost extends TestHost {
  #evaluating = 0;

  override async sleep(untilMs: number, signal: AbortSignal): Promise<'due' | 'woken'> {
    do await setImmediate();
    while (this.#evaluating > 0);
    return super.sleep(untilMs, signal);
  }

  override evaluator: Evaluator = {
    evaluate: (request) => this.#count(sandbox.evaluate({ ...request, ...context })),
    test: (request) => this.#count(sandbox.test({ ...request, ...context })),
  };

  async #count<T>(evaluation: Promise<T>): Promise<T> {
    this.#evaluating += 1;
    try {
      return await evaluation;
    } finally {
      this.#evaluating -= 1;
    }
  }
}

export async function execute(plan: Plan, expected: Execution): Promise<Executed> {
  const { input = {}, properties = {}, answers = {} } = expected;
  const paths = await refusedPaths(plan, input);
  if (paths) return { outcome: { kind: 'refused', paths }, takesMs: 0, effects: [] };
  const asked = new Map<string, number>();
  const host = new CorpusHost(({ task }) => {
    const index = asked.get(task.name) ?? 0;
    asked.set(task.name, index + 1);
    const answer = answers[task.name]?.[index] ?? answers[task.name]?.at(-1);
    if (!answer) throw new Error(`the corpus has no answer for ${task.name}`);
    return { ms: 0, ...answer } satisfies Answer;
  });
  host.input = JSON.stringify(input);
  host.properties = JSON.stringify(properties);
  if (plan.timeoutMs !== undefined) host.deadline = START + plan.timeoutMs;
  const outcome = await toEnd(plan, host);
  const effects = host.requests.map(({ effect, task }) => ({ task: task.name, ...effect }));
  return { outcome, takesMs: host.clock - START, effects };
}

async function refusedPaths(plan: Plan, input: Execution['input']): Promise<string[] | null> {
  if (plan.inputSchema === undefined) return null;
  const verdict = await sandbox.validateInput(plan.inputSchema, input ?? null, context);
  return verdict.valid ? null : verdict.errors.map(({ path }) => path);
}
