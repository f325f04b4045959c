import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { e2e } from '../../fixtures/e2e.ts';
import { request } from '../../helpers/http.ts';

interface OpenApi {
  openapi: string;
  paths: Record<
    string,
    Record<string, { responses: Record<string, unknown>; security: unknown[] }>
  >;
}

const { server } = e2e();

let document: OpenApi;
beforeAll(async () => {
  document = (await request<OpenApi>(server.url, 'GET', '/openapi.json')).body;
});

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

it('is OpenAPI 3.1, clean under a public linter', async () => {
  expect(document.openapi).toBe('3.1.0');
  const folder = mkdtempSync(join(tmpdir(), 'openapi-'));
  const file = join(folder, 'openapi.json');
  writeFileSync(file, JSON.stringify(document));
  const { code, output } = await redocly(['lint', file, '--format=summary']);
  rmSync(folder, { recursive: true });
  expect({ code, output: code ? output : '' }).toEqual({ code: 0, output: '' });
});

it('says of every operation what it answers and which errors it can give', () => {
  for (const { path, method, operation } of operations()) {
    const statuses = Object.keys(operation.responses);
    expect([path, method, statuses.some((status) => status.startsWith('2'))]).toEqual([
      path,
      method,
      true,
    ]);
    expect(statuses).toEqual(expect.arrayContaining(['400', '500', '503', '504']));
    if (operation.security.length) expect(statuses).toContain('401');
    expect([path, statuses.includes('429')]).toEqual([path, !path.startsWith('/health/')]);
    if (path.includes('{') || path.startsWith('/dev/')) expect(statuses).toContain('404');
  }
});

it('says where to find what was made, where it can be read', () => {
  const made = operations().filter(({ operation }) => '201' in operation.responses);
  const withLocation = made.filter(({ operation }) => {
    const { headers } = operation.responses['201'] as { headers: Record<string, unknown> };
    return 'Location' in headers;
  });
  expect(withLocation.map(({ path }) => path).sort()).toEqual([
    '/agent/conversations',
    '/agent/conversations/{id}/attachments',
    '/auth-credentials',
    '/configurations',
    '/email-domains',
    '/recordings',
    '/service-accounts',
    '/workspaces',
    '/workspaces/{workspaceId}/issues',
    '/workspaces/{workspaceId}/issues/external',
  ]);
});

it('answers 405, not 404, with another method at each of its paths: none is invented', async () => {
  for (const path of Object.keys(document.paths)) {
    const { status } = await request(server.url, 'PATCH', path.replace(/\{\w+\}/g, '1'));
    expect([path, status]).toEqual([path, 405]);
  }
});

it('has a reference page whose every part comes from this service', async () => {
  const { status, text, headers } = await request(server.url, 'GET', '/docs');
  expect(status).toBe(200);
  expect(headers['content-type']).toMatch('text/html');
  const parts = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, part]) => part ?? '');
  expect(parts.length).toBeGreaterThan(2);
  for (const part of parts.filter((p) => !p.startsWith('data:'))) {
    expect(part).toMatch(/^docs\//);
    expect((await request(server.url, 'GET', `/${part}`)).status).toBe(200);
  }
});

it.each(['GET', 'HEAD'] as const)(
  'leads from /docs/ to the page by a relative reference: %s',
  async (method) => {
    const { status, headers } = await request(server.url, method, '/docs/?from=mail');
    expect([status, headers.location]).toEqual([308, '../docs']);
    expect((await request(server.url, 'POST', '/docs/')).status).toBe(405);
    for (const path of ['/openapi.json/', '/health/', '/docs/reference.css/']) {
      expect([path, (await request(server.url, method, path)).status]).toEqual([path, 404]);
    }
  },
);

function redocly(args: string[]): Promise<{ code: number; output: string }> {
  const bin = join(import.meta.dirname, '../../../node_modules/.bin/redocly');
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  return new Promise((resolve) => {
    execFile(bin, args, { env, cwd: tmpdir() }, (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), output: stdout + stderr });
    });
  });
}
