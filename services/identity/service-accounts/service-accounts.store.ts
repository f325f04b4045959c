import { NotFound, Problem } from '../../../contract/problem.ts';
import { changesOf, type Shown } from '../../../mixins/changes/change-store.ts';
import {
  type ServiceAccountDocument,
  ServiceAccountModel,
} from '../../../models/service-account.model.ts';

export type StoredServiceAccount = Shown<ServiceAccountDocument, 'secretHash' | 'credentialId'>;

/** The store of all changes of service accounts. */
export const serviceAccounts = changesOf(ServiceAccountModel, {
  hidden: ['secretHash', 'credentialId'],
  missing: (id: number) => new Problem(NotFound, `There is no service account ${id}.`),
});
