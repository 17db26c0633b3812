# Kernels and libraries of other Debian suites, beside the host's own apt: lists, status and cache lie in a folder of
# the caller's, and only what is asked for is downloaded and unpacked. Sourced by machine.sh.

# The mirror that the host uses for its own suite, whose name has no "-updates" or "-security".
debian_mirror() {
    apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT) $(ORIGIN)' 'Created-By: Packages' |
        awk '$3 == "main" && $4 == "Debian" && $2 !~ /-/ { print $1; exit }'
}

# use_suite SUITE ARCHITECTURE FOLDER: reads the lists of a suite, and lets all later calls of apt in this shell use them.
use_suite() {
    local mirror
    mirror=$(debian_mirror)
    [ -n "$mirror" ] || { echo "apt names no mirror with Debian's main: see /etc/apt/sources.list" >&2; return 1; }
    mkdir -p "$3/lists/partial" "$3/cache/archives/partial"
    : >"$3/status"
    echo "deb [arch=$2 signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $1 main" >"$3/sources.list"
    cat >"$3/apt.conf" <<CONF
Dir::State::lists "$3/lists";
Dir::State::status "$3/status";
Dir::Cache "$3/cache";
Dir::Etc::SourceList "$3/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::Etc::PreferencesParts "/dev/null";
APT::Architecture "$2";
APT::Architectures "$2";
APT::Sandbox::User "root";
Acquire::Languages "none";
CONF
    export APT_CONFIG=$3/apt.conf
    timeout 300 apt-get -qq update
}

# newest_package PATTERN: the package with the highest version in its name, since Debian removes older ones.
newest_package() {
    apt-cache search --names-only "$1" | cut -d' ' -f1 | sort -V | tail -n 1
}

# unpack FOLDER PACKAGE...: installs nothing, and runs no script of a package.
unpack() {
    local folder=$1 archive
    shift
    mkdir -p "$folder/archives"
    (cd "$folder/archives" && rm -f ./*.deb && timeout 600 apt-get -qq download "$@") || return 1
    for archive in "$folder"/archives/*.deb; do
        dpkg-deb -x "$archive" "$folder" || return 1
    done
    rm -r "$folder/archives"
}
