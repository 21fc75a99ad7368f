# Read by assess.sh and azure-pipelines.yml.

# words reads a list into the array words: one a line if there are several lines, else separated by white space.
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
		1) if [[ -e ${lines[0]} ]]; then words=("${lines[0]}"); else read -r -a words <<<"${lines[0]}"; fi ;;
		*) words=("${lines[@]}") ;;
	esac
}
