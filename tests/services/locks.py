"""A table that a test holds: whoever is about to write to it stands still in the middle of the transaction."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from django.db import connection
from psycopg import sql


@contextmanager
def held(table: str) -> Iterator[psycopg.Connection]:
    """Nobody writes to this table meanwhile; all may read it."""
    with psycopg.connect(os.environ["DATABASE_URL"]) as holder:
        holder.execute(sql.SQL("LOCK TABLE {} IN SHARE MODE").format(sql.Identifier(table)))
        yield holder
        holder.rollback()


def is_waited_for(table: str) -> bool:
    """Whether a process stands before this table, in the middle of its transaction."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_locks JOIN pg_class ON pg_class.oid = relation WHERE relname = %s AND NOT granted",
            [table],
        )
        return bool(cursor.fetchone()[0])
