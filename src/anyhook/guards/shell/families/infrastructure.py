"""Infrastructure as code and the command lines of clouds."""

from __future__ import annotations

import re

from anyhook.guards.shell.finding import Family, Finding
from anyhook.guards.shell.options import has_option, operands, option_values
from anyhook.guards.shell.places import place
from anyhook.lazy_pattern import LazyPattern
from anyhook.shell.command import Invocation

_PLANNERS = ("terraform", "tofu", "terragrunt", "tf")
_DESTROYING = LazyPattern(
    r"(?:delete|terminate|remove|deregister|purge|revoke|detach|disable|batch-delete|"
    r"schedule-key-deletion|stop-logging|reset|release|put-bucket-policy|"
    r"put-bucket-acl|put-public-access-block|create-access-key|attach-user-policy|attach-role-policy|"
    r"put-user-policy|put-role-policy|create-login-profile|update-assume-role-policy|"
    r"authorize-security-group-ingress|modify-db-instance|stop-instances|reboot-instances|stop-db|"
    r"change-resource-record-sets|rotate-secret)(?:-|$)"
)


def refuse(what: str) -> Finding:
    return Finding(
        Family.INFRASTRUCTURE,
        what,
        "Show the user the plan (terraform plan, a list or describe command) and let them run it.",
    )


def judge_terraform(command: Invocation) -> Finding | None:
    words = operands(command)
    verb = words[0] if words else ""
    if verb in ("run-all", "run"):
        verb = next(iter(words[1:]), "")
    arguments = [argument.lstrip("-") for argument in command.arguments]
    if "dry-run" in arguments:
        return None
    if verb == "destroy" or ("destroy" in arguments and verb == "apply"):
        return refuse("destroys infrastructure")
    if verb == "apply" and any(re.match(r"auto-approve|replace", argument) for argument in arguments):
        return refuse("changes infrastructure without a question")
    if verb == "state" and words[1:2] and words[1] in ("rm", "push", "mv", "replace-provider"):
        return refuse("changes the record of the infrastructure")
    if verb in ("taint", "force-unlock") or (verb == "workspace" and "delete" in words):
        return refuse("changes the record of the infrastructure")
    return None


def judge_planned_destruction(commands: tuple[Invocation, ...]) -> Finding | None:
    """``terraform plan -destroy -out x && terraform apply x``: a saved plan is applied without a question."""
    plans: set[str] = set()
    for command in commands:
        if command.name not in _PLANNERS:
            continue
        options = [argument.lstrip("-") for argument in command.arguments if argument.startswith("-")]
        if "plan" in command.arguments and ("destroy" in options or "destroy=true" in options):
            plans |= {place(command, path) for path in option_values(command, "-out", "--out")}
            plans |= {place(command, option[4:]) for option in options if option.startswith("out=")}
        elif "apply" in command.arguments and plans.intersection(place(command, path) for path in operands(command)):
            return refuse("destroys infrastructure")
    return None


def judge_pulumi(command: Invocation) -> Finding | None:
    words = operands(command)
    if has_option(command, "", "--preview-only", "--dry-run"):
        return None
    if (words[:1] and words[0] in ("destroy", "down", "dn")) or words[:2] in (["stack", "rm"], ["state", "delete"]):
        return refuse("destroys infrastructure")
    if words[:1] and words[0] in ("up", "update") and has_option(command, "yf", "--yes", "--skip-preview"):
        return refuse("changes infrastructure without a question")
    return None


def judge_stack(command: Invocation) -> Finding | None:
    """CDK, SAM, Serverless, Copilot, Elastic Beanstalk, eksctl and others with one verb for the end."""
    words = operands(command)
    if (
        words[:1]
        and words[0] in ("destroy", "remove", "delete", "terminate", "down", "teardown", "env:delete", "app:delete")
    ) or (len(words) > 1 and words[1] in ("delete", "destroy", "remove", "rm", "terminate")):
        return refuse("destroys infrastructure")
    if words[:1] == ["deploy"] and re.search(r"--require-approval[= ]never|--force", command.text):
        return refuse("changes infrastructure without a question")
    return None


def judge_aws(command: Invocation) -> Finding | None:
    words = operands(
        command, ("--profile", "--region", "--output", "--query", "--endpoint-url", "--cli-input-json", "--color")
    )
    if has_option(command, "", "--dry-run", "--dryrun") or len(words) < 2:
        return None
    service, verb = words[0], words[1]
    if service == "s3":
        if verb in ("rb", "rm") or (verb in ("sync", "mv") and has_option(command, "", "--delete")):
            return refuse("deletes objects or a bucket")
        return refuse("makes objects public") if "public-read" in command.text else None
    if _DESTROYING.match(verb):
        return refuse(f"does {verb} in {service}")
    return None


def judge_cloud(command: Invocation) -> Finding | None:
    """gcloud, az, doctl and the like: the verb is the last word before the names."""
    words = operands(
        command,
        ("--project", "--zone", "--region", "-g", "--resource-group", "-n", "--name", "--format", "--subscription"),
    )
    verbs = {
        "delete",
        "destroy",
        "purge",
        "remove",
        "rm",
        "reset",
        "stop",
        "deallocate",
        "remove-iam-policy-binding",
        "add-iam-policy-binding",
        "set-iam-policy",
        "disable",
        "detach-disk",
        "terminate",
        "power-off",
        "rebuild",
        "wipe",
    }
    found = next((word for word in words[:5] if word in verbs or word.startswith("delete-")), None)
    if found is None:
        return None
    if words[0] in ("config", "auth", "components"):
        return None
    return refuse(f"does {found} in a cloud")


def judge_gsutil(command: Invocation) -> Finding | None:
    words = operands(command, ("-h", "-o", "-u"))
    verb = words[0] if words else ""
    if verb in ("rm", "rb", "del") or (verb == "rsync" and has_option(command, "d") and not has_option(command, "n")):
        return refuse("deletes objects or a bucket")
    if verb in ("iam", "acl", "cp", "rsync") and any(
        re.match(r"allUsers\b|public-", argument) for argument in command.arguments
    ):
        return refuse("makes objects public")
    return None


def judge_platform(command: Invocation) -> Finding | None:
    """Heroku, Fly, Vercel, Netlify, Wrangler, Firebase, Supabase, Railway."""
    words = operands(command, ("-a", "--app", "--project", "-P", "--token", "--scope", "-s", "--site", "--env", "-e"))
    text = " ".join(words)
    if _PLATFORM.match(text) or re.search(
        r"ps:scale\s+\S+=0|--remote.*\b(?:DROP|DELETE|TRUNCATE)\b", command.text, re.IGNORECASE
    ):
        return refuse("destroys something on a platform")
    return None


_PLATFORM = LazyPattern(
    r"(?:apps?:destroy|apps? destroy|destroy\b|pg:reset|pg:copy|addons:destroy|config:unset|"
    r"domains:remove|access:remove|maintenance:on|releases:rollback|rollback|volumes? (?:destroy|delete|"
    r"rm)|machines? (?:destroy|remove|rm)|postgres detach|secrets (?:unset|delete)|secret delete|remove\b|"
    r"rm\b|projects? (?:rm|remove|delete)|env (?:rm|remove|unset)|env:unset|domains? rm|sites?:delete|"
    r"delete\b|kv[: ](?:namespace|key|bulk) delete|r2 (?:bucket|object) delete|d1 delete|"
    r"queues delete|projects:delete|firestore:delete|hosting:disable|functions:delete|database:remove|"
    r"auth:import|db reset|branches delete|down\b|environment delete|"
    r"service delete|alias rm|certs rm|teams rm|apps delete|databases? (?:destroy|delete)|db (?:destroy|"
    r"drop))"
)


def judge_vault(command: Invocation) -> Finding | None:
    words = operands(command)
    text = " ".join(words)
    if re.match(
        r"(?:delete\b|kv (?:destroy|delete|metadata delete)|secrets disable|auth disable|"
        r"policy delete|operator (?:seal|step-down|rekey|raft remove)|lease revoke|token revoke|"
        r"job stop|node drain|system gc|force-leave|leave\b|acl (?:token|"
        r"policy) delete|node delete|client delete|role delete|cookbook delete|"
        r"environment delete|data bag delete)",
        text,
    ):
        return refuse("deletes shared configuration or secrets")
    return None


def judge_ansible(command: Invocation) -> Finding | None:
    for line in option_values(command, "-a", "--args"):
        if re.search(
            r"\brm\s+-\w*r|shutdown|reboot|mkfs|dd\s+if=|userdel|systemctl\s+(?:stop|disable)|state=absent|"
            r"iptables\s+-F",
            line,
        ):
            return refuse("runs a dangerous command on many machines")
    modules = option_values(command, "-m", "--module-name")
    return refuse("restarts many machines") if any(module.endswith("reboot") for module in modules) else None


def judge_salt(command: Invocation) -> Finding | None:
    return (
        refuse("runs a command on many machines")
        if re.search(
            r"cmd\.run\b.*(?:rm\s+-|shutdown|reboot)|system\.(?:reboot|shutdown)",
            command.text,
        )
        else None
    )


def judge_curl_delete(command: Invocation) -> Finding | None:
    """DELETE requests to other machines, and to a search index or a registry on this one."""
    methods = [value.upper() for value in option_values(command, "-X", "--request", "--method")]
    if command.name in ("http", "https", "xh"):
        methods += [argument for argument in command.arguments if argument == "DELETE"]
    urls = [
        argument for argument in command.arguments if "://" in argument or re.match(r"[\w.-]+:\d+/|localhost", argument)
    ]
    if "DELETE" not in methods or not urls:
        return None
    is_local = all(re.match(r"(?:https?://)?(?:localhost|127\.|0\.0\.0\.0|\[::1\])", url) for url in urls)
    if is_local and not re.search(r":(?:9200|5984|8500|2379|8086)/|_all|/\*", urls[0]):
        return None
    return refuse("deletes something on a server")


def judge_remote_files(command: Invocation) -> Finding | None:
    """``rclone`` and ``mc``, by their first word."""
    verb = next(iter(operands(command)), "")
    if verb in ("delete", "purge", "deletefile", "rmdirs", "cleanup", "rm", "rb"):
        return refuse("deletes files on another machine")
    return None


JUDGES = {
    **dict.fromkeys(_PLANNERS, (judge_terraform,)),
    "pulumi": (judge_pulumi,),
    **dict.fromkeys(
        (
            "cdk",
            "sam",
            "serverless",
            "sls",
            "eb",
            "eksctl",
            "kops",
            "sst",
            "amplify",
            "cdktf",
            "ecs-cli",
            "chalice",
            "zappa",
            "ask",
        ),
        (judge_stack,),
    ),
    "aws": (judge_aws,),
    "awslocal": (judge_aws,),
    **dict.fromkeys(
        (
            "gcloud",
            "az",
            "doctl",
            "hcloud",
            "linode-cli",
            "oci",
            "ibmcloud",
            "openstack",
            "scw",
            "vultr-cli",
            "civo",
            "exo",
            "yc",
            "aliyun",
            "bq",
            "upctl",
            "ovhcloud",
            "confluent",
            "atlas",
            "cbt",
        ),
        (judge_cloud,),
    ),
    "gsutil": (judge_gsutil,),
    "s3cmd": (judge_gsutil,),
    "rclone": (judge_remote_files,),
    "mc": (judge_remote_files,),
    **dict.fromkeys(
        (
            "heroku",
            "fly",
            "flyctl",
            "vercel",
            "now",
            "netlify",
            "wrangler",
            "firebase",
            "supabase",
            "railway",
            "render",
            "neonctl",
            "turso",
            "pscale",
            "planetscale",
            "ntl",
            "surge",
            "dokku",
            "cf",
            "deta",
        ),
        (judge_platform,),
    ),
    **dict.fromkeys(("vault", "nomad", "consul", "knife"), (judge_vault,)),
    "ansible": (judge_ansible,),
    "salt": (judge_salt,),
    "curl": (judge_curl_delete,),
    "http": (judge_curl_delete,),
    "https": (judge_curl_delete,),
    "xh": (judge_curl_delete,),
}
