import type { PageOrder } from '../../contract/page-order.ts';
import { type Position, positionOf } from '../../contract/page-position.ts';
import { cursorOf, pageFrom } from '../../contract/pages.ts';
import { NotFound, Problem } from '../../contract/problem.ts';
import { fillPage, readRows } from '../../mixins/database/read-page.ts';
import type { JournalEntry, StepRecord } from '../../models/journal-entry.ts';
import { type RunDocument, RunModel } from '../../models/run.model.ts';
import { RunStepModel, runStepId, runStepIds } from '../../models/run-step.model.ts';
import type { Params } from '../contracts.ts';
import type { RunError, Step, StepPage, StepSummary } from './contract/resources.ts';
import { prefixOf } from './engine/execution/step-records.ts';
import { runNotFound } from './find-run.ts';

/** Bytes of each value in a list; a longer value is truncated. */
const LISTED_BYTES = 4 * 1024;

interface ExecutedStep {
  n: number;
  step: StepRecord;
}
const isStep = (entry: JournalEntry): entry is JournalEntry & ExecutedStep =>
  entry.step !== undefined;

/** Lists the steps that a run has executed, in order. */
export async function listSteps({
  runId,
  ...position
}: Params<'runs.listSteps'>): Promise<StepPage> {
  const order = orderWithin(runId);
  const run = await readRun(runId);
  const rows = await readSteps(run, order, position);
  const page = pageFrom(rows, position.limit, summaryOf, order.cursorOf);
  return { ...page, ...(run.omittedSteps ? { omitted: run.omittedSteps } : {}) };
}

/** The order of the steps of one run, by their numbers. */
const orderWithin = (runId: number): PageOrder<ExecutedStep> => ({
  sort: { _id: 1 },
  conditionOf: (after) => ({
    _id: { $gt: runStepId(runId, positionOf({ after })), $lt: runStepIds(runId).$lt },
  }),
  cursorOf: ({ n }) => cursorOf(n),
});

/**
 * Reads the steps of a page, and one further step, from the run and from the rows that its journal was moved to. The
 * run was read first: a step that is moved meanwhile is then read twice rather than never.
 */
async function readSteps(
  { journal }: RunWithTail,
  order: PageOrder<ExecutedStep>,
  position: Position,
): Promise<ExecutedStep[]> {
  const from = positionOf(position);
  const tail = journal.filter(({ n }) => n > from).filter(isStep);
  const filter = { 'step.path': { $exists: true } };
  const moved = await readRows(RunStepModel, { filter, order, position, bytesOf: minBytesOf });
  const entries = fillPage(moved, minBytesOf) ? moved : [...moved, ...tail];
  const byNumber = new Map(entries.map((entry) => [entry.n, entry]));
  return [...byNumber.values()].sort((a, b) => a.n - b.n).slice(0, position.limit + 1);
}

/** The fewest bytes that a step takes in a page: a value that is cut may be some bytes shorter than its bound. */
const minBytesOf = ({ step }: ExecutedStep): number =>
  Math.min(step.input?.length ?? 0, LISTED_BYTES - 4) +
  Math.min(step.output?.length ?? 0, LISTED_BYTES - 4) +
  (step.error?.length ?? 0);

/** Returns one step with its whole values. */
export async function getStep({ runId, stepId }: Params<'runs.getStep'>): Promise<Step> {
  const entry =
    (await readRun(runId)).journal.find(({ n }) => n === stepId) ??
    (await RunStepModel.findById(runStepId(runId, stepId)).lean<JournalEntry>());
  if (!entry || !isStep(entry)) throw new Problem(NotFound, `The run has no step ${stepId}.`);
  const { inputCut, outputCut } = entry.step;
  const input = inputCut ? entry.step.input : parseValue(entry.step.input);
  const output = outputCut ? entry.step.output : parseValue(entry.step.output);
  return {
    ...commonOf(entry, input, output),
    ...(inputCut ? { inputTruncated: true } : {}),
    ...(outputCut ? { outputTruncated: true } : {}),
  };
}

/** A run with the entries that are not moved to rows. */
type RunWithTail = Pick<RunDocument, 'journal' | 'omittedSteps'>;

async function readRun(runId: number): Promise<RunWithTail> {
  const kept = { _id: runId, expired: { $exists: false } } as const;
  const run = await RunModel.findOne(kept, { journal: 1, omittedSteps: 1 }).lean<RunWithTail>();
  if (!run) throw runNotFound(runId);
  return run;
}

function summaryOf(entry: ExecutedStep): StepSummary {
  const [input, inputCut] = shortenValue(entry.step.input, entry.step.inputCut);
  const [output, outputCut] = shortenValue(entry.step.output, entry.step.outputCut);
  const truncated = inputCut || outputCut ? { truncated: true as const } : {};
  return { ...commonOf(entry, input, output), ...truncated };
}

/** Returns a value, or the first bytes of its JSON as text, and whether the value was cut. */
function shortenValue(json: string | null, cut: boolean | undefined): [unknown, boolean] {
  const beginning = json === null ? null : prefixOf(json, LISTED_BYTES);
  if (beginning !== null) return [beginning, true];
  return cut ? [json, true] : [parseValue(json), false];
}

const parseValue = (json: string | null): unknown => (json === null ? null : JSON.parse(json));

const commonOf = ({ n, step }: ExecutedStep, input: unknown, output: unknown) => ({
  id: n,
  path: step.path,
  name: step.name,
  iteration: step.iteration,
  visit: step.visit,
  attempt: step.attempt,
  status: step.status,
  input,
  output,
  error: step.error === null ? null : (JSON.parse(step.error) as RunError),
  startedAt: step.startedAt.toISOString(),
  completedAt: step.completedAt.toISOString(),
  request: step.request ?? null,
  response: step.response ?? null,
});
