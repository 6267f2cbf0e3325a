"""Containers, clusters and virtual machines."""

from __future__ import annotations

import re
from itertools import pairwise

from anyhook.guards.shell.finding import Family, Finding
from anyhook.guards.shell.options import has_option, operands
from anyhook.lazy_pattern import LazyPattern
from anyhook.shell.command import Invocation

_LISTED = LazyPattern(r"\$\((?:docker|podman|nerdctl)\s+(?:ps|images|container|image|volume|network)\b")
_UNINSTALLERS = ("k3s-uninstall.sh", "k3s-agent-uninstall.sh", "rke2-uninstall.sh")
_HOST_MOUNT = LazyPattern(
    r"(?:^|=)(?:/|~|/etc|/root|/home|/var|/boot|/usr|/var/run/docker\.sock|/run/docker\.sock|"
    r"/proc|/sys|/dev)(?:/?:|,|$)|~/\.(?:ssh|aws|kube|gnupg)[/:]"
)


def refuse(what: str) -> Finding:
    return Finding(Family.CONTAINERS, what, "Name the one container or image of this project, or ask the user.")


def judge_docker(command: Invocation) -> Finding | None:
    if any(re.search(r"privileged: *true|[\"' ]/:/", text) for text in command.written_files):
        return refuse("gives a container control over this machine")
    words = operands(
        command,
        (
            "-H",
            "--host",
            "-c",
            "--context",
            "--config",
            "-f",
            "--file",
            "-p",
            "--project-name",
            "--profile",
            "--env-file",
            "-l",
        ),
    )
    if command.name in ("docker-compose", "podman-compose"):
        words = ["compose", *words]
    verb = " ".join(words[:2])
    arguments = command.arguments
    everything = (
        command.has_more_arguments
        or any(_LISTED.search(argument) for argument in arguments)
        or has_option(command, "a", "--all")
    )
    is_dangling_only = verb == "image prune" and not has_option(command, "a", "--all")
    if "prune" in words[:2] and words[0] not in ("builder", "buildx", "network") and not is_dangling_only:
        return refuse("deletes containers, images or volumes that it does not name")
    if verb.startswith("volume ") and words[1:2] and words[1] in ("rm", "remove"):
        return refuse("deletes a volume with its data")
    if words[:1] and words[0] in ("rm", "rmi", "kill", "stop") and everything:
        return refuse("removes every container or image of this machine")
    if verb in ("container rm", "container kill", "container stop", "image rm", "pod rm", "pod stop") and everything:
        return refuse("removes every container or image of this machine")
    if words[:1] == ["rm"] and has_option(command, "v", "--volumes"):
        return refuse("deletes a container with its volumes")
    if words[:2] in (["compose", "down"], ["compose", "rm"]) and (
        has_option(command, "v", "--volumes", "--rmi") or "all" in arguments
    ):
        return refuse("deletes the volumes of the project with their data")
    if verb in (
        "swarm leave",
        "stack rm",
        "node rm",
        "service rm",
        "secret rm",
        "config rm",
        "context rm",
        "system reset",
        "machine rm",
    ):
        return refuse("destroys shared containers")
    if verb == "service scale" and any(re.search(r"=0$", word) for word in words):
        return refuse("stops a shared service")
    if (words[:1] and words[0] in ("run", "create", "exec")) or verb in (
        "container run",
        "compose run",
        "compose exec",
    ):
        return _judge_run(command)
    return None


def _judge_run(command: Invocation) -> Finding | None:
    for option, argument in pairwise(command.arguments):
        if argument in ("--privileged", "--privileged=true") or re.match(
            r"--(?:pid|ipc|uts|userns|cap-add|security-opt|device|cgroupns)=(?:host|ALL|SYS_ADMIN|"
            r"apparmor[=:]unconfined|seccomp[=:]unconfined|/dev/)",
            argument,
        ):
            return refuse("gives a container control over this machine")
        if option in ("--pid", "--cap-add", "--ipc", "--security-opt", "--device", "--userns") and re.match(
            r"host|ALL|SYS_ADMIN|apparmor[=:]unconfined|seccomp[=:]unconfined|/dev/", argument
        ):
            return refuse("gives a container control over this machine")
        mounts = option in ("-v", "--volume", "--mount") or argument.startswith(("-v", "--volume=", "--mount="))
        if mounts and _HOST_MOUNT.search(argument.removeprefix("-v")):
            return refuse("gives a container folders of this machine")
    return None


def judge_kubectl(command: Invocation) -> Finding | None:
    words = operands(
        command,
        (
            "-n",
            "--namespace",
            "--context",
            "--kubeconfig",
            "--cluster",
            "-l",
            "--selector",
            "-f",
            "--filename",
            "-o",
            "-c",
            "--replicas",
            "-p",
            "--patch",
            "--user",
            "--grace-period",
            "--timeout",
        ),
    )
    words = words[1:] if words[:1] == ["kubectl"] else words  # k3s kubectl
    verb = words[0] if words else ""
    if has_option(command, "", "--dry-run"):
        return None
    if verb == "delete":
        is_pod = (
            words[1:2]
            and re.match(r"(?:pods?|po|jobs?|job\.batch)(?:/|$)", words[1])
            and (len(words) > 2 or "/" in words[1])
        )
        if (
            is_pod
            and not has_option(command, "", "--all", "--all-namespaces", "--force")
            and not has_option(command, "Al", "--selector")
            and not command.has_more_arguments
        ):
            return None
        return refuse("deletes objects of a cluster")
    if verb in ("drain", "cordon", "taint", "evict"):
        return refuse("takes a node out of a cluster")
    if verb == "replace" and has_option(command, "", "--force"):
        return refuse("deletes and creates objects of a cluster")
    if verb == "apply" and has_option(command, "", "--prune"):
        return refuse("deletes objects of a cluster")
    if verb == "scale" and re.search(r"--replicas[= ]0\b", command.text):
        return refuse("stops a service of a cluster")
    if verb == "patch" and re.search(r"finalizers\W+(?:null|\[\s*\])", command.text):
        return refuse("deletes objects of a cluster past their checks")
    applied = "\n".join([command.text, (command.input.text or "") if command.input else "", *command.written_files])
    if verb in ("create", "apply", "replace") and re.search(
        r"(?is)clusterrolebinding.*cluster-admin|privileged: *true", applied
    ):
        return refuse("gives control over a cluster away")
    if verb == "config" and words[1:2] and words[1].startswith(("delete", "unset")):
        return refuse("deletes the access to a cluster")
    return None


def judge_helm(command: Invocation) -> Finding | None:
    words = operands(command, ("-n", "--namespace", "--kube-context"))
    if has_option(command, "", "--dry-run"):
        return None
    return (
        refuse("removes a release from a cluster")
        if words[:1] and words[0] in ("uninstall", "delete", "del", "un", "rollback")
        else None
    )


def judge_local_cluster(command: Invocation) -> Finding | None:
    """One cluster may be deleted by its name; all of them are more than this project."""
    words = operands(command)
    if command.name in _UNINSTALLERS or (command.name == "kubeadm" and words[:1] == ["reset"]):
        return refuse("removes a cluster and its data from this machine")
    if "delete" in words and ("clusters" in words or has_option(command, "a", "--all", "--purge")):
        return refuse("deletes every cluster of this machine")
    return None


def judge_machine(command: Invocation) -> Finding | None:
    """Virtual machines, whose disks are lost, and what clusters run."""
    words = [argument for argument in command.arguments if not argument.startswith("-")]
    verbs = {
        "vagrant": ("destroy",),
        "virsh": ("destroy", "undefine", "vol-delete", "pool-delete", "snapshot-delete"),
        "lxc": ("delete",),
        "incus": ("delete",),
        "multipass": ("delete", "purge"),
        "qm": ("destroy",),
        "pct": ("destroy",),
        "vboxmanage": ("unregistervm", "closemedium"),
        "limactl": ("delete", "factory-reset"),
        "colima": ("delete",),
        "argocd": ("delete",),
        "flux": ("uninstall", "delete"),
        "istioctl": ("uninstall",),
        "velero": ("delete", "uninstall"),
        "etcdctl": ("del",),
        "machinectl": ("remove", "terminate"),
    }
    if any(word in verbs.get(command.name, ()) for word in words[:2]):
        return refuse("destroys a virtual machine or a part of a cluster")
    return (
        refuse("destroys a Linux system of this machine")
        if command.name == "wsl" and "--unregister" in command.arguments
        else None
    )


JUDGES = {
    **dict.fromkeys(("docker", "podman", "nerdctl", "crictl", "docker-compose", "podman-compose"), (judge_docker,)),
    **dict.fromkeys(("kubectl", "oc", "k", "k3s"), (judge_kubectl,)),
    "helm": (judge_helm,),
    **dict.fromkeys(("kind", "minikube", "k3d", "kubeadm", *_UNINSTALLERS), (judge_local_cluster,)),
    **dict.fromkeys(
        (
            "vagrant",
            "virsh",
            "lxc",
            "incus",
            "multipass",
            "qm",
            "pct",
            "vboxmanage",
            "limactl",
            "colima",
            "argocd",
            "flux",
            "istioctl",
            "velero",
            "etcdctl",
            "wsl",
            "machinectl",
        ),
        (judge_machine,),
    ),
}
