/** A figure with its bound. `npm run bench` fails when a measured value is beyond the bound. */
export interface Figure {
  readonly name: string;
  readonly atLeast?: number;
  readonly atMost?: number;
  readonly exactly?: number;
}

/** All bounds of the bench. A test checks that docs/performance.md has the same bounds. */
export const FIGURES = {
  pointRead: { name: 'point read / bare node:http + driver, 16 clients', atLeast: 1 },
  pointReadByOne: { name: 'point read / bare node:http + driver, 1 client', atLeast: 0.75 },
  pointReadWithoutBatches: {
    name: 'point read / bare, 16 clients, reads not batched',
    atLeast: 0.6,
  },
  pointReadOfMany: { name: 'point read of 200 issues / bare, 16 clients', atLeast: 0.7 },
  natsMessages: { name: 'NATS messages of a warm point read', exactly: 2 },
  roundTrips: { name: 'database round trips of a warm point read', exactly: 1 },
  overNats: { name: 'point read over NATS / by hand, 16 clients', atLeast: 1 },
  overNatsOfMany: {
    name: 'point read of 200 issues over NATS / by hand, 16 clients',
    atLeast: 0.8,
  },
  twoIdentities: { name: 'two processes that compare passwords / one', atLeast: 1.5 },
  createIssue: { name: 'create an issue / the same by hand, 16 clients', atLeast: 0.75 },
  mcpRead: { name: 'a reading tool over MCP / its operation over HTTP', atLeast: 0.6 },
  runOverhead: { name: "engine's time for a run beyond its HTTP call, ms", atMost: 15 },
  waitOverhead: { name: 'a wait takes longer than it says, ms', atMost: 50 },
  setRun: { name: 'p50 of a run of one set / of three calls and a set', atMost: 0.5 },
  setRunOverNats: { name: 'p50 of a run of one set over NATS / in one process', atMost: 2.5 },
  startOfMany: { name: 'a run of one set, many stored runs / 1,000', atMost: 1.2 },
  claimOfMany: { name: 'a run that waits and is claimed, many stored runs / 1,000', atMost: 1.2 },
  listOfMany: { name: "a page of a flow's runs, many stored runs / 1,000", atMost: 1.2 },
  recentRunsOfMany: { name: 'recent runs, many stored runs / 1,000', atMost: 1.2 },
  statisticsOfMany: { name: 'statistics, many stored runs / 1,000', atMost: 1.2 },
  retentionOfMany: { name: 'removal by retention, many stored runs / 1,000', atMost: 1.2 },
  memoryOfMany: { name: 'memory of the service beside 1,000,000 runs, MB', atMost: 400 },
  outboundGet: { name: 'time of an outbound GET / plain undici', atMost: 1.3 },
  outboundPost: { name: 'time of an outbound POST / plain undici', atMost: 1.3 },
  writersP99: { name: "p99 of 200 writers of one store's properties, ms", atMost: 2000 },
  lostUpdates: { name: "lost updates of 200 writers of one store's properties", exactly: 0 },
  publish: { name: 'publication of a branch of 500 steps, ms', atMost: 1000 },
  editCommands: { name: 'database commands of an edit, 500 steps / 10', atMost: 1.2 },
  refusedEdits: { name: 'editors that were refused, 20 of one branch', exactly: 0 },
  lostEdits: { name: 'acknowledged edits that the history lacks', exactly: 0 },
  missingDeliveries: { name: 'deliveries that did not come, one receiver slow', exactly: 0 },
  deliveryP99: { name: 'p99 of deliveries of 100 events a second, ms', atMost: 1000 },
  batchP99: {
    name: 'p99 of a batch of 100 events, 20 recorders of 1,000 a second, ms',
    atMost: 100,
  },
  firstToken: {
    name: 'p95 of the first token behind the model, ms',
    atMost: 15,
  },
  lostEvents: { name: 'answered events that recordings lack', exactly: 0 },
  failedUploads: { name: 'attachments that were not stored, 10 of 5 MiB at once', exactly: 0 },
  commandsOfOne: { name: 'database commands of a run, 1 client', atMost: 7 },
  commandsOf8: { name: 'database commands of a run, 8 clients', atMost: 3.2 },
  commands: { name: 'database commands of a run, 32 clients', atMost: 3 },
  commandsOfChild: { name: 'database commands of a run with a child run, 8 clients', atMost: 4.5 },
  commandsOfSignal: { name: 'database commands of a run with a signal, 8 clients', atMost: 7 },
  twoRunsProcesses: { name: 'runs a second of two runs processes / one, 32 clients', atLeast: 0.9 },
  idleWaiting: { name: 'idle with 100,000 waiting runs less with none, % of a core', atMost: 1 },
  idleSchedules: { name: 'idle with 10,000 schedules less with none, % of a core', atMost: 1 },
  waking: { name: 'the latest of 1,000 due runs among 100,000 that wait, ms', atMost: 1000 },
  dueAtOnce: { name: 'the slowest new run beside 5,000 waits due at once, ms', atMost: 1000 },
  longLoop: { name: 'time of a round, of 10,000 with a wait each / of 10', atMost: 1.3 },
  longPoll: { name: 'time of a round, of 1,000 polls / of 10', atMost: 1.3 },
  noisyOwner: {
    name: "p95 start beside another's 10,000 queued runs less 2 idle starts, ms",
    atMost: 100,
  },
  start: { name: 'start to ready on existing data, s', atMost: 1.5 },
  startCpu: { name: 'start to ready on existing data, s of CPU', atMost: 1.6 },
  idleMemory: { name: 'idle memory, MB', atMost: 230 },
  idleCpu: { name: 'idle, % of a core', atMost: 2 },
  restate1: { name: 'runs a second / Restate, 1 client', atLeast: 1.1 },
  restate8: { name: 'runs a second / Restate, 8 clients', atLeast: 1.2 },
  restate32: { name: 'runs a second / Restate, 32 clients', atLeast: 1.4 },
  restateFork: { name: 'forks of 8 calls a second / Restate, 8 clients', atLeast: 1.4 },
  restateLoop: { name: 'loops of 100 calls a second / Restate, 8 clients', atLeast: 1.1 },
  restateChild: { name: 'runs with a child run a second / Restate, 8 clients', atLeast: 1 },
  restateSignal: { name: 'runs with a signal a second / Restate, 8 clients', atLeast: 0.75 },
  restateCpu: { name: 'CPU time of a run / Restate, 8 clients', atMost: 0.9 },
  restateLoopCpu: { name: 'CPU time of a loop of 100 calls / Restate, 8 clients', atMost: 0.75 },
  restateChildCpu: { name: 'CPU time of a run with a child run / Restate, 8 clients', atMost: 0.9 },
  restateSignalCpu: { name: 'CPU time of a run with a signal / Restate, 8 clients', atMost: 1.3 },
} as const satisfies Record<string, Figure>;

/** Describes a bound in words, as the bench and the documentation print it. */
export function describeBound({ atLeast, atMost, exactly }: Figure): string {
  if (exactly !== undefined) return `exactly ${exactly}`;
  return atLeast === undefined ? `at most ${atMost}` : `at least ${atLeast}`;
}

/** Tells whether a value is within the bound. NaN is within no bound. */
export const isWithin = (
  { atLeast = -Infinity, atMost = Infinity, exactly }: Figure,
  value: number,
): boolean => (exactly === undefined ? value >= atLeast && value <= atMost : value === exactly);
