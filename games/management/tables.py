"""The tables that a command needs."""

from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.db.migrations.executor import MigrationExecutor


def tables_ready() -> None:
    """Make the tables of an empty SQLite database, as in a fresh clone.

    Raises CommandError for a database that holds others than this version's, or that is PostgreSQL's and empty: what
    is done to those, whoever keeps them decides.
    """
    executor = MigrationExecutor(connection)
    if not executor.migration_plan(executor.loader.graph.leaf_nodes()):
        return
    if connection.vendor != "sqlite" or connection.introspection.table_names():
        raise CommandError("The database has not the tables of this version: run `manage.py migrate` first.")
    call_command("migrate", verbosity=0, interactive=False)
