/**
 * Makes the secrets of `docker-compose.yml`: `npm run make-secrets -- [--owner UID:GID] [folder of docker-compose.yml]`.
 * Existing secrets stay unchanged. The files belong to the caller; root can give all of them to another owner. The
 * script adds the owner to `.env` as the user of the containers, unless the owner is root.
 */
import {
  appendFileSync,
  chownSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { GROUPS, writeGroup } from './secrets.ts';

interface Owner {
  uid: number;
  gid: number;
}

const ROOT = 0;

function makeSecrets(project: string, wantedOwner: string | undefined): void {
  const folder = join(project, 'deploy', 'secrets');
  const caller = callerOf();
  const owner = wantedOwner === undefined ? caller : ownerOf(wantedOwner);
  if (!isSame(owner, caller) && caller.uid !== ROOT)
    throw new Error(`--owner ${wantedOwner}: only root can give files to another user.`);
  refuseOthers(folder, caller, wantedOwner !== undefined);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  refuseSpecialFiles(folder);
  for (const group of GROUPS) {
    say(`${group.name}: ${writeGroup(group, folder) ? `made in ${folder}` : 'there already'}`);
  }
  giveAll(folder, owner);
  tellCompose(project, owner);
}

const callerOf = (): Owner => ({
  uid: process.getuid?.() ?? ROOT,
  gid: process.getgid?.() ?? ROOT,
});

function ownerOf(text: string): Owner {
  const [, uid, gid] = /^(\d+):(\d+)$/.exec(text) ?? [];
  if (uid === undefined || gid === undefined)
    throw new Error(`--owner ${text}: it is a user id and a group id, such as 1000:1000.`);
  return { uid: Number(uid), gid: Number(gid) };
}

/** Refuses to make files beside those of another user, who could not read them. */
function refuseOthers(folder: string, caller: Owner, isOwnerGiven: boolean): void {
  if (!existsSync(folder)) return;
  const owner = statSync(folder);
  const belongs = `${folder} belongs to ${nameOf(owner)}`;
  const isRoot = caller.uid === ROOT;
  if (!isRoot && owner.uid !== caller.uid)
    throw new Error(`${belongs}: run this as that user, or as root with --owner.`);
  if (!isOwnerGiven && !isSame(owner, caller))
    throw new Error(`${belongs}: add --owner ${nameOf(isRoot ? owner : caller)}.`);
}

/** Refuses a folder with a link or anything else that is no plain file, because its owner could have it lead elsewhere. */
function refuseSpecialFiles(folder: string): void {
  const special = readdirSync(folder)
    .map((name) => join(folder, name))
    .find((path) => !lstatSync(path).isFile() || lstatSync(path).nlink > 1);
  if (special !== undefined)
    throw new Error(`${special} is no plain file with one name: remove it from the secrets.`);
}

/** Gives the folder and all its files, such as a password of the mail server that was written by hand. */
function giveAll(folder: string, { uid, gid }: Owner): void {
  for (const file of readdirSync(folder)) lchownSync(join(folder, file), uid, gid);
  chownSync(folder, uid, gid);
}

/** Writes the owner of the secrets to `.env`, because the containers must run as this user to read the secrets. */
function tellCompose(project: string, owner: Owner): void {
  if (owner.uid === ROOT) {
    say('The secrets are of root, as whom no container runs: for Docker Compose add --owner.');
    return;
  }
  const file = join(project, '.env');
  const line = `SERVICE_USER=${nameOf(owner)}`;
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const [said] = /^SERVICE_USER=.*/m.exec(text) ?? [];
  if (!said) appendFileSync(file, `${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`);
  if (!said || said.trim() === line) say(`${file}: ${line}`);
  else say(`${file}: says ${said}, but the secrets are of ${nameOf(owner)}`);
}

const isSame = (one: Owner, other: Owner): boolean =>
  one.uid === other.uid && one.gid === other.gid;

const nameOf = ({ uid, gid }: Owner): string => `${uid}:${gid}`;

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

try {
  const { values, positionals } = parseArgs({
    options: { owner: { type: 'string' } },
    allowPositionals: true,
  });
  makeSecrets(resolve(positionals[0] ?? join(import.meta.dirname, '..')), values.owner);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
