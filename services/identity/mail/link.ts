import { publicUrl } from '../../../environment/environment.ts';

/** What the page at `GET /` does with the token of a link. */
export type LinkPurpose = 'verify' | 'reset' | 'invitation' | 'undo' | 'free';

/**
 * The link of a mail, from `PUBLIC_URL` alone: a stranger chooses the headers of a request. The token is in the
 * fragment, which no browser sends to a server.
 */
export const linkTo = (purpose: LinkPurpose, token: string): string =>
  `${publicUrl}/#${purpose}=${token}`;

/** The paragraph of a mail with a token, by link and bare, for those who call the interface themselves. */
export const tokenParagraph = (purpose: LinkPurpose, token: string): string =>
  `${linkTo(purpose, token)}\n\nToken: ${token}`;
