import { QuotaReached, quotaProblem } from '../../contract/quota.ts';
import {
  type FieldFault,
  invalidField,
  invalidRequest,
  NotFound,
  Problem,
  problemType,
} from '../../contract/problem.ts';

export const FlowNameTaken = problemType(
  'FLOW_NAME_TAKEN',
  409,
  'Another flow of the workspace has this name',
);
export const FlowTooComplex = problemType(
  'FLOW_TOO_COMPLEX',
  400,
  'The flow file takes too much to check',
);
export const TooManyFiles = problemType(
  'TOO_MANY_FILES',
  429,
  'Too many flow files wait to be checked',
);
export const FlowHasNoVersion = problemType('FLOW_HAS_NO_VERSION', 409, 'The flow has no version');
export const HasLiveRuns = problemType('RUNS_LIVE', 409, 'Runs of the flow have not ended');
export const VersionOutdated = problemType(
  'VERSION_OUTDATED',
  409,
  'The version is not a valid flow file any more',
);
export const DiffTooLarge = problemType(
  'DIFF_TOO_LARGE',
  409,
  'The diff of the versions is too large to be sent',
);
export const TooManyExpressions = problemType(
  'TOO_MANY_EXPRESSIONS',
  429,
  'Too many expressions wait to be evaluated',
);

export const noVersion = (flowId: number, versionId: number) =>
  new Problem(NotFound, `Flow ${flowId} has no version ${versionId}.`);
export const nameTaken = () =>
  new Problem(FlowNameTaken, 'Another flow of the workspace has this name.');
export const contradiction = (field: string) =>
  invalidField(field, 'contradiction', 'is not the one of this flow');
export const tooManyFiles = () =>
  new Problem(TooManyFiles, 'Wait for the files sent before to be checked.', { retryAfter: 2 });

/** The problem of a flow file that cannot be stored, with all faults of the file. */
export function invalidFile(errors: readonly FieldFault[]): Problem {
  const [first] = errors;
  if (first?.code !== FlowTooComplex.code) return invalidRequest(errors);
  return new Problem(FlowTooComplex, `content: ${first.message}`, { errors });
}
export const hasNoVersion = (name: string) =>
  new Problem(FlowHasNoVersion, `The flow ${name} has no version that could be run.`);
export const diffTooLarge = () =>
  new Problem(DiffTooLarge, 'Read the two versions and compare them where you are.');
export const outdatedFile = (fault: string) =>
  new Problem(VersionOutdated, `Store a file without this fault: ${fault}`);
export const hasLiveRuns = (live: number) =>
  new Problem(
    HasLiveRuns,
    `The flow has runs that have not ended (${live}): wait for them, or delete with cancel=true.`,
  );
export const tooManyExpressions = () =>
  new Problem(TooManyExpressions, 'Wait for the expressions sent before to be evaluated.', {
    retryAfter: 2,
  });
export const noTest = (id: number) =>
  new Problem(NotFound, `There is no transformation test ${id}.`);
export const tooManyTests = (limit: number) =>
  quotaProblem(
    QuotaReached,
    'TRANSFORMATION_TESTS_PER_FLOW',
    limit,
    `A flow may have ${limit} transformation tests at most.`,
  );
