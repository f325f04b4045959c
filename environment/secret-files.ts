import { readFileSync } from 'node:fs';

type Source = Readonly<Record<string, string | undefined>>;

/**
 * Reads secrets from files: the text of the file that `<NAME>_FILE` names, without white space around it, is the
 * value of `<NAME>`. So no secret has to be in the environment, which child processes inherit and tools print.
 * Throws an Error of one line that names the file and never quotes it.
 */
export function withSecretFiles(source: Source, names: Iterable<string>): Source {
  const complete: Record<string, string | undefined> = { ...source };
  for (const name of names) {
    const path = source[`${name}_FILE`];
    if (!path) continue; // an unset variable and an empty one mean the same
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
