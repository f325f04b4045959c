import { setTimeout as sleep } from 'node:timers/promises';
import type { Person } from '../../../helpers/people.ts';
import { createFlow } from '../../../helpers/runs.ts';
import { type Client, postOnce, sendUntilAcknowledged } from '../clients.ts';
import { pick } from '../kills.ts';

/** Milliseconds of the longest pause of a client between two changes. */
const LONGEST_PAUSE_MS = 120;
/** Changes of an issue before it is deleted. */
const UPDATES = 6;

const fileOf = (tag: string): string => `do:\n  - one: { set: { tag: ${tag} } }\n`;

interface Version {
  id: number;
}
interface Flow {
  id: number;
  versionId: number;
}

/** The flows whose runs are started, by the last event of such a run. */
const RUN_FLOWS = {
  'run.succeeded': 'do:\n  - rest: { wait: { milliseconds: 200 } }\n',
  'run.failed':
    'do:\n  - stop: { raise: { error: { type: https://example.com/stop, status: 500 } } }\n',
} as const;
type RunEnd = keyof typeof RUN_FLOWS;
const RUN_ENDS: readonly RunEnd[] = ['run.succeeded', 'run.failed'];

/** The resources of which clients make changes, one after another. */
export interface ChangedWorkspace {
  workspaceId: number;
  /** The flow whose versions change. */
  flowId: number;
  runFlows: Record<RunEnd, number>;
}

/** Stores the flows of a workspace. */
export async function prepareWorkspace(
  person: Person,
  workspaceId: number,
): Promise<ChangedWorkspace> {
  const create = (content: string) => createFlow(person, workspaceId, content);
  const runFlows = {
    'run.succeeded': await create(RUN_FLOWS['run.succeeded']),
    'run.failed': await create(RUN_FLOWS['run.failed']),
  };
  return { workspaceId, flowId: await create(fileOf('first')), runFlows };
}

/** Clients that change issues, versions of a flow and runs, and the events that are to come of it. */
export class Changes {
  /** The texts of the events of each resource, in the order of its changes. */
  readonly expected = new Map<string, string[]>();
  readonly #person: Person;
  readonly #workspace: ChangedWorkspace;
  readonly #name: string;
  readonly #random: () => number;
  #count = 0;

  constructor(person: Person, workspace: ChangedWorkspace, name: string, random: () => number) {
    this.#person = person;
    this.#workspace = workspace;
    this.#name = name;
    this.#random = random;
  }

  get size(): number {
    return [...this.expected.values()].reduce((sum, texts) => sum + texts.length, 0);
  }

  /** Makes issues, each with several changes up to its deletion. */
  readonly issueClient: Client = async (isStopped) => {
    const issues = `/workspaces/${this.#workspace.workspaceId}/issues`;
    while (!isStopped()) {
      const tag = this.#nextTag();
      let title = `${tag} 0`;
      const body = { title, description: '' };
      const { id } = await postOnce<{ id: number }>(this.#person, [201], issues, {
        key: tag,
        body,
      });
      const issue = `issue ${id}`;
      this.#expect(issue, `issue.created ${title}`);
      for (let n = 1; n <= UPDATES; n++) {
        await this.#pause();
        title = `${tag} ${n}`;
        await this.#send([200], 'PUT', `${issues}/${id}`, { title });
        this.#expect(issue, `issue.updated ${title}`);
      }
      await this.#send([200, 204, 404], 'DELETE', `${issues}/${id}`);
      this.#expect(issue, `issue.deleted ${title}`);
    }
  };

  /** Stores and restores versions of a flow. */
  readonly versionClient: Client = async (isStopped) => {
    const { flowId } = this.#workspace;
    const earlier = await this.#versions();
    const before = new Set(earlier);
    while (!isStopped()) {
      await this.#pause();
      const content = fileOf(this.#nextTag());
      const { versionId } = await this.#send<Flow>([200], 'PUT', '/flows', { flowId, content });
      await this.#pause();
      const path = `/flows/${flowId}/versions/${pick(this.#random, earlier)}/restore`;
      await postOnce(this.#person, [200], path, { key: this.#nextTag() });
      earlier.push(versionId);
    }
    const made = (await this.#versions()).filter((id) => !before.has(id));
    this.#expect(`flow ${flowId}`, ...made.map((id) => `flow.version-created ${id}`));
  };

  /** Starts runs, of which some fail. */
  readonly runClient: Client = async (isStopped) => {
    while (!isStopped()) {
      await this.#pause();
      const end = pick(this.#random, RUN_ENDS);
      const path = `/flows/${this.#workspace.runFlows[end]}/runs`;
      const order = { key: this.#nextTag() };
      // 200 answers a repetition whose run has ended meanwhile.
      const { id } = await postOnce<{ id: number }>(this.#person, [200, 202], path, order);
      this.#expect(`run ${id}`, 'run.started', end);
    }
  };

  #nextTag(): string {
    return `${this.#name}n${this.#count++}`;
  }

  #pause(): Promise<void> {
    return sleep(this.#random() * LONGEST_PAUSE_MS);
  }

  #expect(resource: string, ...texts: readonly string[]): void {
    this.expected.set(resource, [...(this.expected.get(resource) ?? []), ...texts]);
  }

  /** The versions of the flow, the oldest first. */
  async #versions(): Promise<number[]> {
    const path = `/flows/${this.#workspace.flowId}/versions`;
    return (await this.#send<Version[]>([200], 'GET', path)).map(({ id }) => id).reverse();
  }

  async #send<T>(
    statuses: readonly number[],
    method: string,
    path: string,
    body?: object,
  ): Promise<T> {
    const options = body ? { body } : {};
    return (await sendUntilAcknowledged<T>(this.#person, statuses, [method, path, options])).body;
  }
}
