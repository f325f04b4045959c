import type { FieldSealer, SealedPlace } from '../../services/connections/envelope/field-sealer.ts';
import { SealedTextError } from '../../services/connections/envelope/sealed-text-error.ts';

const seal = async (place: SealedPlace, text: string): Promise<string> =>
  Buffer.from(JSON.stringify({ place, text })).toString('base64url');

/** A sealer for tests of what is sealed. A sealed text does not contain the text, and opens at its own place only. */
export const PLACE_SEALER: FieldSealer = {
  sealField: seal,
  sealDerived: seal,
  async openField(place, sealed) {
    const opened = JSON.parse(Buffer.from(sealed, 'base64url').toString());
    if (JSON.stringify(opened.place) !== JSON.stringify(place)) {
      throw new SealedTextError('the text was sealed at another place');
    }
    return opened.text;
  },
};
