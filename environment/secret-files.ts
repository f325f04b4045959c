import { readFileSync } from 'node:fs';
import { type Fault, fault } from './fault.ts';

export type Source = Readonly<Record<string, string | undefined>>;

/** A file that holds no secret, or that cannot be read. `variable` is the one that the file should have given. */
interface FileFault extends Fault {
  secret: string;
}

/**
 * Reads secrets from files, because child processes inherit the environment and tools print it: the value of
 * `<NAME>` is the trimmed text of the file at the path `<NAME>_FILE`. Faults have the path of the file and none of its
 * text.
 */
export function withSecretFiles(
  given: Source,
  names: Iterable<string>,
): { source: Source; faults: FileFault[] } {
  const source: Record<string, string | undefined> = { ...given };
  const faults: FileFault[] = [];
  for (const name of names) {
    const path = given[`${name}_FILE`];
    if (!path) continue; // an empty variable counts as unset
    const read = given[name]
      ? { failed: `set, but so is ${name}; only one of them can.` }
      : textOf(path);
    if ('text' in read) source[name] = read.text;
    else faults.push({ ...fault(`${name}_FILE`, read.failed), secret: name });
  }
  return { source, faults };
}

function textOf(path: string): { text: string } | { failed: string } {
  try {
    const text = readFileSync(path, 'utf8').trim();
    return text ? { text } : { failed: `${JSON.stringify(path)} is empty.` };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { failed: `${JSON.stringify(path)} cannot be read (${code}).` };
  }
}
