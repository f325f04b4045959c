import type { Problem } from '../../../contract/problem.ts';
import { QuotaReached, quotaProblem } from '../../../contract/quota.ts';
import { PROBLEM } from '../../../services/api/openapi/problem-schema.ts';
import { credentialInUse } from '../../../services/connections/auth-credentials/auth-credentials.problems.ts';
import { hasConflicts, hasProblems } from '../../../services/dev-mode/dev-mode.problems.ts';
import { sequenceGap, sequenceTaken } from '../../../services/recordings/recordings.problems.ts';
import { staleRevision } from '../../../services/workflow-steps/step-problems.ts';
import { onlyOwner } from '../../../services/workspaces/workspaces.problems.ts';

const problems: Problem[] = [
  quotaProblem(QuotaReached, 'API_KEYS_PER_WORKSPACE', 1, 'One key at most.'),
  staleRevision(1, 2),
  hasProblems([{ key: 'shape', path: '/sett', code: 'UNKNOWN_KEY', message: 'Unknown keyword.' }]),
  hasConflicts(['shape'], 2),
  credentialInUse([], 1),
  onlyOwner(17),
  sequenceGap(3, 2),
  sequenceTaken(1, 2),
];

it.each(problems.map((problem) => [problem.type, problem] as const))(
  'the reference describes the members of %s',
  (_, { data: { members = {} } }) => {
    expect(Object.keys(members)).not.toEqual([]);
    expect(PROBLEM.properties).toMatchObject(
      Object.fromEntries(
        Object.keys(members).map((name) => [
          name,
          expect.objectContaining({ description: expect.any(String) }),
        ]),
      ),
    );
  },
);
