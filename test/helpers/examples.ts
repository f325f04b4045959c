import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Result } from '../fixtures/e2e.ts';
import { createStore } from './configurations.ts';
import { ExampleWarehouse } from './example-warehouse.ts';
import { createWorkspace, type Person, registerVerified } from './people.ts';
import { createFlow, endOf, type RunAnswer } from './runs.ts';

/** The folder of the examples. */
export const EXAMPLES = join(import.meta.dirname, '../../examples');

/** The flow file of an example. */
export const exampleOf = (name: string): string =>
  readFileSync(join(EXAMPLES, `${name}.yaml`), 'utf8');

type Issue = Result<'issues.get'>;

/** A workspace for the flows of the examples, with a warehouse of its own, which its configuration store names. */
export class ExampleWorld {
  readonly owner: Person;
  readonly workspaceId: number;
  readonly configuration: string;
  readonly warehouse: ExampleWarehouse;

  private constructor(
    owner: Person,
    workspaceId: number,
    configuration: string,
    warehouse: ExampleWarehouse,
  ) {
    this.owner = owner;
    this.workspaceId = workspaceId;
    this.configuration = configuration;
    this.warehouse = warehouse;
  }

  static async make(url: string): Promise<ExampleWorld> {
    const warehouse = await ExampleWarehouse.start();
    const owner = await registerVerified(url);
    const workspaceId = await createWorkspace(owner);
    const properties = [
      { key: 'warehouse', value: warehouse.url },
      { key: 'reports', value: `${warehouse.url}/reports` },
    ];
    const { externalId } = await createStore(owner, workspaceId, { properties });
    return new ExampleWorld(owner, workspaceId, externalId, warehouse);
  }

  /** Stores the flow of an example, changed where a test cannot wait for days; its id. */
  store(name: string, change = (content: string) => content): Promise<number> {
    return createFlow(this.owner, this.workspaceId, change(exampleOf(name)));
  }

  async start(flowId: number, input: unknown = null): Promise<number> {
    const answer = await this.owner.call<RunAnswer>('POST', `/flows/${flowId}/runs`, {
      body: { input, configuration: this.configuration },
    });
    if (answer.status !== 202) throw new Error(`the start answered ${answer.text}`);
    return answer.body.id;
  }

  async runToEnd(flowId: number, input?: unknown): Promise<RunAnswer> {
    return endOf(this.owner, await this.start(flowId, input));
  }

  async issues(): Promise<Issue[]> {
    return (await this.owner.call<Issue[]>('GET', `/workspaces/${this.workspaceId}/issues`)).body;
  }
}
