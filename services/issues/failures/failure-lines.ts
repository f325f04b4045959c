import { MAX_DESCRIPTION_CHARS } from '../../../contract/fields.ts';
import { publicUrl } from '../../../environment/environment.ts';
import type { IssueFailures } from '../../../models/issue.model.ts';
import { clipText } from '../../../support/clip-text.ts';

type ShownFailures = Pick<IssueFailures, 'count' | 'lastRunId'>;

/** The line that says how often runs have failed, and the line below it with the address of the last of these runs. */
const COUNT_LINE = /^Failed \d+ times?$/;
const RUN_LINE = /^Last run: \S+\/flows\/runs\/\d+$/;
/** Separates the lines of failures from the text above them. */
const BLANK_LINE = '\n\n';

/**
 * Returns the description with the two lines of the failures as its last lines. They replace the earlier lines of the
 * issue at its end.
 */
export const withFailureLines = (description: string, failures: ShownFailures): string =>
  appendFailureLines(textAbove(description) ?? description, failures);

/**
 * Returns a text with the two lines of the failures below it, whatever the lines of the text are: an error may end with
 * lines that resemble them. A text that leaves no room for them loses its last characters.
 */
export function appendFailureLines(textOfFailure: string, failures: ShownFailures): string {
  const lines = failureLinesOf(failures);
  const text = textOfFailure.trimEnd();
  if (!text) return lines;
  return (
    clipText(text, MAX_DESCRIPTION_CHARS - BLANK_LINE.length - lines.length) + BLANK_LINE + lines
  );
}

/** Replaces the lines of failures at the end of a description. A description without such lines stays as it is. */
export const refreshFailureLines = (description: string, failures: ShownFailures): string =>
  textAbove(description) === null ? description : withFailureLines(description, failures);

/** The address is that of the interface, since the service has no pages for runs. */
const failureLinesOf = ({ count, lastRunId }: ShownFailures): string =>
  `Failed ${count} ${count === 1 ? 'time' : 'times'}\nLast run: ${publicUrl}/flows/runs/${lastRunId}`;

/** The text above the lines of failures; null for a description that does not end with them. */
function textAbove(description: string): string | null {
  const lines = description.trimEnd().split('\n');
  const [count = '', run = ''] = lines.slice(-2);
  if (!COUNT_LINE.test(count) || !RUN_LINE.test(run)) return null;
  return lines.slice(0, -2).join('\n').trimEnd();
}
