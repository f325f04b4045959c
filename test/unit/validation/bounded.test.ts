import { invalidRequest, LONGEST_PATH, MOST_FAULTS } from '../../../contract/problem.ts';
import { unknownField } from '../../../contract/zod-faults.ts';

describe('what is told of the faults of one request', () => {
  it('is as many as help, however many there are', () => {
    const faults = Array.from({ length: 20_000 }, (_, at) => unknownField('body', `k${at}`));
    const { data, message } = invalidRequest(faults);
    expect(data.errors).toHaveLength(MOST_FAULTS);
    expect(message).toBe('k0: is not a field of this request (and 19999 more)');
  });

  it('names a long path by its beginning, and never half a character', () => {
    const path = `${'x'.repeat(LONGEST_PATH - 1)}😀${'y'.repeat(200_000)}`;
    const { data, message } = invalidRequest([unknownField('body', path)]);
    expect(data.errors?.[0]?.path).toHaveLength(LONGEST_PATH);
    expect(data.errors?.[0]?.path.isWellFormed()).toBe(true);
    expect(message.length).toBeLessThan(2 * LONGEST_PATH);
  });
});
