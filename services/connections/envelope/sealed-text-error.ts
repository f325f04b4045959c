/** Thrown where a sealed text does not open: it is damaged, or was sealed for another place. */
export class SealedTextError extends Error {
  override readonly name = 'SealedTextError';
}
