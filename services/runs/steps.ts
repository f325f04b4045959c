import type { PageOrder } from '../../contract/page-order.ts';
import { type Position, positionOf } from '../../contract/page-position.ts';
import { cursorOf, pageFrom } from '../../contract/pages.ts';
import { NotFound, Problem } from '../../contract/problem.ts';
import { fillPage, readRows } from '../../mixins/database/read-page.ts';
import type { JournalEntry, StepRecord } from '../../models/journal-entry.ts';
import { OPEN_STEP_BASE } from '../../models/open-step.ts';
import { type RunDocument, RunModel } from '../../models/run.model.ts';
import { RunStepModel, runStepId, runStepIds } from '../../models/run-step.model.ts';
import type { Params } from '../contracts.ts';
import type { Step, StepPage } from './contract/resources.ts';
import { runNotFound } from './find-run.ts';
import { OPEN_STEP_FIELDS, openStepsOf, type RunWithOpenSteps } from './open-steps.ts';
import { minBytesOf, type ShownStep, showStep, summarizeStep } from './show-step.ts';

interface ExecutedStep {
  n: number;
  step: StepRecord;
}
const isStep = (entry: JournalEntry): entry is JournalEntry & ExecutedStep =>
  entry.step !== undefined;

/** Lists the steps that a run has executed, in order, and after them those that are open. */
export async function listSteps({
  runId,
  ...position
}: Params<'runs.listSteps'>): Promise<StepPage> {
  const order = orderWithin(runId);
  const run = await readRun(runId);
  const rows = await readSteps(run, order, position);
  const page = pageFrom(rows, position.limit, summarizeStep, order.cursorOf);
  const omitted = (run.omittedSteps ?? 0) + (run.openSteps?.omitted ?? 0);
  return { ...page, ...(omitted ? { omitted } : {}) };
}

/** The order of the steps of one run, by their numbers. */
const orderWithin = (runId: number): PageOrder<ShownStep> => ({
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
  run: RunWithSteps,
  order: PageOrder<ShownStep>,
  position: Position,
): Promise<ShownStep[]> {
  const from = positionOf(position);
  const later = [...run.journal.filter(isStep), ...openStepsOf(run)].filter(({ n }) => n > from);
  const filter = { 'step.path': { $exists: true } };
  const moved = await readRows(RunStepModel, { filter, order, position, bytesOf: minBytesOf });
  const entries = fillPage(moved, minBytesOf) ? moved : [...moved, ...later];
  const byNumber = new Map(entries.map((entry) => [entry.n, entry]));
  return [...byNumber.values()].sort((a, b) => a.n - b.n).slice(0, position.limit + 1);
}

/** Returns one step with its whole values. */
export async function getStep({ runId, stepId }: Params<'runs.getStep'>): Promise<Step> {
  const run = await readRun(runId);
  const step =
    stepId > OPEN_STEP_BASE
      ? openStepsOf(run).find(({ n }) => n === stepId)
      : await findRecorded(runId, run, stepId);
  if (!step) throw new Problem(NotFound, `The run has no step ${stepId}.`);
  return showStep(step);
}

async function findRecorded(
  runId: number,
  { journal }: RunWithSteps,
  stepId: number,
): Promise<ShownStep | null> {
  const entry =
    journal.find(({ n }) => n === stepId) ??
    (await RunStepModel.findById(runStepId(runId, stepId)).lean<JournalEntry>());
  return entry && isStep(entry) ? entry : null;
}

/** A run with its open steps, and the entries of its journal that are not moved to rows. */
type RunWithSteps = RunWithOpenSteps & Pick<RunDocument, 'journal' | 'omittedSteps'>;

async function readRun(runId: number): Promise<RunWithSteps> {
  const kept = { _id: runId, expired: { $exists: false } } as const;
  const fields = { ...OPEN_STEP_FIELDS, journal: 1, omittedSteps: 1 };
  const run = await RunModel.findOne(kept, fields).lean<RunWithSteps>();
  if (!run) throw runNotFound(runId);
  return run;
}
