"""What a command line starts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyhook.shell import InputKind, read_script


def started(line: str) -> list[str]:
    return [command.text for command in read_script(line).commands if command.words]


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ('"r""m" -rf /', "rm -rf /"),
        (r"r\m x", "rm x"),
        (r"$'\x72\x6d' x", "rm x"),
        ("rm${IFS}-rf${IFS}/", "rm -rf /"),
        ("{rm,-rf,/}", "rm -rf /"),
        ("R=rm; $R x", "rm x"),
        ("R=rm; echo $(R=ls)$R x", "echo $(R=ls)rm x"),
        ("a=(rm x); ${a[@]}", "rm x"),
        ("X=r; ${X}m x", "rm x"),
        ("${X:-rm} x", "rm x"),
        ("$(echo rm) x", "rm x"),
        ("`printf rm` x", "rm x"),
        ("sudo -u root env A=b timeout -k 5 9 rm x", "rm x"),
        ("bash -lc 'cd / && rm x'", "rm x"),
        ("echo 'rm x' | sh", "rm x"),
        ("echo cm0geA== | base64 -d | sh", "rm x"),
        ("bash <<< 'rm x'", "rm x"),
        ("bash <<'E'\nrm x\nE", "rm x"),
        ("cat <<E | sh\nrm $HOME\nE", "rm ~"),
        ("true &&\ncat <<E | sh\nrm x\nE", "rm x"),
        ("cat > s.sh <<'E'\nrm x\nE\nbash s.sh", "rm x"),
        ("f() { rm \"$1\"; }; f x", "rm x"),
        ("alias d='rm -rf'; d x", "rm -rf x"),
        ("find . -exec rm {} +", "rm {}"),
        ("xargs -I% sh -c 'rm %' <<< x", "rm x"),
        ("python3 -c \"import os; os.system('rm x')\"", "rm x"),
        ("node -e \"require('child_process').execSync('rm x')\"", "rm x"),
        ("awk 'BEGIN{system(\"rm x\")}'", "rm x"),
        ("git -c alias.z='!rm x' z", "rm x"),
        ("for i in a b; do rm $i; done", "rm b"),
        ("case $x in a) rm x;; esac", "rm x"),
        ("trap 'rm x' EXIT", "rm x"),
        ("rm \\\n  x", "rm x"),
        ("tar xf a.tar --to-command='rm x'", "rm x"),
        ("tar cf a.tar --checkpoint-action=exec='rm x' src", "rm x"),
        ("tar cIf 'rm x' a.tar src", "rm x"),
        ("PAGER='rm x' man ls", "rm x"),
        ("export GIT_SSH_COMMAND='rm x'", "rm x"),
        ("TAR_OPTIONS=--to-command=rm tar xf a.tar", "rm"),
        ("git -c core.pager='rm x' log", "rm x"),
        ("git config core.editor 'rm x'", "rm x"),
        ("git clone 'ext::sh -c rm% x' y", "rm x"),
        ("psql -c '\\! rm x'", "rm x"),
        ("printf 'a:\\n\\trm x\\n' | make -f -", "rm x"),
        ("cat > Makefile <<'E'\na:\n\trm x\nE\nmake", "rm x"),
        ("test -v 'a[$(rm x)]'", "rm x"),
        ("[[ 'a[$(rm x)]' -eq 1 ]]", "rm x"),
        ("parallel 'rm {}' ::: x y", "rm y"),
        ("bash -c '\"$@\"' _ rm x", "rm x"),
        ("X='rm x' bash -c '$X'", "rm x"),
        ("bash <(echo rm x)", "rm x"),
        ("bash <<'E'\n\\rm x\nE", "rm x"),
        ("bash /dev/fd/3 3<<< 'rm x'", "rm x"),
        ("echo rm x | tee s.sh; sh s.sh", "rm x"),
        ("echo ${x/$(rm x)/}", "rm x"),
        ("declare -A m=([a]='rm x'); ${m[a]}", "rm x"),
        ("hash -p /bin/rm ls; ls x", "/bin/rm x"),
        ('cmd=(rm); cmd+=(-rf x); "${cmd[@]}"', 'rm -rf x'),
        ('cmd[0]=rm; cmd[1]=-rf; cmd[2]=x; "${cmd[@]}"', 'rm -rf x'),
        ('declare -a cmd=(rm -rf x); "${cmd[@]}"', 'rm -rf x'),
        ('cmd=(ls rm); ${cmd[1]} x', 'rm x'),
        ('cmd=(ls rm x); "${cmd[@]:1}"', 'rm x'),
        ('cmds=("rm x" ls); for c in "${cmds[@]}"; do bash -c "$c"; done', 'rm x'),
        ('coproc rm x', 'rm x'),
        ('coproc { rm x; }', 'rm x'),
        ('coproc NAME { rm x; }', 'rm x'),
        ('coproc (rm x)', 'rm x'),
        ('coproc bash; echo \'rm x\' >&"${COPROC[1]}"', 'rm x'),
        ("coproc SH { bash; }; echo 'rm x' >&${SH[1]}", 'rm x'),
        ('echo aW1wb3J0IG9zOyBvcy5zeXN0ZW0oInJtIHgiKQ== | base64 -d | python3', 'rm x'),
        ('python3 -c "$(echo aW1wb3J0IG9zOyBvcy5zeXN0ZW0oInJtIHgiKQ== | base64 -d)"', 'rm x'),
        ('python3 -c "import base64,os; os.system(base64.b64decode(\'cm0geA==\').decode())"', 'rm x'),
        ('python3 -c "exec(__import__(\'base64\').b64decode(\'aW1wb3J0IG9zOyBvcy5zeXN0ZW0oInJtIHgiKQ==\'))"', 'rm x'),
        ('python3 -c "import os; os.system(bytes.fromhex(\'726d2078\').decode())"', 'rm x'),
        ('python3 -c "import os; os.system(\' \'.join([\'rm\', \'x\']))"', 'rm x'),
        ('node -e "require(\'child_process\').execSync([\'rm\',\'x\'].join(\' \'))"', 'rm x'),
        ('node -e "require(\'child_process\').execSync(Buffer.from(\'cm0geA==\',\'base64\').toString())"', 'rm x'),
        ('perl -MMIME::Base64 -e \'system(decode_base64("cm0geA=="))\'', 'rm x'),
        ('tsx -e "require(\'child_process\').execSync(\'rm x\')"', 'rm x'),
        ('read -r a b <<< "rm x"; $a $b', 'rm x'),
        ('IFS=, read -r a b <<< "rm,x"; $a $b', 'rm x'),
        (': ${X:=rm}; $X x', 'rm x'),
        ('n=X; X=rm; ${!n} x', 'rm x'),
        ("crontab - <<< '* * * * * rm x'", 'rm x'),
        ("echo '@daily rm x' | crontab -", 'rm x'),
        ('tox exec -- rm x', 'rm x'),
        ("ansible all -m shell -a 'rm x'", 'rm x'),
        ("salt '*' cmd.run 'rm x'", 'rm x'),
        ("pssh -h hosts 'rm x'", 'rm x'),
        ("gcloud compute ssh vm --command 'rm x'", 'rm x'),
        ('adb shell rm x', 'rm x'),
        ('heroku run rm x', 'rm x'),
        ("fly ssh console -C 'rm x'", 'rm x'),
    ],
)  # fmt: skip
def test_a_command_is_found(line: str, command: str) -> None:
    assert command in started(line)


@pytest.mark.parametrize(
    ("line", "target"),
    [
        ('for f in *.py; do : > "$f"; done', "*.py"),
        ("for f in a b; do > $f; done", "b"),
        ('find src | while read -r f; do : > "$f"; done', "$(find src)"),
        ("find . -exec sh -c '> \"$1\"' _ {} \\;", "{}"),
    ],
)
def test_what_a_loop_empties_is_seen(line: str, target: str) -> None:
    redirects = [redirect for command in read_script(line).commands for redirect in command.redirects]
    assert (">", target) in [(redirect.operator, redirect.target.text) for redirect in redirects]


def test_numbers_too_long_for_python_are_no_danger() -> None:
    digits = "9" * 5_000
    assert not read_script(f"a=(b c); echo ${{a[{digits}]}} ${{a:{digits}}} {{1..{digits}}}; rm x").is_truncated


def test_half_a_character_in_code_is_no_danger() -> None:
    read_script("python3 -c \"import os; os.system(' '.join(['rm', '\ud800']))\"")


def test_the_folder_follows_cd() -> None:
    line = "cd ~ && rm a; (cd /etc; rm b); cd - ; rm c"
    folders = {command.text: command.folder for command in read_script(line).commands}
    assert (folders["rm a"], folders["rm b"], folders["rm c"]) == ("~", "/etc", None)


@pytest.mark.parametrize(
    ("line", "places"),
    [
        ("cd x && sudo rm -rf 'a b' | tee \"f\"", ["cd x", "sudo rm -rf 'a b'", "sudo rm -rf 'a b'", 'tee "f"']),
        ("ls \\\n -l; sh -c 'rm x' && echo é x", ["ls \\\n -l", "sh -c 'rm x'", "sh -c 'rm x'", "echo é x"]),
        ("X=1; echo $(git  push) > y", ["X=1", "echo $(git  push)", "echo $(git  push)"]),
        ("f() { rm $1; }; f x; ls", ["f x", "rm $1", "ls"]),
        ("> x", ["> x"]),
    ],
)
def test_every_command_has_its_place_in_the_line(line: str, places: list[str]) -> None:
    assert [line[command.start : command.end] for command in read_script(line).commands] == places


def test_every_word_of_the_line_has_its_place() -> None:
    line = "ls \\\n 'a b' {c,d} \"$X\" $Y; sh -c 'rm x'"
    words = [word for command in read_script(line).commands for word in command.words]
    assert [line[word.start : word.end] for word in words if word.start >= 0] == [
        "ls", "'a b'", "{c,d}", "{c,d}", '"$X"', "$Y", "sh", "-c", "'rm x'",
    ]  # fmt: skip
    assert [word.text for word in words if word.start < 0] == ["rm", "x"]
    assert [word.text for word in words if word.is_quoted] == ["a b", "${X}", "rm x"]


def test_a_command_knows_which_one_starts_it() -> None:
    commands = read_script("ls; sudo env A=b rm x; sh -c 'cd y && rm z'").commands
    assert [(one.name, one.started_by) for one in commands] == [
        ("ls", None), ("sudo", None), ("env", 1), ("rm", 2), ("sh", None), ("cd", 4), ("rm", 4),
    ]  # fmt: skip


def test_redirections_and_input_are_part_of_a_command() -> None:
    command, reader = read_script("echo a > out.txt 2>&1; sort < in.txt").commands
    assert [(one.operator, one.target.text) for one in command.redirects] == [(">", "out.txt")]
    assert reader.input is not None
    assert (reader.input.kind, reader.input.file) == (InputKind.FILE, "in.txt")


def test_what_a_pipe_carries_is_known_or_not() -> None:
    *_, known = read_script("echo hi | cat").commands
    *_, unknown = read_script("curl -s https://x | cat").commands
    assert known.input is not None
    assert known.input.text == "hi\n"
    assert unknown.input is not None
    assert (unknown.input.text, [source.name for source in unknown.input.sources]) == (None, ["curl"])


def test_text_is_not_a_command() -> None:
    assert started("echo 'rm -rf /' # rm x") == ["echo rm -rf /"]


def test_a_broken_line_is_incomplete() -> None:
    script = read_script("rm x; if then (")
    assert not script.is_complete
    assert "rm x" in [command.text for command in script.commands]


NESTED_LOOPS = "".join(f"for v{n} in a b c d; do " for n in range(8)) + "rm x; " + "done; " * 8


@pytest.mark.parametrize(
    "line",
    [
        NESTED_LOOPS,
        "f0() { ls; }; " + "".join(f"f{n}() {{ {f'f{n - 1}; ' * 9} }}; " for n in range(1, 9)) + "f8",
        "echo " + "{a,b}{a,b}{a,b}{a,b}{a,b} " * 500,
        "x=aaaaaaaaaa; " + "x=$x$x$x$x$x$x$x$x; " * 3 + 'echo "' + "$x" * 20_000 + '"',
        "echo " + "$(" * 300 + "rm x" + ")" * 300,
        "a|" * 20_000 + "rm x",
        "ls;" * 20_000,
        "x" * 64_001,
    ],
)
def test_a_line_over_the_budget_is_truncated_with_a_reason(line: str) -> None:
    script = read_script(line)
    assert script.is_truncated
    assert not script.is_complete
    assert script.reason.startswith("it ")


@pytest.mark.parametrize(
    "body", ["a|" * 25_000, "don't (\n" * 6_000, 'say "$(ls)"\n' * 4_000, "# it's\n'\n" * 5_000, "x\n\n  y\n"]
)
@pytest.mark.parametrize(
    "form", ["cat > f <<'END'\n{}\nEND\nrm x", "git commit -m \"$(cat <<'END'\n{}\nEND\n)\"; rm x"]
)
def test_the_text_of_a_here_document_is_not_counted(form: str, body: str) -> None:
    line = form.format(body)
    script = read_script(line)
    assert script.is_complete
    assert [line[one.start : one.end] for one in script.commands if one.name == "rm"] == ["rm x"]
    assert any(one.input is not None and one.input.text == body + "\n" for one in script.commands)


def test_a_quote_cannot_hide_a_command_of_a_long_line() -> None:
    """What is blanked for the grammar is what the grammar itself takes for quoted."""
    padding = "a " * 4_000
    for line in (
        f"echo $'\\'' {padding}; rm x #'",
        f"echo \"$(echo '\"')\" {padding}; rm x; echo '",
        f": <<a; {padding}\nrm x",
    ):
        script = read_script(line)
        assert script.is_truncated or not script.is_complete or "rm x" in [one.text for one in script.commands]


@given(st.text(alphabet="rm -f/~$(){}[]<>|&;'\"`\\\n*?=x#!", max_size=120))
def test_never_raises(text: str) -> None:
    read_script(text)
