/** A host in memory: an evaluator in the same process, a journal in a Map and a clock to turn. */
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Checkpoint } from '../../interpreter/checkpoint.ts';
import type {
  BegunStep,
  Evaluator,
  Host,
  Note,
  Outcome,
  Performed,
  PerformRequest,
  Scope,
  Step,
} from '../../interpreter/host.ts';
import { interpret } from '../../interpreter/interpret.ts';
import type { FlowError } from '../../interpreter/problem.ts';
import { compile } from '../../language/compile.ts';
import type { Expression, Json, Plan } from '../../plan.ts';
import { isTrue, run } from '../../sandbox/child/realm/expressions.ts';
import { faultOf } from '../../sandbox/child/realm/fault.ts';
import { render } from '../../sandbox/child/realm/render.ts';
import { enterWorld, replaceWorld } from '../../sandbox/child/realm/world.ts';
import { EvaluationError } from '../../sandbox/errors.ts';
import { namedVariables } from '../../sandbox/named-variables.ts';

/** A flow file's plan; `#{ ... }` stands for an expression. */
export function plan(text: string): Plan {
  const compiled = compile(text.replaceAll('#{', '$' + '{'));
  if (compiled.plan === null) throw new Error(JSON.stringify(compiled.faults, null, 1));
  return compiled.plan;
}

export const START = Date.UTC(2026, 0, 1);

replaceWorld();

/** The evaluation under way: a child does one at a time as well. */
let last: Promise<unknown> = Promise.resolve();

function inTurn<T>(now: number, seed: string, work: () => Promise<T>): Promise<T> {
  const turn = last.then(async () => {
    enterWorld(now, seed);
    try {
      return await work();
    } catch (thrown) {
      throw evaluationError(thrown);
    }
  });
  last = turn.catch(() => undefined);
  return turn;
}

/** In this process and without bounds: what the sandbox's child does is tested there. */
export const evaluator: Evaluator = {
  evaluate: ({ template, input, variables, now, seed }) =>
    inTurn(now, seed, () =>
      render(template, (expression) => run(expression, input, received(expression, variables))),
    ),
  test: ({ expression, input, variables, now, seed }) =>
    inTurn(now, seed, async () =>
      isTrue(await run(expression, input, received(expression, variables))),
    ),
};

/** The variables as they reach a child. */
function received(expression: Expression, variables: Scope['variables']): Record<string, Json> {
  return JSON.parse(JSON.stringify(namedVariables([expression], variables)));
}

function evaluationError(thrown: unknown): EvaluationError {
  const { code, message } = faultOf(thrown);
  return new EvaluationError(code, message);
}

/** What the world answers to one effect: how it ends and how long that takes. */
export type Answer = { ms?: number } & (
  | { value: Json }
  | { fails: { status: number; title?: string } }
  | { timesOut: true }
);

export type World = (request: PerformRequest) => Answer;

export class TestHost implements Host {
  readonly run = {
    id: 7,
    flowId: 3,
    workspaceId: 2,
    attempt: 1,
    startedAt: new Date(START).toISOString(),
  };
  input = '{}';
  properties = '{}';
  seed = '7';
  deadline = START + 3_600_000;
  evaluator: Evaluator = evaluator;
  clock = START;
  readonly journal = new Map<string, Performed>();
  /** Keys of the journal that the interpretation under way has come to. */
  readonly met = new Set<string>();
  /** Keys of effects carried out, in order, whether or not they came to be journalled. */
  readonly done: string[] = [];
  readonly requests: PerformRequest[] = [];
  steps: Step[] = [];
  /** The keys of the tasks that have begun and not ended. */
  readonly open = new Set<string>();
  checkpoint: Checkpoint | null = null;
  /** Bytes of memory held at most. */
  heaviest = 0;
  world: World;
  readonly controller = new AbortController();
  signal = this.controller.signal;
  interrupted: FlowError | null = null;

  constructor(world: World = () => ({ value: null })) {
    this.world = world;
  }

  now(): number {
    return this.clock;
  }

  interruption(): FlowError | null {
    return this.interrupted;
  }

  begin({ position }: BegunStep): void {
    this.open.add(position.key);
  }

  record(step: Step): void {
    this.open.delete(step.position.key);
    this.steps.push(step);
  }

  hold(bytes: number): void {
    this.heaviest = Math.max(this.heaviest, bytes);
  }

  async perform(request: PerformRequest): Promise<Performed> {
    const { key } = request.position;
    this.met.add(key);
    const known = this.journal.get(key);
    if (known) return known;
    this.done.push(key);
    this.requests.push(request);
    const performed = this.#carryOut(request);
    this.journal.set(key, performed);
    return performed;
  }

  async note({ key, performed }: Note): Promise<void> {
    this.met.add(key);
    this.journal.set(key, performed);
  }

  recall(key: string): Performed | undefined {
    const known = this.journal.get(key);
    if (known) this.met.add(key);
    return known;
  }

  recallDecision(
    key: string,
    droppedBy: (decision: Performed) => (key: string) => boolean,
  ): Performed | undefined {
    const decision = this.recall(key);
    if (!decision) return undefined;
    const isDropped = droppedBy(decision);
    for (const earlier of this.journal.keys()) {
      if (earlier === key) break;
      if (isDropped(earlier)) this.met.add(earlier);
    }
    return decision;
  }

  async noteDecision(decision: Note, isLost: (key: string) => boolean): Promise<void> {
    for (const key of this.journal.keys()) if (isLost(key)) this.met.add(key);
    await this.note(decision);
  }

  consume(): void {}

  replaying(isOf: ((key: string) => boolean) | null = null): boolean {
    return [...this.journal.keys()].some((key) => !this.met.has(key) && (isOf?.(key) ?? true));
  }

  maySleep(untilMs: number): boolean {
    return untilMs - this.clock <= 1_000;
  }

  /** Turns the clock to the time once no branch works at present. */
  async sleep(untilMs: number, signal: AbortSignal): Promise<'due' | 'woken'> {
    await setImmediate();
    if (!signal.aborted) this.clock = Math.max(this.clock, untilMs);
    return 'due';
  }

  isTurnDue(): boolean {
    return false;
  }

  async nextTurn(): Promise<void> {
    await setImmediate();
  }

  wantsCheckpoint(): boolean {
    return false;
  }

  async saveCheckpoint(checkpoint: Checkpoint): Promise<void> {
    this.checkpoint = checkpoint;
  }

  #carryOut(request: PerformRequest): Performed {
    const { deadline } = request;
    const answer = this.world(request);
    const completedAt = this.clock + (answer.ms ?? 10);
    const late = 'timesOut' in answer || completedAt > deadline;
    this.clock = late ? deadline : completedAt;
    if (late) return { kind: 'timed-out', completedAt: this.clock };
    if ('value' in answer) return { kind: 'succeeded', value: answer.value, completedAt };
    const { status, title = 'HTTP_STATUS' } = answer.fails;
    const type = 'https://serverlessworkflow.io/spec/1.0.0/errors/communication';
    return { kind: 'failed', problem: { type, status, title, detail: '' }, completedAt };
  }

  outputs(): Record<string, unknown> {
    return Object.fromEntries(this.steps.map((step) => [step.position.key, step.output]));
  }
}

/** Interprets once. */
export async function follow(flow: Plan, host: TestHost): Promise<Outcome> {
  return interpret(flow, host);
}

/** Interprets until the run ends, turning the clock to each moment it waits for. */
export async function toEnd(flow: Plan, host: TestHost): Promise<Outcome> {
  for (let resumes = 0; resumes < 1_000; resumes++) {
    host.steps = [];
    host.met.clear();
    const outcome = await follow(flow, host);
    if (outcome.kind !== 'suspended') return outcome;
    expect(outcome.wakeAt).toBeGreaterThan(host.clock);
    host.clock = outcome.wakeAt;
  }
  throw new Error('the run does not end');
}

export async function output(text: string, host: TestHost = new TestHost()): Promise<Json> {
  const outcome = await toEnd(plan(text), host);
  if (outcome.kind !== 'succeeded') throw new Error(JSON.stringify(outcome));
  return outcome.output;
}

/** A number from 0 to `below` - 1 that follows from a text. */
export function pick(text: string, below: number): number {
  return createHash('sha1').update(text).digest().readUInt32BE() % below;
}
