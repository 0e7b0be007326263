# The compile service in a container. Not built by the tests.
#
#   docker build -t darm . && docker run --rm -p 8080:8080 --read-only darm
FROM node:24-slim AS build
WORKDIR /darm
COPY . .
# `npm ci` compiles, too. `darm prepare` unpacks all of LLVM and of clang beside their compressed form, so that the image
# can be read-only.
RUN npm ci && npm run build \
 && DARM_PREPARED_DIR=/darm/prepared node dist/command/main.js prepare && chmod 755 prepared \
 && npm prune --omit=dev --ignore-scripts

FROM node:24-slim
ENV NODE_ENV=production DARM_PREPARED_DIR=/darm/prepared
WORKDIR /darm
COPY --from=build /darm/package.json /darm/LICENSE ./
COPY --from=build /darm/node_modules node_modules
COPY --from=build /darm/wasm/dist wasm/dist
COPY --from=build /darm/prepared prepared
COPY --from=build /darm/dist/bundle dist/bundle
COPY --from=build /darm/dist/command dist/command
COPY --from=build /darm/dist/site dist/site
COPY --from=build /darm/src/report/html/page.css src/report/html/page.css
USER node
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 8080}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Signals reach the service itself, which finishes what runs.
ENTRYPOINT ["node", "dist/command/main.js", "serve", "--host", "0.0.0.0"]
