# For scripts/setup: long work whose output nobody watches says now and then how far it is.

# watched WHAT LOG COMMAND...: runs COMMAND with its output in LOG; every half minute a line on
# standard error says that WHAT goes on, and the last line of LOG.
watched() {
    what=$1 log=$2
    shift 2
    : >"$log"
    watch_over "$what" "$log" &
    watcher=$!
    watched_status=0  # the script may have a status of its own
    "$@" >"$log" 2>&1 || watched_status=$?
    kill "$watcher" 2>/dev/null || true
    wait "$watcher" 2>/dev/null || true
    return "$watched_status"
}

# Ends with the script that called it, also where that was interrupted. The sleep holds no output
# open: it may outlive both.
watch_over() {
    seconds=0
    while sleep "${tick:-30}" </dev/null >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do
        seconds=$((seconds + ${tick:-30}))
        echo "setup: $1 for $seconds s: $(tail -n 1 "$2" | cut -c 1-100)" >&2
    done
}
