#!/usr/bin/env bash
# Builds the container image of readinessd for Linux by buildah, without a daemon and without pulling a base image: the program,
# the certificates of public authorities, and an empty /tmp. It has no PostgreSQL, so serve needs --database-url.
#   build.sh BINARY VERSION DATE OUT   writes an OCI archive to OUT; DATE (seconds since 1970) makes it reproducible
set -euo pipefail
binary=$1 version=$2 date=$3 out=$4
certificates=${CERTIFICATES:-/etc/ssl/certs/ca-certificates.crt}
build() { buildah --storage-driver vfs "$@"; }

image=$(build from scratch)
trap 'build rm "$image" >/dev/null' EXIT
root=$(build mount "$image")
mkdir -p "$root/etc/ssl/certs" "$root/usr/bin" "$root/tmp" "$root/var/lib/readiness"
install -m 0755 "$binary" "$root/usr/bin/readinessd"
install -D -m 0644 -t "$root/usr/share/doc/readiness" "$(dirname "$0")/../../LICENSE" "$(dirname "$0")/../../NOTICE"
install -m 0644 "$certificates" "$root/etc/ssl/certs/ca-certificates.crt"
chmod 1777 "$root/tmp"
chown 65532:65532 "$root/var/lib/readiness"
build umount "$image" >/dev/null
build config --user 65532:65532 --entrypoint '["/usr/bin/readinessd"]' --cmd serve --workingdir /var/lib/readiness \
	--env READINESS_DATA=/var/lib/readiness --port 8080/tcp --label org.opencontainers.image.title=readiness \
	--label "org.opencontainers.image.version=$version" --label org.opencontainers.image.licenses=Apache-2.0 "$image"
build commit --quiet --timestamp "$date" "$image" "oci-archive:$out:readiness:${version#v}" >/dev/null
