import { relative } from 'node:path';
import { TestEnvironment } from 'jest-environment-node';
import { KNOWN_FAILURES } from './exceptions.ts';

/** What jest tells of its tests, as far as this file needs it. */
interface Block {
  type: 'describeBlock';
  name: string;
  children: (Block | Test)[];
}
interface Test {
  type: 'test';
  name: string;
  /** Whether the test has to fail. */
  failing: boolean;
}

/** The environment of tests on a real engine: the known failures of a file must fail, and each must exist. */
export default class MongodbEnvironment extends TestEnvironment {
  readonly #known: readonly string[];

  constructor(...[config, context]: ConstructorParameters<typeof TestEnvironment>) {
    super(config, context);
    const path = relative(config.projectConfig.rootDir, context.testPath);
    this.#known = Object.keys(KNOWN_FAILURES[path] ?? {});
  }

  handleTestEvent({ name }: { name: string }, state: { rootDescribeBlock: Block }): void {
    if (name !== 'run_start') return;
    const missing = new Set(this.#known);
    for (const [fullName, test] of testsOf(state.rootDescribeBlock)) {
      if (missing.delete(fullName)) test.failing = true;
    }
    if (missing.size === 0) return;
    throw new Error(`exceptions.ts names tests that do not exist: ${[...missing].join(', ')}`);
  }
}

/** The tests of a block and of the blocks inside, each with its full name. */
function testsOf(block: Block, outer: readonly string[] = []): [string, Test][] {
  return block.children.flatMap((child): [string, Test][] => {
    const names = [...outer, child.name];
    return child.type === 'test' ? [[names.join(' '), child]] : testsOf(child, names);
  });
}
