import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SECURITY_EVENTS } from '../../mixins/security-log.ts';

it('the operations manual has every security event, and no other', () => {
  const manual = readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8');
  const [, section = ''] = /^## Security events$(.*?)^## /ms.exec(manual) ?? [];
  const cells = [...section.matchAll(/^\| (`[\w.-]+`(?:, `[\w.-]+`)*) \|/gm)].slice(1);
  const rows = cells.flatMap(([, cell = '']) => cell.replaceAll('`', '').split(', '));
  expect([...rows].sort()).toEqual([...SECURITY_EVENTS].sort());
});
