#!/usr/bin/env bash
# Installs readiness for a pipeline: the archive of a release, if its checksum is right, else a build with Go. Writes the
# program's path to GITHUB_OUTPUT, or to stdout.
#   VERSION     the release, such as v1.2.3; anything else is built
#   SHA256      the archive's checksum; by default the one in the release's checksums.txt
#   REPOSITORY  address of the repository that has the releases
#   SOURCE      the source tree to build; by default the one of this script
set -euo pipefail
source=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
to=$(mktemp -d "${RUNNER_TEMP:-${AGENT_TEMPDIRECTORY:-${TMPDIR:-/tmp}}}/readiness.XXXXXX")

os=linux arch=amd64 ending=.tar.gz program=readiness
case $(uname -s) in
	Darwin) os=darwin ;;
	MINGW* | MSYS* | CYGWIN*) os=windows ending=.zip program=readiness.exe ;;
esac
case $(uname -m) in
	arm64 | aarch64) arch=arm64 ;;
esac

fetch() { curl --fail --silent --show-error --location --retry 3 --max-time 120 --max-filesize 300000000 --output "$2" "$1"; }

sum() { if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1; }

# download prints why there is no archive, and fails if an archive does not match its checksum.
download() {
	local name=readiness_${VERSION#v}_${os}_$arch base=$REPOSITORY/releases/download/$VERSION want=${SHA256:-}
	if [[ -z $want ]]; then
		fetch "$base/checksums.txt" "$to/checksums.txt" || return 1
		want=$(awk -v name="$name$ending" '$2 == name {print $1}' "$to/checksums.txt")
		[[ -n $want ]] || { echo "checksums.txt does not list $name$ending" >&2; return 1; }
	fi
	fetch "$base/$name$ending" "$to/$name$ending" || return 1
	local got
	got=$(sum "$to/$name$ending")
	if [[ $got != "$want" ]]; then
		echo "::error::$base/$name$ending has the checksum $got, not $want; nothing is installed" >&2
		exit 1
	fi
	if [[ $ending == .zip ]]; then unzip -q "$to/$name$ending" -d "$to"; else tar -xzf "$to/$name$ending" -C "$to"; fi
	readiness=$to/$name/$program
}

readiness=
if [[ ${VERSION:-} =~ ^v[0-9]+\.[0-9]+\.[0-9]+ ]]; then
	download || echo "Release $VERSION cannot be downloaded; building it" >&2
fi
if [[ -z $readiness ]]; then
	command -v go >/dev/null || { echo "::error::readiness is built with Go, which is not in PATH: add actions/setup-go, or name a release" >&2; exit 1; }
	readiness=$to/$program
	(cd "$source" && go build -o "$readiness" ./cmd/readiness)
fi
"$readiness" version >&2
echo "readiness=$readiness" >>"${GITHUB_OUTPUT:-/dev/stdout}"
