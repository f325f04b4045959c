/**
 * Changes the keys of access tokens in a file of `JWT_PRIVATE_KEYS`, one step at a time (docs/operations.md, "Signing
 * keys"): `npm run signing-keys -- add FILE` makes a key and puts it second, `use` puts the second key first, and `drop`
 * removes all but the first. Prints the ids of the keys in their order, never a key.
 */
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { readKeySet } from '../environment/values/key-set.ts';
import { signingKey } from './secrets.ts';

/** A JWK. `retired` marks a key that has signed and was replaced. */
type Key = object & { retired?: true };
/** The first one signs. */
type Keys = readonly [Key, ...Key[]];

const STEPS: Readonly<Record<string, (keys: Keys) => Keys>> = {
  add: ([first, ...others]) => [first, signingKey(), ...others],
  /** A repeated `use` changes nothing, so that an operator may repeat it after an uncertain end. */
  use(keys) {
    const [first, second, ...others] = keys;
    if (!second) throw new Error('There is no second key to use: add one.');
    return second.retired ? keys : [second, { ...first, retired: true }, ...others];
  },
  drop([first, ...others]) {
    if (others.length === 0) throw new Error('There is one key, which signs: nothing to drop.');
    return [first];
  },
};

function change(step: string | undefined, file: string | undefined): void {
  const apply = step === undefined ? undefined : STEPS[step];
  if (!apply || file === undefined) throw new Error('Usage: signing-keys add|use|drop FILE');
  const before = readFileSync(file, 'utf8');
  idsOf(before, file);
  const text = JSON.stringify({ keys: apply((JSON.parse(before) as { keys: Keys }).keys) });
  const [signing, ...others] = idsOf(text, file);
  replace(file, `${text}\n`);
  process.stdout.write(`signs: ${signing}\n`);
  for (const id of others) process.stdout.write(`verifies: ${id}\n`);
}

/** The ids of the keys. Throws for a text with which the service does not start. */
function idsOf(text: string, file: string): string[] {
  const keys = readKeySet(text);
  if (!keys) throw new Error(`${file}: not a set of ES256 private keys (JWK).`);
  return keys.map(({ kid }) => kid);
}

/** Replaces the content of a file as a whole. Mode and owner stay. Follows no link that another user has made. */
function replace(file: string, text: string): void {
  const { mode, uid, gid } = statSync(file);
  const fresh = `${file}.${randomUUID()}`;
  const fd = openSync(fresh, 'wx', 0o600);
  try {
    writeFileSync(fd, text);
    fchownSync(fd, uid, gid);
    fchmodSync(fd, mode);
    fsyncSync(fd);
    renameSync(fresh, file);
  } catch (error) {
    rmSync(fresh);
    throw error;
  } finally {
    closeSync(fd);
  }
}

try {
  const [step, file] = process.argv.slice(2);
  change(step, file);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
