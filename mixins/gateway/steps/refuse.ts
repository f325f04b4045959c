import type { Logger } from 'pino';
import { problemsOf } from '../../../contract/contract.ts';
import {
  BadRequest,
  MethodNotAllowed,
  NotFound,
  Problem,
  type ProblemType,
  RateLimited,
} from '../../../contract/problem.ts';
import type { GatewayRequest } from '../gateway-request.ts';
import { type McpAdapter, mcpErrorReply } from '../mcp.ts';
import { oauthReply } from '../oauth-response.ts';
import {
  type ProblemAnswer,
  principalOf,
  problemAnswer,
  problemReply,
} from '../problem-response.ts';
import type { Reply } from '../reply.ts';
import type { Route } from '../routing/router.ts';
import { placeFaults } from './query-fields.ts';

type ProblemTypes = ReadonlyMap<string, ProblemType>;

const byCode = (types: readonly ProblemType[]): ProblemTypes =>
  new Map(types.map((type) => [type.code, type]));

/** The problems of requests without an operation. */
const ROUTER_PROBLEMS = byCode([BadRequest, NotFound, MethodNotAllowed, RateLimited]);

/**
 * Makes the step that turns an error of a request into its reply: a problem document, or what the protocol of the
 * operation has in its place. It logs unexpected errors.
 */
export function createRefuseStep(routes: readonly Route[], mcp: McpAdapter, logger: Logger) {
  const mcpChallenge = `Bearer resource_metadata="${mcp.protectedResourceUrl}"`;
  const problems = new Map(
    routes.map(({ action, contract }) => [action, byCode(problemsOf(contract))]),
  );
  return (request: GatewayRequest, error: unknown): Reply => {
    const { requestId, route, routePath } = request;
    const answer = problemAnswer(error, problems.get(route?.action ?? '') ?? ROUTER_PROBLEMS);
    if (answer.errors) answer.errors = placeFaults(request, answer.errors);
    request.principal = principalOf(error);
    if (answer.type.status === 500 && !(error instanceof Problem)) {
      logger.error({ err: error, requestId, route: routePath });
    }
    const protocol = route?.contract.protocol;
    const challenge = protocol === 'mcp' ? mcpChallenge : 'Bearer';
    return replyIn(protocol, answer) ?? problemReply(requestId, answer, challenge);
  };
}

/** The reply in the form of another protocol; null where that has none for the failure. */
function replyIn(protocol: 'oauth' | 'mcp' | undefined, answer: ProblemAnswer): Reply | null {
  if (protocol === 'oauth') return oauthReply(answer);
  return protocol === 'mcp' ? mcpErrorReply(answer) : null;
}
