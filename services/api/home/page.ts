import { join } from 'node:path';
import type { Asset } from '../../../mixins/gateway/routing/assets.ts';

/** The script of the page, which shows the form for the link of a mail. */
export const homeAssets: Record<string, Asset> = {
  '/home.js': {
    file: join(import.meta.dirname, 'home.js'),
    type: 'text/javascript; charset=utf-8',
  },
};

/** All addresses are relative, for a `PUBLIC_URL` with a path. */
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>Workspace Automation Service</title>
<link rel="icon" href="data:,">
<style>
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 2rem auto; padding: 0 1rem; }
label, input, button { display: block; font: inherit; }
input { width: 100%; box-sizing: border-box; }
input[type=checkbox] { display: inline; width: auto; }
label, button { margin-top: 0.75rem; }
</style>
</head>
<body>
<main>
<h1>Workspace Automation Service</h1>
<section id="task" hidden></section>
<p>Workspaces, issues, workflows and durable flows behind a REST interface.</p>
<ul>
<li><a href="docs">Reference of the interface</a>, to read and to try</li>
<li><a href="openapi.json">OpenAPI 3.1 document</a></li>
<li><a href=".well-known/jwks.json">Public keys of access tokens</a></li>
<li>Tools for agents, over the Model Context Protocol: <code>POST mcp</code></li>
<li>Health: <a href="health/live">whether the process runs</a>, <a href="health/ready">whether the service takes requests</a></li>
</ul>
<noscript><p>A link of a mail needs JavaScript here. Without it, send the token of the mail by the interface.</p></noscript>
</main>
<script src="home.js"></script>
</body>
</html>
`;

/** The page that says what the service is, and takes the tokens of mailed links. */
export const homePage = (): string => PAGE;
