// Old Node.js cannot even read server.ts; it can read this, and say so in one line.
const REQUIRED = 24;
if (Number(process.versions.node.split('.')[0]) < REQUIRED) {
  process.stderr.write(
    `Node.js ${REQUIRED} or later is needed, this is ${process.version}. On Linux (x64, arm64) "npm ci" brings it; elsewhere install it from nodejs.org.\n`,
  );
  process.exit(1);
}
