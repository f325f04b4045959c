/**
 * Writes the users of NATS and their permissions for `docker-compose.yml`: `npm run make-nats-users`.
 * A test compares the file with what the code needs.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SERVICE_NAMES } from '../environment/process.ts';
import { natsUsers, usersFile } from './nats-users.ts';

const HEAD = '# Written by "npm run make-nats-users" from the code: a change here is lost.\n';

/** Returns the users' file for one process of each service, as in docker-compose.yml. */
export const usersOfCompose = (): string =>
  HEAD + usersFile(natsUsers(Object.fromEntries(SERVICE_NAMES.map((name) => [name, [name]]))));

if (import.meta.main) {
  writeFileSync(join(import.meta.dirname, 'nats', 'users.conf'), usersOfCompose());
}
