import { CpuLedger } from '../support/fair-shares/cpu-ledger.ts';
import { FairCapacity } from '../support/fair-shares/fair-capacity.ts';
import { ownerOfPerson, type Share, shareOfWorkspace } from '../support/fair-shares/share.ts';
import { TurnOrder } from '../support/fair-shares/turn-order.ts';

/** A part of a run: on its process's thread, in the database, or at another system, which takes no turn of anybody. */
export interface Phase {
  at: 'process' | 'database' | 'outside';
  /** The mean of an exponential time in milliseconds. */
  ms: number;
}

/** What is simulated. Times are seconds from the beginning. */
export interface Model {
  seed: number;
  seconds: number;
  processes: number;
  /** Runs that a process holds at once. */
  slots: number;
  /** Commands that the database works on at once. */
  databaseCores: number;
  phases: readonly Phase[];
  /** The requests a second of each tenant, a Poisson process. Each tenant is an owner with one workspace. */
  rates: readonly number[];
  /** Owners take turns by the product's own classes; otherwise the oldest run is next everywhere. */
  isFair: boolean;
  /** Runs that the first tenant starts at once. */
  burst?: { at: number; runs: number };
  /** When a process dies. Others take its runs over after `takeoverMs`. */
  loss?: { at: number; takeoverMs: number };
  /** When each command of the database takes `factor` times as long. */
  slow?: { from: number; to: number; factor: number };
}

export interface Outcome {
  arrived: number;
  done: number;
  /** The runs that have not ended. */
  waiting: number;
  /** For each tenant, the milliseconds of each run beyond its own work. A run that nobody has claimed counts as long as it has waited. */
  delaysMs: readonly number[][];
}

interface Run {
  tenant: number;
  share: Share;
  arrivedAt: number;
  /** The milliseconds of each phase. */
  times: number[];
  phase: number;
  process: Process | null;
  /** Rises with each takeover, so that what a dead process began counts for nothing. */
  fence: number;
}

interface Process {
  held: Set<Run>;
  capacity: FairCapacity;
  ledger: CpuLedger;
  thread: Station;
}

/** The share of all runs where nobody takes turns: the oldest is next. */
const NOBODY: Share = { owner: 'nobody', tenant: '' };

/** Servers of one queue. */
interface Station {
  idle: number;
  queue: TurnOrder<{ run: Run; fence: number }>;
  levelOf?: (owner: string) => number;
}

/** Simulates one system. The same model has the same outcome, and both orders have the same runs. */
export function simulate(model: Model): Outcome {
  const { seconds, slots, phases, rates, isFair, burst, loss, slow } = model;
  const random = randomOf(model.seed);
  const exponential = (mean: number) => -mean * Math.log(1 - random());
  const total = rates.reduce((sum, rate) => sum + rate, 0);
  const sums = runningSums(rates);
  const events = new EventHeap();
  const end = seconds * 1_000;
  let now = 0;
  let arrived = 0;
  let done = 0;
  const delaysMs = rates.map((): number[] => []);
  const ready = new TurnOrder<Run>();
  const database: Station = { idle: model.databaseCores, queue: new TurnOrder() };
  const unclaimed = new Set<Run>();
  const present = new Set<Run>();
  const processes = Array.from({ length: model.processes }, (): Process => {
    const ledger = new CpuLedger(() => now);
    const thread = {
      idle: 1,
      queue: new TurnOrder<{ run: Run; fence: number }>(),
      levelOf: (of: string) => ledger.levelOf(of),
    };
    return { held: new Set(), capacity: new FairCapacity(slots), ledger, thread };
  });

  const arrive = (tenant: number) => {
    const share = isFair ? shareOfWorkspace(ownerOfPerson(tenant, true), tenant) : NOBODY;
    const times = phases.map(({ ms }) => exponential(ms));
    const run = { tenant, share, arrivedAt: now, times, phase: 0, process: null, fence: 0 };
    arrived++;
    present.add(run);
    makeReady(run);
  };
  const makeReady = (run: Run) => {
    ready.add(run.share, run);
    unclaimed.add(run);
    const freest = processes.reduce((a, b) => (b.held.size < a.held.size ? b : a));
    claim(freest);
  };
  const claim = (process: Process) => {
    const { held, capacity, ledger } = process;
    const levelOf = (owner: string) => ledger.levelOf(owner);
    const mayStart = (share: Share) =>
      !isFair || (capacity.mayAdd(share, 1) && (capacity.free > 1 || levelOf(share.owner) === 0));
    while (held.size < slots) {
      const run = ready.take({ mayStart, levelOf });
      if (!run) return;
      unclaimed.delete(run);
      run.process = process;
      held.add(run);
      capacity.add(run.share, 1);
      begin(run);
    }
  };
  const begin = (run: Run) => {
    const phase = phases[run.phase];
    if (!phase) return finish(run);
    const { fence } = run;
    if (phase.at === 'outside')
      return after(run.times[run.phase] ?? 0, () => run.fence === fence && next(run));
    const thread = phase.at === 'process' ? run.process?.thread : undefined;
    const station = thread ?? database;
    station.queue.add(thread ? run.share : NOBODY, { run, fence });
    serve(station);
  };
  const serve = (station: Station) => {
    while (station.idle > 0) {
      const item = station.queue.take({ mayStart: () => true, ...station });
      if (!item) return;
      const { run, fence } = item;
      if (run.fence !== fence) continue;
      const ms = (run.times[run.phase] ?? 0) * (station === database ? factorAt(now, slow) : 1);
      if (station !== database) run.process?.ledger.charge(run.share.owner, ms);
      station.idle--;
      after(ms, () => {
        station.idle++;
        if (run.fence === fence) next(run);
        serve(station);
      });
    }
  };
  const next = (run: Run) => {
    run.phase++;
    begin(run);
  };
  const finish = (run: Run) => {
    const { process, arrivedAt, times } = run;
    done++;
    present.delete(run);
    const work = times.reduce((sum, ms) => sum + ms, 0);
    delaysMs[run.tenant]?.push(Math.max(now - arrivedAt - work, 0));
    if (!process) return;
    process.held.delete(run);
    process.capacity.add(run.share, -1);
    claim(process);
  };
  const lose = (takeoverMs: number) => {
    const [lost] = processes.splice(0, 1);
    for (const run of lost?.held ?? []) {
      run.fence++;
      run.process = null;
      after(takeoverMs, () => makeReady(run));
    }
  };
  const after = (ms: number, act: () => unknown) => events.push(now + ms, act);
  const arriveNext = () =>
    after(exponential(1_000 / total), () => {
      arrive(indexOf(sums, random() * total));
      arriveNext();
    });

  arriveNext();
  if (loss) after(loss.at * 1_000, () => lose(loss.takeoverMs));
  if (burst)
    after(burst.at * 1_000, () => {
      for (let n = 0; n < burst.runs; n++) arrive(0);
    });
  for (let event = events.pop(); event && event.at <= end; event = events.pop()) {
    now = event.at;
    event.act();
  }
  for (const { tenant, arrivedAt } of unclaimed) delaysMs[tenant]?.push(end - arrivedAt);
  return { arrived, done, waiting: present.size, delaysMs };
}

const factorAt = (now: number, slow: Model['slow']): number =>
  slow && now >= slow.from * 1_000 && now < slow.to * 1_000 ? slow.factor : 1;

interface Event {
  at: number;
  act: () => unknown;
}

/** Events, the earliest first: a binary heap. */
class EventHeap {
  readonly #events: Event[] = [];

  push(at: number, act: () => unknown): void {
    const events = this.#events;
    let place = events.length;
    for (let above = (place - 1) >> 1; place > 0; above = (place - 1) >> 1) {
      const parent = events[above];
      if (!parent || parent.at <= at) break;
      events[place] = parent;
      place = above;
    }
    events[place] = { at, act };
  }

  pop(): Event | undefined {
    const [first] = this.#events;
    const last = this.#events.pop();
    if (last && this.#events.length > 0) this.#sink(last);
    return first;
  }

  #sink(event: Event): void {
    const events = this.#events;
    let place = 0;
    for (;;) {
      const left = 2 * place + 1;
      const [a, b] = [events[left], events[left + 1]];
      const lower = b && a && b.at < a.at ? left + 1 : left;
      const child = events[lower];
      if (!child || child.at >= event.at) break;
      events[place] = child;
      place = lower;
    }
    events[place] = event;
  }
}

/** Returns numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function runningSums(values: readonly number[]): number[] {
  let sum = 0;
  return values.map((value) => {
    sum += value;
    return sum;
  });
}

/** The place of the first sum above the value. */
function indexOf(sums: readonly number[], value: number): number {
  let [low, high] = [0, sums.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sums[middle] ?? 0) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}
