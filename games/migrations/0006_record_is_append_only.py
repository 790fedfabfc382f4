"""The database itself refuses to change or delete an entry of a race's record.

SQLite drops a table's triggers when it remakes the table: a later migration that alters Entry there has to put them up again.
"""

from django.db import migrations

POSTGRESQL_UP = [
    """
    CREATE FUNCTION games_entry_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        RAISE EXCEPTION 'the record of a race is append-only' USING ERRCODE = 'restrict_violation';
    END $$
    """,
    """
    CREATE TRIGGER games_entry_append_only BEFORE UPDATE OR DELETE ON games_entry
    FOR EACH ROW EXECUTE FUNCTION games_entry_refuse_change()
    """,
]
POSTGRESQL_DOWN = [
    "DROP TRIGGER games_entry_append_only ON games_entry",
    "DROP FUNCTION games_entry_refuse_change()",
]
SQLITE_UP = [
    """
    CREATE TRIGGER games_entry_no_update BEFORE UPDATE ON games_entry
    BEGIN SELECT RAISE(ABORT, 'the record of a race is append-only'); END
    """,
    """
    CREATE TRIGGER games_entry_no_delete BEFORE DELETE ON games_entry
    BEGIN SELECT RAISE(ABORT, 'the record of a race is append-only'); END
    """,
]
SQLITE_DOWN = ["DROP TRIGGER games_entry_no_update", "DROP TRIGGER games_entry_no_delete"]


def put_up(apps, schema_editor):
    """Make the triggers of the database at hand."""
    vendor = schema_editor.connection.vendor
    for statement in {"postgresql": POSTGRESQL_UP, "sqlite": SQLITE_UP}[vendor]:
        schema_editor.execute(statement, params=None)


def take_down(apps, schema_editor):
    """Drop them again."""
    vendor = schema_editor.connection.vendor
    for statement in {"postgresql": POSTGRESQL_DOWN, "sqlite": SQLITE_DOWN}[vendor]:
        schema_editor.execute(statement, params=None)


class Migration(migrations.Migration):
    dependencies = [("games", "0005_heartbeat")]

    operations = [migrations.RunPython(put_up, take_down)]
