import type { Access } from './access-rule.ts';
import { Problem, Unauthenticated } from './problem.ts';

const TOKEN = 'Authorization: Bearer <token>';
const KEY = 'X-API-KEY: <key>, or the query parameter api_key';

/** The 401 of a request without the token or API key that the operation takes. The detail names where they go. */
export const authenticationNeeded = (access: Access): Problem =>
  new Problem(Unauthenticated, detailOf(access));

function detailOf(access: Access): string {
  if (access.who === 'key') return `A valid API key is needed: ${KEY}.`;
  if (('keyScope' in access && access.keyScope) || ('keys' in access && access.keys)) {
    return `A valid token or API key is needed: ${TOKEN}, or ${KEY}.`;
  }
  return `A valid token is needed: ${TOKEN}.`;
}
