/**
 * Runs "$@" until standard input ends, which it does however the parent dies, kill -9 included. Then PostgreSQL is
 * asked to stop (SIGINT: without waiting for its clients), and the folders $1 and $2 are removed.
 * Asked again each second: a program that was just started may not hear the first.
 * Where PostgreSQL ends by itself the folders stay: the parent starts it again.
 */
export const watchdog = `
socket=$1 temporary=$2
shift 2
over=
exec 3<&0 </dev/null
"$@" 3<&- &
postgres=$!
trap 'over=yes; kill -INT $postgres 2>/dev/null' USR1
trap '' INT HUP
(exec >/dev/null 2>&1; read -r _ <&3; while kill -USR1 $$; do sleep 1; done) &
reader=$!
exec 3<&-
while kill -0 $postgres 2>/dev/null; do wait $postgres; code=$?; done
kill $reader 2>/dev/null
[ -z "$over" ] && exit $code
rm -rf "$socket"
[ -z "$temporary" ] || rm -rf "$temporary"
exit 0
`
