# The command spate as native code, on an image without shell and package manager: docs/run/containers.md has the steps.
# RUNTIME_IMAGE has no default: name the image with its registry and tag.
ARG RUNTIME_IMAGE
FROM ${RUNTIME_IMAGE}
COPY spate-linux-x64 /usr/local/bin/spate
# The program holds the .NET runtime, so these texts go with it.
COPY LICENSE THIRD-PARTY-NOTICES.txt /usr/share/doc/spate/
COPY dotnet/THIRD-PARTY-NOTICES.TXT /usr/share/doc/spate/dotnet/
USER 10001:10001
ENTRYPOINT ["/usr/local/bin/spate"]
CMD ["--help"]
