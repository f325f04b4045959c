import { isDuplicateKey } from '../../mixins/database/database.ts';
import { UNIQUE_NAME } from '../../models/flow.model.ts';
import { nameTaken } from './flows.problems.ts';

/** What a failed write means when it was another flow's name that was in its way. */
export function mapDuplicateName(error: unknown): never {
  throw isDuplicateKey(error, UNIQUE_NAME) ? nameTaken() : error;
}
