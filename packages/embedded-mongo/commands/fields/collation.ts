import { isDocument, type Value } from '../../bson/values.ts';
import { unsupported } from '../../errors.ts';

/** Refuses every collation but {locale: 'simple'}, which compares byte by byte. */
export function refuseCollation(collation: Value | undefined): void {
  if (collation === undefined || collation === null) return;
  if (isDocument(collation) && (collation.size === 0 || collation.get('locale') === 'simple'))
    return;
  unsupported('A collation other than simple');
}
