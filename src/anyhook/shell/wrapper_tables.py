"""The programs that start the rest of their line, and how each of them reads what comes before: data only."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct


class Wrapper(Struct, frozen=True):
    """A program that takes options, some with a value, then perhaps fixed operands, and then a command."""

    values: str = ""
    """Short options that take a value."""
    long_values: tuple[str, ...] = ()
    operands: int = 0
    """Arguments between options and command."""
    adds_arguments: bool = False
    is_joined: bool = False
    """A shell reads the command: its words are joined."""
    skips_assignments: bool = False
    """``A=b`` before the command sets a variable."""
    names_package: bool = False
    """The command is the name of a package, perhaps with a version: ``npm@10``."""


_UV_TOOL_VALUES = (
    "from", "with", "with-editable", "with-requirements", "python", "index", "default-index", "index-url",
    "extra-index-url", "find-links", "constraints", "overrides", "env-file", "directory", "project", "refresh-package",
)  # fmt: skip
WRAPPERS = {
    "sudo": Wrapper(
        "ugpCcDhRrTtU",
        ("user", "group", "prompt", "chdir", "host", "role", "type", "chroot", "close-from", "other-user"),
        skips_assignments=True,
    ),
    "doas": Wrapper("uC", skips_assignments=True),
    "su-exec": Wrapper(operands=1),
    "gosu": Wrapper(operands=1),
    "pkexec": Wrapper("", ("user",)),
    "runuser": Wrapper("ugG", ("user", "group")),
    "wsl": Wrapper("du", ("distribution", "user", "cd", "shell-type")),
    "nice": Wrapper("n", ("adjustment",)),
    "ionice": Wrapper("cnpPu", ("class", "classdata")),
    "chrt": Wrapper("TPD", operands=1),
    "taskset": Wrapper("", operands=1),
    "nohup": Wrapper(),
    "setsid": Wrapper(),
    "stdbuf": Wrapper("ioe", ("input", "output", "error")),
    "unbuffer": Wrapper(),
    "time": Wrapper("fo", ("format", "output")),
    "timeout": Wrapper("ks", ("kill-after", "signal"), operands=1),
    "gtimeout": Wrapper("ks", ("kill-after", "signal"), operands=1),
    "command": Wrapper(),
    "builtin": Wrapper(),
    "exec": Wrapper("a"),
    "noglob": Wrapper(),
    "nocorrect": Wrapper(),
    "xargs": Wrapper(
        "aEeIiLlnPsd",
        ("arg-file", "delimiter", "max-args", "max-procs", "max-lines", "max-chars", "replace", "process-slot-var"),
        adds_arguments=True,
    ),
    "gxargs": Wrapper(
        "aEeIiLlnPsd", ("arg-file", "delimiter", "max-args", "max-procs", "replace"), adds_arguments=True
    ),
    "strace": Wrapper("eoPpsuESabXO"),
    "ltrace": Wrapper("eolpsuADF"),
    "catchsegv": Wrapper(),
    "valgrind": Wrapper(),
    "chroot": Wrapper("", ("userspec", "groups"), operands=1),
    "fakeroot": Wrapper("lsbuf"),
    "unshare": Wrapper("SGRw", ("setuid", "setgid", "root", "wd", "map-user", "map-group")),
    "nsenter": Wrapper("tSGrw", ("target", "setuid", "setgid", "root", "wd")),
    "systemd-run": Wrapper(
        "pHMEtu",
        (
            "property",
            "unit",
            "uid",
            "gid",
            "setenv",
            "description",
            "slice",
            "on-calendar",
            "on-active",
            "working-directory",
        ),
        skips_assignments=True,
    ),
    "systemd-inhibit": Wrapper("", ("what", "who", "why", "mode")),
    "dbus-run-session": Wrapper(),
    "firejail": Wrapper(),
    "caffeinate": Wrapper("tw"),
    "arch": Wrapper(),
    "busybox": Wrapper(),
    "toybox": Wrapper(),
    "proot": Wrapper("rbwq"),
    "faketime": Wrapper("f", operands=1),
    "torsocks": Wrapper(),
    "proxychains": Wrapper("f"),
    "proxychains4": Wrapper("f"),
    "dotenv": Wrapper("fe"),
    "dotenvx": Wrapper("f"),
    "aws-vault": Wrapper(operands=2),
    "op": Wrapper("", ("env-file",)),
    "rlwrap": Wrapper("aC"),
    "winpty": Wrapper(),
    "hyperfine": Wrapper(
        "wmMrspn", ("warmup", "runs", "export-json", "export-markdown", "prepare", "setup", "cleanup")
    ),
    "entr": Wrapper(adds_arguments=True),
    "cross-env": Wrapper(skips_assignments=True),
    "npx": Wrapper("pcw", ("package", "call", "workspace"), names_package=True),
    "bunx": Wrapper("p", ("package",), names_package=True),
    "pnpx": Wrapper("", ("package",), names_package=True),
    "uvx": Wrapper("pcw", _UV_TOOL_VALUES, names_package=True),
    "watch": Wrapper("nq", ("interval", "equexit"), is_joined=True),
    "viddy": Wrapper("n", ("interval",), is_joined=True),
    "watchexec": Wrapper(
        "wWefisdE", ("watch", "exts", "filter", "ignore", "signal", "delay-run", "env"), is_joined=True
    ),
    "script": Wrapper("cTtIOBEomF", ("command", "log-in", "log-out", "log-io", "log-timing", "echo"), operands=1),
    "flock": Wrapper("wEc", ("timeout", "wait", "conflict-exit-code", "command"), operands=1),
    "screen": Wrapper("SsThcePtpX"),
    "setpriv": Wrapper("", ("reuid", "regid", "groups", "inh-caps", "ambient-caps", "bounding-set", "securebits")),
    "runcon": Wrapper("turl", ("type", "user", "role", "range")),
    "prlimit": Wrapper("p", ("pid",)),
    "setarch": Wrapper(operands=1),
    "linux32": Wrapper(),
    "linux64": Wrapper(),
    "cgexec": Wrapper("g"),
    "numactl": Wrapper("NCmipP", ("cpunodebind", "physcpubind", "membind", "interleave", "preferred")),
    "daemonize": Wrapper("ceopulE"),
    "daemon": Wrapper("nuoPl", ("name", "user", "output")),
    "dbus-launch": Wrapper(),
    "xvfb-run": Wrapper("efnpsw", ("error-file", "auth-file", "server-num", "xauth-protocol", "server-args", "wait")),
    "mpirun": Wrapper("nx", ("np", "host", "hostfile")),
    "mpiexec": Wrapper("n", ("np", "host", "hostfile")),
    "sshpass": Wrapper("pfdP"),
    **dict.fromkeys(("pssh", "parallel-ssh"), Wrapper("hHlpotOxXe", is_joined=True)),
    "pdsh": Wrapper("wxlgtufR", is_joined=True),
    "dsh": Wrapper("mgr", is_joined=True),
    "chpst": Wrapper("uUbe/nlLmdofpcrt"),
    "softlimit": Wrapper("acdflmnoprst"),
    "setuidgid": Wrapper(operands=1),
    "chronic": Wrapper(),
    "ts-node-dev": Wrapper(),
    "tini": Wrapper(),
    "dumb-init": Wrapper(),
}
SUBCOMMANDS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("poetry", "pipenv", "pdm", "hatch", "rye", "conda", "pixi", "doppler"), ("run",)),
    **dict.fromkeys(("op", "infisical", "dotenvx", "devbox", "bazel", "pipx", "go"), ("run",)),
    **dict.fromkeys(
        ("bundle", "rbenv", "pyenv", "asdf", "nvm", "direnv", "chamber", "lerna", "turbo", "tox"), ("exec",)
    ),
    "heroku": ("run",),
    "adb": ("shell",),
    **dict.fromkeys(("pnpm", "yarn"), ("exec", "dlx")),
    **dict.fromkeys(("npm", "mise"), ("exec", "x")),
    "uv": ("run", "tool run"),
    "bun": ("x",),
    "cargo": ("watch",),
    "guix": ("shell", "environment"),
    "perf": ("stat", "record", "trace", "mem", "lock", "kmem"),
    "cmake": ("-E",),
    "pueue": ("add",),
    "ip": ("netns",),
}
"""Programs that start a command after one of these words."""
WITH_SUBCOMMAND = {
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun"), WRAPPERS["npx"]),
    "pipx": Wrapper("", ("spec", "with", "python", "pip-args", "index-url", "path"), names_package=True),
    "go": Wrapper("C", ("exec", "tags", "ldflags", "mod", "overlay"), names_package=True),
    "perf": Wrapper("opFegcCt"),
    "ip": Wrapper(operands=2),
    "conda": Wrapper("np", ("name", "prefix", "cwd")),
    "uv": Wrapper("pcw", ("group", "extra", "package", *_UV_TOOL_VALUES), skips_assignments=True, names_package=True),
    **dict.fromkeys(("direnv", "nvm", "chamber"), Wrapper(operands=1)),
}
"""How some of them read what follows; the others take no option with a value."""
CONTAINERS = frozenset(
    {
        "docker",
        "podman",
        "nerdctl",
        "docker-compose",
        "kubectl",
        "oc",
        "lxc",
        "incus",
        "multipass",
        "vagrant",
        "limactl",
        "toolbox",
        "distrobox",
    }
)
