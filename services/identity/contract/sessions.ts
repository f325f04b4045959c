import { action } from '../../../contract/contract.ts';
import { listQuery, pageOf } from '../../../contract/fields.ts';
import { NotFound } from '../../../contract/problem.ts';
import { activeSessionExample } from './examples.ts';
import { SessionId } from './fields.ts';
import { ActiveSession } from './resources.ts';

const OF_SESSIONS = { none: 'people manage their sessions' } as const;

export const sessionActions = {
  listSessions: action({
    summary: "The caller's sessions, newest first",
    description:
      'Sessions that have ended are not shown. `address` and `userAgent` are those of the sign-in or of ' +
      'the last refresh: the client chooses its `User-Agent`, so that it proves nothing.',
    route: 'GET /auth/sessions',
    tool: OF_SESSIONS,
    access: { who: 'person' },
    query: listQuery,
    result: pageOf(ActiveSession),
    format: 'page',
    errors: [NotFound],
    idempotent: true,
    example: { answer: [activeSessionExample] },
  }),
  endSession: action({
    summary: "End one of the caller's sessions",
    description:
      'Its access tokens are refused everywhere within a second, and its refresh token at once. A ' +
      "session that has ended is answered 404, as another person's is.",
    route: 'DELETE /auth/sessions/:sessionId',
    tool: OF_SESSIONS,
    etag: { none: 'no GET shows a single session' },
    audit: { none: 'a session is no resource that others share' },
    access: { who: 'person', rules: ['own'] },
    path: { sessionId: SessionId },
    result: null,
    status: 204,
    errors: [NotFound],
  }),
};
