#!/usr/bin/env bash
# Assesses the models of a checkout in a step of a pipeline: findings to the log, reports to files. Exits like readiness assess.
#   PIPELINE                           github (annotations, a comment, SARIF, the job summary), azure (annotations, JUnit, the
#                                      summary of the run) or gitlab (a table, JUnit, a page)
#   READINESS                          the program
#   ASSESS_PATHS, ARGUMENTS            paths and further arguments: one a line, or on a single line separated by white space;
#                                      a single line that is the name of a file or folder is one path
#   FAIL_UNDER, FAIL_ON, MIN_SEVERITY, RULES, IGNORE, BASELINE  as the flags; empty for none
#   BASE                               the commit to compare with, if there is no BASELINE; empty for none
#   REPORTS                            the folder for the reports of azure and gitlab
set -euo pipefail
pipeline=${PIPELINE:-github}
temp=$(mktemp -d "${RUNNER_TEMP:-${AGENT_TEMPDIRECTORY:-${TMPDIR:-/tmp}}}/readiness.XXXXXX")

# words reads a list into the array words: one a line if there are several lines, or if the only one is a file or folder or begins with
# --name=, has a space and no further argument; else separated by white space.
words() {
	words=()
	local line lines=()
	while IFS= read -r line || [[ -n $line ]]; do
		line=${line%$'\r'}
		line=${line#"${line%%[![:space:]]*}"}
		line=${line%"${line##*[![:space:]]}"}
		[[ -z $line ]] || lines+=("$line")
	done <<<"$1"
	case ${#lines[@]} in
		0) ;;
		1) if [[ -e ${lines[0]} || ${lines[0]} == --*=* && ${lines[0]} != *[[:space:]]-* ]]; then words=("${lines[0]}"); else read -r -a words <<<"${lines[0]}"; fi ;;
		*) words=("${lines[@]}") ;;
	esac
}

# note tells the reader of the log why the result may surprise.
note() {
	case $pipeline in
		github) echo "::notice title=AI readiness::$1" ;;
		azure) echo "##vso[task.logissue type=warning]$1" ;;
		*) echo "Note: $1" ;;
	esac
}

words "${ASSESS_PATHS:-.}"
paths=("${words[@]}")
words "${ARGUMENTS:-}"
arguments=(${words[@]+"${words[@]}"})
arguments+=(--min-severity "${MIN_SEVERITY:-low}")
rules=()
if [[ -n ${RULES:-} ]]; then rules=(--rules "$(cd "$(dirname "$RULES")" && pwd)/$(basename "$RULES")"); fi # also in the folder of the base
if [[ -n ${IGNORE:-} ]]; then arguments+=(--ignore "$IGNORE"); fi

# base writes an assessment of the commit BASE, and fails if there is none.
base() {
	local code=0
	git cat-file -e "$BASE^{commit}" 2>/dev/null || git fetch --quiet --no-tags --depth 1 origin "$BASE" || true
	if ! git worktree add --quiet --detach "$temp/base" "$BASE"; then
		note "The base $BASE is not in the checkout and cannot be fetched, so every finding counts as new; check out more of the history"
		return 1
	fi
	trap 'git worktree remove --force "$temp/base"' EXIT
	(cd "$temp/base" && "$READINESS" assess "${paths[@]}" ${rules[@]+"${rules[@]}"} --format json --output "$temp/base.json" 2>"$temp/base.log") || code=$?
	case $code in
		0) return ;;
		1) note "The base has no model at these paths, so every finding counts as new" ;;
		4) note "Some models of the base cannot be read, so all their findings count as new" && return ;;
		*) cat "$temp/base.log" >&2 ;;
	esac
	return 1
}
if [[ -n ${BASELINE:-} ]]; then
	arguments+=(--baseline "$BASELINE")
elif [[ -n ${BASE:-} ]] && base; then
	arguments+=(--baseline "$temp/base.json")
fi
assess() { "$READINESS" assess "${paths[@]}" "${arguments[@]}" ${rules[@]+"${rules[@]}"} "$@"; }

gate=()
if [[ -n ${FAIL_UNDER:-} ]]; then gate+=(--fail-under "$FAIL_UNDER"); fi
if [[ -n ${FAIL_ON:-} ]]; then gate+=(--fail-on "$FAIL_ON"); fi
format=$pipeline
if [[ $pipeline == gitlab ]]; then format=table; fi
if assess --format "$format" ${gate[@]+"${gate[@]}"}; then code=0; else code=$?; fi
if [[ $code == 1 || $code == 2 ]]; then exit "$code"; fi # there is no report

report() { assess --format "$1" --output "$2" "${@:3}" 2>/dev/null || [[ $? == 3 || $? == 4 ]]; }
if [[ $pipeline == github ]]; then
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
fi
mkdir -p "$REPORTS"
report junit "$REPORTS/readiness.xml" ${gate[@]+"${gate[@]}"}
if [[ $pipeline == azure ]]; then
	report markdown "$REPORTS/readiness.md"
	echo "##vso[task.uploadsummary]$REPORTS/readiness.md"
else
	report html "$REPORTS/readiness.html"
fi
exit "$code"
