#!/bin/sh
# Starts one role of the site: web, worker, beat, inbound, or any command of manage.py.
# A missing or wrong setting ends it with a sentence that names the setting.
set -eu

cd "$(dirname "$0")/.."
role="${1:-web}"
[ "$#" -eq 0 ] || shift

# Every role needs right settings and servers that answer: told before anything is started or migrated.
python -m roadkill_site.start

case "$role" in
    web)
        python manage.py migrate --no-input
        exec gunicorn roadkill_site.wsgi \
            --bind "${WEB_BIND:-0.0.0.0}:${PORT:-8000}" \
            --workers "${WEB_PROCESSES:-2}" \
            --worker-tmp-dir /dev/shm \
            --no-control-socket \
            --access-logfile - \
            "$@"
        ;;
    worker)
        exec celery -A roadkill_site.worker worker \
            --loglevel "${LOG_LEVEL:-INFO}" \
            --concurrency "${WORKER_PROCESSES:-2}" \
            --hostname "worker@$(hostname)" \
            "$@"
        ;;
    beat)
        exec celery -A roadkill_site.worker beat \
            --loglevel "${LOG_LEVEL:-INFO}" \
            --schedule "${VAR_DIR:-/var/lib/roadkill}/beat-schedule" \
            --pidfile= \
            "$@"
        ;;
    inbound)
        exec python manage.py inbound_smtpd "$@"
        ;;
    *)
        exec python manage.py "$role" "$@"
        ;;
esac
