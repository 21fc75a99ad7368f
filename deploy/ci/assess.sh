#!/usr/bin/env bash
# Assesses the models of a checkout in a step of GitHub Actions: annotations to the log, all findings to the job summary, a
# comment and SARIF to files. Exits like readiness assess.
#   READINESS                          the program
#   ASSESS_PATHS, ARGUMENTS            paths and further arguments: one a line, or on a single line separated by white space;
#                                      a single line that is the name of a file or folder is one path
#   FAIL_UNDER, FAIL_ON, MIN_SEVERITY  as the flags
#   BASE                               the commit to compare with; empty for none
set -euo pipefail
temp=$(mktemp -d "${RUNNER_TEMP:-${TMPDIR:-/tmp}}/readiness.XXXXXX")

# shellcheck source=deploy/ci/words.sh
source "$(dirname "${BASH_SOURCE[0]}")/words.sh"
words "${ASSESS_PATHS:-.}"
paths=("${words[@]}")
words "${ARGUMENTS:-}"
arguments=(${words[@]+"${words[@]}"})
arguments+=(--min-severity "${MIN_SEVERITY:-low}")

if [[ -n ${BASE:-} ]]; then
	git cat-file -e "$BASE^{commit}" 2>/dev/null || git fetch --quiet --no-tags --depth 1 origin "$BASE"
	git worktree add --quiet --detach "$temp/base" "$BASE"
	trap 'git worktree remove --force "$temp/base"' EXIT
	# A base without models, or with one that cannot be read, is compared as far as it can be.
	if (cd "$temp/base" && "$READINESS" assess "${paths[@]}" --format json --output "$temp/base.json"); then code=0; else code=$?; fi
	if [[ $code == 0 || $code == 4 ]]; then arguments+=(--baseline "$temp/base.json"); fi
fi
assess() { "$READINESS" assess "${paths[@]}" "${arguments[@]}" "$@"; }

gate=()
if [[ -n ${FAIL_UNDER:-} ]]; then gate+=(--fail-under "$FAIL_UNDER"); fi
if [[ -n ${FAIL_ON:-} ]]; then gate+=(--fail-on "$FAIL_ON"); fi
if assess --format github ${gate[@]+"${gate[@]}"}; then code=0; else code=$?; fi
if [[ $code == 1 || $code == 2 ]]; then exit "$code"; fi # there is no report

report() { assess --format "$1" --output "$2" 2>/dev/null || [[ $? == 4 ]]; }
report comment "$temp/comment.md"
report sarif "$temp/readiness.sarif"
report markdown "$temp/summary.md"
# A job summary takes at most a megabyte.
if [[ $(wc -c <"$temp/summary.md") -le 1000000 ]]; then cat "$temp/summary.md"; else cat "$temp/comment.md"; fi >>"${GITHUB_STEP_SUMMARY:-/dev/stdout}"
{
	echo "comment=$temp/comment.md"
	echo "sarif=$temp/readiness.sarif"
} >>"${GITHUB_OUTPUT:-/dev/stdout}"
exit "$code"
