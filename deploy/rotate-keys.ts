/**
 * Wraps the keys of all workspaces by the first key of `CREDENTIALS_MASTER_KEYS`: `npm run rotate-keys`. The services
 * go on meanwhile. The exit code is 1 where keys are left that another master key wraps.
 */
import { environment } from '../environment/environment.ts';
import { connectDatabase, disconnectDatabase } from '../mixins/database/database.ts';
import { rotateKeys } from '../services/connections/envelope/rotate-keys.ts';

const { MONGODB_URI, CREDENTIALS_MASTER_KEYS } = environment;

try {
  if (!MONGODB_URI) {
    throw new Error(
      'MONGODB_URI: unset. The embedded database needs no rotate-keys: its process re-wraps the keys at its start.',
    );
  }
  if (!CREDENTIALS_MASTER_KEYS) throw new Error('CREDENTIALS_MASTER_KEYS: unset.');
  await connectDatabase(MONGODB_URI);
  const { rewrapped, failures, left } = await rotateKeys(CREDENTIALS_MASTER_KEYS);
  for (const failure of failures) process.stderr.write(`${failure}\n`);
  process.stdout.write(`re-wrapped: ${rewrapped}, left: ${left}\n`);
  if (left > 0) process.exitCode = 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  await disconnectDatabase();
}
