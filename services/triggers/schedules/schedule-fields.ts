import { invalidField } from '../../../contract/problem.ts';
import type { Actions, Params } from '../../contracts.ts';

/** Bytes of a schedule's input as JSON; a longer input is refused. */
const MAX_INPUT_BYTES = 64 * 1024;

/** The input of a request as JSON; `{}` without one. Throws 400 for an input that is too long. */
export function inputOf({ input = {} }: { input?: unknown }): string {
  const json = JSON.stringify(input);
  const bytes = Buffer.byteLength(json);
  if (bytes <= MAX_INPUT_BYTES) return json;
  const message = `must have at most ${MAX_INPUT_BYTES} bytes, not ${bytes}`;
  throw invalidField('input', 'too_large', message);
}

/** Finds a configuration store, by a call of `configurations.forRun`. */
export type FindConfiguration = (
  params: Actions['configurations.forRun']['params'],
) => Promise<Actions['configurations.forRun']['result']>;

type Configuration = Params<'triggers.createSchedule'>['configuration'];

/** Throws 400 for a configuration store that the workspace does not have. */
export async function assertConfiguration(
  workspaceId: number,
  configuration: Configuration,
  find: FindConfiguration,
): Promise<void> {
  if (configuration === undefined || configuration === null) return;
  const { store } = await find({ workspaceId, configuration });
  if (store) return;
  const message =
    'is neither the id nor the external id of a configuration store of this workspace';
  throw invalidField('configuration', 'unknown_configuration', message);
}
