import { toolNameOf } from '../../../../contract/tools.ts';
import type { CallTurn } from '../../context/turns.ts';
import type { StoredCall } from '../answer-record.ts';

const REFUSED = { refused: 'The person has not approved this call. It was not carried out.' };
const EXPIRED = { expired: 'Nobody has approved this call in time. It was not carried out.' };
const OPEN = { pending: 'This call is not decided yet.' };

/** A call as the model is told. What an operation has answered stands under `data`, apart from words of the service. */
export const callTurn = (call: StoredCall): CallTurn => ({
  id: `call_${call.id}`,
  name: wireNameOf(call.operation),
  arguments: objectOf(JSON.parse(call.arguments)),
  outcome: outcomeText(call),
});

/** Characters of the name of a function. Servers refuse a conversation in which a longer name stands. */
const MAX_NAME_CHARS = 64;
/** The characters that no such name may have. */
const FORBIDDEN = /[^\w-]/g;

/** The name of the tool. The model may have asked for a tool that does not exist by any name. */
const wireNameOf = (operation: string): string =>
  toolNameOf(operation).slice(0, MAX_NAME_CHARS).replace(FORBIDDEN, '_');

function outcomeText({ status, result }: StoredCall): string {
  if (status === 'DONE') return `{"data":${result}}`;
  if (status === 'FAILED') return `{"error":${result}}`;
  if (status === 'REFUSED') return JSON.stringify(REFUSED);
  return JSON.stringify(status === 'EXPIRED' ? EXPIRED : OPEN);
}

/** Arguments that were none: servers refuse a call in the history whose arguments are no object. */
const objectOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : { given: value };
