#!/usr/bin/env bash
# Writes a comment to a pull request on GitHub, in place of the one that an earlier run wrote.
#   COMMENT            the file with the comment, whose first line marks it
#   ISSUE              the number of the pull request
#   TOKEN              the token that comments
#   GITHUB_API_URL, GITHUB_REPOSITORY  set by GitHub Actions
set -euo pipefail
body=$(mktemp)
trap 'rm -f "$body"' EXIT
jq --raw-input --slurp '{body: .}' "$COMMENT" >"$body"
mark=$(head -n 1 "$COMMENT")

# The token is read from standard input, so that it is not in the list of processes.
call() { printf 'header = "Authorization: Bearer %s"\n' "$TOKEN" | curl --config - --fail-with-body --silent --show-error --retry 3 --max-time 60 --header 'Accept: application/vnd.github+json' "$@"; }

# write sends the comment. The token of a pull request from a fork may not write: that is said, and the gate's result stands.
write() {
	local answer
	answer=$(call --write-out '\n%{http_code}' --data-binary "@$body" "$@") && return
	if [[ ${answer##*$'\n'} != 403 ]]; then
		echo "$answer" >&2
		return 1
	fi
	echo "::notice::The token may not comment, as in a pull request from a fork; the job summary has the report. Else give the job the permission pull-requests: write"
}

comments=$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/issues
id= page=1
while [[ -z $id && $page -le 10 ]]; do
	list=$(call "$comments/$ISSUE/comments?per_page=100&page=$page")
	id=$(jq --raw-output --arg mark "$mark" '[.[] | select(.body | startswith($mark)) | .id][0] // empty' <<<"$list")
	[[ $(jq length <<<"$list") == 100 ]] || break
	page=$((page + 1))
done
if [[ -n $id ]]; then
	write --request PATCH "$comments/comments/$id"
else
	write --request POST "$comments/$ISSUE/comments"
fi
