/**
 * Makes the secrets of `docker-compose.yml`: `npm run make-secrets [folder of docker-compose.yml]`. Existing secrets stay
 * unchanged. The script adds the user of the containers to `.env`.
 */
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { GROUPS, type Group } from './secrets.ts';

interface Owner {
  uid: number;
  gid: number;
}

/** The user of the image, which owns the secrets when root makes them, because no container may run as root. */
const UNPRIVILEGED: Owner = { uid: 1000, gid: 1000 };

const project = resolve(process.argv[2] ?? join(import.meta.dirname, '..'));

try {
  const owner = ownerOfSecrets();
  const folder = join(project, 'deploy', 'secrets');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  give(folder, owner);
  for (const group of GROUPS) makeGroup(group, folder, owner);
  tellCompose(owner);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}

function ownerOfSecrets(): Owner {
  const uid = process.getuid?.() ?? UNPRIVILEGED.uid;
  const gid = process.getgid?.() ?? UNPRIVILEGED.gid;
  return uid === 0 ? UNPRIVILEGED : { uid, gid };
}

function makeGroup(group: Group, folder: string, owner: Owner): void {
  const files = Object.entries(group.make());
  const missing = files.map(([file]) => join(folder, file)).filter((path) => !existsSync(path));
  if (missing.length === files.length) {
    for (const [file, text] of files) write(join(folder, file), text, owner);
  } else if (missing.length > 0) {
    throw new Error(halfThere(group.name, missing.join(', ')));
  }
  say(`${group.name}: ${missing.length ? `made in ${folder}` : 'there already'}`);
}

function write(path: string, text: string, owner: Owner): void {
  writeFileSync(path, `${text}\n`, { mode: 0o600, flag: 'wx' });
  give(path, owner);
}

function halfThere(name: string, missing: string): string {
  return `${name}: ${missing} missing, but not all of the files that belong together. Put it back, or remove the others, too.`;
}

function give(path: string, { uid, gid }: Owner): void {
  if (process.getuid?.() === 0) chownSync(path, uid, gid);
}

/** Writes the owner of the secrets to `.env`, because the containers must run as this user to read the secrets. */
function tellCompose({ uid, gid }: Owner): void {
  const file = join(project, '.env');
  const line = `SERVICE_USER=${uid}:${gid}`;
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const [said] = /^SERVICE_USER=.*/m.exec(text) ?? [];
  if (!said) appendFileSync(file, `${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`);
  if (!said || said.trim() === line) say(`${file}: ${line}`);
  else say(`${file}: says ${said}, but the secrets are of ${line}`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
