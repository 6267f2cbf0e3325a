"""The machine itself: power, processes, services, schedules, logs, network, packages."""

from __future__ import annotations

import re

from msgspec.structs import replace

from anyhook.guards.shell.finding import Family, Finding
from anyhook.guards.shell.options import has_option, operands
from anyhook.guards.shell.places import START_UP_FILE, place
from anyhook.lazy_pattern import LazyPattern
from anyhook.shell.command import Invocation
from anyhook.shell.programs import is_code_runner
from anyhook.shell.words import without_quoted

_ASK = "Ask the user to do this."
_POWER = frozenset(
    [
        "shutdown",
        "reboot",
        "halt",
        "poweroff",
        "telinit",
        "pm-suspend",
        "pm-hibernate",
    ]
)
_POWER_UNITS = frozenset(
    ["poweroff", "reboot", "halt", "kexec", "rescue", "emergency", "suspend", "hibernate", "isolate"]
)
_CRITICAL_UNITS = LazyPattern(
    r"(?:ssh|sshd|firewalld|ufw|iptables|nftables|apparmor|auditd|network|networking|networkmanager|"
    r"systemd-\w+|anyhook\S*|dbus|cron|crond|rsyslog|syslog|fail2ban|docker|containerd|selinux\S*|clamav\S*|"
    r"crowdstrike\S*|falcon\S*)(?:\.\w+)?$",
    re.IGNORECASE,
)
_ESSENTIAL_PACKAGE = LazyPattern(
    r"(?:libc6|libc-bin|glibc|base|linux|~\S+|python3(?:-minimal|\.\d+)?|python|sudo|bash|dash|coreutils|systemd|"
    r"linux-image\S*|linux-headers\S*|kernel\S*|openssh-server|openssh-client|apt|dpkg|rpm|yum|dnf|init|"
    r"util-linux|base-files|passwd|login|grub\S*|network-manager|.*\*.*)$"
)

_ENDLESS_FUNCTIONS = (
    ("function", LazyPattern(r"function([\w:.]{1,40})(?:\(\))?\{(?:\1\|)+\1&\}")),
    ("(){", LazyPattern(r"(?<![\w:.-])([\w:.-]{1,40})\(\)\{[^}]*\b\1&[^}]*\1[^}]*\}")),
    ("(){", LazyPattern(r"(?<![\w:.-])([\w:.-]{1,40})\(\)\{\1(?:\|\1)*&?;?\};\1")),
)
"""Functions that start themselves twice, in a text without white space; what is in every match is looked for first."""
_ENDLESS_LOOPS = (
    (
        "while",
        LazyPattern(
            r"while\s*(?:true|:|\[ ?1 ?\]|\(\(1\)\))\s*;?\s*do\s*"
            r"(?:\"?\$0\"?|bash|sh|\./\S+|yes[^;]*)\s*&\s*;?\s*done"
        ),
    ),
    (
        "fork",
        LazyPattern(
            r"fork\s*(?:\(\))?\s*while\s*(?:fork|1|true)|while\s*\(?(?:1|True|true)\)?\s*[:{]?\s*(?:os\.)?fork|"
            r"fork\(\)\s*while|loop\s*\{\s*fork"
        ),
    ),
    ("((", LazyPattern(r"for\s*\(\(\s*;\s*;\s*\)\)\s*;?\s*do\s*\S+\s*&")),
)
"""Loops that only start processes, likewise."""


def refuse(what: str, instead: str = _ASK) -> Finding:
    return Finding(Family.SYSTEM, what, instead)


def judge_power(command: Invocation) -> Finding | None:
    if has_option(command, "", "--version", "--show") or command.arguments[:1] == ("-c",):
        return None
    return refuse("shuts this machine down")


def judge_sessions(command: Invocation) -> Finding | None:
    verb = next(iter(operands(command)), "")
    ends = verb.startswith(("terminate-", "kill-")) or verb in _POWER_UNITS
    return refuse("ends the sessions of a user, or this machine") if ends else None


def judge_settings(command: Invocation) -> Finding | None:
    """The clock and the name of this machine."""
    options = r"-s|--set" if command.name == "date" else r"set-"
    sets = any(re.match(options, argument) for argument in command.arguments)
    return refuse("changes the clock or the name of this machine") if sets else None


def judge_tmux(command: Invocation) -> Finding | None:
    ends = "kill-server" in command.arguments and not has_option(command, "LS")
    return refuse("ends every terminal session of this user") if ends else None


def judge_init(command: Invocation) -> Finding | None:
    return (
        refuse("changes the run level of this machine")
        if command.arguments and command.arguments[0] in ("0", "1", "6", "s", "S")
        else None
    )


def judge_systemctl(command: Invocation) -> Finding | None:
    words = operands(command, ("-H", "-M", "-t", "-p", "-n", "-o"))
    if not words:
        return None
    verb, units = words[0], words[1:]
    if verb in _POWER_UNITS:
        return refuse("shuts this machine down")
    if verb in ("stop", "disable", "mask", "kill", "revert") and (
        verb == "mask" or any(_CRITICAL_UNITS.match(unit) for unit in units)
    ):
        return refuse(f"turns a service of this machine off ({' '.join(units)})")
    if verb in ("set-default", "edit", "link", "set-environment", "preset-all"):
        return refuse("changes how this machine starts")
    if verb == "enable" and any("/" in unit for unit in units):
        return refuse("adds a service to this machine")
    return None


def judge_service(command: Invocation) -> Finding | None:
    words = operands(command)
    return (
        refuse("turns a service of this machine off")
        if words[1:2] == ["stop"] and _CRITICAL_UNITS.match(words[0])
        else None
    )


def judge_start_up(command: Invocation) -> Finding | None:
    """Which services and which boot loader this machine starts."""
    words = operands(command)
    if command.name in ("grub-install", "efibootmgr", "lilo"):
        return refuse("changes how this machine starts") if command.arguments else None
    off = {"update-rc.d": ("remove", "disable"), "chkconfig": ("off", "--del"), "rc-update": ("del", "delete")}
    turned_off = any(argument in off[command.name] for argument in command.arguments)
    if turned_off and any(_CRITICAL_UNITS.match(word) for word in words):
        return refuse("turns a service of this machine off")
    return None


def judge_kill(command: Invocation) -> Finding | None:
    targets = command.arguments
    sources = command.input.sources if command.input is not None else ()
    if any(source.name == "ps" for source in sources) and not any(source.name in ("grep", "rg") for source in sources):
        return refuse("ends many processes at once")
    if targets[-1:] == ("-1",):
        return refuse("ends every process of this user")
    if "1" in targets[1:] or targets == ("1",):
        return refuse("ends the first process of this machine")
    if any(
        re.search(r"\$\((?:ps|pgrep -u|pidof (?:-x )?(?:systemd|init|sshd|Xorg))\b(?!.*(?:grep|\bp\b))", word)
        for word in targets
    ):
        return refuse("ends many processes at once")
    return None


def judge_pkill(command: Invocation) -> Finding | None:
    patterns = operands(command, ("-t", "-g", "-G", "-P", "-s", "--signal", "-o"))
    options = [argument for argument in command.arguments if not re.match(r"-(?:[A-Z]{2}|\d)", argument)]
    if has_option(replace(command, arguments=tuple(options)), "uU", "--user", "--euid", "--uid"):
        return refuse("ends every process of a user")
    if any(
        re.fullmatch(
            r"[.*^$]+|\.\+|systemd|init|sshd|Xorg|gnome-shell|dbus-daemon|loginwindow|WindowServer|launchd|"
            r"kernel_task|explorer|bash|zsh|sh",
            pattern,
        )
        for pattern in patterns
    ):
        return refuse("ends processes that this machine needs")
    return None


def judge_killall5(command: Invocation) -> Finding | None:
    return refuse("ends every process")


def judge_crontab(command: Invocation) -> Finding | None:
    if has_option(command, "l", "--list") and not has_option(command, "r"):
        return None
    if has_option(command, "r", "--remove"):
        return refuse("deletes all scheduled jobs")
    if operands(command, ("-u",)) or command.input is not None or has_option(command, "e"):
        return refuse("changes the scheduled jobs of this machine")
    return None


def judge_at(command: Invocation) -> Finding | None:
    return (
        refuse("schedules a command for later")
        if (command.input is not None or has_option(command, "f", "--file")) and not has_option(command, "l")
        else None
    )


def judge_history(command: Invocation) -> Finding | None:
    if command.name == "history":
        return (
            refuse("deletes the shell's history", "Leave the history as it is.") if has_option(command, "cdw") else None
        )
    if command.name == "unset":
        return (
            refuse("hides the shell's history", "Leave the history as it is.")
            if any(word.startswith("HIST") for word in command.arguments)
            else None
        )
    if command.arguments[:2] == ("+o", "history"):
        return refuse("hides the shell's history", "Leave the history as it is.")
    if "history" in command.arguments and has_option(command, "u"):
        return refuse("hides the shell's history", "Leave the history as it is.")
    return None


def judge_assignments(command: Invocation) -> Finding | None:
    pairs = [*command.assignments]
    if command.name in ("export", "declare", "typeset", "readonly"):
        pairs += [(word.partition("=")[0], word.partition("=")[2]) for word in command.arguments if "=" in word]
    for name, value in pairs:
        if name in ("HISTFILE", "HISTSIZE", "HISTFILESIZE", "HISTCONTROL", "HISTIGNORE") and (
            value in ("", "0", "/dev/null", "*") or name == "HISTIGNORE"
        ):
            return refuse("hides the shell's history", "Leave the history as it is.")
        if name in ("LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "BASH_ENV", "PROMPT_COMMAND") and value:
            return refuse(f"makes every program load what {name} names")
        if (name == "NODE_TLS_REJECT_UNAUTHORIZED" and value == "0") or (
            name in ("GIT_SSL_NO_VERIFY", "PYTHONHTTPSVERIFY") and value in ("0", "1", "true")
        ):
            return Finding(Family.PERMISSIONS, "turns the check of certificates off", "Fix the certificate instead.")
    return None


def judge_enable(command: Invocation) -> Finding | None:
    return refuse("loads a builtin from a file") if has_option(command, "f") else None


def judge_logs(command: Invocation) -> Finding | None:
    if command.name == "journalctl":
        return refuse("deletes the logs of this machine") if "--vacuum" in command.text else None
    return refuse("deletes the kernel's log") if has_option(command, "Cc", "--clear") else None


def judge_network(command: Invocation) -> Finding | None:
    text = command.text
    if command.name.endswith("tables-restore"):
        return refuse("replaces the firewall's rules") if command.input is not None or command.arguments else None
    if re.match(
        r"\S*ip\s+(?:link\s+set\s+(?:dev\s+)?\S+\s+down|route\s+(?:del|flush)|addr\s+flush|"
        r"link\s+delete)|\S*ifconfig\s+\S+\s+down|\S*route\s+(?:del|flush)|\S*nmcli\s+(?:networking|n|"
        r"radio|r)\s+(?:\w+\s+)?off|\S*networksetup\s+.*off|\S*ifdown\s",
        text,
    ):
        return refuse("cuts this machine off from the network")
    return None


def judge_kernel(command: Invocation) -> Finding | None:
    return refuse("changes the kernel of this machine") if command.arguments else None


def judge_packages(command: Invocation) -> Finding | None:
    words = operands(command)
    removes = (
        any(word in ("remove", "purge", "erase", "uninstall", "autoremove") for word in words[:2])
        or (command.name == "dpkg" and has_option(command, "rP", "--purge", "--remove"))
        or (command.name == "rpm" and has_option(command, "e", "--erase"))
        or (command.name == "pacman" and any(argument.startswith("-R") for argument in command.arguments))
    )
    if not removes:
        return None
    if has_option(
        command,
        "",
        "--force-all",
        "--nodeps",
        "--force-yes",
        "--allow-remove-essential",
        "--force-remove-essential",
        "--ignore-dependencies",
        "--zap",
    ) or any(argument in ("-Rdd", "-Rcns", "-Rc", "-Rscn") for argument in command.arguments):
        return refuse("removes packages by force")
    packages = words if command.name in ("dpkg", "rpm", "pacman") else words[1:]
    if any(_ESSENTIAL_PACKAGE.match(word) for word in packages) or command.has_more_arguments:
        return refuse("removes packages that this machine needs")
    if "purge" in words or has_option(command, "", "--purge"):
        return refuse("removes packages with their settings")
    return None


def judge_pseudo_files(command: Invocation) -> Finding | None:
    """Writes to the kernel's switches, schedules, service definitions and start-up files."""
    if not command.redirects and command.name != "tee":
        return None
    targets = [(redirect.operator, redirect.target.text) for redirect in command.redirects if redirect.writes]
    if command.name == "tee":
        operator = ">>" if has_option(command, "a", "--append") else ">"
        targets += [(operator, path) for path in operands(command)]
    for operator, target in targets:
        path = place(command, target)
        if re.match(r"/proc/(?!self/)|/sys/", path):
            return refuse("changes a switch of the kernel")
        if re.match(
            r"/(?:etc|var/spool)/cron|/etc/(?:systemd|init\.d|rc\.local|profile|sudoers|ld\.so\.preload|ssh/|"
            r"pam\.d|hosts|resolv\.conf|fstab|modules|environment)|~/\.config/(?:systemd|autostart)|"
            r"~/Library/LaunchAgents|/Library/Launch",
            path,
        ):
            return refuse(f"changes {path}, which this machine reads by itself")
        if START_UP_FILE.match(path) and (">>" not in operator or not _is_harmless_line(command)):
            return refuse(f"changes {path}, which every shell runs")
    return None


def _is_harmless_line(command: Invocation) -> bool:
    """A line that adds to PATH or starts a version manager, as installation guides say."""
    text = (
        " ".join(command.arguments)
        if command.name in ("echo", "printf")
        else (command.input.text or "" if command.input else "")
    )
    return re.match(
        r"\s*(?:\\n)?(?:export (?:PATH|GOPATH|JAVA_HOME|NVM_DIR|PYENV_ROOT|ANDROID_HOME|EDITOR|LANG)\b|"
        r"eval \"?\$\(|source |\. |\[ -|alias (?!(?:sudo|su|ssh|anyhook)=)\w+=(?!.*\b(?:rm|sudo)\b)|#|"
        r"setopt|autoload|fpath)",
        text,
    ) is not None and not re.search(r"curl|wget|/dev/tcp|/tmp|base64|PROMPT_COMMAND|rm -", text)


def judge_fork_bomb(text: str, commands: tuple[Invocation, ...]) -> Finding | None:
    """A function that starts itself twice, or loops that only start processes; in quotes, only what a program runs."""
    texts = [without_quoted(text)] if _may_be_endless(text) else []
    texts += [" ".join(command.arguments) for command in commands if is_code_runner(command.name)]
    return next((finding for one in texts if (finding := _judge_endless(one)) is not None), None)


def _may_be_endless(text: str) -> bool:
    return "&" in text or "fork" in text or "%0" in text


def _judge_endless(text: str) -> Finding | None:
    if not _may_be_endless(text):
        return None
    compact = "".join(text.split())
    is_endless = (
        any(word in compact and pattern.search(compact) for word, pattern in _ENDLESS_FUNCTIONS)
        or any(word in text and pattern.search(text) for word, pattern in _ENDLESS_LOOPS)
        or "%0|%0" in compact
    )
    return refuse("starts processes without end") if is_endless else None


def judge_flood(command: Invocation) -> Finding | None:
    """Endless output into a file."""
    endless = command.name == "yes" or any(
        re.search(r"/dev/(?:zero|urandom|random)$", argument) for argument in command.arguments
    )
    if command.name == "dd":
        endless = endless and not any(argument.startswith("count=") for argument in command.arguments)
        files = [
            argument[3:]
            for argument in command.arguments
            if argument.startswith("of=") and not argument.startswith("of=/dev/")
        ]
        return refuse("fills the disk") if endless and files else None
    files = [
        redirect.target.text
        for redirect in command.redirects
        if redirect.writes and not redirect.target.text.startswith("/dev/")
    ]
    if endless and files:
        return refuse("fills the disk")
    if command.name == "fallocate" and re.search(r"\d{3,}[GT]|\d+T|[1-9]\d{11,}", command.text):
        return refuse("fills the disk")
    return None


def judge_launchctl(command: Invocation) -> Finding | None:
    return (
        refuse("changes the services of this machine")
        if command.arguments[:1]
        and command.arguments[0] in ("unload", "bootout", "remove", "disable", "load", "bootstrap", "kill", "reboot")
        else None
    )


def judge_mac(command: Invocation) -> Finding | None:
    return (
        refuse("changes settings of this machine")
        if command.arguments[:1]
        and command.arguments[0] in ("delete", "deletelocalsnapshots", "disable", "-c", "disablelocal", "removesource")
        else None
    )


def judge_stress(command: Invocation) -> Finding | None:
    return refuse("starts a program that this machine should not run")


JUDGES = {
    **dict.fromkeys(_POWER, (judge_power,)),
    "init": (judge_init,),
    "systemctl": (judge_systemctl,),
    "service": (judge_service,),
    **dict.fromkeys(("grub-install", "efibootmgr", "lilo", "update-rc.d", "chkconfig", "rc-update"), (judge_start_up,)),
    "kill": (judge_kill,),
    "pkill": (judge_pkill,),
    "killall": (judge_pkill,),
    "skill": (judge_pkill,),
    "killall5": (judge_killall5,),
    "crontab": (judge_crontab,),
    "at": (judge_at,),
    "batch": (judge_at,),
    "history": (judge_history,),
    "unset": (judge_history,),
    "set": (judge_history,),
    "shopt": (judge_history,),
    "enable": (judge_enable,),
    "journalctl": (judge_logs,),
    "dmesg": (judge_logs,),
    "iptables-restore": (judge_network,),
    "ip6tables-restore": (judge_network,),
    "ip": (judge_network,),
    "ifconfig": (judge_network,),
    "route": (judge_network,),
    "nmcli": (judge_network,),
    "ifdown": (judge_network,),
    "networksetup": (judge_network,),
    **dict.fromkeys(("rmmod", "insmod", "kexec", "modprobe"), (judge_kernel,)),
    **dict.fromkeys(
        ("apt", "apt-get", "aptitude", "yum", "dnf", "zypper", "brew", "dpkg", "rpm", "pacman", "apk", "snap"),
        (judge_packages,),
    ),
    "cat": (judge_flood,),
    "yes": (judge_flood,),
    "fallocate": (judge_flood,),
    "dd": (judge_flood,),
    "launchctl": (judge_launchctl,),
    "nvram": (judge_mac,),
    "tmutil": (judge_mac,),
    "xmrig": (judge_stress,),
    "minerd": (judge_stress,),
    "loginctl": (judge_sessions,),
    "tmux": (judge_tmux,),
    **dict.fromkeys(("date", "timedatectl", "hostnamectl"), (judge_settings,)),
}
