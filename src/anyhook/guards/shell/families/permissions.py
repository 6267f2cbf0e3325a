"""Permissions, users and protections of the system."""

from __future__ import annotations

import re

from anyhook.guards.shell.finding import Family, Finding
from anyhook.guards.shell.options import has_option, operands, option_values
from anyhook.guards.shell.places import PRIVATE_KEY, is_everything, is_outside, is_system, place
from anyhook.lazy_pattern import LazyPattern
from anyhook.shell.command import Invocation

_OPEN_MODE = LazyPattern(r"0?[0-7]?[0-7][0-7][2367]$")
_OPEN_TO_ALL = LazyPattern(r"(?:^|,)[ug]*[ao][ugo]*[+=][rxXst]*w")


def refuse(
    what: str, instead: str = "Give only the permission that is needed, to the one file that needs it."
) -> Finding:
    return Finding(Family.PERMISSIONS, what, instead)


def judge_chmod(command: Invocation) -> Finding | None:
    mode = next(
        (
            argument
            for argument in command.arguments
            if re.fullmatch(r"[0-7]{3,5}|[ugoa]*[-+=][rwxXst,ugoa+=-]*", argument)
        ),
        "",
    )
    paths = [place(command, path) for path in operands(command) if path != mode]
    recursive = has_option(command, "R", "--recursive")
    if _is_open_mode(mode):
        return refuse("lets every user change a file, or run it as its owner")
    if re.fullmatch(r"0+", mode):
        return refuse("takes all permissions away")
    if any(PRIVATE_KEY.search(path) or path in ("~/.ssh", "~") for path in paths) and not re.fullmatch(
        r"0?[4675]00|[go]-rwx|go-.*|og-.*", mode
    ):
        return refuse("lets others read a private key")
    if recursive and any(is_system(path) or path == "~" for path in paths):
        return refuse("changes permissions outside of the project")
    if any(re.match(r"/(?:etc|usr|bin|sbin|boot|lib|var/log)", path) for path in paths) and not re.fullmatch(
        r"\+x|0?755|a\+x|u\+x|0?644|a\+r|0?600", mode
    ):
        return refuse("changes permissions of the system")
    if recursive and re.fullmatch(r"[ugoa]*-[rwx]+", mode) and any(is_everything(path) for path in paths):
        return refuse("takes permissions away from the whole project")
    return None


def _is_open_mode(mode: str) -> bool:
    """Whether every user may change the file then, or run it as its owner."""
    if mode[:1].isdecimal():
        return _OPEN_MODE.match(mode) is not None or re.fullmatch(r"0?[2467][0-7]{3}", mode) is not None
    return _OPEN_TO_ALL.search(mode) is not None or re.search(r"[+=][rwxX]*s", mode) is not None


def judge_made_with_mode(command: Invocation) -> Finding | None:
    """``install -m 4755`` and ``mkdir -m 777``: the mode that something is made with."""
    groups = [argument for argument in command.arguments if re.match(r"-[bcCdDpsTvZ]+m", argument)]
    modes = [*option_values(command, "-m", "--mode", *groups), *[group.partition("m")[2] for group in groups]]
    if any(map(_is_open_mode, modes)):
        return refuse("lets every user change a file, or run it as its owner")
    return None


def judge_acl(command: Invocation) -> Finding | None:
    paths = [place(command, path) for path in operands(command, ("-m", "-x", "-M", "-X", "--modify", "--remove"))]
    if has_option(command, "R", "--recursive") and any(is_outside(path) for path in paths):
        return refuse("changes permissions outside of the project")
    return None


def judge_chown(command: Invocation) -> Finding | None:
    names = operands(command)
    paths = [place(command, path) for path in names[1:]]
    recursive = has_option(command, "R", "--recursive")
    if any(is_system(path) for path in paths) or (
        recursive and any(path == "~" or path.startswith("..") for path in paths)
    ):
        return refuse("changes the owner of files outside of the project")
    if names and re.match(r"(?:root|www-data|0|65534)(?:[:.]|$)", names[0]) and paths:
        return refuse("gives files away")
    return None


def judge_user(command: Invocation) -> Finding | None:
    name = command.name
    if any(argument in ("admin", "wheel") for argument in command.arguments):
        return refuse("makes a user an administrator", "Ask the user.")
    if name in (
        "userdel",
        "deluser",
        "groupdel",
        "delgroup",
        "chpasswd",
        "visudo",
        "vipw",
        "useradd",
        "adduser",
        "newusers",
        "gpasswd",
        "usermod",
        "chage",
    ):
        return (
            refuse("changes the users of this machine", "Ask the user.") if command.arguments or command.input else None
        )
    if name == "passwd":
        return refuse("changes a password", "Ask the user.")
    return None


def judge_protection(command: Invocation) -> Finding | None:
    """Switches that turn a protection of the system off."""
    text = command.text
    if _PROTECTIONS.match(text):
        return refuse("turns a protection of this machine off", "Ask the user.")
    return None


_PROTECTIONS = LazyPattern(
    r"""(?:\S*/)?(?:setenforce\s+(?:0|permissive)|ufw\s+(?:--force\s+)?(?:disable|reset)|iptables\s+.*(?:-F|
-X|-P\s+\w+\s+\w)|ip6tables\s+.*-F|nft\s+flush|firewall-cmd\s+.*(?:--panic|--remove|
--zone=\w+\s+--add-port=.*permanent)|
    spctl\s+.*(?:--master-disable|--global-disable)|csrutil\s+disable|
    xattr\s+.*-[a-z]*d[a-z]*\s.*quarantine|xattr\s+-[a-z]*c|aa-(?:teardown|disable|complain)|
    apparmor_parser\s+-R|auditctl\s+(?:-e\s*0|-D)|sysctl\s+.*(?:randomize_va_space|ptrace_scope|
    kptr_restrict|kernel\.|net\.ipv4\.ip_forward|core_pattern|protected_)|
    setcap\s|chattr\s+.*-[a-z]*i|setfacl\s.*--restore|setfacl\s.*(?:o|other|g:users)::?[rw]*w|
    umask\s+0*0$|
    git\s+(?:-\S+\s+(?:[^-\s]\S*\s+)?)*(?:config\s.*http\.sslverify\s+|-c\s+http\.sslverify=)(?:false|0)|
    (?:npm|pnpm|yarn)\s+(?:config\s+)?set\s+strict-ssl[\s=]false|pip3?\s+config\s+set\s+.*trusted-host|
    defaults\s+write\s+.*(?:LSQuarantine|com\.apple\.screensaver|loginwindow)|dscl\s.*(?:-delete|-append|
    -create|passwd)|
    xhost\s+\+)""",
    re.VERBOSE | re.IGNORECASE,
)


def judge_link(command: Invocation) -> Finding | None:
    paths = [place(command, path) for path in operands(command)]
    if len(paths) > 1 and paths[0] == "/dev/null" and is_outside(paths[-1]):
        return Finding(
            Family.SYSTEM, "makes a file swallow what is written to it", "Leave logs and histories as they are."
        )
    return None


_PROTECTED_BY = [
    "setenforce",
    "ufw",
    "iptables",
    "ip6tables",
    "nft",
    "firewall-cmd",
    "spctl",
    "csrutil",
    "xattr",
    "aa-teardown",
    "aa-disable",
    "aa-complain",
    "apparmor_parser",
    "auditctl",
    "sysctl",
    "setcap",
    "chattr",
    "umask",
    "git",
    "npm",
    "pnpm",
    "yarn",
    "pip",
    "pip3",
    "defaults",
    "dscl",
    "xhost",
]
JUDGES = {
    "chmod": (judge_chmod,),
    "chown": (judge_chown,),
    "chgrp": (judge_chown,),
    **dict.fromkeys(("install", "ginstall", "mkdir", "gmkdir"), (judge_made_with_mode,)),
    "ln": (judge_link,),
    **dict.fromkeys(
        [
            "usermod",
            "gpasswd",
            "adduser",
            "useradd",
            "dseditgroup",
            "userdel",
            "deluser",
            "groupdel",
            "delgroup",
            "chpasswd",
            "visudo",
            "vipw",
            "newusers",
            "passwd",
            "chage",
        ],
        (judge_user,),
    ),
    **dict.fromkeys(_PROTECTED_BY, (judge_protection,)),
    "setfacl": (judge_acl, judge_protection),
}
