import { type ActionContract, problemsOf } from '../../../contract/contract.ts';
import type { JsonSchema } from '../../../contract/json-schemas.ts';
import { MCP_PROBLEM_STATUSES } from '../../../mixins/gateway/mcp.ts';
import { OAUTH_STATUSES } from '../../../mixins/gateway/oauth-response.ts';
import { type ProblemAnswer, problemBody } from '../../../mixins/gateway/problem-response.ts';
import { commonHeaders, RETRY_AFTER } from './headers.ts';
import { PROBLEM_EXAMPLES } from './problem-examples.ts';

/** Statuses whose responses may have `Retry-After`: 409 while a request with the same key is under way. */
const TEMPORARY: ReadonlySet<number> = new Set([409, 429, 503]);

/** A response for each status of a problem, in the order of the statuses. Its description lists the problem codes. */
export function problemResponses(contract: ActionContract): JsonSchema {
  const byStatus = new Map<number, Set<string>>();
  for (const { status, code } of problemsOf(contract)) {
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code));
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => {
      const description = [...codes].map((code) => `\`${code}\``).join(', ');
      return [status, responseOf(contract, status, description)];
    }),
  );
}

/** A reference to the response that operations share; another form of a failure is described in place. */
function responseOf(contract: ActionContract, status: number, description: string): JsonSchema {
  const form = otherFormOf(contract, status);
  if (form === null) return { $ref: `#/components/responses/Problem${status}`, description };
  const schema = { $ref: `#/components/schemas/${form}` };
  const content = { 'application/json': { schema, example: OTHER_FORMS[form] } };
  return { description, headers: headersOf(status), content };
}

/** Failures that are no problem documents, by the component of their schema, with an example of each. */
const OTHER_FORMS = {
  OAuthError: { error: 'invalid_client', error_description: 'The client is not known.' },
  RpcResponse: {
    jsonrpc: '2.0',
    id: null,
    error: { code: -32_600, message: 'The message is not valid.' },
  },
} as const;

function otherFormOf(
  { protocol }: ActionContract,
  status: number,
): keyof typeof OTHER_FORMS | null {
  if (protocol === 'oauth' && OAUTH_STATUSES.has(status)) return 'OAuthError';
  return protocol === 'mcp' && !MCP_PROBLEM_STATUSES.has(status) ? 'RpcResponse' : null;
}

const headersOf = (status: number): JsonSchema => ({
  ...commonHeaders({}),
  ...(TEMPORARY.has(status) ? RETRY_AFTER : {}),
});

/** The responses with a problem document, one for each status, as components of the document. */
export const problemComponents = (): JsonSchema =>
  Object.fromEntries(
    PROBLEM_EXAMPLES.map((example) => [`Problem${example.type.status}`, componentOf(example)]),
  );

/** The request id of the examples. */
const REQUEST_ID = '7c9e6679-7425-40de-944b-e07fc1f90ae7';

const componentOf = (answer: ProblemAnswer): JsonSchema => ({
  description: answer.type.title,
  headers: headersOf(answer.type.status),
  content: {
    'application/problem+json': {
      schema: { $ref: '#/components/schemas/Problem' },
      example: JSON.parse(problemBody(REQUEST_ID, answer)),
    },
  },
});
