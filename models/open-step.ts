import type { Task } from '@workspace-automation/flow-language';
import { type DocumentOf, field } from './define-model.ts';
import { exchangeBytes, exchangeFields } from './exchange.ts';

/** A task that has begun and that no journal entry has ended, as the run's last write knew it. */
const openStepFields = {
  /** The id until the step is recorded: above `OPEN_STEP_BASE`, in the order of the beginnings. */
  id: field.number,
  /** The position of the task in the run: path, iteration, visit, attempt. */
  key: field.string,
  kind: field.stringOf<Task['kind']>(),
  path: field.string,
  name: field.string,
  iteration: field.string,
  visit: field.number,
  attempt: field.number,
  /** JSON, or null for no value. */
  input: field.nullable(field.string),
  /** Set when `input` has only the beginning of the JSON. */
  inputCut: field.flag,
  startedAt: field.date,
  ...exchangeFields,
};
export type OpenStep = DocumentOf<typeof openStepFields>;

/** The ids of open steps are above this number, so that they come after all recorded steps. */
export const OPEN_STEP_BASE = 1_000_000_000;

/** The open steps of a run. `last` is the last id that was given, so that no id is given twice. */
const openStepsFields = {
  last: field.number,
  /** The number of open steps beyond those of `steps`; absent where there are none. */
  omitted: field.optional(field.number),
  steps: field.list(field.object(openStepFields)),
};
export type StoredOpenSteps = DocumentOf<typeof openStepsFields>;
export const openSteps = field.object(openStepsFields);

/** The approximate bytes of open steps in the database. */
export const openStepsBytes = ({ steps }: StoredOpenSteps): number =>
  steps.reduce(
    (bytes, step) =>
      bytes + 250 + 2 * step.key.length + (step.input?.length ?? 0) + exchangeBytes(step),
    0,
  );
