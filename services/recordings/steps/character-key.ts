/** A segmenter takes longer to make than to use. It has no state. */
const graphemes = new Intl.Segmenter();

/** Whether a key types a character, as `a`, `é` and an emoji do. Keys such as `Enter` have a name of several characters. */
export function isCharacter(key: string): boolean {
  if (key.length === 1) return true;
  const [, second] = graphemes.segment(key);
  return second === undefined;
}
