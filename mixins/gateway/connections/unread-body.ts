import type { ServerResponse } from 'node:http';

/**
 * Closes the connection after the response to a request whose body has not arrived. On an open connection the client might
 * send that body for ever: its deadline ends with the response.
 */
export function closeAfterUnreadBody(response: ServerResponse): void {
  if (!response.req.complete) response.setHeader('Connection', 'close');
}
