"""This machine: power, services, processes, schedules, logs, network, packages, disks, permissions."""

from __future__ import annotations

import re

from anyhook.guards.effects.command_effects import CommandEffects
from anyhook.guards.effects.model import AWAY, Verb, Zone, words
from anyhook.guards.effects.names import is_system
from anyhook.guards.effects.program_table import merged, program, rows, special
from anyhook.lazy_pattern import LazyPattern

_CRITICAL = (
    r"(?:ssh|sshd|firewalld|ufw|iptables|nftables|apparmor|auditd|network|networking|networkmanager|systemd-\w+|"
    r"anyhook\S*|dbus|cron|crond|rsyslog|syslog|fail2ban|docker|containerd|selinux\S*|clamav\S*|crowdstrike\S*|"
    r"falcon\S*)(?:\.\w+)?(?= |$)"
)
_POWER = "poweroff|reboot|halt|kexec|rescue|emergency|suspend|hibernate|isolate"
_ESSENTIAL = (
    r"(?:libc6|libc-bin|glibc|base|linux|~\S+|python3(?:-minimal|\.\d+)?|python|sudo|bash|dash|coreutils|systemd|"
    r"linux-image\S*|linux-headers\S*|kernel\S*|openssh-server|openssh-client|apt|dpkg|rpm|yum|dnf|init|util-linux|"
    r"base-files|passwd|login|grub\S*|network-manager|\S*\*\S*)(?= |$)"
)
_PACKAGERS = "apt apt-get aptitude yum dnf zypper brew dpkg rpm pacman apk snap"
_HISTORY = "hides the shell's history"
_STARTS = "changes how this machine starts"
_OFF = "turns a service of this machine off"
_DOWN = "shuts this machine down"
_CUT = "cuts this machine off from the network"
_FILLS = "fills the disk"
_SYSTEMCTL = "-H -M -t -p -n -o"

MACHINE = rows(
    Verb.MACHINE,
    "system",
    program("shutdown reboot halt poweroff telinit pm-suspend pm-hibernate", _DOWN, line=r"^\S+(?!\S)(?!\s+-c(?:\s|$))",
            unless="--version --show"),
    program("loginctl", "ends the sessions of a user, or this machine", words=rf"(?:terminate-|kill-)[\w-]*|{_POWER}"),
    program("date", "changes the clock or the name of this machine", line=r"\s(?:-s|--set)"),
    program("timedatectl hostnamectl", "changes the clock or the name of this machine", line=r"\sset-"),
    program("tmux", "ends every terminal session of this user", line=r"\skill-server(?:\s|$)", unless="-L -S"),
    program("init", "changes the run level of this machine", line=r"^\S+ [016sS](?: |$)"),
    program("systemctl", _DOWN, words=_POWER, values=_SYSTEMCTL),
    program("systemctl", _OFF, words="mask", values=_SYSTEMCTL),
    program("systemctl", _OFF, words=rf"(?:stop|disable|kill|revert) (?:\S+ )*{_CRITICAL}", values=_SYSTEMCTL),
    program("systemctl", _STARTS, words="set-default|edit|link|set-environment|preset-all", values=_SYSTEMCTL),
    program("systemctl", "adds a service to this machine", words=r"enable (?:\S+ )*\S*/\S*", values=_SYSTEMCTL),
    program("service", _OFF, words=rf"{_CRITICAL} stop"),
    program("grub-install efibootmgr lilo", _STARTS, given=True),
    program("update-rc.d", _OFF, line=rf"^(?=.*\s(?:remove|disable)(?:\s|$)).*\s{_CRITICAL}"),
    program("chkconfig", _OFF, line=rf"^(?=.*\s(?:off|--del)(?:\s|$)).*\s{_CRITICAL}"),
    program("rc-update", _OFF, line=rf"^(?=.*\s(?:del|delete)(?:\s|$)).*\s{_CRITICAL}"),
    program("killall5", "ends every process"),
    program("crontab", "deletes all scheduled jobs", flag="-r --remove"),
    program("history", "deletes the shell's history", flag="-c -d -w"),
    program("unset", _HISTORY, line=r"\sHIST"),
    program("history unset set shopt", _HISTORY, line=r"^\S+ \+o history(?: |$)"),
    program("set shopt", _HISTORY, line=r"\shistory(?:\s|$)", flag="-u"),
    program("enable", "loads a builtin from a file", flag="-f"),
    program("journalctl", "deletes the logs of this machine", line="--vacuum"),
    program("dmesg", "deletes the kernel's log", flag="-C -c --clear"),
    program("ip", _CUT, line=r"^\S*ip\s+(?:link\s+set\s+(?:dev\s+)?\S+\s+down|route\s+(?:del|flush)|"
            r"addr\s+flush|link\s+delete)"),
    program("ifconfig", _CUT, line=r"^\S*ifconfig\s+\S+\s+down"),
    program("route", _CUT, line=r"^\S*route\s+(?:del|flush)"),
    program("nmcli", _CUT, line=r"^\S*nmcli\s+(?:networking|n|radio|r)\s+(?:\w+\s+)?off"),
    program("networksetup", _CUT, line=r"^\S*networksetup\s+.*off"),
    program("ifdown", _CUT, line=r"^\S*ifdown\s"),
    program("rmmod insmod kexec modprobe", "changes the kernel of this machine", given=True),
    program("fallocate", _FILLS, line=r"\d{3,}[GT]|\d+T|[1-9]\d{11,}"),
    program("launchctl", "changes the services of this machine",
            line=r"^\S+ (?:unload|bootout|remove|disable|load|bootstrap|kill|reboot)(?: |$)"),
    program("nvram tmutil", "changes settings of this machine",
            line=r"^\S+ (?:delete|deletelocalsnapshots|disable|-c|disablelocal|removesource)(?: |$)"),
    program("xmrig minerd", "starts a program that this machine should not run"),
)  # fmt: skip

_DISK = "erases a disk or a partition"
_PARTITIONS = "changes the partitions of a disk"
DISKS = rows(
    Verb.MACHINE,
    "disk",
    program("wipefs", _DISK, flag="-a -o --all --offset"),
    program("badblocks", _DISK, flag="-w -n"),
    program("blkdiscard pvremove vgremove lvremove mkswap cfdisk nwipe scrub", _DISK, given=True),
    program("fdisk sfdisk gdisk sgdisk parted", _PARTITIONS, line=r"^\S+ (?!(?:.* )?(?:print|-d)(?: |$))",
            unless="-l --list --version --print"),
    program("zpool", "destroys data with zpool", line=r"\s(?:destroy|labelclear|export|remove|detach)(?:\s|$)"),
    program("zfs", "destroys data with zfs", line=r"\s(?:destroy|rollback)(?:\s|$)"),
    program("cryptsetup", "destroys data with cryptsetup",
            line=r"\s(?:luksformat|erase|lukserase|reencrypt|luksremovekey|lukskillslot)(?:\s|$)"),
    program("diskutil", "destroys data with diskutil", line=r"\sapfs(?=\s)(?=.*\s(?:delete|erase))|"
            r"^(?!.*\sapfs(?:\s|$)).*\s(?:erasedisk|erasevolume|partitiondisk|reformat|zerodisk|randomdisk|secureerase)(?:\s|$)"),
    program("diskutil", "destroys data with diskutil", line=r"\s(?:delete|erase)\S*.*\sapfs(?:\s|$)"),
    program("nvme", "destroys data with nvme", line=r"\s(?:format|sanitize)(?:\s|$)"),
    program("mdadm", "destroys a RAID array", flag="--zero-superblock --stop --remove --fail"),
    program("hdparm", "erases a disk", line="security-erase|trim-sector|yes-i-know|write-sector"),
    program("umount", "unmounts the file systems of this machine", flag="-a --all"),
    program("umount", "unmounts the file systems of this machine", words=r"(?:\S+ )*/(?:home|boot|usr|var)?(?= |$)"),
    program("btrfs", "deletes a volume", line=r"\s(?:delete|remove)(?:\s|$)"),
)  # fmt: skip


def mkfs(run: CommandEffects) -> None:
    targets = run.operands()
    is_image = any(
        re.search(r"\.(?:img|iso|raw|qcow2)$", path) or run.place(path).zone is Zone.TEMPORARY for path in targets
    )
    if not is_image and (targets or run.command.has_more_arguments):
        run.add(Verb.MACHINE, "disk", "makes a file system, which erases what is there")


def dd(run: CommandEffects) -> None:
    for argument in run.arguments:
        key, _, value = argument.partition("=")
        if key != "of":
            continue
        place = run.place(value)
        if re.match(r"\$\{?\w*(?:DISK|DEV|DRIVE|USB)", value, re.IGNORECASE):
            run.add(Verb.MACHINE, "disk", f"writes to the device {value}")
        is_raw = any(text.startswith("if=/dev/") for text in run.arguments)
        run.add(Verb.OVERWRITES, place, "raw" if is_raw and re.search(r"(?:^|/)src/", place.shown) else "block")


def kill(run: CommandEffects) -> None:
    targets = run.arguments
    names = {source.name for source in run.sources}
    many = r"\$\((?:ps|pgrep -u|pidof (?:-x )?(?:systemd|init|sshd|Xorg))\b(?!.*(?:grep|\bp\b))"
    if ("ps" in names and not names & {"grep", "rg"}) or any(re.search(many, word) for word in targets):
        run.add(Verb.MACHINE, "system", "ends many processes at once")
    if targets[-1:] == ("-1",):
        run.add(Verb.MACHINE, "system", "ends every process of this user")
    if "1" in targets[1:] or targets == ("1",):
        run.add(Verb.MACHINE, "system", "ends the first process of this machine")


_NEEDED = LazyPattern(
    r"[.*^$]+|\.\+|systemd|init|sshd|Xorg|gnome-shell|dbus-daemon|loginwindow|WindowServer|launchd|kernel_task|explorer|"
    r"bash|zsh|sh"
)


def pkill(run: CommandEffects) -> None:
    options = [argument for argument in run.arguments if not re.match(r"-(?:[A-Z]{2}|\d)", argument)]
    if any(re.match(r"-\w*[uU]|--(?:user|euid|uid)\b", option) for option in options if option != "--"):
        run.add(Verb.MACHINE, "system", "ends every process of a user")
    if any(map(_NEEDED.fullmatch, run.operands(("-t", "-g", "-G", "-P", "-s", "--signal", "-o")))):
        run.add(Verb.MACHINE, "system", "ends processes that this machine needs")


def crontab(run: CommandEffects) -> None:
    is_listed = run.has("l", "--list")
    if not is_listed and (run.operands(("-u",)) or run.command.input is not None or run.has("e")):
        run.add(Verb.MACHINE, "system", "changes the scheduled jobs of this machine")


def at(run: CommandEffects) -> None:
    if (run.command.input is not None or run.has("f", "--file")) and not run.has("l"):
        run.add(Verb.MACHINE, "system", "schedules a command for later")


def firewall(run: CommandEffects) -> None:
    if run.command.input is not None or run.arguments:
        run.add(Verb.MACHINE, "system", "replaces the firewall's rules")


def packages(run: CommandEffects) -> None:
    names, name = run.operands(), run.name
    removes = (
        any(word in ("remove", "purge", "erase", "uninstall", "autoremove") for word in names[:2])
        or (name == "dpkg" and run.has("rP", "--purge", "--remove"))
        or (name == "rpm" and run.has("e", "--erase"))
        or (name == "pacman" and any(argument.startswith("-R") for argument in run.arguments))
    )
    if not removes:
        return
    forced = ("--force-all", "--nodeps", "--force-yes", "--allow-remove-essential", "--force-remove-essential")
    if run.has("", *forced, "--ignore-dependencies", "--zap") or re.search(r" -R(?:dd|cns|c|scn)(?: |$)", run.text):
        run.add(Verb.MACHINE, "system", "removes packages by force")
    listed = names if name in ("dpkg", "rpm", "pacman") else names[1:]
    if run.command.has_more_arguments or any(re.match(_ESSENTIAL, word) for word in listed):
        run.add(Verb.MACHINE, "system", "removes packages that this machine needs")
    if "purge" in names or run.has("", "--purge"):
        run.add(Verb.MACHINE, "system", "removes packages with their settings")


def flood(run: CommandEffects) -> None:
    """Endless output into a file."""
    endless = run.name == "yes" or any(re.search(r"/dev/(?:zero|urandom|random)$", one) for one in run.arguments)
    files = [redirect.target.text for redirect in run.command.redirects if redirect.writes]
    if run.name == "dd":
        endless = endless and not any(argument.startswith("count=") for argument in run.arguments)
        files = [argument[3:] for argument in run.arguments if argument.startswith("of=")]
    if endless and any(not path.startswith("/dev/") for path in files):
        run.add(Verb.MACHINE, "system", _FILLS)


# ---------------------------------------------------------------------------------------------------------- permissions

_MODE = LazyPattern(r"[0-7]{3,5}|[ugoa]*[-+=][rwxXst,ugoa+=-]*")
_OPEN_MODE = LazyPattern(r"0?[0-7]?[0-7][0-7][2367]$|0?[2467][0-7]{3}$")
_OPEN_TO_ALL = LazyPattern(r"(?:^|,)[ug]*[ao][ugo]*[+=][rxXst]*w|[+=][rwxX]*s")
_OPENS = "lets every user change a file, or run it as its owner"
_GIVES = LazyPattern(r"(?:root|www-data|0|65534)(?:[:.]|$)")


def is_open_mode(mode: str) -> bool:
    """Whether every user may change the file then, or run it as its owner."""
    return (_OPEN_MODE.match(mode) if mode[:1].isdecimal() else _OPEN_TO_ALL.search(mode)) is not None


def chmod(run: CommandEffects) -> None:
    mode = next((argument for argument in run.arguments if _MODE.fullmatch(argument)), "")
    recursive = run.has("R", "--recursive")
    if is_open_mode(mode):
        run.add(Verb.PERMITS, "files", _OPENS)
    if re.fullmatch(r"0+", mode):
        run.add(Verb.PERMITS, "files", "takes all permissions away")
    for path in run.operands():
        if path != mode:
            place = run.place(path)
            run.add(Verb.PERMITS, place, f"{mode} recursive" if recursive else mode)


def made_with_mode(run: CommandEffects) -> None:
    """``install -m 4755`` and ``mkdir -m 777``: the mode that something is made with."""
    groups = [argument for argument in run.arguments if re.match(r"-[bcCdDpsTvZ]+m", argument)]
    if any(map(is_open_mode, [*run.values("-m", "--mode", *groups), *[one.partition("m")[2] for one in groups]])):
        run.add(Verb.PERMITS, "files", _OPENS)


def chown(run: CommandEffects) -> None:
    names = run.operands()
    places = [run.place(path) for path in names[1:]]
    recursive = run.has("R", "--recursive")
    if any(is_system(one.shown) or (recursive and (one.shown == "~" or one.written[:2] == "..")) for one in places):
        run.add(Verb.PERMITS, "files", "changes the owner of files outside of the project")
    if places and _GIVES.match(names[0]):
        run.add(Verb.PERMITS, "files", "gives files away")


def acl(run: CommandEffects) -> None:
    paths = run.operands(("-m", "-x", "-M", "-X", "--modify", "--remove"))
    zones = {run.place(path).zone for path in paths}
    if run.has("R", "--recursive") and zones & AWAY:
        run.add(Verb.PERMITS, "files", "changes permissions outside of the project")


def link(run: CommandEffects) -> None:
    paths = run.operands()
    if len(paths) > 1 and run.shown(paths[0]) == "/dev/null":
        place = run.place(paths[-1])
        if place.zone in AWAY:
            run.add(Verb.MACHINE, "system", "makes a file swallow what is written to it")


_USERS = (
    "usermod gpasswd adduser useradd dseditgroup userdel deluser groupdel delgroup chpasswd visudo vipw newusers chage"
)
_TURNS_OFF = "turns a protection of this machine off"
_CHECKS = "turns the check of certificates off"
PERMISSIONS = rows(
    Verb.PERMITS,
    "machine",
    program(f"{_USERS} passwd", "makes a user an administrator", line=r"\s(?:admin|wheel)(?:\s|$)"),
    program(_USERS.replace("dseditgroup ", ""), "changes the users of this machine", given=True),
    program("passwd", "changes a password"),
    program("setenforce", _TURNS_OFF, line=r"^\S+\s+(?:0|permissive)"),
    program("ufw", _TURNS_OFF, line=r"^\S+\s+(?:--force\s+)?(?:disable|reset)"),
    program("iptables", _TURNS_OFF, line=r"^\S+\s+.*(?:-F|-X|-P\s+\w+\s+\w)"),
    program("ip6tables", _TURNS_OFF, line=r"^\S+\s+.*-F"),
    program("nft", _TURNS_OFF, line=r"^\S+\s+flush"),
    program("firewall-cmd", _TURNS_OFF, line=r"\s.*(?:--panic|--remove|--zone=\w+\s+--add-port=.*permanent)"),
    program("spctl", _TURNS_OFF, line=r"\s.*(?:--master-disable|--global-disable)"),
    program("csrutil", _TURNS_OFF, line=r"^\S+\s+disable"),
    program("xattr", _TURNS_OFF, line=r"\s(?:.*-[a-z]*d[a-z]*\s.*quarantine|-[a-z]*c)"),
    program("aa-teardown aa-disable aa-complain", _TURNS_OFF),
    program("apparmor_parser", _TURNS_OFF, line=r"^\S+\s+-R"),
    program("auditctl", _TURNS_OFF, line=r"^\S+\s+(?:-e\s*0|-D)"),
    program("sysctl", _TURNS_OFF, line=r"\s.*(?:randomize_va_space|ptrace_scope|kptr_restrict|kernel\.|"
            r"net\.ipv4\.ip_forward|core_pattern|protected_)"),
    program("setcap", _TURNS_OFF, line=r"^\S+\s"),
    program("chattr", _TURNS_OFF, line=r"\s.*-[a-z]*i"),
    program("setfacl", _TURNS_OFF, line=r"\s.*(?:--restore|(?:o|other|g:users)::?[rw]*w)"),
    program("umask", _TURNS_OFF, line=r"^\S+\s+0*0$"),
    program("git", _TURNS_OFF, line=r"^\S+\s+(?:-\S+\s+(?:[^-\s]\S*\s+)?)*(?:config\s.*http\.sslverify\s+|"
            r"-c\s+http\.sslverify=)(?:false|0)"),
    program("npm pnpm yarn", _TURNS_OFF, line=r"^\S+\s+(?:config\s+)?set\s+strict-ssl[\s=]false"),
    program("pip pip3", _TURNS_OFF, line=r"^\S+\s+config\s+set\s+.*trusted-host"),
    program("defaults", _TURNS_OFF, line=r"^\S+\s+write\s+.*(?:LSQuarantine|com\.apple\.screensaver|loginwindow)"),
    program("dscl", _TURNS_OFF, line=r"\s.*(?:-delete|-append|-create|passwd)"),
    program("xhost", _TURNS_OFF, line=r"^\S+\s+\+"),
)  # fmt: skip

# ------------------------------------------------------------------------------------------------------------ variables

_EMPTY = ("", "0", "/dev/null", "*")
_PRELOADED = words("LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES BASH_ENV PROMPT_COMMAND")


def variables(run: CommandEffects) -> None:
    """What variables change that are set for a command, or for the shell."""
    for name, value in assigned(run):
        if name.startswith("HIST") and _hides_history(name, value):
            run.add(Verb.MACHINE, "system", _HISTORY)
        if name in _PRELOADED and value:
            run.add(Verb.MACHINE, "system", f"makes every program load what {name} names")
        if (name, value) == ("NODE_TLS_REJECT_UNAUTHORIZED", "0") or (
            name in ("GIT_SSL_NO_VERIFY", "PYTHONHTTPSVERIFY") and value in ("0", "1", "true")
        ):
            run.add(Verb.PERMITS, "machine", _CHECKS)


def _hides_history(name: str, value: str) -> bool:
    if name == "HISTIGNORE":
        return True
    return name in ("HISTFILE", "HISTSIZE", "HISTFILESIZE", "HISTCONTROL") and value in _EMPTY


SETTERS = words("export declare typeset readonly setenv")
"""Builtins that set variables."""


def assigned(run: CommandEffects) -> list[tuple[str, str]]:
    pairs = list(run.command.assignments)
    if run.name in SETTERS:
        pairs += [(word.partition("=")[0], word.partition("=")[2]) for word in run.arguments if "=" in word]
    return pairs


PROGRAMS = merged(
    MACHINE,
    DISKS,
    PERMISSIONS,
    special("mke2fs newfs newfs_hfs mkdosfs mkntfs", mkfs),
    special("dd", dd, flood),
    special("dcfldd", dd),
    special("kill", kill),
    special("pkill killall skill", pkill),
    special("crontab", crontab),
    special("at batch", at),
    special("iptables-restore ip6tables-restore", firewall),
    special(_PACKAGERS, packages),
    special("cat yes", flood),
    special("chmod", chmod),
    special("install ginstall mkdir gmkdir", made_with_mode),
    special("chown chgrp", chown),
    special("setfacl", acl),
    special("ln", link),
)
