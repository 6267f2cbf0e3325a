"""What others use, and data: containers, clusters, clouds, databases, packages that others install."""

from __future__ import annotations

import re
from itertools import pairwise

from anyhook.guards.effects.command_effects import CommandEffects, option_values
from anyhook.guards.effects.model import Verb, Zone, words
from anyhook.guards.effects.program_table import merged, program, rows, special
from anyhook.lazy_pattern import LazyPattern

# ----------------------------------------------------------------------------------------------------------- containers

_LISTED = LazyPattern(r"\$\((?:docker|podman|nerdctl)\s+(?:ps|images|container|image|volume|network)\b")
_MOUNT = LazyPattern(
    r"(?:^|=)(?:/|~|/etc|/root|/home|/var|/boot|/usr|/var/run/docker\.sock|/run/docker\.sock|/proc|/sys|/dev)"
    r"(?:/?:|,|$)|~/\.(?:ssh|aws|kube|gnupg)[/:]"
)
_CONTROL = "gives a container control over this machine"
_POWERS = r"host|ALL|SYS_ADMIN|apparmor[=:]unconfined|seccomp[=:]unconfined|/dev/"
_ALL_OF_THEM = "removes every container or image of this machine"
_CLUSTER = "deletes objects of a cluster"
_ENGINES = "docker podman nerdctl crictl docker-compose podman-compose"
_DOCKER_VALUES = words("-H --host -c --context --config -f --file -p --project-name --profile --env-file -l")
_KUBECTL_VALUES = (
    "-n --namespace --context --kubeconfig --cluster -l --selector -f --filename -o -c --replicas -p --patch --user "
    "--grace-period --timeout"
)
_DESTROYED = "destroys a virtual machine or a part of a cluster"
_SHARED_CONTAINERS = LazyPattern(
    r"(?:swarm leave|stack rm|node rm|service rm|secret rm|config rm|context rm|system reset|machine rm)(?: |$)"
)
_ENDS_ALL = LazyPattern(r"(?:rm|rmi|kill|stop|container (?:rm|kill|stop)|image rm|pod (?:rm|stop))(?: |$)")
_RUNS = LazyPattern(r"(?:run|create|exec|container run|compose run|compose exec)(?: |$)")


def docker(run: CommandEffects) -> None:
    def tell(what: str) -> None:
        run.add(Verb.SHARED, "containers", what)

    if any(re.search(r"privileged: *true|[\"' ]/:/", text) for text in run.command.written_files):
        tell(_CONTROL)
    names = run.operands(_DOCKER_VALUES)
    names = ["compose", *names] if run.name.endswith("-compose") else names
    verb = " ".join(names)
    is_all = run.has("a", "--all")
    is_dangling = names[:2] == ["image", "prune"] and not is_all
    if "prune" in names[:2] and names[0] not in ("builder", "buildx", "network") and not is_dangling:
        tell("deletes containers, images or volumes that it does not name")
    if re.match(r"volume (?:rm|remove)(?: |$)", verb):
        tell("deletes a volume with its data")
    is_listed = run.command.has_more_arguments or any(map(_LISTED.search, run.arguments))
    if _ENDS_ALL.match(verb) and (is_all or is_listed):
        tell(_ALL_OF_THEM)
    if names[:1] == ["rm"] and run.has("v", "--volumes"):
        tell("deletes a container with its volumes")
    if re.match(r"compose (?:down|rm)(?: |$)", verb) and (run.has("v", "--volumes", "--rmi") or "all" in run.arguments):
        tell("deletes the volumes of the project with their data")
    if _SHARED_CONTAINERS.match(verb):
        tell("destroys shared containers")
    if re.match(r"service scale .*=0(?: |$)", verb):
        tell("stops a shared service")
    if _RUNS.match(verb):
        _container(run)


def _container(run: CommandEffects) -> None:
    for option, argument in pairwise(run.arguments):
        name, equals, value = argument.partition("=")
        powers = ("--pid", "--ipc", "--userns", "--cap-add", "--security-opt", "--device")
        is_power = (equals and name in (*powers, "--uts", "--cgroupns") and re.match(_POWERS, value)) or (
            option in powers and re.match(_POWERS, argument)
        )
        if is_power or argument in ("--privileged", "--privileged=true"):
            run.add(Verb.SHARED, "containers", _CONTROL)
        mounts = option in ("-v", "--volume", "--mount") or argument.startswith(("-v", "--volume=", "--mount="))
        if mounts and _MOUNT.search(argument.removeprefix("-v")):
            run.add(Verb.SHARED, "containers", "gives a container folders of this machine")


def kubectl(run: CommandEffects) -> None:
    """What no row can say: one pod or job may be deleted by its name, and what is applied is a text."""
    names = run.operands(_KUBECTL_VALUES.split())
    names = names[1:] if names[:1] == ["kubectl"] else names  # k3s kubectl
    if run.has("", "--dry-run") or not names:
        return
    if names[0] == "delete":
        is_named = len(names) > 2 or "/" in "".join(names[1:2])
        is_pod = is_named and re.match(r"(?:pods?|po|jobs?|job\.batch)(?:/|$)", "".join(names[1:2]))
        is_wide = run.has("", "--all", "--all-namespaces", "--force") or run.has("Al", "--selector")
        if not is_pod or is_wide or run.command.has_more_arguments:
            run.add(Verb.SHARED, "containers", _CLUSTER)
    applied = "\n".join([run.text, run.input_text, *run.command.written_files])
    if names[0] in ("create", "apply", "replace") and re.search(
        r"(?is)clusterrolebinding.*cluster-admin|privileged: *true", applied
    ):
        run.add(Verb.SHARED, "containers", "gives control over a cluster away")


_KUBE = r"(?:kubectl )?"
CONTAINERS = merged(
    special(_ENGINES, docker),
    special("kubectl oc k k3s", kubectl),
    rows(
        Verb.SHARED,
        "containers",
        program("kubectl oc k k3s", "takes a node out of a cluster", words=_KUBE + r"(?:drain|cordon|taint|evict)",
                values=_KUBECTL_VALUES, unless="--dry-run"),
        program("kubectl oc k k3s", _CLUSTER, words=_KUBE + "replace", flag="--force", values=_KUBECTL_VALUES,
                unless="--dry-run"),
        program("kubectl oc k k3s", _CLUSTER, words=_KUBE + "apply", flag="--prune", values=_KUBECTL_VALUES,
                unless="--dry-run"),
        program("kubectl oc k k3s", "stops a service of a cluster", words=_KUBE + "scale", line=r"--replicas[= ]0\b",
                values=_KUBECTL_VALUES, unless="--dry-run"),
        program("kubectl oc k k3s", "deletes objects of a cluster past their checks", words=_KUBE + "patch",
                line=r"finalizers\W+(?:null|\[\s*\])", values=_KUBECTL_VALUES, unless="--dry-run"),
        program("kubectl oc k k3s", "deletes the access to a cluster", words=_KUBE + r"config (?:delete|unset)[\w-]*",
                values=_KUBECTL_VALUES, unless="--dry-run"),
        program("helm", "removes a release from a cluster", words="uninstall|delete|del|un|rollback",
                values="-n --namespace --kube-context", unless="--dry-run"),
        program("k3s-uninstall.sh k3s-agent-uninstall.sh rke2-uninstall.sh",
                "removes a cluster and its data from this machine"),
        program("kubeadm", "removes a cluster and its data from this machine", words="reset"),
        program("kind minikube k3d kubeadm", "deletes every cluster of this machine",
                words=r"(?=(?:.* )?delete(?: |$))(?:.* )?clusters"),
        program("kind minikube k3d kubeadm", "deletes every cluster of this machine",
                words=r"(?:.* )?delete", flag="-a --all --purge"),
        program("vagrant", _DESTROYED, words=r"(?:\S+ )?destroy"),
        program("virsh", _DESTROYED, words=r"(?:\S+ )?(?:destroy|undefine|vol-delete|pool-delete|snapshot-delete)"),
        program("lxc incus colima argocd", _DESTROYED, words=r"(?:\S+ )?delete"),
        program("multipass", _DESTROYED, words=r"(?:\S+ )?(?:delete|purge)"),
        program("qm pct", _DESTROYED, words=r"(?:\S+ )?destroy"),
        program("vboxmanage", _DESTROYED, words=r"(?:\S+ )?(?:unregistervm|closemedium)"),
        program("limactl", _DESTROYED, words=r"(?:\S+ )?(?:delete|factory-reset)"),
        program("flux velero", _DESTROYED, words=r"(?:\S+ )?(?:uninstall|delete)"),
        program("istioctl", _DESTROYED, words=r"(?:\S+ )?uninstall"),
        program("etcdctl", _DESTROYED, words=r"(?:\S+ )?del"),
        program("machinectl", _DESTROYED, words=r"(?:\S+ )?(?:remove|terminate)"),
        program("wsl", "destroys a Linux system of this machine", line=r"\s--unregister(?:\s|$)"),
    ),
)  # fmt: skip

# ------------------------------------------------------------------------------------------------------- infrastructure

_PLANNERS = "terraform tofu terragrunt tf"
_DESTROYS = "destroys infrastructure"
_UNASKED = "changes infrastructure without a question"
_RECORD = "changes the record of the infrastructure"
_OBJECTS = "deletes objects or a bucket"
_PUBLIC = "makes objects public"
_STACKS = "cdk sam serverless sls eb eksctl kops sst amplify cdktf ecs-cli chalice zappa ask"
_CLOUDS = (
    "gcloud az doctl hcloud linode-cli oci ibmcloud openstack scw vultr-cli civo exo yc aliyun bq upctl ovhcloud "
    "confluent atlas cbt"
)
_PLATFORMS = (
    "heroku fly flyctl vercel now netlify wrangler firebase supabase railway render neonctl turso pscale planetscale "
    "ntl surge dokku cf deta"
)
_AWS_VALUES = "--profile --region --output --query --endpoint-url --cli-input-json --color"
_DESTROYING = (
    r"(?:delete|terminate|remove|deregister|purge|revoke|detach|disable|batch-delete|schedule-key-deletion|stop-logging|"
    r"reset|release|put-bucket-policy|put-bucket-acl|put-public-access-block|create-access-key|attach-user-policy|"
    r"attach-role-policy|put-user-policy|put-role-policy|create-login-profile|update-assume-role-policy|"
    r"authorize-security-group-ingress|modify-db-instance|stop-instances|reboot-instances|stop-db|"
    r"change-resource-record-sets|rotate-secret)(?:-\S*)?(?= |$)"
)
_CLOUD_VERBS = (
    r"(?:delete(?:-\S+)?|destroy|purge|remove|rm|reset|stop|deallocate|remove-iam-policy-binding|"
    r"add-iam-policy-binding|set-iam-policy|disable|detach-disk|terminate|power-off|rebuild|wipe)(?= |$)"
)
_PLATFORM = (
    r"(?:apps?:destroy|apps? destroy|destroy\b|pg:reset|pg:copy|addons:destroy|config:unset|domains:remove|"
    r"access:remove|"
    r"maintenance:on|releases:rollback|rollback|volumes? (?:destroy|delete|rm)|machines? (?:destroy|remove|rm)|"
    r"postgres detach|secrets (?:unset|delete)|secret delete|remove\b|rm\b|projects? (?:rm|remove|delete)|"
    r"env (?:rm|remove|unset)|env:unset|domains? rm|sites?:delete|delete\b|kv[: ](?:namespace|key|bulk) delete|"
    r"r2 (?:bucket|object) delete|d1 delete|queues delete|projects:delete|firestore:delete|hosting:disable|"
    r"functions:delete|database:remove|auth:import|db reset|branches delete|down\b|environment delete|service delete|"
    r"alias rm|certs rm|teams rm|apps delete|databases? (?:destroy|delete)|db (?:destroy|drop))\S*"
)
_SECRET_STORES = (
    r"(?:delete\b|kv (?:destroy|delete|metadata delete)|secrets disable|auth disable|policy delete|"
    r"operator (?:seal|step-down|rekey|raft remove)|lease revoke|token revoke|job stop|node drain|system gc|"
    r"force-leave|"
    r"leave\b|acl (?:token|policy) delete|node delete|client delete|role delete|cookbook delete|environment delete|"
    r"data bag delete)\S*"
)
_ENDS = "destroy|remove|delete|terminate|down|teardown|env:delete|app:delete"


def requested_delete(run: CommandEffects) -> None:
    """DELETE requests to other machines, and to a search index or a registry on this one."""
    methods = [value.upper() for value in run.values("-X", "--request", "--method")]
    if run.name != "curl":
        methods += [argument for argument in run.arguments if argument == "DELETE"]
    urls = [one for one in run.arguments if "://" in one or re.match(r"[\w.-]+:\d+/|localhost", one)]
    if "DELETE" in methods and urls and not is_local_request(urls):
        run.add(Verb.SHARED, "cloud", "deletes something on a server")


def is_local_request(urls: list[str]) -> bool:
    """Whether a request that deletes goes to a server of the developer's own, and to no index of everything."""
    is_local = all(re.match(r"(?:https?://)?(?:localhost|127\.|0\.0\.0\.0|\[::1\])", url) for url in urls)
    return is_local and not re.search(r":(?:9200|5984|8500|2379|8086)/|_all|/\*", urls[0])


def planned(run: list[CommandEffects]) -> None:
    """``terraform plan -destroy -out x && terraform apply x``: a saved plan is applied without a question."""
    plans: set[str] = set()
    for one in run:
        if one.name not in _PLANNERS.split():
            continue
        options = [argument.lstrip("-") for argument in one.arguments if argument.startswith("-")]
        if "plan" in one.arguments and ("destroy" in options or "destroy=true" in options):
            plans |= {one.shown(path) for path in option_values(one.arguments, "-out", "--out")}
            plans |= {one.shown(option[4:]) for option in options if option.startswith("out=")}
        elif "apply" in one.arguments and plans.intersection(map(one.shown, one.operands())):
            one.add(Verb.SHARED, "cloud", _DESTROYS)


INFRASTRUCTURE = merged(
    rows(
        Verb.SHARED,
        "cloud",
        program(_PLANNERS, _DESTROYS, words=r"(?:run(?:-all)? )?destroy", unless="--dry-run -dry-run"),
        program(_PLANNERS, _DESTROYS, words=r"(?:run(?:-all)? )?apply", line=r"\s-*destroy(?:\s|$)",
                unless="--dry-run -dry-run"),
        program(_PLANNERS, _UNASKED, words=r"(?:run(?:-all)? )?apply", line=r"\s-*(?:auto-approve|replace)",
                unless="--dry-run -dry-run"),
        program(_PLANNERS, _RECORD, words=r"(?:run(?:-all)? )?(?:taint|force-unlock)|"
                r"state (?:rm|push|mv|replace-provider)|run(?:-all)? state", unless="--dry-run -dry-run"),
        program(_PLANNERS, _RECORD, words=r"workspace (?:.* )?delete", unless="--dry-run -dry-run"),
        program("pulumi", _DESTROYS, words="destroy|down|dn|stack rm|state delete", unless="--preview-only --dry-run"),
        program("pulumi", _UNASKED, words="up|update", flag="-y -f --yes --skip-preview",
                unless="--preview-only --dry-run"),
        program(_STACKS, _DESTROYS, words=rf"(?:{_ENDS})(?= |$)|\S+ (?:delete|destroy|remove|rm|terminate)"),
        program(_STACKS, _UNASKED, words="deploy", line=r"--require-approval[= ]never|--force"),
        program("aws awslocal", _OBJECTS, words="s3 (?:rb|rm)", values=_AWS_VALUES, unless="--dry-run --dryrun"),
        program("aws awslocal", _OBJECTS, words="s3 (?:sync|mv)", flag="--delete", values=_AWS_VALUES,
                unless="--dry-run --dryrun"),
        program("aws awslocal", _PUBLIC, words=r"s3 \S+", line="public-read", values=_AWS_VALUES,
                unless="--dry-run --dryrun"),
        program("aws awslocal", "destroys or opens something in a cloud", words=rf"(?!s3 )\S+ {_DESTROYING}",
                values=_AWS_VALUES, unless="--dry-run --dryrun"),
        program(_CLOUDS, "destroys or opens something in a cloud",
                words=rf"(?!(?:config|auth|components)(?: |$))(?:\S+ ){{0,4}}?{_CLOUD_VERBS}",
                values="--project --zone --region -g --resource-group -n --name --format --subscription"),
        program("gsutil s3cmd", _OBJECTS, words="rm|rb|del", values="-h -o -u"),
        program("gsutil s3cmd", _OBJECTS, words="rsync", flag="-d", values="-h -o -u", unless="-n"),
        program("gsutil s3cmd", _PUBLIC, words="iam|acl|cp|rsync", line=r"\s(?-i:allUsers\b|public-)",
                values="-h -o -u"),
        program(_PLATFORMS, "destroys something on a platform", words=_PLATFORM,
                values="-a --app --project -P --token --scope -s --site --env -e"),
        program(_PLATFORMS, "destroys something on a platform",
                line=r"ps:scale\s+\S+=0|--remote.*\b(?:DROP|DELETE|TRUNCATE)\b"),
        program("vault nomad consul knife", "deletes shared configuration or secrets", words=_SECRET_STORES),
        program("ansible", "runs a dangerous command on many machines",
                line=r"\s(?:-a|--args)\s*=?.*(?-i:\brm\s+-\w*r|shutdown|reboot|mkfs|dd\s+if=|userdel|"
                r"systemctl\s+(?:stop|disable)|state=absent|iptables\s+-F)"),
        program("ansible", "restarts many machines", line=r"\s(?:-m|--module-name)[\s=]*\S*reboot(?:\s|$)"),
        program("salt", "runs a command on many machines",
                line=r"(?-i:cmd\.run\b.*(?:rm\s+-|shutdown|reboot)|system\.(?:reboot|shutdown))"),
        program("rclone mc", "deletes files on another machine",
                words="delete|purge|deletefile|rmdirs|cleanup|rm|rb"),
    ),
    special("curl http https xh", requested_delete),
)  # fmt: skip

# ------------------------------------------------------------------------------------------------------------ databases

CLIENTS = (
    "psql mysql mariadb sqlite3 sqlite duckdb mongo mongosh redis-cli valkey-cli cqlsh clickhouse-client "
    "clickhouse sqlcmd "
    "snowsql cockroach influx bq usql pgcli mycli litecli turso isql osql sqlplus db2 trino presto spark-sql "
    "hive beeline "
    "rqlite neo4j cypher-shell surreal libsql wrangler impala-shell dolt tiup surrealdb invoke-sqlcmd steampipe "
    "athenacli"
)
_COMMENTS = LazyPattern(r"/\*.*?\*/|--[^\n]*", re.DOTALL)
_OPTION_NAME = LazyPattern(r"^--[\w-]+=")
"""``--execute=``, which would begin a comment of SQL."""
_STRINGS = LazyPattern(r"'[^']*'")
_STATEMENT = LazyPattern(
    r"""\bDROP\s+(?:DATABASE|SCHEMA|TABLE|USER|ROLE|KEYSPACE|COLLECTION|MATERIALIZED\s+VIEW|VIEW|TABLESPACE|OWNED|INDEX|
    FUNCTION|COLUMN|TRIGGER|EXTENSION|MEASUREMENT|SERIES|STREAM|TYPE|SEQUENCE|CONSTRAINT)\b|\bTRUNCATE\b|
    \bDELETE\s+FROM\s+[\w."`\[\]]+\s*(?:;|$|--|\#|"|RETURNING|LIMIT)|\bDELETE\s+FROM\s+[\w."`]+\s+WHERE\s+(?:TRUE|1|''='')|
    \bUPDATE\s+[\w."`]+\s+SET\s+(?:(?!\bWHERE\b)[^;])*(?:;|$)|
    \bUPDATE\s+[\w."`]+\s+SET\s[^;]*\bWHERE\s+(?:1\s*=\s*1|TRUE)\b|\bALTER\s+TABLE\b[^;]*\bDROP\b|
    \bALTER\s+(?:USER|ROLE)\b[^;]*\b(?:SUPERUSER|PASSWORD|IDENTIFIED)\b|\bGRANT\s+ALL\b|\bALTER\s+DATABASE\b|
    \bPURGE\s+BINARY\b|\bRESET\s+MASTER\b|\bCOPY\b[^;]*\bPROGRAM\b|\bpg_terminate_backend\b|
    \bMATCH\s*\(\w*\)\s*DELETE\b|\bDETACH\s+DELETE\b|\bINTO\s+(?:OUT|DUMP)FILE\b|\bxp_cmdshell\b|
    \bREMOVE\s+(?:TABLE|DATABASE|NAMESPACE)\b""",
    re.VERBOSE | re.IGNORECASE,
)
_DOCUMENTS = LazyPattern(
    r"dropDatabase\s*\(|\.drop\s*\(|deleteMany\s*\(\s*(?:\{\s*\}\s*)?\)|\.remove\s*\(\s*(?:\{\s*\})?\s*\)|dropCollection|"
    r"dropIndexes|dropUser|updateMany\(\s*\{\s*\}|shutdownServer|fsyncLock|dropAllUsers"
)
_KEYS = LazyPattern(
    r"\b(?:FLUSHALL|FLUSHDB|SHUTDOWN|DEBUG\s+(?:SEGFAULT|SLEEP)|CONFIG\s+SET|SWAPDB|SCRIPT\s+FLUSH|SLAVEOF|REPLICAOF|"
    r"MODULE\s+LOAD|CLUSTER\s+RESET|ACL\s+(?:DELUSER|SETUSER))\b|\bDEL\s+\S*\*|\bEVAL\b.*\bdel\b|"
    r"\b(?:del|unlink)\s+[$`]",
    re.IGNORECASE,
)
_TEST_DATABASE = LazyPattern(r"(?:^|[_-])tests?(?:[_-]|$)", re.IGNORECASE)
_TASKS = LazyPattern(
    r"\b(?:db:(?:drop|reset|purge|schema:load|structure:load|truncate_all|wipe|setup:reset|nuke|seed:replant)(?::\w+)*|"
    r"migrate:(?:fresh|reset|refresh)|ecto\.(?:drop|reset)|schema:drop|db\s+wipe|migrate\s+reset|migrate\s+\w+\s+zero|"
    r"sqlflush|flush|reset_db|reset_schema|force-reset|accept-data-loss|database\s+drop|dropAll|drop-all|downgrade\s+base|"
    r"fixtures:load|doctrine:(?:database|schema):drop|undo:all|rollback\s+--all|migration:revert\s+--all|down\s+-all)\b"
)
_RUNNERS = (
    "rails rake artisan php python python3 manage.py django-admin prisma sequelize sequelize-cli knex typeorm "
    "alembic mix "
    "drizzle-kit dotnet supabase flask npm yarn pnpm bun symfony console dbmate goose migrate atlas hasura blitz "
    "mikro-orm "
    "medusa craft wp drush spring sqlx diesel skeema sqitch yii phinx"
)
_DATA = "deletes data from a database"
_MESSAGES = "deletes messages"


def has_destructive_statement(text: str, *, in_strings: bool = False) -> bool:
    """Whether a statement of a text deletes data; what it has in quotes counts only on request, for code."""
    bare = _COMMENTS.sub(" ", text)
    if in_strings:
        bare = re.sub(r"[\"'`)]", ";", bare)
    bare = _STRINGS.sub("''", bare)
    return bool(_STATEMENT.search(bare) or _DOCUMENTS.search(text))


def client(run: CommandEffects) -> None:
    arguments = [_OPTION_NAME.sub("", argument) for argument in run.arguments]
    text = "\n".join([" ".join(arguments), *run.command.written_files])
    if any(one == ":memory:" or run.place(one).zone is Zone.TEMPORARY for one in run.arguments[:-1] if one[:1] in ":/"):
        return
    if re.match(r"(?:-\S+ )*COMMAND\b", text) or any(argument.startswith("\\") for argument in run.arguments):
        return
    if run.input_text:
        text += "\n" + run.input_text
    else:
        text += "\n" + "\n".join([one.text for one in run.sources if one.name in ("echo", "printf", "cat")])
    is_made = re.search(r"[$`]\(?[^)]*\bdrop\s", text, re.IGNORECASE) or re.search(r"\bEXECUTE\s+'DROP", text)
    statements = [argument for argument in arguments if " " in argument or ";" in argument] or [text]
    if (
        is_made
        or any(map(has_destructive_statement, (*statements, text)))
        or (run.name == "influx" and "delete" in run.operands()[:2])
    ):
        run.add(Verb.SHARED, "database", _DATA)
    elif run.name in ("redis-cli", "valkey-cli") and (
        _KEYS.search(text) or (run.command.has_more_arguments and re.search(r"\b(?:del|unlink)\b", text, re.IGNORECASE))
    ):
        run.add(Verb.SHARED, "database", "deletes keys from a database")


def dropdb(run: CommandEffects) -> None:
    names = run.operands(("-h", "-p", "-U", "--host", "--port", "--username", "--maintenance-db"))
    is_test = run.name == "dropdb" and names and all(map(_TEST_DATABASE.search, names))
    if not is_test and not run.has("", "--version"):
        run.add(Verb.SHARED, "database", "deletes a database or a user of it")


def task(run: CommandEffects) -> None:
    """Tasks of web frameworks that drop or empty the database."""
    match = _TASKS.search(run.text)
    if match is None or "--dry-run" in run.arguments:
        return
    if match[0] != "flush" or "manage.py" in run.text or "django-admin" in run.text:
        run.add(Verb.SHARED, "database", "drops or empties a database")


DATABASES = merged(
    special(CLIENTS, client),
    special("dropdb dropuser pg_dropcluster pg_resetwal mysql_secure_installation", dropdb),
    special(_RUNNERS, task),
    rows(
        Verb.SHARED,
        "database",
        program("mysqladmin", "deletes or stops a database", line=r"\s(?:drop|shutdown|flush-hosts)(?:\s|$)"),
        program("pg_restore", "replaces the tables of a database", flag="-c --clean"),
        program("mongorestore", "replaces the collections of a database", flag="--drop"),
        program("flyway liquibase", "deletes everything from a database", line=r"\s(?:clean|drop-?all|undo)(?:\s|$)"),
        program("kafka-topics kafka-topics.sh kafka-delete-records kafka-delete-records.sh kafka-consumer-groups "
                "kafka-consumer-groups.sh", _MESSAGES, flag="--delete --offset-json-file"),
        program("rabbitmqctl rabbitmqadmin", _MESSAGES,
                line=r"(?-i:\b(?:reset|force_reset|delete_\w+|purge_queue|delete|purge|stop_app|stop)\b)"),
    ),
)  # fmt: skip

# ----------------------------------------------------------------------------------------------------------- publishing

_REHEARSED = (
    r"^(?!.*(?:--dry-?run\b|--no-push\b|--snapshot\b|--skip-publish\b|--preview\b|--local\b|--push=false\b))"
    r"(?!\S+ (?:-\S+ )*run(?:-script)?(?: |$))"
)
_ANY_REHEARSED = (
    r"^(?!.*(?:--dry-?run\b|--no-push\b|--snapshot\b|--skip-publish\b|--preview\b|--local\b|--push=false\b))"
)
_WHAT = "publishes something for other people"
_NODE = "publish|unpublish|deprecate|owner add|token create|access public|access grant|dist-tag add|dist-tag rm"
_VERBS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(["npm", "pnpm", "yarn", "bun", "jsr", "deno", "vlt"], tuple(_NODE.split("|"))),
    **dict.fromkeys(
        words(
            "lerna changeset changesets rush beachball vsce ovsx smithery mcp-publisher clawhub apm wasm-pack "
            "elm spago nimble"
        ),
        ("publish", "unpublish"),
    ),
    **dict.fromkeys(
        words("poetry uv hatch flit pdm rye maturin pixi twine anaconda luarocks stack cabal charmcraft"),
        ("publish", "upload"),
    ),
    **dict.fromkeys(words("docker podman nerdctl buildah crane oras docker-compose nuget choco buf"), ("push",)),
    "skopeo": ("copy",),
    "helm": ("push", "cm-push"),
    "cargo": ("publish", "yank", "release", "owner"),
    "gem": ("push", "yank", "owner"),
    **dict.fromkeys(("rake", "nx"), ("release",)),
    **dict.fromkeys(("mvn", "mvnw"), ("deploy", "release:perform")),
    "dotnet": ("nuget push",),
    "pod": ("trunk push",),
    "mix": ("hex.publish",),
    "gh": ("release create", "release upload", "release edit"),
    "glab": ("release create", "release upload"),
    "snapcraft": ("upload", "release", "push", "promote"),
    "fastlane": ("deliver", "release", "beta", "supply", "pilot"),
    "eas": ("submit", "update"),
    **dict.fromkeys(("expo", "pub", "opam"), ("publish",)),
    "web-ext": ("sign",),
    "mkdocs": ("gh-deploy",),
    "clasp": ("deploy", "push"),
    "kamal": ("deploy", "redeploy", "setup"),
    "cap": ("production deploy", "prod deploy"),
    "ko": ("build", "publish", "apply", "resolve"),
    "wrangler": ("deploy", "publish"),
    **dict.fromkeys(("firebase", "fly", "flyctl", "lein"), ("deploy",)),
    "vercel": ("promote",),
    "gcloud": ("app deploy", "run deploy", "functions deploy"),
    "dart": ("pub publish",),
    "flutter": ("pub publish", "packages pub publish"),
    "hf": ("upload", "repo delete"),
    "huggingface-cli": ("upload", "repo delete", "delete-cache"),
    "ansible-galaxy": ("publish", "role import"),
    "goreleaser": ("release", "publish"),
    "xcrun": ("notarytool submit",),
    "kaggle": ("datasets create", "datasets version", "kernels push"),
}
_WITH_WORKSPACES = words("mvn mvnw cargo pnpm yarn npm poetry uv")
_RUN_IS_THEIRS = words("gcloud bazel bazelisk")


def publish(run: CommandEffects) -> None:
    """The verb is the first word, or follows the options and names of a workspace."""
    names = [argument for argument in run.arguments if not argument.startswith("-")]
    if not re.match(_ANY_REHEARSED, run.text[:2000]):
        return
    if names[:1] in (["run"], ["run-script"]) and run.name not in _RUN_IS_THEIRS:
        return
    joined = " ".join(names[:6])
    limit = 6 if run.name in _WITH_WORKSPACES else 2
    verbs = _VERBS[run.name]
    if any(joined.startswith(verb) or (" " not in verb and verb in names[:limit]) for verb in verbs):
        run.add(Verb.PUBLISHES, "packages", _WHAT)


PUBLISHING = merged(
    special(" ".join(_VERBS), publish),
    rows(
        Verb.PUBLISHES,
        "packages",
        *(
            program(names, _WHAT, line=_REHEARSED + line)
            for names, line in (
                ("np semantic-release cpan-upload dput gh-pages surge", ""),
                ("vercel", r"\S+\b.*\s--prod(?:uction)?\b"),
                ("netlify", r"\S+ deploy\b.*\s(?:--prod|-p)\b"),
                ("docker docker-compose", r"\S+ (?:(?:buildx |compose )?build\b.*\s--push\b|buildx bake\b.*--push)"),
                ("serverless sls", r"\S+ deploy\b.*\s--stage[= ]prod"),
                ("aws", r"\S+ ecr\S* put-image\b"),
                ("gh", r"\S+ (?:repo create\b.*--public|workflow run \S*(?:release|publish|deploy)|"
                       r"gist create\b.*\s(?:--public|-p)\b)"),
                ("xcrun", r"\S+ altool\b.*--upload"),
                ("cosign", r"\S+ sign\b"),
                ("gradle gradlew", r".*(?-i: :?(?:\w+:)*(?:publish(?!ToMavenLocal)\w*|uploadArchives|"
                                   r"closeAndReleaseRepository|bintrayUpload)(?: |$))"),
                ("sbt", r".*(?-i:\bpublish(?!Local)\w*)"),
                ("python python3", r"\S+ (?:-\S+ )*(?:setup\.py .*\b(?:upload|register)(?: |$)|twine upload(?: |$))"),
            )
        ),
        program("bazel bazelisk", _WHAT, line=rf"{_ANY_REHEARSED}\S+ run \S*push\b"),
    ),
)  # fmt: skip

PROGRAMS = merged(CONTAINERS, INFRASTRUCTURE, DATABASES, PUBLISHING)
