from __future__ import annotations

import subprocess
import sys

import pytest

from anyhook.cli.deferred_modules import DEFERRED

DEFER = "import sys; from anyhook.cli.deferred_modules import defer_modules; defer_modules()\n"


def output_of(code: str) -> str:
    """What the code prints in a new process in which modules are deferred."""
    return subprocess.run([sys.executable, "-c", DEFER + code], capture_output=True, text=True, check=True).stdout


def test_what_asyncio_imports_is_not_loaded_before_its_use() -> None:
    assert output_of("import asyncio, ssl; asyncio.run(asyncio.sleep(0)); print('_ssl' in sys.modules)") == "False\n"
    assert output_of("import asyncio, ssl; ssl.SSLContext; print('_ssl' in sys.modules)") == "True\n"


@pytest.mark.parametrize("name", sorted(DEFERRED))
def test_a_deferred_module_has_the_names_of_the_module(name: str) -> None:
    code = (
        f"import {name}; module = sys.modules[{name!r}]; getattr(module, 'no_such_name', None)\n"
        "print(module.__name__, module.__file__, type(module.__loader__), *sorted(dir(module)))"
    )
    plain = subprocess.run([sys.executable, "-c", f"import sys; {code}"], capture_output=True, text=True, check=True)
    assert output_of(code) == plain.stdout


def test_who_asks_for_a_name_gets_it() -> None:
    assert output_of("from textwrap import dedent; print(dedent('  a'))") == "a\n"
    assert output_of("import ssl, asyncio; print(asyncio.sslproto.SSLProtocol.__module__)") == "asyncio.sslproto\n"
    assert output_of("import ssl; ssl.HAS_SNI; import ssl as again; print(again is ssl)") == "True\n"


def test_a_name_that_the_module_does_not_have_is_an_attribute_error() -> None:
    code = "import textwrap\ntry: textwrap.nothing\nexcept AttributeError as error: print(error)"
    assert output_of(code) == "module 'textwrap' has no attribute 'nothing'\n"


def test_threads_that_use_it_at_the_same_time_find_it_loaded() -> None:
    code = (
        "import inspect, threading\n"
        "found, start = [], threading.Barrier(8)\n"
        "def use(): start.wait(); found.append(inspect.signature(use))\n"
        "threads = [threading.Thread(target=use) for _ in range(8)]\n"
        "for thread in threads: thread.start()\n"
        "for thread in threads: thread.join()\n"
        "print(len(found))"
    )
    assert output_of(code) == "8\n"
