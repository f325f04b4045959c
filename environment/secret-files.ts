import { readFileSync } from 'node:fs';

type Source = Readonly<Record<string, string | undefined>>;

/**
 * Reads secrets from files, because child processes inherit the environment and tools print it: the value of
 * `<NAME>` is the trimmed text of the file at the path `<NAME>_FILE`. Throws an Error of one line that has the path of
 * the file and none of its text.
 */
export function withSecretFiles(source: Source, names: Iterable<string>): Source {
  const complete: Record<string, string | undefined> = { ...source };
  for (const name of names) {
    const path = source[`${name}_FILE`];
    if (!path) continue; // an empty variable counts as unset
    if (source[name])
      throw new Error(`${name}_FILE: set, but so is ${name}; only one of them can.`);
    complete[name] = textOf(path, name);
  }
  return complete;
}

function textOf(path: string, name: string): string {
  const text = readOrRefuse(path, name).trim();
  if (!text) throw new Error(`${name}_FILE: ${JSON.stringify(path)} is empty.`);
  return text;
}

function readOrRefuse(path: string, name: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`${name}_FILE: ${JSON.stringify(path)} cannot be read (${code}).`);
  }
}
