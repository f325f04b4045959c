import type { ActionContract } from '../../../contract/contract.ts';

/**
 * The description of a parameter with the id of a resource. The access rule, the name of the parameter or the segment of
 * the path before it names the kind of resource. Undefined for a parameter with another name.
 */
export function idDescription(name: string, contract: ActionContract): string | undefined {
  const kind = kindOfAccess(name, contract) ?? kindOfName(name) ?? kindOfPath(name, contract);
  return kind === undefined ? undefined : `The id of the ${inWords(kind)}`;
}

/** A reference of an access rule to the resource of a parameter. */
interface Reference {
  parameter?: string;
  resource?: string;
}

/** What the access rule says of the parameter: without a resource it is the workspace. */
function kindOfAccess(name: string, { access }: ActionContract): string | undefined {
  const references = Object.values(access).filter(
    (value): value is Reference => typeof value === 'object' && value !== null,
  );
  const found = references.find(({ parameter }) => parameter === name);
  return found && (found.resource ?? 'workspace');
}

/** `serviceAccountId` is the id of a service account. */
const kindOfName = (name: string): string | undefined => /^(\w+)Id$/.exec(name)?.[1];

/** The words of a name: `bulkJob` and `bulk-job` are a bulk job. An abbreviation such as `API` stays. */
const inWords = (kind: string): string =>
  kind.replaceAll('-', ' ').replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** `/bulk-jobs/:id` has the id of a bulk job. */
function kindOfPath(name: string, { route }: ActionContract): string | undefined {
  if (name !== 'id') return undefined;
  const [, collection] = /\/([\w-]+)\/:id\b/.exec(route ?? '') ?? [];
  return collection?.replace(/s$/, '');
}
