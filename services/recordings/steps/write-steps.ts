import { escapeExpressions } from '@workspace-automation/flow-language';
import { MAX_DEFINITION_BYTES, MAX_STEPS } from '../../workflow-steps/step-fields.ts';
import { flowFileOf, storeStep } from '../../workflow-steps/stored-steps.ts';
import type { RecordedAction, RecordingSteps } from '../contract/resources.ts';
import type { Actions } from './actions.ts';

/** Whether no workflow can have the actions as steps, whatever comes after them. */
export const isTooLong = ({ list, textLength }: Pick<Actions, 'list' | 'textLength'>): boolean =>
  list.length > MAX_STEPS || textLength > MAX_DEFINITION_BYTES;

/** Writes each action as a step; null where no workflow can have all of them. */
export function writeSteps(actions: readonly RecordedAction[]): RecordingSteps | null {
  const steps = actions.map((action, at) => ({
    key: `step-${String(at + 1).padStart(4, '0')}`,
    definition: { set: { action: literalOf(action) } },
  }));
  const bytes = Buffer.byteLength(flowFileOf(steps.map(storeStep)));
  return steps.length > MAX_STEPS || bytes > MAX_DEFINITION_BYTES ? null : { steps };
}

/** The action as a flow file has it: what was typed is never an expression. */
const literalOf = ({ text, key, ...action }: RecordedAction): RecordedAction => ({
  ...action,
  ...(text === undefined ? {} : { text: escapeExpressions(text) }),
  ...(key === undefined ? {} : { key: escapeExpressions(key) }),
});
