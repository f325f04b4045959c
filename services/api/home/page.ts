import { join } from 'node:path';
import { publicUrl } from '../../../environment/environment.ts';
import type { Asset } from '../../../mixins/gateway/routing/assets.ts';
import { firstSteps } from './first-steps.ts';

const script = (name: string): Asset => ({
  file: join(import.meta.dirname, name),
  type: 'text/javascript; charset=utf-8',
});

/** The scripts of the page: the forms for links of mails, and what the page says of this service. */
export const homeAssets: Record<string, Asset> = {
  '/home.js': script('home.js'),
  '/home-status.js': script('home-status.js'),
};

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>]/g, (one) => ESCAPES[one] ?? one);

/** One step of the first flow. The script fills in the page's own address, and adds the button that copies. */
const stepHtml = ({ title, commands }: { title: string; commands: string }): string =>
  `<li><p>${escapeHtml(title)}</p><pre><code>${escapeHtml(commands)}</code></pre></li>`;

/** All addresses are relative, for a `PUBLIC_URL` with a path. */
const pageOf = (base: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>Workspace Automation Service</title>
<link rel="icon" href="data:,">
<style>
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; color: #1c2430; background: #fff; }
h2 { margin-top: 2rem; }
label, form button, input { display: block; font: inherit; }
input { width: 100%; box-sizing: border-box; }
input[type=checkbox] { display: inline; width: auto; }
label, form button { margin-top: 0.75rem; }
pre { position: relative; overflow-x: auto; margin: 0; padding: 0.75rem; border-radius: 0.4rem; background: #f2f4f7; font-size: 0.85rem; }
pre button { position: absolute; top: 0.4rem; right: 0.4rem; font: inherit; }
li p { margin: 0.75rem 0 0.25rem; }
@media (prefers-color-scheme: dark) { body { color: #e4e8ee; background: #14181e; } pre { background: #20262f; } a { color: #8ab4f8; } }
</style>
</head>
<body>
<main>
<h1>Workspace Automation Service</h1>
<section id="task" hidden></section>
<p>Workspaces, issues, workflows and durable flows behind a REST interface. A flow is a YAML text that the service runs step by step; a run goes on where it was after any crash.</p>
<p id="status" role="status"></p>
<h2>Where things are</h2>
<ul>
<li><a href="docs">Reference of the interface</a>, to read and to try</li>
<li><a href="openapi.json">OpenAPI 3.1 document</a>, for generated clients, Postman and other tools</li>
<li><a href=".well-known/jwks.json">Public keys of access tokens</a></li>
<li>Tools for agents, over the Model Context Protocol: <code>POST mcp</code></li>
<li>Health: <a href="health/live">whether the process runs</a>, <a href="health/ready">whether the service takes requests</a></li>
</ul>
<h2>First steps</h2>
<p>With a shell and curl, from an account to the result of a run:</p>
<ol id="steps" data-base="${escapeHtml(base).replaceAll('"', '&quot;')}">
${firstSteps(base).map(stepHtml).join('\n')}
</ol>
<noscript><p>A link of a mail needs JavaScript here. Without it, send the token of the mail by the interface.</p></noscript>
</main>
<script src="home.js"></script>
<script src="home-status.js"></script>
</body>
</html>
`;

/** The page that says what the service is and how to begin, and takes the tokens of mailed links. */
export const homePage = (): string => pageOf(publicUrl);
