#!/usr/bin/env bash
# Makes the packages of src/: the libraries with their symbols, and the tool. CONTRIBUTING.md has their contents.
set -eu
cd "$(dirname "${BASH_SOURCE[0]}")"

all_systems="linux-x64 linux-musl-x64 linux-arm64 win-x64 osx-arm64 any"
native_system=linux-x64

usage() {
    cat <<HELP
Usage: ./pack.sh [--output DIR] [--version V] [--systems LIST] [--no-build] [--verify] [--help]

  --output DIR     where the packages go; default: artifacts/packages
  --version V      their version, for example 0.2.0-rc.1; default: the one in Directory.Build.props
  --systems LIST   the systems that get a package of the tool of their own, and "any" for all others;
                   default: "$all_systems".
                   $native_system gets native code, also as the program spate-$native_system, which needs no .NET
  --no-build       packs the Release build that is there, with one package of the tool for all systems
  --verify         builds and packs two copies of the sources in two directories, and compares what came out;
                   keeps none of it without --output (copies know no commit: they are not for a release)
  --help           this text

Before anything is packed, Spate.Build compare-api checks the API of the libraries: that it is the one of api/, and that
CHANGELOG.md names what was removed or changed since api/released. Otherwise nothing is packed.

Exit codes: 0 done, 1 something failed or differs, 2 wrong use.
HELP
}

wrong() {
    echo "pack.sh: $1; see ./pack.sh --help" >&2
    exit 2
}

fail() {
    echo "pack.sh: $1" >&2
    exit 1
}

output='' version='' systems='' builds=true verifies=false
while [ $# -gt 0 ]; do
    case $1 in
        --output | --version | --systems)
            [ $# -ge 2 ] && [ -n "$2" ] || wrong "$1 needs a value"
            case $1 in
                --output) output=$2 ;;
                --version) version=$2 ;;
                --systems) systems=$2 ;;
            esac
            shift ;;
        --no-build) builds=false ;;
        --verify) verifies=true ;;
        --help | -h) usage; exit 0 ;;
        *) wrong "unknown option '$1'" ;;
    esac
    shift
done

[[ -z $version || $version =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z]+(\.[0-9A-Za-z]+)*)?$ ]] ||
    wrong "'$version' is no version; expected for example 0.2.0 or 0.2.0-rc.1"
for system in $systems; do
    [[ $system =~ ^[a-z0-9]+(-[a-z0-9]+)*$ ]] || wrong "'$system' is no system; expected for example linux-x64"
done
if [[ " ${systems:-$all_systems} " == *" $native_system "* ]] && $builds; then
    [ "$(uname -sm)" = "Linux x86_64" ] && getconf GNU_LIBC_VERSION >/dev/null 2>&1 ||
        wrong "the native program for $native_system is made there only, with glibc; name other systems with --systems"
    command -v clang >/dev/null || command -v gcc >/dev/null ||
        wrong "no linker for the native program: install gcc and zlib1g-dev, or name other systems with --systems"
fi
if ! $builds; then
    [ -z "$version" ] || wrong "--version needs a build: leave --no-build out"
    [ -z "$systems" ] || wrong "--systems needs a build: leave --no-build out"
    ! $verifies || wrong "--verify builds; leave --no-build out"
fi

# No server or node may outlive this script, and nothing may report home.
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 DOTNET_CLI_USE_MSBUILD_SERVER=0 MSBUILDDISABLENODEREUSE=1
export UseSharedCompilation="${UseSharedCompilation:-false}"

# Packages carry one time, that of the commit; the first day that zip archives know, where there is none.
if [ -z "${SOURCE_DATE_EPOCH:-}" ]; then
    SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null) || SOURCE_DATE_EPOCH=315532800
fi
export SOURCE_DATE_EPOCH

# copy_sources DIR: what is or would be committed, without the repository, whose commit and remote are not compared.
copy_sources() {
    mkdir -p "$1"
    git ls-files -z --cached --others --exclude-standard |
        tar --null --ignore-failed-read -T - -cf - | tar -xf - -C "$1"
}

if $verifies; then
    git rev-parse --is-inside-work-tree >/dev/null 2>&1 || wrong "--verify copies a git repository, and this is none"
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    options=(--systems "${systems:-$all_systems}")
    [ -z "$version" ] || options+=(--version "$version")
    # Both are taken at once: somebody may edit the sources while the first is built.
    copy_sources "$work/a"
    copy_sources "$work/b/another-name"
    for copy in a b/another-name; do
        (cd "$work/$copy" && ./pack.sh --output packages "${options[@]}")
    done
    dotnet "$work/a/tools/Spate.Build/bin/Release/net10.0/Spate.Build.dll" \
        compare-packages "$work/a/packages" "$work/b/another-name/packages"
    [ -z "$output" ] || { mkdir -p "$output" && mv -f "$work"/a/packages/* "$output"; }
    exit
fi

output=${output:-artifacts/packages}
mkdir -p artifacts "$output"
output=$(cd "$output" && pwd)
stage=$(mktemp -d artifacts/pack.XXXXXX)
trap 'rm -rf "$stage"' EXIT

# One graph for all projects, so that each is read once.
solution=$stage/packages.slnx
{
    echo '<Solution>'
    for project in src/*/*.csproj tools/Spate.Build/Spate.Build.csproj; do
        echo "  <Project Path=\"../../$project\" />"
    done
    echo '</Solution>'
} >"$solution"

properties=(-nologo -v:minimal "-p:PackageOutputPath=$PWD/$stage" "-p:SbomFolder=$PWD/$stage")
builder=tools/Spate.Build/bin/Release/net10.0/Spate.Build.dll
if $builds; then
    export CI=true
    systems=${systems:-$all_systems}
    properties+=("-p:ToolSystems=$systems")
    # Lock files name the version of the projects, so another version needs lock files of its own.
    [ -z "$version" ] || properties+=("-p:Version=$version" -p:RestoreLockedMode=false \
        -p:NuGetLockFilePath=obj/pack.lock.json)
    dotnet restore "$solution" "${properties[@]}"
    dotnet build "$solution" -c Release --no-restore "${properties[@]}"
    pack=(--no-restore)
else
    for needed in "$builder" src/Spate.Cli/bin/Release/net10.0/Spate.Cli.dll; do
        [ -e "$needed" ] || fail "there is no Release build ($needed); leave --no-build out"
    done
    pack=(--no-build)
fi

dotnet "$builder" compare-api

# write_bills OPTION...
write_bills() {
    dotnet "$builder" sbom --output "$stage" --created "$SOURCE_DATE_EPOCH" \
        ${version:+--package-version "$version"} "$@"
}

write_bills
# The tool's package takes what lies in this folder, and so what an earlier version left there.
rm -rf src/Spate.Cli/bin/Release/net10.0/publish src/Spate.Cli/bin/Release/net10.0/*/publish
dotnet pack "$solution" -c Release "${pack[@]}" "${properties[@]}"
made=()
if [[ " $systems " == *" $native_system "* ]]; then
    properties=("${properties[@]/ToolSystems=*/NativeSystem=$native_system}")
    dotnet restore src/Spate.Cli "${properties[@]}"
    # The SDK adds the runtime that is linked into the program.
    runtime=$(dotnet msbuild src/Spate.Cli -getProperty:BundledNETCoreAppPackageVersion)
    write_bills --project Spate.Cli --runtime "Microsoft.NETCore.App.Runtime.NativeAOT.$native_system/$runtime"
    dotnet pack src/Spate.Cli -c Release --no-restore "${properties[@]}"
    cp "src/Spate.Cli/bin/Release/net10.0/$native_system/publish/Spate.Cli" "$stage/spate-$native_system"
    made+=("$stage/spate-$native_system")
fi

made+=("$stage"/*.nupkg "$stage"/*.snupkg)
mv -f "${made[@]}" "$output"
echo
for package in "${made[@]}"; do
    echo "$output/$(basename "$package")"
done
