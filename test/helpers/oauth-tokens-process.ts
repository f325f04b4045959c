/**
 * A process that gets access tokens as the service does, for tests that kill the process. Arguments: the address of the
 * database, and the times of token requests as JSON. Each line of stdin is an order; the results go to stdout.
 */
import { createInterface } from 'node:readline';
import { createOutboundClient } from '@workspace-automation/outbound-http';
import { connectDatabase, disconnectDatabase } from '../../mixins/database/database.ts';
import { OAuthTokens } from '../../services/connections/oauth-tokens/oauth-tokens.ts';
import { ownShareOf } from './own-share.ts';
import { PLACE_SEALER } from './place-sealer.ts';

const [uri = '', timing = '{}'] = process.argv.slice(2);
await connectDatabase(uri);
const outbound = createOutboundClient({ allow: ['127.0.0.0/8'] });
const onError = (error: unknown) => process.stderr.write(`${error}\n`);
const tokens = new OAuthTokens({
  outbound,
  sealer: PLACE_SEALER,
  exists: async () => true,
  shareOf: ownShareOf,
  onError,
  timing: JSON.parse(timing),
});
const tell = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`);

tell('ready');
for await (const line of createInterface({ input: process.stdin })) {
  const { credential, secret, refusedToken, callers } = JSON.parse(line);
  const call = () => tokens.accessTokenOf(credential, secret, { refusedToken });
  Promise.all(Array.from({ length: callers }, call)).then(tell, onError);
}
await tokens.close();
await outbound.close();
await disconnectDatabase();
