/** Cuts a text to one character more than `most`: the text stays too long for its type. Other values stay. */
export function truncateText(value: unknown, most: number | undefined): unknown {
  if (most === undefined || typeof value !== 'string') return value;
  return value.length > most ? value.slice(0, most + 1).toWellFormed() : value;
}
