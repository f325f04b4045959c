import { SealedTextError } from '../../services/connections/envelope/sealed-text-error.ts';
import type { FieldSealer } from '../../services/connections/oauth-tokens/sealed-token.ts';

/** A sealer for tests of what is sealed. A sealed text does not contain the text, and opens at its own place only. */
export const PLACE_SEALER: FieldSealer = {
  sealField: async (place, text) =>
    Buffer.from(JSON.stringify({ place, text })).toString('base64url'),
  async openField(place, sealed) {
    const opened = JSON.parse(Buffer.from(sealed, 'base64url').toString());
    if (JSON.stringify(opened.place) !== JSON.stringify(place)) {
      throw new SealedTextError('the text was sealed at another place');
    }
    return opened.text;
  },
};
