#!/usr/bin/env bash
# Makes the documentation site: the pages of docs/ with the C# reference, as files that need no server.
set -eu
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")"

usage() {
    cat <<'HELP'
Usage: ./docs.sh [--no-build] [--help]

  --no-build  takes the Release build that is there
  --help      this text

The site goes to artifacts/site. Each warning of DocFX is an error.
Exit codes: 0 done, 1 something failed or is a warning, 2 wrong use.
HELP
}

builds=true
for argument in "$@"; do
    case $argument in
        --no-build) builds=false ;;
        --help | -h) usage; exit 0 ;;
        *) echo "docs.sh: unknown option '$argument'; see ./docs.sh --help" >&2; exit 2 ;;
    esac
done

export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 MSBUILDDISABLENODEREUSE=1
work=artifacts/site-work log=artifacts/site.log

dotnet tool restore >/dev/null || { echo "docs.sh: dotnet tool restore failed" >&2; exit 1; }
if $builds; then
    for project in tools/Spate.Build src/Spate.Hosting src/Spate.Gateway src/Spate.Testing; do
        dotnet build "$project" -c Release -nodeReuse:false -v:quiet
    done
fi
dotnet tools/Spate.Build/bin/Release/net10.0/Spate.Build.dll site --output "$work"
rm -rf artifacts/site
if ! dotnet docfx "$work/docfx.json" --warningsAsErrors --disableGitFeatures >"$log" 2>&1; then
    grep -E 'warning|error' "$log" || cat "$log"
    echo "docs.sh: DocFX reports errors or warnings, see $log" >&2
    exit 1
fi
echo "The site is $PWD/artifacts/site/index.html"
