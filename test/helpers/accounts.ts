import type { Refusable, Result } from '../fixtures/e2e.ts';
import { type ProblemBody, type RequestOptions, request } from './http.ts';
import { PASSWORD } from './people.ts';
import { waitFor } from './wait.ts';

/** A password that is not `PASSWORD`. */
export const NEW_PASSWORD = 'eleven quiet harbours';

type Me = Extract<Result<'identity.me'>, { emailVerified: boolean }>;

/** The requests about accounts, sessions and mails of the service at an address. */
export function accountsOf(base: () => string) {
  const post = <T = ProblemBody>(path: string, body: unknown, options: RequestOptions = {}) =>
    request<T>(base(), 'POST', path, { body, ...options });
  const me = (token: string) => request<Me>(base(), 'GET', '/auth/me', { token });
  /** The status of a request with an access token. */
  const statusOf = async (token: string) => (await me(token)).status;
  return {
    post,
    me,
    statusOf,
    signIn: (email: string, password = PASSWORD, options: RequestOptions = {}) =>
      post<Refusable<Result<'identity.signIn'>>>('/auth/sign-in', { email, password }, options),
    refresh: (refreshToken: string, options: RequestOptions = {}) =>
      post<Refusable<Result<'identity.refresh'>>>('/auth/refresh', { refreshToken }, options),
    /** Verifies an address by a mailed token and what proves more, with an access token if one is given. */
    verify: (fields: object, token = '') => post('/auth/email/verify', fields, { token }),
    /** Waits until an access token is refused. */
    refused: (token: string, withinMs?: number) =>
      waitFor('the refusal', async () => (await statusOf(token)) === 401, withinMs),
    /** The mails to an address, newest first. */
    mailsTo: async (to: string) =>
      (
        await request<Result<'identity.listOutbox'>>(base(), 'GET', '/dev/outbox', {
          query: { to },
        })
      ).body,
  };
}
