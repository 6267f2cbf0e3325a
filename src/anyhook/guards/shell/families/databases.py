"""Databases: statements and tools that delete data."""

from __future__ import annotations

import re

from anyhook.guards.shell.finding import Family, Finding
from anyhook.guards.shell.options import has_option, operands
from anyhook.guards.shell.places import is_temporary
from anyhook.lazy_pattern import LazyPattern
from anyhook.shell.command import Invocation

CLIENTS = frozenset(
    [
        "psql",
        "mysql",
        "mariadb",
        "sqlite3",
        "sqlite",
        "duckdb",
        "mongo",
        "mongosh",
        "redis-cli",
        "valkey-cli",
        "cqlsh",
        "clickhouse-client",
        "clickhouse",
        "sqlcmd",
        "snowsql",
        "cockroach",
        "influx",
        "bq",
        "usql",
        "pgcli",
        "mycli",
        "litecli",
        "turso",
        "isql",
        "osql",
        "sqlplus",
        "db2",
        "trino",
        "presto",
        "spark-sql",
        "hive",
        "beeline",
        "rqlite",
        "neo4j",
        "cypher-shell",
        "surreal",
        "libsql",
        "wrangler",
        "impala-shell",
        "dolt",
        "tiup",
        "surrealdb",
        "invoke-sqlcmd",
        "steampipe",
        "athenacli",
    ]
)
_COMMENTS = LazyPattern(r"/\*.*?\*/|--[^\n]*", re.DOTALL)
_OPTION_NAME = LazyPattern(r"^--[\w-]+=")
"""``--execute=``, which would begin a comment of SQL."""
_STRINGS = LazyPattern(r"'[^']*'")
_STATEMENT = LazyPattern(
    r"""\bDROP\s+(?:DATABASE|SCHEMA|TABLE|USER|ROLE|KEYSPACE|COLLECTION|MATERIALIZED\s+VIEW|VIEW|TABLESPACE|OWNED|
INDEX|FUNCTION|COLUMN|TRIGGER|EXTENSION|MEASUREMENT|SERIES|STREAM|TYPE|SEQUENCE|CONSTRAINT)\b
    |\bTRUNCATE\b|\bDELETE\s+FROM\s+[\w."`\[\]]+\s*(?:;|$|--|\#|"|RETURNING|LIMIT)|
    \bDELETE\s+FROM\s+[\w."`]+\s+WHERE\s+(?:TRUE|1|''='')|
    \bUPDATE\s+[\w."`]+\s+SET\s+(?:(?!\bWHERE\b)[^;])*(?:;|$)
    |\bUPDATE\s+[\w."`]+\s+SET\s[^;]*\bWHERE\s+(?:1\s*=\s*1|TRUE)\b|\bALTER\s+TABLE\b[^;]*\bDROP\b|
    \bALTER\s+(?:USER|ROLE)\b[^;]*\b(?:SUPERUSER|PASSWORD|IDENTIFIED)\b|\bGRANT\s+ALL\b|
    \bALTER\s+DATABASE\b|\bPURGE\s+BINARY\b|\bRESET\s+MASTER\b
    |\bCOPY\b[^;]*\bPROGRAM\b|\bpg_terminate_backend\b|\bMATCH\s*\(\w*\)\s*DELETE\b|
    \bDETACH\s+DELETE\b|\bINTO\s+(?:OUT|DUMP)FILE\b|\bxp_cmdshell\b|\bREMOVE\s+(?:TABLE|DATABASE|
    NAMESPACE)\b""",
    re.VERBOSE | re.IGNORECASE,
)
_DOCUMENTS = LazyPattern(
    r"dropDatabase\s*\(|\.drop\s*\(|deleteMany\s*\(\s*(?:\{\s*\}\s*)?\)|\.remove\s*\(\s*(?:\{\s*\})?\s*\)|"
    r"dropCollection|dropIndexes|dropUser|updateMany\(\s*\{\s*\}|shutdownServer|"
    r"fsyncLock|dropAllUsers"
)
_KEYS = LazyPattern(
    r"\b(?:FLUSHALL|FLUSHDB|SHUTDOWN|DEBUG\s+(?:SEGFAULT|SLEEP)|CONFIG\s+SET|SWAPDB|SCRIPT\s+FLUSH|"
    r"SLAVEOF|REPLICAOF|MODULE\s+LOAD|CLUSTER\s+RESET|ACL\s+(?:DELUSER|SETUSER))\b|\bDEL\s+\S*\*|"
    r"\bEVAL\b.*\bdel\b",
    re.IGNORECASE,
)
_PROGRAMS = frozenset(["dropdb", "dropuser", "pg_dropcluster", "pg_resetwal", "mysql_secure_installation"])
_TEST_DATABASE = LazyPattern(r"(?:^|[_-])tests?(?:[_-]|$)", re.IGNORECASE)
_TASKS = LazyPattern(
    r"""\b(?:db:(?:drop|reset|purge|schema:load|structure:load|truncate_all|wipe|setup:reset|nuke|
seed:replant)(?::\w+)*|migrate:(?:fresh|reset|refresh)|ecto\.(?:drop|reset)|schema:drop|db\s+wipe|
migrate\s+reset|migrate\s+\w+\s+zero|sqlflush|flush|reset_db|reset_schema|force-reset|accept-data-loss|
    database\s+drop|dropAll|drop-all|downgrade\s+base|fixtures:load|doctrine:(?:database|schema):drop|
    undo:all|rollback\s+--all|migration:revert\s+--all|down\s+-all)\b""",
    re.VERBOSE,
)
_RUNNERS = frozenset(
    [
        "rails",
        "rake",
        "artisan",
        "php",
        "python",
        "python3",
        "manage.py",
        "django-admin",
        "prisma",
        "sequelize",
        "sequelize-cli",
        "knex",
        "typeorm",
        "alembic",
        "mix",
        "drizzle-kit",
        "dotnet",
        "supabase",
        "flask",
        "npm",
        "yarn",
        "pnpm",
        "bun",
        "symfony",
        "console",
        "dbmate",
        "goose",
        "migrate",
        "atlas",
        "hasura",
        "blitz",
        "mikro-orm",
        "medusa",
        "craft",
        "wp",
        "drush",
        "spring",
        "sqlx",
        "diesel",
        "skeema",
        "sqitch",
        "yii",
        "phinx",
    ]
)


def refuse(what: str) -> Finding:
    return Finding(Family.DATABASES, what, "Use a copy or a transaction that you roll back, or ask the user.")


def has_destructive_statement(text: str, *, in_strings: bool = False) -> bool:
    """Whether a statement of a text deletes data; what it has in quotes counts only on request, for code."""
    bare = _COMMENTS.sub(" ", text)
    if in_strings:
        bare = re.sub(r"[\"'`)]", ";", bare)
    bare = _STRINGS.sub("''", bare)
    return bool(_STATEMENT.search(bare) or _DOCUMENTS.search(text))


def judge_client(command: Invocation) -> Finding | None:
    arguments = [_OPTION_NAME.sub("", argument) for argument in command.arguments]
    text = "\n".join([" ".join(arguments), *command.written_files])
    if any(argument == ":memory:" or is_temporary(argument) for argument in command.arguments[:-1]):
        return None
    if re.match(r"(?:-\S+ )*COMMAND\b", text) or any(argument.startswith("\\") for argument in command.arguments):
        return None
    if re.search(r"[$`]\(?[^)]*\bdrop\s", text, re.IGNORECASE) or re.search(r"\bEXECUTE\s+'DROP", text):
        return refuse("deletes data from a database")
    if command.input is not None and command.input.text:
        text += "\n" + command.input.text
    elif command.input is not None:
        text += "\n" + "\n".join(
            [source.text for source in command.input.sources if source.name in ("echo", "printf", "cat")]
        )
    statements = [argument for argument in arguments if " " in argument or ";" in argument] or [text]
    if any(has_destructive_statement(statement) for statement in statements) or has_destructive_statement(text):
        return refuse("deletes data from a database")
    if command.name == "influx" and "delete" in operands(command)[:2]:
        return refuse("deletes data from a database")
    if command.name in ("redis-cli", "valkey-cli") and (
        _KEYS.search(text)
        or re.search(r"\b(?:del|unlink)\s+[$`]", text, re.IGNORECASE)
        or (command.has_more_arguments and re.search(r"\b(?:del|unlink)\b", text, re.IGNORECASE))
    ):
        return refuse("deletes keys from a database")
    return None


def judge_program(command: Invocation) -> Finding | None:
    if has_option(command, "", "--version"):
        return None
    names = operands(command, ("-h", "-p", "-U", "--host", "--port", "--username", "--maintenance-db"))
    if command.name == "dropdb" and names and all(map(_TEST_DATABASE.search, names)):
        return None
    return refuse("deletes a database or a user of it")


def judge_admin(command: Invocation) -> Finding | None:
    if command.name == "mysqladmin":
        return (
            refuse("deletes or stops a database")
            if any(argument in ("drop", "shutdown", "flush-hosts") for argument in command.arguments)
            else None
        )
    if command.name == "pg_restore":
        return refuse("replaces the tables of a database") if has_option(command, "c", "--clean") else None
    if command.name == "mongorestore":
        return refuse("replaces the collections of a database") if has_option(command, "", "--drop") else None
    if command.name in ("flyway", "liquibase"):
        return (
            refuse("deletes everything from a database")
            if any(re.match(r"clean$|drop-?all$|undo$", argument, re.IGNORECASE) for argument in command.arguments)
            else None
        )
    if command.name.startswith("kafka-"):
        return refuse("deletes messages") if has_option(command, "", "--delete", "--offset-json-file") else None
    if command.name.startswith("rabbitmq"):
        return (
            refuse("deletes messages")
            if re.search(r"\b(?:reset|force_reset|delete_\w+|purge_queue|delete|purge|stop_app|stop)\b", command.text)
            else None
        )
    return None


def judge_task(command: Invocation) -> Finding | None:
    """Tasks of web frameworks that drop or empty the database."""
    text = command.text
    if (match := _TASKS.search(text)) is None or "--dry-run" in command.arguments:
        return None
    if match[0] == "flush" and "manage.py" not in text and "django-admin" not in text:
        return None
    return refuse("drops or empties a database")


JUDGES = {
    **dict.fromkeys(CLIENTS, (judge_client,)),
    **dict.fromkeys(_PROGRAMS, (judge_program,)),
    **dict.fromkeys(
        (
            "mysqladmin",
            "pg_restore",
            "mongorestore",
            "flyway",
            "liquibase",
            "kafka-topics",
            "kafka-topics.sh",
            "kafka-delete-records",
            "kafka-delete-records.sh",
            "kafka-consumer-groups",
            "kafka-consumer-groups.sh",
            "rabbitmqctl",
            "rabbitmqadmin",
        ),
        (judge_admin,),
    ),
    **dict.fromkeys((name for name in _RUNNERS), (judge_task,)),
}
