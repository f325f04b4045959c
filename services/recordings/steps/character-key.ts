/** Whether a key types a character, as `a`, `é` and an emoji do. Keys such as `Enter` have a name of several characters. */
export function isCharacter(key: string): boolean {
  if (key.length === 1) return true;
  const [, second] = new Intl.Segmenter().segment(key);
  return second === undefined;
}
