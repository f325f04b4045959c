import type { Caller } from '../../mixins/caller.ts';
import { fileSandbox } from '../../mixins/sandbox.ts';
import { Turns } from '../../mixins/turns.ts';
import type { Fault } from './contract/resources.ts';
import { invalidFile, tooManyFiles } from './flows.problems.ts';

/** Files of one caller that may wait to be checked; each takes up to 2 s of a child's time. */
const MOST_WAITING = 20;
/** More of different callers would only wait for a child. */
const AT_ONCE = 2;
/** Less than the action may take. */
const PATIENCE_MS = 20_000;
const turns = new Turns({
  atOnce: AT_ONCE,
  mostWaiting: MOST_WAITING,
  patienceMs: PATIENCE_MS,
  refusal: tooManyFiles,
});

/** All that keeps a text from being a flow file; empty when it is one. */
export async function faultsOf(content: string, caller: Caller): Promise<Fault[]> {
  const tenant = keyOf(caller);
  const { faults } = await turns.take(tenant, () => fileSandbox().compile(content, { tenant }));
  return [...faults];
}

/** Refuses a text that is no flow file, naming each fault and its place. */
export async function assertCompiles(content: string, caller: Caller): Promise<void> {
  const faults = await faultsOf(content, caller);
  if (faults.length === 0) return;
  throw invalidFile(faults.map((fault) => ({ in: 'body', path: 'content', ...fault })));
}

function keyOf(caller: Caller): string {
  if (caller.kind === 'person') return `person:${caller.userId}`;
  if (caller.kind === 'api-key') return `api-key:${caller.keyId}`;
  return caller.kind;
}
