# A hosted server (samples/HostedEcho), published with its runtime: docs/run/containers.md has the steps.
# RUNTIME_IMAGE has no default: name the image with its registry and tag.
ARG RUNTIME_IMAGE
FROM ${RUNTIME_IMAGE}
# The publish folder is the build context.
COPY . /app/
WORKDIR /app
USER 10001:10001
ENTRYPOINT ["/app/HostedEcho"]
