/**
 * Writes users of NATS and their permissions. `npm run make-nats-users`: for `docker-compose.yml`; a test compares the file
 * with what the code needs. `npm run make-nats-users -- --services 'api,runs;flows,…' FOLDER`: for processes that run
 * those services, as `users.conf` in the folder, with `nats-passwords.conf` and an address of each user beside it. Existing
 * passwords stay. The user of a process has the name of its first service.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { SERVICE_NAMES, type ServiceName } from '../environment/process.ts';
import { isServiceName } from './mongo-roles.ts';
import { natsUsers } from './nats-users.ts';
import { usersFile } from './nats-users-file.ts';
import { addNatsUsers } from './secrets.ts';

const HEAD = '# Written by "npm run make-nats-users" from the code: a change here is lost.\n';

/** The services of each process, by the user of the process. */
export type Cut = Readonly<Record<string, readonly ServiceName[]>>;

/** Returns the users' file for one process of each service, as in docker-compose.yml. */
export const usersOfCompose = (): string =>
  HEAD + usersFile(natsUsers(Object.fromEntries(SERVICE_NAMES.map((name) => [name, [name]]))));

/** Reads a cut such as `api,runs;flows`. Throws an error for the operator. */
export function parseCut(text: string): Cut {
  const cut: Record<string, ServiceName[]> = {};
  for (const part of text.split(';')) {
    const services = part.split(',').map((name) => serviceOf(name.trim()));
    const [user = ''] = services;
    if (cut[user]) throw new Error(`--services: two processes begin with ${user}.`);
    cut[user] = services;
  }
  return cut;
}

function serviceOf(name: string): ServiceName {
  if (isServiceName(name)) return name;
  throw new Error(`--services: "${name}" is no service; there are ${SERVICE_NAMES.join(', ')}.`);
}

function writeCut(text: string, folder: string): void {
  const cut = parseCut(text);
  const users = Object.keys(cut);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const added = addNatsUsers(users, folder);
  writeFileSync(join(folder, 'users.conf'), HEAD + usersFile(natsUsers(cut)));
  const passwords =
    added.length > 0
      ? `passwords made for ${added.join(', ')}`
      : 'their passwords are there already';
  process.stdout.write(`${folder}: users ${users.join(', ')}; ${passwords}\n`);
  const missing = SERVICE_NAMES.filter((name) => !Object.values(cut).flat().includes(name));
  if (missing.length > 0) process.stdout.write(`no process has ${missing.join(', ')}\n`);
}

if (import.meta.main) {
  try {
    const { values, positionals } = parseArgs({
      options: { services: { type: 'string' } },
      allowPositionals: true,
    });
    const [folder] = positionals;
    if (values.services === undefined) {
      if (folder !== undefined)
        throw new Error('--services: which services does each process run?');
      writeFileSync(join(import.meta.dirname, 'nats', 'users.conf'), usersOfCompose());
    } else {
      if (folder === undefined) throw new Error('Which folder is for the files?');
      writeCut(values.services, folder);
    }
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
