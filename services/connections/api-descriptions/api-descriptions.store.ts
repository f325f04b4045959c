import { NotFound, Problem } from '../../../contract/problem.ts';
import { changesOf, type Shown } from '../../../mixins/changes/change-store.ts';
import {
  type ApiDescriptionDocument,
  ApiDescriptionModel,
} from '../../../models/api-description.model.ts';

export type StoredApiDescription = Shown<ApiDescriptionDocument>;

/** The one way to write API descriptions. */
export const apiDescriptions = changesOf(ApiDescriptionModel, {
  missing: (id: number) => new Problem(NotFound, `There is no API description ${id}.`),
});
