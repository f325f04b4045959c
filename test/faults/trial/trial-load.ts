import { setTimeout as sleep } from 'node:timers/promises';
import { createStore } from '../../helpers/configurations.ts';
import { createWorkspace, type Person } from '../../helpers/people.ts';
import { createFlow } from '../../helpers/runs.ts';
import { FAULT_FLOWS, type FaultFlow } from '../flows.ts';
import type { Request, TrialClient } from './client.ts';
import { Ledger, noteWrite } from './ledger.ts';

/** What the clients of one fault work on. */
export interface TrialTarget {
  /** The beginning of every name that they give. */
  name: string;
  workspaceId: number;
  /** The name of the configuration store. */
  store: string;
  /** A flow of two calls in a row, and one that sleeps between them. */
  row: FaultFlow & { id: number };
  rest: FaultFlow & { id: number };
}

/** Makes a workspace with a store and flows, which call that address. */
export async function makeTarget(person: Person, url: string, name: string): Promise<TrialTarget> {
  const workspaceId = await createWorkspace(person, name);
  const { externalId } = await createStore(person, workspaceId, { name });
  const flowOf = async (wanted: string) => {
    const flow = FAULT_FLOWS.find((known) => known.name === wanted);
    if (!flow) throw new Error(`there is no flow ${wanted}`);
    return { ...flow, id: await createFlow(person, workspaceId, flow.content(url), wanted) };
  };
  const [row, rest] = [await flowOf('row'), await flowOf('rest')];
  return { name, workspaceId, store: externalId, row, rest };
}

/** Milliseconds between an answer and the next request of the same client. */
const PAUSE_MS = { read: 25, write: 50, start: 150 };
/** Milliseconds that a start waits for its run. */
const WAIT_MS = 2_000;

/** The load of the trial: six readers, three writers, and three clients that start runs. */
export class TrialLoad {
  readonly client: TrialClient;
  readonly ledger = new Ledger();
  readonly #target: TrialTarget;
  readonly #clients: Promise<void>[];
  #issueId = 0;
  #runId = 0;
  #count = 0;
  #stopped = false;

  /** Makes an issue and a run, which the readers read, and starts all clients. */
  static async start(client: TrialClient, target: TrialTarget): Promise<TrialLoad> {
    const load = new TrialLoad(client, target);
    await Promise.all([load.#createIssue(), load.#startRun(target.row)]);
    load.#begin();
    return load;
  }

  private constructor(client: TrialClient, target: TrialTarget) {
    this.client = client;
    this.#target = target;
    this.#clients = [];
  }

  /** Resolves when each client has the last answer. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#clients);
  }

  #begin(): void {
    const { workspaceId, row, rest } = this.#target;
    const issues = `/workspaces/${workspaceId}/issues`;
    const reads: [string, () => string][] = [
      ['read an issue', () => `${issues}/${this.#issueId}`],
      ['read a run', () => `/flows/runs/${this.#runId}`],
      ['list issues', () => `${issues}?limit=20`],
      ['list runs', () => `/flows/${row.id}/runs?limit=20`],
      ['recent runs', () => `/flows/recent-runs?workspaceId=${workspaceId}`],
      ['statistics', () => `/flows/stats?workspaceId=${workspaceId}`],
    ];
    this.#clients.push(
      ...reads.map(([work, path]) => this.#repeat('read', () => this.#read(work, path()))),
      this.#repeat('write', () => this.#createIssue()),
      this.#repeat('write', this.#issueWriter()),
      this.#repeat('write', this.#propertyWriter()),
      this.#repeat('start', () => this.#startRun(row)),
      this.#repeat('start', () => this.#startRun(rest)),
      this.#repeat('start', () => this.#startRun(row, WAIT_MS)),
    );
  }

  async #repeat(kind: keyof typeof PAUSE_MS, once: () => Promise<unknown>): Promise<void> {
    while (!this.#stopped) {
      await once();
      await sleep(PAUSE_MS[kind]);
    }
  }

  #newName(): string {
    return `${this.#target.name}n${this.#count++}`;
  }

  #read(work: string, path: string): Promise<unknown> {
    return this.client.carryOut({ work, method: 'GET', path });
  }

  async #createIssue(): Promise<number | undefined> {
    const title = this.#newName();
    const id = await this.#create({
      work: 'create an issue',
      path: `/workspaces/${this.#target.workspaceId}/issues`,
      key: title,
      body: { title, description: 'new' },
    });
    if (id === undefined) return undefined;
    this.ledger.created.add(title);
    this.#issueId = id;
    return id;
  }

  /** Sends a POST under a key. Answers the id of what it made; nothing where it was not acknowledged. */
  async #create(request: Omit<Request, 'method'>): Promise<number | undefined> {
    const sent = { ...request, method: 'POST' };
    const { answer } = await this.client.carryOut<{ id: number }>(sent);
    return answer && answer.status < 300 ? answer.body.id : undefined;
  }

  /** Changes one issue again and again; another one after a request that failed. */
  #issueWriter(): () => Promise<void> {
    let id: number | undefined;
    return async () => {
      id ??= await this.#createIssue();
      if (id === undefined) return;
      const description = this.#newName();
      const path = `/workspaces/${this.#target.workspaceId}/issues/${id}`;
      const clean = await this.#put('update an issue', path, { description }, (isAcknowledged) =>
        noteWrite(this.ledger.descriptions, id as number, description, isAcknowledged),
      );
      if (!clean) id = undefined;
    };
  }

  /** Writes one property again and again; another one after a request that failed. */
  #propertyWriter(): () => Promise<void> {
    const { store, workspaceId } = this.#target;
    let key = this.#newName();
    return async () => {
      const value = this.#newName();
      const path = `/configurations/${store}/properties?workspaceId=${workspaceId}`;
      const clean = await this.#put('set a property', path, { key, value }, (isAcknowledged) =>
        noteWrite(this.ledger.properties, key, value, isAcknowledged),
      );
      if (!clean) key = this.#newName();
    };
  }

  /** Answers whether the first request was acknowledged, so that no other request can still be under way. */
  async #put(
    work: string,
    path: string,
    body: object,
    note: (isAcknowledged: boolean) => void,
  ): Promise<boolean> {
    const { answer, repeats } = await this.client.carryOut({ work, method: 'PUT', path, body });
    const isAcknowledged = answer !== null && answer.status < 300;
    note(isAcknowledged);
    return isAcknowledged && repeats === 0;
  }

  async #startRun(flow: TrialTarget['row'], waitMs = 0): Promise<void> {
    const tag = this.#newName();
    const id = await this.#create({
      work: waitMs ? 'start a run and wait' : 'start a run',
      path: `/flows/${flow.id}/runs${waitMs ? `?wait=${waitMs}` : ''}`,
      key: tag,
      body: { input: { tag } },
      waitMs,
    });
    if (id === undefined) return;
    this.ledger.runs.push({ id, tag, flow });
    this.#runId = id;
  }
}
