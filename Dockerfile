# One image for every service of compose.yaml; only the command differs.
FROM python:3.11-slim AS packages
COPY requirements.txt .
RUN python -m venv /venv && /venv/bin/pip install --no-cache-dir --require-hashes --requirement requirements.txt

FROM python:3.11-slim
ENV PATH=/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    DEBUG=false \
    VAR_DIR=/var/lib/roulette
# A number of its own, so that a file of the host can be given to it alone (the key of the draw).
RUN useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin roulette \
    && install --directory --owner roulette --mode 0700 "$VAR_DIR" "$VAR_DIR/papers" "$VAR_DIR/register"
WORKDIR /app
COPY --from=packages /venv /venv
COPY . .
# What is collected depends on no secret, but the settings ask for one.
RUN SECRET_KEY=only-while-building PERSONAL_DATA_KEY=b25seSB3aGlsZSBidWlsZGluZywgZm9yIG5vdGhpbmc= python manage.py collectstatic --no-input
USER roulette
EXPOSE 8000
CMD ["gunicorn", "roulette_site.wsgi:application", "--bind", "0.0.0.0:8000", "--workers", "2", "--threads", "4", \
     "--worker-tmp-dir", "/dev/shm", "--graceful-timeout", "20", "--access-logfile", "-"]
