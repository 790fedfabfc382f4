"""The database itself refuses to change or delete a line of a campaign's ledger, and a line that cannot be.

A line that cannot be: its balance is not the sum of its car's lines, its number does not follow the last one, or it
gives to one car an upgrade that another has. SQLite drops a table's triggers when it remakes the table: a later migration
that alters Posting there has to put them up again.
"""

from django.db import migrations

SUM = "(SELECT COALESCE(SUM(points), 0) FROM games_posting WHERE driver_id = NEW.driver_id) + NEW.points"
LAST = "(SELECT COALESCE(MAX(number), 0) FROM games_posting WHERE campaign_id = NEW.campaign_id)"
OWNED = """(SELECT COALESCE(SUM(CASE kind WHEN 'bought' THEN 1 ELSE -1 END), 0) FROM games_posting
    WHERE campaign_id = NEW.campaign_id AND upgrade = NEW.upgrade)"""
OWN = """(SELECT COALESCE(SUM(CASE kind WHEN 'bought' THEN 1 ELSE -1 END), 0) FROM games_posting
    WHERE driver_id = NEW.driver_id AND upgrade = NEW.upgrade)"""
REFUSED = (
    (f"NEW.balance <> {SUM}", "a balance is the sum of its lines"),
    (f"NEW.number <> {LAST} + 1", "the lines of a ledger follow each other"),
    (f"NEW.kind = 'bought' AND {OWNED} <> 0", "an upgrade has one owner"),
    (
        f"NEW.kind IN ('returned', 'forced_return', 'lost') AND {OWN} <> 1",
        "only its owner can give an upgrade up",
    ),
)
APPEND_ONLY = "the ledger of a campaign is append-only"

POSTGRESQL_UP = [
    f"""
    CREATE FUNCTION games_posting_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        RAISE EXCEPTION '{APPEND_ONLY}' USING ERRCODE = 'restrict_violation';
    END $$
    """,
    """
    CREATE TRIGGER games_posting_append_only BEFORE UPDATE OR DELETE ON games_posting
    FOR EACH ROW EXECUTE FUNCTION games_posting_refuse_change()
    """,
    "CREATE FUNCTION games_posting_refuse_wrong() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
    + " ".join(
        f"IF {wrong} THEN RAISE EXCEPTION '{why}' USING ERRCODE = 'check_violation'; END IF;" for wrong, why in REFUSED
    )
    + " RETURN NEW; END $$",
    """
    CREATE TRIGGER games_posting_is_right BEFORE INSERT ON games_posting
    FOR EACH ROW EXECUTE FUNCTION games_posting_refuse_wrong()
    """,
]
POSTGRESQL_DOWN = [
    "DROP TRIGGER games_posting_append_only ON games_posting",
    "DROP FUNCTION games_posting_refuse_change()",
    "DROP TRIGGER games_posting_is_right ON games_posting",
    "DROP FUNCTION games_posting_refuse_wrong()",
]
SQLITE_UP = [
    *(
        f"CREATE TRIGGER games_posting_no_{verb.lower()} BEFORE {verb} ON games_posting "
        f"BEGIN SELECT RAISE(ABORT, '{APPEND_ONLY}'); END"
        for verb in ("UPDATE", "DELETE")
    ),
    *(
        f"CREATE TRIGGER games_posting_is_right_{number} BEFORE INSERT ON games_posting "
        f"WHEN {wrong} BEGIN SELECT RAISE(ABORT, '{why}'); END"
        for number, (wrong, why) in enumerate(REFUSED)
    ),
]
SQLITE_DOWN = [
    "DROP TRIGGER games_posting_no_update",
    "DROP TRIGGER games_posting_no_delete",
    *(f"DROP TRIGGER games_posting_is_right_{number}" for number in range(len(REFUSED))),
]


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
    dependencies = [("games", "0020_campaigns")]

    operations = [migrations.RunPython(put_up, take_down)]
