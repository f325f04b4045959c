import type { DescribedOperation, OpenApi } from '../../helpers/openapi.ts';
import type { Operation } from '../permissions-matrix.ts';
import type { Recipe } from './recipe.ts';
import type { WireAnswer, WireRequest } from './send-recipe.ts';

/** The codes of failures that the fuzz is not to blame the service for: other systems are away. */
const OF_OTHER_SYSTEMS = new Set([
  'TARGET_UNREACHABLE',
  'TARGET_TIMEOUT',
  'TOKEN_REFUSED',
  'TOKEN_UNAVAILABLE',
]);

/** Failures of the gateway that no operation lists: the request is not valid HTTP, or is not for the operation. */
const OF_GATEWAY = new Set(['BAD_REQUEST', 'HEADERS_TOO_LARGE', 'EXPECTATION_FAILED']);

export interface Exchange {
  operation: DescribedOperation;
  rule: Operation;
  recipe: Recipe;
  wire: WireRequest;
  answer: WireAnswer;
}

/** What is wrong with an answer, by the document and the conventions of the interface. */
export function faultsOf(api: OpenApi, exchange: Exchange): string[] {
  const { operation, recipe, wire, answer } = exchange;
  const faults: string[] = [];
  if (!answer.headers['x-request-id']) faults.push('no X-Request-Id');
  const isOther = wire.method !== operation.method || changesPath(recipe);
  faults.push(...(answer.status >= 400 ? problemFaults(exchange, isOther) : []));
  if (!isOther) {
    const type = answer.headers['content-type'];
    const isGatewayFault = OF_GATEWAY.has(codeOf(answer) ?? '');
    if (!isGatewayFault) {
      faults.push(
        ...api.faultsOfAnswer(operation, { status: answer.status, type, text: answer.text }),
      );
    }
    faults.push(...accessFaults(exchange), ...validityFaults(exchange));
  }
  return faults;
}

const changesPath = ({ mutations }: Recipe): boolean =>
  mutations.some(({ kind }) => kind === 'segment');

interface ProblemBody {
  code?: string;
  status?: number;
  errors?: { in: string; path: string; code: string; message: string }[];
}

/** The problem document of an answer; undefined for another body. */
function problemOf({ headers, text }: WireAnswer): ProblemBody | undefined {
  return headers['content-type'] === 'application/problem+json' && text !== ''
    ? (JSON.parse(text) as ProblemBody)
    : undefined;
}
const codeOf = (answer: WireAnswer): string | undefined => problemOf(answer)?.code;

/** The faults of a failure: its form, its code, and its status. */
function problemFaults({ operation, wire, answer }: Exchange, isOther: boolean): string[] {
  const { status, headers, text } = answer;
  if (wire.method === 'HEAD') return serverFaults(answer, undefined);
  const problem = problemOf(answer);
  const isOwnForm = /^application\/json/.test(headers['content-type'] ?? '');
  if (!problem)
    return isOwnForm
      ? serverFaults(answer, undefined)
      : [`no problem document: ${status} ${text.slice(0, 200)}`];
  const faults = serverFaults(answer, problem.code);
  if (problem.status !== status) faults.push(`the problem says ${problem.status}, not ${status}`);
  const listed = operation.responses[status]?.description ?? '';
  const isKnown = listed.includes(`\`${problem.code}\``) || OF_GATEWAY.has(problem.code ?? '');
  if (!isOther && !isKnown) faults.push(`${problem.code} is not listed for ${status}`);
  if (status === 405 && !headers.allow) faults.push('405 without Allow');
  return faults;
}

/** The faults of a 5xx: only a documented 503 that says when to come back is none. */
function serverFaults({ status, headers, text }: WireAnswer, code = ''): string[] {
  if ([429, 503].includes(status) && !headers['retry-after'] && code !== 'AGENT_NOT_CONFIGURED') {
    return [`${status} without Retry-After: ${text.slice(0, 200)}`];
  }
  if (status < 500 || status === 503 || OF_OTHER_SYSTEMS.has(code)) return [];
  return [`server error ${status}: ${text.slice(0, 300)}`];
}

/** A caller without a part in the workspace never succeeds. */
function accessFaults({ rule, recipe, answer }: Exchange): string[] {
  const { access } = rule.contract;
  const isBound = access.who === 'member' || access.who === 'key';
  const isOutside = recipe.caller === 'stranger' || recipe.caller === 'nobody';
  const isBroken = isBound && isOutside && answer.status < 400;
  return isBroken ? [`${recipe.caller} got ${answer.status}`] : [];
}

/** A valid request of the owner is refused with 400 only for a reason that no schema can say. */
function validityFaults({ recipe, answer }: Exchange): string[] {
  if (recipe.mutations.length > 0 || recipe.caller !== 'owner' || answer.status !== 400) return [];
  const problem = problemOf(answer);
  const { errors = [] } = problem ?? {};
  if (problem && problem.code !== 'INVALID_REQUEST') return [];
  const unexplained = errors.filter(
    ({ path, message }) =>
      !OF_CREDENTIAL_TYPE.test(path) &&
      !OF_EVENT_TYPE.test(path) &&
      !OF_LANGUAGE.test(path) &&
      !REASONS.some((reason) => reason.test(message)),
  );
  return unexplained.map(
    ({ in: place, path, message }) => `valid, but 400: ${place} ${path} ${message}`,
  );
}

/** The secret of a credential, whose fields depend on the type of the credential. */
const OF_CREDENTIAL_TYPE = /^secret(?:\.|$)/;
/** The text of an event, which depends on whether its input is masked. */
const OF_EVENT_TYPE = /^events\.\d+\.(?:text|key)$/;
/** Flow files and tasks, which have a language of their own. */
const OF_LANGUAGE = /^(?:content|definition|steps\.\d+\.definition)\b/;

/** Why a value that its schema allows is refused: rules that JSON Schema has no words for. */
const REASONS: readonly RegExp[] = [
  // values that depend on one another, on the time, or on what there is
  /^must not be after `to`|at most 366 days before|^page × limit|must lie in the future/,
  /^must be from 0 to \d+ for this step|is listed already|is the (?:flow|key) of another element|is decided twice/,
  // texts of white space or of characters that nobody sees, or that show a line in another order
  /^must have at least 1 character|^must have something to see|^must not have (?:line|control|char)/,
  // references to what is not there, or belongs to others
  /is not in the workspace|is not a member of|is not a version of|is neither the id nor/,
  /^is no (?:tool call|attachment) of|^must be the id of a workspace|^is not the token of/,
  /is unknown, used or expired|^There is no /,
  // what is sent back contradicts what it is sent to
  /^is not (?:the one|that|the id|the workspace) of |^names another/,
  // texts with a language of their own
  /^must have 5 fields|the name of a time zone|at least 1 item, unless the type is NONE/,
  /^must be an absolute URL|^The address is not|^The URL (?:is not|has)|^must be an origin such as/,
  /^The (?:path|query|URL) has no|^must be whsec_ and/,
  /^The header \w+ has a value that cannot be sent/,
];
