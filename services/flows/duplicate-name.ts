import { isDuplicateKey } from '../../mixins/database/database.ts';
import { UNIQUE_NAME } from '../../models/flow.model.ts';
import { nameTaken } from './flows.problems.ts';

/** Throws `FLOW_NAME_TAKEN` for a duplicate name, and any other error as it is. */
export function mapDuplicateName(error: unknown): never {
  throw isDuplicateKey(error, UNIQUE_NAME) ? nameTaken() : error;
}
