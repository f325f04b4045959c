import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Asset, Redirect } from '../../../mixins/gateway/routing/assets.ts';

const swaggerUi = dirname(
  createRequire(import.meta.filename).resolve('swagger-ui-dist/package.json'),
);

/**
 * The files that the page loads. All come from this service, so that the page works without the internet. `/docs/` is
 * what people type.
 */
export const docsAssets: Record<string, Asset | Redirect> = {
  '/docs/': { redirect: '../docs' },
  '/docs/reference.js': {
    file: join(swaggerUi, 'swagger-ui-bundle.js'),
    type: 'text/javascript; charset=utf-8',
  },
  '/docs/reference.css': {
    file: join(swaggerUi, 'swagger-ui.css'),
    type: 'text/css; charset=utf-8',
  },
  '/docs/start.js': {
    file: join(import.meta.dirname, 'start.js'),
    type: 'text/javascript; charset=utf-8',
  },
};

/** All addresses are relative, for a `PUBLIC_URL` with a path. */
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Workspace Automation Service</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/reference.css">
</head>
<body>
<div id="reference"></div>
<script src="docs/reference.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`;

/** The reference page: Swagger UI over `/openapi.json`. */
export const docsPage = (): string => PAGE;
