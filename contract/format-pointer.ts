/** Formats a JSON pointer as the rest of a field's name: `.a.0`, and `["a.b"]` where a key is no plain name. */
export function formatPointer(pointer: string): string {
  const [, ...keys] = pointer.split('/');
  return keys
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((key) => (/^[^.[\]"]+$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`))
    .join('');
}
