import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SECURITY_EVENTS } from '../../mixins/security-log.ts';

it('the operations manual has every security event, and no other', () => {
  const manual = readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8');
  const [, section = ''] = /^## Security events$(.*?)^## /ms.exec(manual) ?? [];
  const rows = [...section.matchAll(/^\| `([\w.-]+)` \| `/gm)].map(([, name]) => name);
  expect([...rows].sort()).toEqual([...SECURITY_EVENTS].sort());
});
