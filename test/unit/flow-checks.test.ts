import { invalidFile } from '../../services/flows/flows.problems.ts';

const fault = { in: 'body', path: 'content', message: 'why', line: 1, column: 1 } as const;

test('a file that took too much has a code of its own, other faults the usual one', () => {
  const errors = [{ ...fault, code: 'FLOW_TOO_COMPLEX' }];
  expect(invalidFile(errors)).toMatchObject({
    type: 'FLOW_TOO_COMPLEX',
    code: 400,
    data: { errors },
  });
  expect(invalidFile([{ ...fault, code: 'YAML_SYNTAX' }])).toMatchObject({
    type: 'INVALID_REQUEST',
    code: 400,
  });
});
