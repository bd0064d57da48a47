#!/usr/bin/env bash
# check-docs.sh BUILD: runs every command that README.md and docs/*.md show, in a scratch copy of the project.
#
# Commands are the lines of ```sh blocks, and in ```console blocks those after "$ "; a backslash at the end joins a line
# with the next. Each starts in the project's folder, in a shell of its own; build/ holds the programs of BUILD.
# Not run: ./play and ./test, lines that end with "# not run", blocks after a line "<!-- not run -->", and commands on
# ../shared where it is not there.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
seconds=180

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/limber/build"
tar -C "$root" --exclude=./build --exclude=node_modules --exclude=.git -c . | tar -C "$scratch/limber" -x
for program in "$build"/*; do
    if [[ -f $program && -x $program ]]; then
        ln -s "$program" "$scratch/limber/build/"
    fi
done
if [[ -d $root/../shared ]]; then
    ln -s "$root/../shared" "$scratch/shared"
fi
cd "$scratch/limber"

# Prints "file:line<tab>command" for every command of a file.
list_commands() {
    awk '
        /^ *```/ && !inside { inside = 1; kind = $0; gsub(/[` ]/, "", kind); skip = marked; command = ""; next }
        /^ *```/ { inside = 0; marked = 0; next }
        !inside && NF { marked = ($0 ~ /<!-- not run/) }
        !inside || skip || (kind != "sh" && kind != "console") { next }
        {
            line = $0
            if (command == "") {
                start = FNR
                if (kind == "console" && sub(/^ *\$ /, "", line) == 0) next
                if (line ~ /^ *(#|$)/) next
            }
            joined = sub(/\\$/, "", line)
            command = command line
            if (!joined) { print FILENAME ":" start "\t" command; command = "" }
        }' "$1"
}

is_skipped() {
    case $1 in
    ./play* | ./test* | *"# not run"*) return 0 ;;
    *../shared*) [[ ! -e ../shared ]] ;;
    *) return 1 ;;
    esac
}

# A command is run once, however many pages show it. Suites of `verify` are run by the test of the command line, all of
# them: here their names are looked up.
declare -A done
names=$(build/limber verify --list)
is_known_suite() {
    [[ $1 =~ ^build/limber\ verify\ ([a-z]+)$ ]] && grep -q "^${BASH_REMATCH[1]} " <<<"$names"
}

ran=0
skipped=0
failed=0
for file in README.md docs/*.md; do
    if [[ ! -f $file ]]; then
        continue
    fi
    while IFS=$'\t' read -r place command; do
        if is_skipped "$command" || is_known_suite "$command" || [[ -n ${done[$command]:-} ]]; then
            skipped=$((skipped + 1))
            continue
        fi
        done[$command]=1
        code=0
        started=$SECONDS
        timeout "$seconds" bash -euo pipefail -c "$command" >"$scratch/output" 2>&1 </dev/null || code=$?
        ran=$((ran + 1))
        if ((SECONDS - started > 4)); then
            echo "slow, $((SECONDS - started)) s: $place: $command"
        fi
        if [[ $code != 0 ]]; then
            failed=$((failed + 1))
            reason="exit code $code"
            if [[ $code == 124 ]]; then
                reason="still running after $seconds s"
            fi
            echo "FAILED $place: $command ($reason)"
            tail -n 15 "$scratch/output" | sed 's/^/    /'
        fi
    done < <(list_commands "$file")
done
echo "$ran commands run, $failed failed, $skipped skipped"
[[ $failed == 0 ]]
